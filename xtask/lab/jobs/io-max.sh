# Control groups limit a drive of 100 MB/s to 30 MB/s. Kernels answer requests that they split, and must delay, with EAGAIN when the
# ring submits them without waiting. The run must end by itself, at the limited rate, and when it is terminated.
. /lab/lib.sh
fresh
drive=$(drive LAB0) group=/sys/fs/cgroup/lab
number=$(cat "/sys/block/${drive#/dev/}/dev")
echo +io > /sys/fs/cgroup/cgroup.subtree_control
mkdir -p $group
echo "$number rbps=30000000" > $group/io.max
run() { # OPTION… : starts a reading run in the group, its number in $run
    rm -f /tmp/run.json
    (
        echo "$BASHPID" > $group/cgroup.procs
        exec iopath measure --target "$drive" --engine uring --warm-up 1s --passes 1 --no-progress --no-report --no-path --store /tmp/lab.db --json "$@"
    ) > /tmp/run.json 2> /tmp/said &
    run=$!
}
# ended SECONDS: its exit code in $code once it has ended by itself; "none" when it did not.
ended() {
    local left=$(($1 * 5))
    code=none
    while kill -0 $run 2> /dev/null && [ $((left--)) -gt 0 ]; do sleep 0.2; done
    if kill -0 $run 2> /dev/null; then return; fi
    code=0
    wait $run || code=$?
}
# What was charged to the group is let through, lest the killed run waits for it.
release() {
    echo "$number rbps=max" > $group/io.max
    kill -KILL $run 2> /dev/null || true
    wait $run 2> /dev/null || true
    echo "$number rbps=30000000" > $group/io.max
}
for block in 1MiB 128KiB; do
    run --block $block --depth 8 --time 3s
    ended 40
    same "$block: the run ends by itself, with 0" 0 $code
    rate=$(grep -oE '"deskewed_throughput_bytes_per_sec": ?[0-9]+' /tmp/run.json | grep -oE '[0-9]+$' | head -1 || true)
    if [ "${rate:-0}" -gt 25000000 ] && [ "${rate:-0}" -lt 33000000 ]; then ok "$block: at about 30 MB/s"; else wrong "$block: at about 30 MB/s" "${rate:-nothing} B/s" /tmp/said; fi
    release
done
run --block 1MiB --depth 8 --time 120s
sleep 3
kill -TERM $run
ended 30
same "a terminated run ends, with 130" 130 $code
release
finish
