# Drives behind root ports and behind a switch, each with a rate of its own, and every scheduler.
. /lab/lib.sh
. /lab/path.sh
fresh
full=$(drive LAB0) fast=$(drive LAB5) behind=$(drive LAB6)
drawn "drive at a port" "$full"
shows "a root port with the drive in it" "root-port \"[^{]*\{ [^}]*nvme \"$(kernel "$full")\""
carries "drive at a port" "$full" 100000000
explained "drive at a port"
watched "drive at a port" "$full" "$(kernel "$full")"
drawn "faster drive" "$fast"
carries "faster drive" "$fast" 200000000
drawn "drive behind a switch" "$behind"
shows "the switch between port and drive" "root-port .*pcie-switch .*link .*nvme \"$(kernel "$behind")\""
measured "$behind" --block 4KiB --depth 32 --pattern random
if near "$iops" 5000; then ok "the drive behind the switch serves 5000 requests a second"; else wrong "the drive behind the switch serves 5000 requests a second" "$iops /s" /tmp/said; fi
modprobe -a bfq kyber-iosched mq-deadline
for scheduler in bfq kyber mq-deadline none; do
    echo $scheduler > "/sys/block/$(kernel "$full")/queue/scheduler"
    discovered "$full"
    shows "scheduler $scheduler" "// scheduler $scheduler,"
done
drawn "the whole machine"
finish
