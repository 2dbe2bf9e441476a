# An image that a mounted loop device stands on, by its other names: through an overlay, and over NFS from this very host.
. /lab/lib.sh
modprobe -a loop overlay nfsd nfs
fresh
drive=$(drive LAB5)
ext4 "$drive"
mkdir -p /mnt/disk /mnt/overlay /mnt/nfs
mount "$drive" /mnt/disk
mkdir -p /mnt/disk/{upper,lower,work,shared}
for image in upper/image shared/image upper/free; do truncate --size 40M "/mnt/disk/$image"; done
for name in upper shared; do
    ext4 /mnt/disk/$name/image
    fill "$(losetup --find --show /mnt/disk/$name/image)" /mnt/$name
done
mount -t overlay -o lowerdir=/mnt/disk/lower,upperdir=/mnt/disk/upper,workdir=/mnt/disk/work overlay /mnt/overlay
never "image of a mounted loop device" /mnt/disk/upper/image
never "the same through an overlay" /mnt/overlay/image
intact "the loop device over the first image has all its bytes" /mnt/upper
writable "an empty file through that overlay" /mnt/overlay/new

mount -t nfsd nfsd /proc/fs/nfsd
rpcbind
exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 127.0.0.1:/mnt/disk
rpc.mountd --no-nfs-version 3
rpc.nfsd --no-nfs-version 3 2
timeout 60 mount -t nfs -o vers=4.2 127.0.0.1:/ /mnt/nfs
never "image of a mounted loop device over NFS" /mnt/nfs/shared/image
intact "the loop device over the second image has all its bytes" /mnt/shared
writable "a new file over NFS" /mnt/nfs/shared/new
umount /mnt/nfs
exportfs -ua
exportfs -f
rpc.nfsd 0
finish
