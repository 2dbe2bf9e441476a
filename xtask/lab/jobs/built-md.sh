# Arrays of md by the commands that `iopath layout` prints: discovered again with the same level, unit and members, and removed, so that
# every drive is as before. What holds data is refused.
. /lab/lib.sh
. /lab/path.sh
modprobe -a raid0 raid1 raid456 raid10 xfs ext4
fresh
. /lab/layout.sh

study md0 'stripe "fast" unit="128 KiB" over="h.d[2], h.d[0], h.d[3], h.d[1]"
    filesystem "xfs0" on="fast" cache="buffered" { readahead unit="256 KiB" streams=4 }' fast
script md0 mdadm
if sh /tmp/layout.sh > /tmp/made 2>&1; then wrong "a script without a word does nothing" "exit code 0"; else ok "a script without a word does nothing"; fi
mkfs.ext4 -q -F "$d"
if sh /tmp/layout.sh make > /tmp/made 2>&1; then wrong "data is refused" "exit code 0"; else ok "data is refused"; fi
same "nothing was made before" "" "$(grep ^md /proc/mdstat || true)"
if sh /tmp/layout.sh undo > /tmp/made 2>&1; then wrong "undo says that nothing was made" "exit code 0"; else ok "undo says that nothing was made"; fi
same "undo leaves what it did not make" ext4 "$(blkid --probe --output value --match-tag TYPE "$d")"
wipefs --quiet --all "$d"
made "RAID 0 with XFS"
found "RAID 0" /dev/md/fast
shows "RAID 0 has its unit" 'stripe "[^"]*" unit="128 KiB"'
shows "RAID 0 has its members in order" "$(over "$c" "$a" "$d" "$b")"
same "XFS knows unit and columns" "32 128" "$(xfs_info /mnt/xfs0 | sed -n 's/.*sunit=\([0-9]*\) *swidth=\([0-9]*\) blks.*/\1 \2/p' | head -1)"
same "read-ahead is a window of all units" 2048 "$(blockdev --getra /dev/md/fast)"
gone "RAID 0 with XFS"

study md1 'mirror "pair" { side of="h.d[0]"; side of="h.d[1]" }
    raid "five" level=5 segment="64 KiB" size="192 MiB" largest-request="128 KiB" over="h.d[2-5]"
    filesystem "ext4" on="five"' five
script md1 mdadm
made "a mirror, and RAID 5 with ext4"
found "the mirror" /dev/md/pair
shows "it is a mirror" 'mirror "'
found "RAID 5" /dev/md/five
shows "RAID 5 has its segment and size" 'raid "[^"]*" level=5 segment="64 KiB" size="192 MiB"'
same "RAID 5 has four members" 4 "$(cat /sys/class/block/"$(kernel /dev/md/five)"/md/raid_disks)"
same "the largest request is set" 128 "$(cat /sys/class/block/"$(kernel /dev/md/five)"/queue/max_sectors_kb)"
same "ext4 knows unit and columns" "16 48" "$(dumpe2fs -h /dev/md/five 2> /dev/null | awk '/RAID str/ {print $NF}' | xargs)"
gone "a mirror, and RAID 5 with ext4"
finish
