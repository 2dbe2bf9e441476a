# An LVM snapshot reads what its origin holds: the origin is in use while a snapshot is mounted, and so are the hidden devices below.
. /lab/lib.sh
modprobe -a dm_mod dm_snapshot
fresh
drive=$(drive LAB0)
vgcreate -qq -y lab "$drive"
for volume in empty full free; do lvcreate -qq -y -Wy -Zy -L 80M -n $volume lab; done
ext4 /dev/lab/full
lvcreate -qq -y -s -L 40M -n shadow-of-empty lab/empty
lvcreate -qq -y -s -L 40M -n shadow-of-full lab/full
udevadm settle
# The edges of the origin stay zeros: the file system is made on the snapshot.
ext4 /dev/lab/shadow-of-empty
fill /dev/lab/shadow-of-empty /mnt/empty
fill /dev/lab/shadow-of-full /mnt/full
never "origin without a signature" /dev/lab/empty dm-name-lab-empty
never "origin with a file system" /dev/lab/full dm-name-lab-full
never "hidden origin" /dev/mapper/lab-full-real dm-name-lab-full-real
never "hidden store of the snapshot" /dev/mapper/lab-shadow--of--full-cow dm-name-lab-shadow--of--full-cow
never "drive below the group" "$drive" LAB0
intact "the snapshot of the empty origin has all its bytes" /mnt/empty
intact "the other snapshot, too" /mnt/full
same "no snapshot became invalid" "" "$(dmsetup status | grep -i invalid || true)"
writable "free volume of the same group" /dev/lab/free
umount /mnt/empty /mnt/full

say "the other way: the origin is mounted; what is written to a snapshot leaves its origin alone"
fill /dev/lab/full /mnt/full
refused "snapshot of a mounted origin, as it carries a file system" /dev/lab/shadow-of-full
never "hidden origin of a mounted origin" /dev/mapper/lab-full-real dm-name-lab-full-real
intact "the origin has all its bytes" /mnt/full
finish
