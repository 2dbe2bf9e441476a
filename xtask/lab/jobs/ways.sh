# Two ways to one unit without a fabric: SAS by two adapters, NVMe by two controllers.
. /lab/lib.sh
. /lab/path.sh
. /lab/multipath.sh
drawn "the whole machine, nothing joined"
finds "two names of one unit are found" "unjoined-paths"
join round-robin UNIT0 UNIT1
sas=$(map UNIT1)
mapfile -t names < <(paths_of "$sas")
drawn "SAS by two adapters" "$sas"
shows "both ways" 'wire from="[^"]*" to="qemu.port\[?0?\]?".*wire from="[^"]*" to="qemu.port\[1\]"|wire from="[^"]*, [^"]*" to="qemu.port"'
shows "chosen as the table says" 'multipath policy="round-robin"'
hides "nothing is assumed of it" 'only its first path'
carries "SAS by two adapters" "$sas" 200000000
explained "SAS by two adapters"
watched "SAS by two adapters" "$sas" "${names[@]}"

nvme=/dev/$(ls /sys/block | grep -E '^nvme[0-9]+n1$' | head -1)
drawn "NVMe by two controllers" "$nvme"
shows "both controllers" 'hba count=2|hba "nvme0".*hba "nvme1"'
shows "two ports of the subsystem" 'enclosure "nvme-subsys[0-9]" \{ .*port count=2'
carries "NVMe by two controllers" "$nvme" 100000000
explained "NVMe by two controllers"
drawn "the whole machine"
ext4 "$nvme"
fill "$nvme" /mnt/nvme
never "NVMe in use" "$nvme"
umount /mnt/nvme
finish
