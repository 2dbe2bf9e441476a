# Volumes with one drive of 25 MB/s among drives of 100 MB/s: that drive is named. With equal drives none is.
. /lab/lib.sh
. /lab/path.sh
modprobe -a raid0 btrfs
fresh
a=$(drive LAB0) b=$(drive LAB1) c=$(drive LAB2) slow=$(drive LAB4)
mdadm --quiet --create /dev/md0 --level=0 --raid-devices=4 --chunk=64 --run "$a" "$b" "$slow" "$c"
udevadm settle
measured /dev/md0
limited "slow member of RAID 0" device "$(kernel "$slow")"
ext4 /dev/md0
fill /dev/md0 /mnt/md0 128
measured /mnt/md0/file
limited "slow member below ext4 on RAID 0" device "$(kernel "$slow")"
umount /mnt/md0
mdadm --quiet --stop /dev/md0
for drive in "$a" "$b" "$c" "$slow"; do mdadm --quiet --zero-superblock "$drive"; done
mkfs.btrfs -q -f -d raid0 -m raid1 "$a" "$slow"
fill "$a" /mnt/btrfs 128
measured /mnt/btrfs/file
limited "slow member of btrfs raid0" device "$(kernel "$slow")"
umount /mnt/btrfs
wipefs --quiet --all "$a" "$slow"
mdadm --quiet --create /dev/md0 --level=0 --raid-devices=3 --chunk=64 --run "$a" "$b" "$c"
udevadm settle
measured /dev/md0
limited "equal members: the array, none of them" device md0 target
mdadm --quiet --stop /dev/md0
finish
