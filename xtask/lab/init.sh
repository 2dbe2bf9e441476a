# The guest's init once its root is there: udev but no systemd, then the jobs that the host has put into /lab/jobs, then power off.
#
# Each job, in the order of their names, runs with its output in /lab/NAME.out and "EXIT-CODE SECONDS" in /lab/NAME.end, for at most
# `lab.limit` seconds. With `lab.keep` on the kernel's command line a shell on the console follows.
export PATH=/lab:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb
mount -t tmpfs -o mode=755 run /run
mkdir -p /run/lock /run/lvm /run/udev /run/rpc_pipefs /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ln -sfn /proc/self/fd /dev/fd
hostname lab
ip link set lo up
dmesg --console-level 1
/lib/systemd/systemd-udevd --daemon
udevadm trigger --type=subsystems --action=add
udevadm trigger --type=devices --action=add
udevadm settle
cut -d' ' -f1 /proc/uptime > /lab/booted
limit=$(sed -n 's/.*\blab\.limit=\([0-9]*\).*/\1/p' /proc/cmdline)
cd /root || exit
for job in /lab/jobs/*; do
    name=$(basename "$job")
    start=$SECONDS
    timeout --kill-after=10 "$limit" bash "$job" > "/lab/$name.out" 2>&1 < /dev/null
    echo "$? $((SECONDS - start))" > "/lab/$name.part"
    mv "/lab/$name.part" "/lab/$name.end"
done
if grep -qw lab.keep /proc/cmdline; then
    printf '\nThe jobs have run, their output is in /lab; the guest ends with this shell.\n' > /dev/ttyS0
    setsid --ctty --wait bash -i < /dev/ttyS0 > /dev/ttyS0 2>&1
fi
{ # read as one, as nothing can be read once the disks are off
    dmesg > /lab/dmesg
    sync
    echo o > /proc/sysrq-trigger
    while :; do :; done
}
