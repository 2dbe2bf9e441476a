#!/bin/sh
# SQLite on a live array of two controllers, of which the one that owns the volume fails while rows
# are committed. A client counts what was acknowledged; afterwards the file system is mounted anew
# and the rows are counted.
#
#   sh docs/failover.sh                          caches mirrored: no committed row is lost
#   CACHE='flush="never"' sh docs/failover.sh    neither mirror nor battery: some rows are
#
# Root; Debian packages sqlite3, e2fsprogs. MOMENTS (20) failures, IOPATH (iopath) the program.
set -eu
iopath=${IOPATH:-iopath}
cache=${CACHE:-'flush="never" mirror=#true'}
moments=${MOMENTS:-20}
work=$(mktemp -d)
tidy_up() {
    umount "$work/mnt" 2>/dev/null || true
    "$iopath" emulate --down --directory "$work/run" 2>/dev/null || true
    rm -rf "$work"
}
trap tidy_up EXIT
trap 'exit 130' INT TERM
mkdir "$work/mnt"
cat > "$work/array.kdl" <<KDL
study "failover"
path {
    host "h" { hba { port count=2 read="100 MB/s" write="100 MB/s" latency="100 us" } }
    array "a" {
        controller "one" {
            port
            cache size="64 MiB" write="back" $cache
            raid "v" level=5 segment="64 KiB" {
                disk count=5 size="32 MB" stream="50 MB/s" position="5 ms"
            }
        }
        controller "two" { port; cache size="64 MiB" write="back" $cache }
    }
    wire from="h.hba.port[0]" to="a.one.port"
    wire from="h.hba.port[1]" to="a.two.port"
}
workload time="60 s" { streams "s" over="a.one.v" op="write" block="4 KiB" }
KDL
total=0
bad=0
for moment in $(seq "$moments"); do
    # From 2.0 s on, so that it falls among the commits.
    at=$(awk "BEGIN { print 2 + $moment / $moments }")
    device=$("$iopath" emulate "$work/array.kdl" --live --up --loops --media files --scale 1:1 \
        --fail a.one --at "$at s" --directory "$work/run" 2>/dev/null | awk '/^\/dev\/loop/ { print $1 }')
    mkfs.ext4 -q "$device"
    mount "$device" "$work/mnt"
    # One transaction a row; each is on the array when sqlite3 prints its number.
    rows() {
        echo 'PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT);'
        for id in $(seq 100000); do
            echo "INSERT INTO rows VALUES ($id, hex(randomblob(200))); SELECT $id;"
        done
    }
    # It ends while the controller is down and a commit waits.
    rows | timeout 4 sqlite3 "$work/mnt/db" > "$work/acknowledged" 2>/dev/null || true
    acknowledged=$(tail -n 1 "$work/acknowledged")
    sleep 5
    umount "$work/mnt"
    blockdev --flushbufs "$device"
    found=unreadable
    if e2fsck -p "$device" > /dev/null 2>&1 || [ $? -lt 4 ]; then
        if mount "$device" "$work/mnt" 2>/dev/null; then
            found=$(sqlite3 "$work/mnt/db" 'SELECT count(*) FROM rows;' 2>/dev/null) || found=unreadable
            umount "$work/mnt"
        fi
    fi
    "$iopath" emulate --down --directory "$work/run" 2>/dev/null
    total=$((total + acknowledged))
    if [ "$found" = unreadable ] || [ "$found" -lt "$acknowledged" ]; then bad=$((bad + 1)); fi
    echo "failure at $at s: $acknowledged rows acknowledged, $found found"
done
echo "$moments failures, $total rows acknowledged; rows lost after $bad of them"
