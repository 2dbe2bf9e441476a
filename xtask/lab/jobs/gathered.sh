# What a page cache writes in order becomes full stripes of md RAID 5: hardly anything is read from its drives, whether one file is written or
# eight at once, in small writes, from the middle of a stripe or through LVM. Direct writes of less than a stripe read.
. /lab/lib.sh
modprobe -a raid456
fresh
drives=("$(drive LAB0)" "$(drive LAB1)" "$(drive LAB2)" "$(drive LAB3)" "$(drive LAB4)")
mdadm --quiet --create /dev/md5 --level=5 --raid-devices=5 --chunk=64 --assume-clean --run "${drives[@]}"
udevadm settle
# Sectors read and written, of all drives.
moved() { for disk in "${drives[@]}"; do cat "/sys/block/$(basename "$disk")/stat"; done | awk '{read += $3; written += $7} END {print read, written}'; }
# reads NAME most|least PERCENT COMMAND…: sectors read over sectors written while a command runs.
reads() {
    local name=$1 which=$2 percent=$3 before after share
    shift 3
    sync
    read -ra before <<< "$(moved)"
    "$@"
    sync
    read -ra after <<< "$(moved)"
    share=$((100 * (after[0] - before[0]) / (after[1] - before[1])))
    echo "$name: $share %"
    case $which in
    most) if [ "$share" -le "$percent" ]; then ok "$name"; else wrong "$name" "reads are $share % of writes, not $percent % at most"; fi ;;
    least) if [ "$share" -ge "$percent" ]; then ok "$name"; else wrong "$name" "reads are $share % of writes, not $percent % at least"; fi ;;
    esac
}
data() { dd if=/dev/zero conv=notrunc,fsync status=none "$@"; }
eight() {
    local file
    for file in 1 2 3 4 5 6 7 8; do data of="$1/eight$file" bs=64k count=192 & done
    wait
}
mkdir -p /mnt/gathered
ext4 /dev/md5
mount /dev/md5 /mnt/gathered
reads "one file, 64 KiB" most 10 data of=/mnt/gathered/one bs=64k count=1024
reads "one file, 4 KiB" most 10 data of=/mnt/gathered/small bs=4k count=8192
reads "eight files at once" most 10 eight /mnt/gathered
reads "written again from the middle of a stripe" most 10 data of=/mnt/gathered/one bs=36k seek=1 count=900
reads "direct, 64 KiB" least 50 data of=/mnt/gathered/one bs=64k count=256 oflag=direct
umount /mnt/gathered
wipefs --quiet --all /dev/md5
pvcreate --quiet --quiet /dev/md5
vgcreate --quiet --quiet lab /dev/md5
lvcreate --quiet --quiet --yes --name over --extents 80%FREE lab
ext4 /dev/lab/over
mount /dev/lab/over /mnt/gathered
reads "through LVM" most 10 data of=/mnt/gathered/one bs=64k count=1024
umount /mnt/gathered
vgremove --quiet --quiet --yes lab
finish
