# What a control group allows: 30 MB/s of a drive, 60 MB/s of an array, each of which could do more.
. /lab/lib.sh
. /lab/path.sh
modprobe raid0
fresh
a=$(drive LAB0) b=$(drive LAB1) group=/sys/fs/cgroup/lab
echo +io > /sys/fs/cgroup/cgroup.subtree_control
mkdir -p $group
inside() { # DEVICE RATE: a measurement in the group
    echo "$(cat "/sys/block/$(kernel "$1")/dev") rbps=$2" > $group/io.max
    echo $$ > $group/cgroup.procs
    measured "$1"
    echo $$ > /sys/fs/cgroup/cgroup.procs
    echo "$(cat "/sys/block/$(kernel "$1")/dev") rbps=max" > $group/io.max
}
inside "$a" 30000000
limited "io.max on a drive" throttle
mdadm --quiet --create /dev/md0 --level=0 --raid-devices=2 --chunk=64 --run "$a" "$b"
udevadm settle
inside /dev/md0 60000000
limited "io.max on an array" throttle
mdadm --quiet --stop /dev/md0
finish
