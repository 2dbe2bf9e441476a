# A file over NFS 4.2 from this very host, on a drive of 100 MB/s.
. /lab/lib.sh
. /lab/path.sh
modprobe -a nfsd nfs
fresh
drive=$(drive LAB2)
ext4 "$drive"
fill "$drive" /mnt/disk 128
mkdir -p /mnt/nfs
mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
rpcbind || true
exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 127.0.0.1:/mnt/disk
rpc.mountd --no-nfs-version 3
rpc.nfsd --no-nfs-version 3 2
timeout 60 mount -t nfs -o vers=4.2 127.0.0.1:/ /mnt/nfs
drawn "file over NFS" /mnt/nfs/file
shows "a server with the export" 'an NFS server at 127.0.0.1, tcp, 1 connections'
shows "a wire to it" 'wire from="[^"]*" to="[^"]*nic"'
# The server reads ahead into its page cache, so the drive's rate is no bound.
measured /mnt/nfs/file
if [ $code = 0 ] && [ "$rate" -gt 0 ]; then ok "it is measured"; else wrong "it is measured" "exit code $code, $rate B/s" /tmp/said; fi
explained "file over NFS"
intact "the file has all its bytes" /mnt/disk
umount /mnt/nfs
exportfs -ua
exportfs -f
rpc.nfsd 0
umount /mnt/disk
finish
