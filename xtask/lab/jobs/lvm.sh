# What lies below logical volumes: physical volumes (a drive, a partition), and the hidden parts of a thin pool.
. /lab/lib.sh
modprobe -a dm_mod dm_thin_pool
fresh
a=$(drive LAB0) b=$(drive LAB1)
sfdisk --quiet "$b" <<< $'label: gpt\n,200M\n,'
udevadm settle
vgcreate -qq -y lab "$a" "${b}p1"
lvcreate -qq -y -Wy -Zy -i 2 -I 64k -L 200M -n stripe lab
lvcreate -qq -y --type thin-pool -L 80M -c 64k -n pool lab
lvcreate -qq -y -V 120M --thin -n thin lab/pool
lvcreate -qq -y -V 120M --thin -n second lab/pool
udevadm settle
for volume in stripe thin; do
    ext4 /dev/lab/$volume
    fill /dev/lab/$volume /mnt/$volume
done
never "mounted stripe" /dev/lab/stripe dm-name-lab-stripe
never "drive that is a physical volume" "$a" LAB0
never "partition that is one" "${b}p1" LAB1-part1
never "drive of that partition" "$b" LAB1
never "mounted thin volume" /dev/lab/thin dm-name-lab-thin
never "data of the thin pool" /dev/mapper/lab-pool_tdata dm-name-lab-pool_tdata
never "metadata of the thin pool" /dev/mapper/lab-pool_tmeta dm-name-lab-pool_tmeta
intact "the stripe has all its bytes" /mnt/stripe
intact "the thin volume, too" /mnt/thin
writable "another thin volume of the pool" /dev/lab/second
intact "still has them" /mnt/thin
finish
