# What others than md and LVM hold: dm-crypt, the second member of a mounted btrfs, both members of bcache.
. /lab/lib.sh
modprobe -a dm_crypt btrfs bcache
fresh
a=$(drive LAB0) b=$(drive LAB1) c=$(drive LAB2) d=$(drive LAB3) e=$(drive LAB4)
head -c 32 /dev/urandom > /tmp/key
cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --key-file /tmp/key "$a" secret
mkfs.btrfs -q -f -d raid1 -m raid1 "$b" "$c"
make-bcache -B "$d" -C "$e" > /dev/null
udevadm settle
for member in "$d" "$e"; do [ -d "/sys/block/${member#/dev/}/bcache" ] || echo "$member" > /sys/fs/bcache/register; done
until [ -b /dev/bcache0 ]; do sleep 0.1; done
ext4 /dev/mapper/secret
ext4 /dev/bcache0
fill /dev/mapper/secret /mnt/secret
fill "$b" /mnt/btrfs
fill /dev/bcache0 /mnt/bcache
never "drive below dm-crypt" "$a" LAB0
never "mounted dm-crypt" /dev/mapper/secret dm-name-secret
never "first member of a mounted btrfs" "$b" LAB1
never "second member of a mounted btrfs" "$c" LAB2
never "backing drive of bcache" "$d" LAB3
never "caching drive of bcache" "$e" LAB4
never "mounted bcache" /dev/bcache0
intact "dm-crypt has all its bytes" /mnt/secret
intact "btrfs, too" /mnt/btrfs
intact "bcache, too" /mnt/bcache
umount /mnt/bcache
echo 1 > /sys/block/bcache0/bcache/stop
for set in /sys/fs/bcache/*-*; do echo 1 > "$set/stop"; done
finish
