# Every command that reads a study, or makes one, with 512 MiB of memory: as kernels come, and where memory is never promised twice.
. /lab/lib.sh
modprobe -a nvme
fresh
drive=$(drive LAB0)
cat > /tmp/plain.kdl <<X
study "Two disks"
path {
    host "host" {
        part "disk" count=2 size="1 GiB" latency="1 ms" both="100 MB/s" ops="500 /s"
    }
}
layout {
    stripe "md" unit="64 KiB" over="host..disk"
}
experiment "reads" {
    workload time="1 s" warm-up="0 s" passes=1 {
        streams "reader" over="md" op="read" block="64 KiB" depth=4
    }
}
X
works() { # NAME COMMAND…
    local name=$1
    code=0
    shift
    timeout --kill-after=5 60 "$@" > /tmp/said 2>&1 || code=$?
    if [ $code = 0 ]; then ok "$name"; else wrong "$name" "exit code $code" /tmp/said; fi
}
for promise in 0 2; do
    say "vm.overcommit_memory=$promise"
    echo $promise > /proc/sys/vm/overcommit_memory
    grep -E 'MemTotal|MemAvailable|Commit' /proc/meminfo
    rm -f /tmp/study.kdl
    works "discover a drive (overcommit $promise)" iopath discover "$drive" -o /tmp/study.kdl
    works "discover as a tree (overcommit $promise)" iopath discover --tree
    for command in plan predict simulate; do
        works "$command (overcommit $promise)" iopath $command /tmp/plain.kdl
    done
    works "check of what was discovered (overcommit $promise)" iopath check /tmp/study.kdl
    works "measure (overcommit $promise)" iopath measure --target "$drive" "${brief[@]}"
done
finish
