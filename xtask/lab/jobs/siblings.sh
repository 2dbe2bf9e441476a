# Two device-mapper devices over one drive: what one of them has mounted, the other must not write (and no claim of the kernel stands
# in the way: both tables have the same holder). Devices over other bytes of the drive stay free.
. /lab/lib.sh
modprobe -a dm_mod
fresh
drive=$(drive LAB0)
dmsetup create whole --table "0 400000 linear $drive 0"
dmsetup create part --table "0 100000 linear $drive 200000"
dmsetup create apart --table "0 400000 linear $drive 400000"
udevadm settle
ext4 /dev/mapper/whole
fill /dev/mapper/whole /mnt/whole
never "sibling over bytes of a mounted device" /dev/mapper/part dm-name-part LAB0
dmsetup create over --table "0 50000 linear /dev/mapper/part 10000"
udevadm settle
never "device over that sibling" /dev/mapper/over dm-name-over LAB0
never "drive below both" "$drive" LAB0
intact "the mounted device has all its bytes" /mnt/whole
writable "sibling over other bytes" /dev/mapper/apart
intact "still has them" /mnt/whole
finish
