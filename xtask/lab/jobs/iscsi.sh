# A disk of iSCSI over the loopback: LIO exports a drive of 25 MB/s, and this very host logs in.
. /lab/lib.sh
. /lab/path.sh
modprobe -a target_core_mod target_core_iblock iscsi_target_mod iscsi_tcp
fresh
drive=$(drive LAB4)
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
core=/sys/kernel/config/target/core/iblock_0/lab group=/sys/kernel/config/target/iscsi/iqn.2026-01.org.lab:target/tpgt_1
mkdir -p $core
echo "udev_path=$drive" > $core/control
echo 1 > $core/enable
mkdir -p $group/lun/lun_0 $group/np/127.0.0.1:3260
ln -s $core $group/lun/lun_0/port
for pair in authentication=0 generate_node_acls=1 demo_mode_write_protect=0 cache_dynamic_acls=1; do
    echo "${pair#*=}" > "$group/attrib/${pair%=*}"
done
echo 1 > $group/enable
mkdir -p /run/lock/iscsi
echo InitiatorName=iqn.2026-01.org.lab:host > /etc/iscsi/initiatorname.iscsi
iscsid
timeout 30 iscsiadm -m discovery -t st -p 127.0.0.1 > /dev/null
timeout 60 iscsiadm -m node --login > /dev/null
until [ -n "$(lsblk -Sno NAME,VENDOR | awk '/LIO/ {print $1}')" ]; do sleep 0.2; done
udevadm settle
disk=/dev/$(lsblk -Sno NAME,VENDOR | awk '/LIO/ {print $1}')
drawn "iSCSI disk" "$disk"
shows "an array with a port and the unit" 'array "lio-org" \{ .*port .*lun "'
shows "a wire to its port" 'wire from="[^"]*" to="lio-org.port"'
carries "iSCSI disk" "$disk" 25000000
explained "iSCSI disk"
watched "iSCSI disk" "$disk" "$(kernel "$disk")" "$(kernel "$drive")"
ext4 "$disk"
fill "$disk" /mnt/iscsi
never "iSCSI disk in use" "$disk"
never "drive that it is exported from" "$drive" LAB4
intact "the file has all its bytes" /mnt/iscsi
umount /mnt/iscsi
iscsiadm -m node --logout > /dev/null
echo 0 > $group/enable
rm $group/lun/lun_0/port
rmdir $group/lun/lun_0 $group/np/127.0.0.1:3260 $group ${group%/tpgt_1} $core
finish
