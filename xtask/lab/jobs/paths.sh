# Two ways to one unit. What is mounted by one is in use by the other, whether multipath joins them, does not run, or has lost one.
. /lab/lib.sh
. /lab/path.sh
. /lab/multipath.sh
udevadm settle
mapfile -t ways < <(lsblk --nodeps --noheadings --paths --output NAME,SERIAL | awk '$2 == "UNIT0" {print $1}')
same "the unit has two names" 2 ${#ways[@]}
a=${ways[0]} b=${ways[1]}
tokens=(UNIT0 0x5000c50015ea71aa wwn-0x5000c50015ea71aa scsi-0QEMU_QEMU_HARDDISK_UNIT0)

say "without multipath, one name mounted"
drawn "a unit with two names" "$a"
finds "its names are found" unjoined-paths
ext4 "$b"
fill "$b" /mnt/unit
never "the other name of a mounted unit" "$a" "${tokens[@]}"
intact "the unit has all its bytes" /mnt/unit
umount /mnt/unit
udevadm settle
named "a unit at rest needs its name" "$a"
first=$(offered)
udevadm settle
named "and again" "$a"
same "the override has the same name in two refusals" "$first" "$(offered)"
wipefs --quiet --all "$b"
blkdiscard --force "$b" 2> /dev/null
blockdev --flushbufs "$a" "$b"

say "with multipath"
join service-time UNIT0
drawn "unit with two ways" /dev/mapper/mpatha
shows "both ways, chosen as the table says" 'enclosure "qemu" \{ .*port count=2 .*multipath policy="service-time"'
carries "unit with two ways" /dev/mapper/mpatha 200000000
ext4 /dev/mapper/mpatha
fill /dev/mapper/mpatha /mnt/unit
never "mounted map" /dev/mapper/mpatha dm-name-mpatha "${tokens[@]}"
never "its first path" "$a" "${tokens[@]}"
never "its second path" "$b" "${tokens[@]}"
say "a path that is offline"
echo offline > "/sys/block/${a#/dev/}/device/state"
drawn "unit with one path offline" /dev/mapper/mpatha
finds "the path that is down is found" paths-down
hides "it is not drawn" 'port count=2'
echo running > "/sys/block/${a#/dev/}/device/state"
until multipathd show paths raw format "%d %t" | grep -q "^${a#/dev/} active"; do sleep 0.5; done

say "a path that is taken out"
multipathd del path "${a#/dev/}" > /dev/null
until [ -z "$(ls "/sys/block/${a#/dev/}/holders")" ]; do sleep 0.2; done
udevadm settle
never "path that was taken out of the map" "$a" "${tokens[@]}"
intact "the unit has all its bytes" /mnt/unit
finish
