# What the jobs about `iopath layout` share: `. /lab/layout.sh` follows `. /lab/path.sh`, after `fresh`.
#
# A study over six drives is built by the commands that are printed, discovered again, and removed.
a=$(drive LAB0) b=$(drive LAB1) c=$(drive LAB2) d=$(drive LAB3) e=$(drive LAB4) f=$(drive LAB5)
before=$(ls /mnt)
# study NAME LAYOUT: /tmp/NAME.kdl, over six drives of a host.
study() {
    cat > "/tmp/$1.kdl" << END
study "$1"
path { host "h" { disk "d" count=6 both="100 MB/s" } }
layout {
    $2
}
workload time="1 s" { streams "r" over="$3" block="1 MiB" }
END
}
named="h.d[0]=$a,h.d[1]=$b,h.d[2]=$c,h.d[3]=$d,h.d[4]=$e,h.d[5]=$f"
# script STUDY MANAGER [OPTION…]: /tmp/layout.sh.
script() {
    rm -f /tmp/layout.sh
    iopath layout "/tmp/$1.kdl" --for "$2" --devices "$named" -o /tmp/layout.sh "${@:3}" > /tmp/said 2>&1
}
# made NAME: the script builds. gone NAME: it removes, and no drive holds anything.
made() { if sh /tmp/layout.sh make > /tmp/made 2>&1; then ok "$1 is built"; else wrong "$1 is built" "exit code $?" /tmp/made; fi; }
gone() {
    local left drive
    sh /tmp/layout.sh undo > /tmp/gone 2>&1 || { wrong "$1 is removed" "exit code $?" /tmp/gone; return; }
    udevadm settle
    left=$(for drive in "$a" "$b" "$c" "$d" "$e" "$f"; do wipefs --noheadings "$drive"; lsblk --noheadings --output TYPE "$drive"; done | grep -v '^disk$' || true)
    left="$left$(grep ^md /proc/mdstat || true)$(grep ' /mnt/' /proc/mounts || true)"
    same "$1 leaves nothing" "$before" "$left$(ls /mnt)"
    if sh /tmp/layout.sh check > /tmp/gone 2>&1; then ok "$1 could be built again"; else wrong "$1 could be built again" "exit code $?" /tmp/gone; fi
}
# found NAME TARGET: what was built is discovered; that a discovered study is right and predicted is for other jobs.
found() { discovered "$2" || wrong "$1 is discovered" "exit code $?" /tmp/drawn; }
# over DRIVE…: the members in their order, as discovered; names that follow one another would be written as one.
over() { echo "to=\"$(echo "$*" | sed 's/ /, /g')\""; }
