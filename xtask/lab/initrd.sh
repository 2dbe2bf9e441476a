#!/bin/busybox sh
# First process of a guest: the root is the squashfs on the first disk with a file system in memory over it; /lab is the host's folder.
busybox mount -t devtmpfs dev /dev
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
for module in /modules/*; do busybox insmod "$module"; done
tries=0
until [ -b /dev/vda ] || [ $tries = 500 ]; do
    busybox usleep 20000
    tries=$((tries + 1))
done
busybox mount -t squashfs -o ro /dev/vda /lower
busybox mount -t tmpfs -o size=50% tmpfs /upper
busybox mkdir /upper/u /upper/w
busybox mount -t overlay -o lowerdir=/lower,upperdir=/upper/u,workdir=/upper/w overlay /root
busybox mount --move /dev /root/dev
busybox mount --move /proc /root/proc
busybox mount --move /sys /root/sys
busybox mkdir -p /root/lab
busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=mmap lab /root/lab
exec busybox switch_root /root /bin/bash /lab/init.sh
