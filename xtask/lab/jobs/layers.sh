# What others than md and LVM lay over drives of 100 MB/s: dm-crypt, btrfs, bcache.
. /lab/lib.sh
. /lab/path.sh
modprobe -a dm_crypt btrfs bcache
fresh
slow=$(drive LAB4) b=$(drive LAB1) c=$(drive LAB2) d=$(drive LAB3) e=$(drive LAB0)
head -c 32 /dev/urandom > /tmp/key
cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --key-file /tmp/key "$slow" secret
drawn "dm-crypt" /dev/mapper/secret
shows "it lies on its drive" '// encrypted concat "secret" size="512 MiB" over="[^,"]*"'
# A translated processor decrypts some 30 MB/s.
carries "dm-crypt" /dev/mapper/secret 25000000
explained "dm-crypt"
watched "dm-crypt" /dev/mapper/secret "$(kernel "$slow")" "$(kernel /dev/mapper/secret)"
never "drive below dm-crypt" "$slow"
cryptsetup close secret

mkfs.btrfs -q -f -d raid1 -m raid1 "$b" "$c"
fill "$b" /mnt/btrfs 64
drawn "btrfs raid1" /mnt/btrfs/file
shows "its data are a mirror" 'mirror "data-raid1"'
measured /mnt/btrfs/file
if [ $code = 0 ]; then ok "a file of it is measured"; else wrong "a file of it is measured" "exit code $code" /tmp/said; fi
explained "btrfs raid1"
never "its second member" "$c"
intact "the file has all its bytes" /mnt/btrfs
umount /mnt/btrfs

make-bcache -B "$d" -C "$e" > /dev/null
udevadm settle
for member in "$d" "$e"; do [ -d "/sys/block/${member#/dev/}/bcache" ] || echo "$member" > /sys/fs/bcache/register; done
until [ -b /dev/bcache0 ]; do sleep 0.1; done
drawn "bcache" /dev/bcache0
shows "it lies on its backing drive alone" '// bcache, writethrough concat "bcache0" size="[^"]*" over="[^,"]*"'
finds "its cache is named as not drawn" "its cache on $(kernel "$e") is not drawn"
hides "no level without copies" 'level=0'
# What is read for the first time comes from the backing drive.
carries "bcache" /dev/bcache0 100000000
drawn "the whole machine"
never "backing drive of bcache" "$d"
echo 1 > /sys/block/bcache0/bcache/stop
for set in /sys/fs/bcache/*-*; do echo 1 > "$set/stop"; done
finish
