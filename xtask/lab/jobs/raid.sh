# Arrays of md over equal drives of 100 MB/s: RAID 0 with ext4, RAID 5 with XFS and with a member missing, RAID 10.
. /lab/lib.sh
. /lab/path.sh
modprobe -a raid0 raid456 raid10
fresh
a=$(drive LAB0) b=$(drive LAB1) c=$(drive LAB2) d=$(drive LAB3)
create() { # array --level=N [option...] drive...
  mdadm --quiet --create "$1" "$2" --raid-devices=4 --chunk=64 --run "${@:3}"
  udevadm settle
}
remove() { # array
  umount "/mnt/$(basename "$1")"
  mdadm --quiet --stop "$1"
  for drive in "$a" "$b" "$c" "$d"; do mdadm --quiet --zero-superblock "$drive"; done
}
members=("$(kernel "$a")" "$(kernel "$b")" "$(kernel "$c")" "$(kernel "$d")")
create /dev/md0 --level=0 "$c" "$a" "$b" "$d"
drawn "RAID 0" /dev/md0
shows "its chunk" 'stripe "md0" unit="64 KiB" size="[^"]*" over="'
shows "its slots in their order" "to=\"$c, [^\"]*, $d\""
carries "RAID 0" /dev/md0 400000000
explained "RAID 0"
watched "RAID 0" /dev/md0 md0 "${members[@]}"
ext4 /dev/md0
fill /dev/md0 /mnt/md0 128
drawn "file on ext4" /mnt/md0/file
shows "file on ext4 on the stripe" 'filesystem "md0-2" on="md0"'
carries "file on ext4" /mnt/md0/file 400000000
never "RAID 0 in use" /dev/md0
remove /dev/md0

create /dev/md5 --level=5 --assume-clean "$a" "$b" "$c" "$d"
mkfs.xfs -q -f /dev/md5
fill /dev/md5 /mnt/md5 128
drawn "RAID 5 with XFS" /mnt/md5/file
shows "RAID 5" 'raid "md5" level=5 segment="64 KiB"'
carries "RAID 5" /dev/md5 400000000
explained "RAID 5"
mdadm --quiet /dev/md5 --fail "$d" --remove "$d"
drawn "RAID 5 without a member" /dev/md5
finds "the array lacks a member" degraded-array
intact "the file has all its bytes" /mnt/md5
remove /dev/md5

create /dev/md10 --level=10 --assume-clean "$a" "$b" "$c" "$d"
drawn "RAID 10" /dev/md10
shows "RAID 10" 'raid "md10" level=10 segment="64 KiB"'
carries "RAID 10" /dev/md10 400000000
watched "RAID 10" /dev/md10 md10
drawn "the whole machine"
finish
