# Logical volumes by the commands that `iopath layout` prints: discovered again with the same level, unit and members, and removed, so that
# every drive is as before.
. /lab/lib.sh
. /lab/path.sh
modprobe -a dm_mod dm_raid raid1 raid456 raid10 xfs
fresh
. /lab/layout.sh

study lvm0 'stripe "fast" unit="64 KiB" over="h.d[2], h.d[0], h.d[4]"
    raid "copy" level=1 size="64 MiB" over="h.d[3], h.d[1]"
    filesystem "xfs0" on="fast" { readahead unit="256 KiB" streams=4 }' fast
script lvm0 lvm
made "a striped and a mirrored logical volume with XFS"
found "the stripe" /dev/iopath/fast
shows "the stripe has its unit" 'stripe "[^"]*" unit="64 KiB"'
shows "the stripe has its members in order" "$(over "$c" "$a" "$e")"
found "the mirrored volume" /dev/iopath/copy
shows "it is a mirror of 64 MiB" 'mirror "[^"]*" size="64 MiB"'
same "read-ahead is kept by LVM" 2048 "$(blockdev --getra /dev/iopath/fast)"
gone "a striped and a mirrored logical volume with XFS"

study lvm5 'raid "five" level=5 segment="64 KiB" size="96 MiB" over="h.d[0-3]"
    concat "long" over="h.d[5], h.d[4]"' five
script lvm5 lvm
made "RAID 5 and a concatenation by LVM"
found "RAID 5 of LVM" /dev/iopath/five
shows "RAID 5 of LVM has its segment" 'raid "[^"]*" level=5 segment="64 KiB" size="96 MiB"'
found "the concatenation" /dev/iopath/long
shows "the concatenation has its members in order" "$(over "$f" "$e")"
gone "RAID 5 and a concatenation by LVM"

study lvm10 'mirror "m" { side of="h.d[0-1]"; side of="h.d[2-3]" }
    stripe "ten" unit="64 KiB" size="96 MiB" over="m"' ten
script lvm10 lvm
made "a stripe over mirrors, as RAID 10 of LVM"
found "RAID 10 of LVM" /dev/iopath/ten
shows "RAID 10 of LVM has its segment" 'raid "[^"]*" level=10 segment="64 KiB"'
gone "a stripe over mirrors, as RAID 10 of LVM"
finish
