# Members of md arrays, by their own name and by a node that somebody made; arrays that are mounted or swap.
. /lab/lib.sh
. /lab/path.sh
modprobe -a raid0 raid456
fresh
a=$(drive LAB0) b=$(drive LAB1) c=$(drive LAB2) d=$(drive LAB3) e=$(drive LAB4)
mdadm --quiet --create /dev/md0 --level=0 --raid-devices=2 --chunk=64 --run "$a" "$b"
mdadm --quiet --create /dev/md5 --level=5 --raid-devices=3 --chunk=64 --assume-clean --run "$c" "$d" "$e"
udevadm settle
mkfs.xfs -q /dev/md0
fill /dev/md0 /mnt/md0
mkswap --quiet /dev/md5
swapon /dev/md5
mknod /tmp/member b $((0x$(stat -c %t "$b"))) $((0x$(stat -c %T "$b")))
never "mounted RAID 0" /dev/md0
never "member of the mounted RAID 0" "$a" LAB0
never "the other member, by a node of our own" /tmp/member LAB1
never "swap on RAID 5" /dev/md5
never "member of the swap array" "$d" LAB3
intact "the mounted array has all its bytes" /mnt/md0
drawn "both arrays" /dev/md0 /dev/md5
shows "RAID 0 over its two drives" 'stripe "md0" unit="64 KiB" size="[^"]*" over="[^"]*"'
shows "RAID 5 over its three" 'raid "md5" level=5 segment="64 KiB"'
same "swap is still on" /dev/md5 "$(swapon --show=NAME --noheadings)"
finish
