# A stripe of LVM over drives of 100 MB/s and one of 25 MB/s: that drive is named.
. /lab/lib.sh
. /lab/path.sh
modprobe dm_mod
fresh
a=$(drive LAB0) b=$(drive LAB1) slow=$(drive LAB4)
vgcreate -qq -y lab "$a" "$b" "$slow"
lvcreate -qq -y -Wy -Zy -i 3 -I 64k -L 240M -n stripe lab
udevadm settle
measured /dev/lab/stripe
limited "slow member of an LVM stripe" device "$(kernel "$slow")"
vgchange -qq -an lab
finish
