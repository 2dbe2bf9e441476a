# What jobs about paths and limits share: `. /lab/path.sh` follows `. /lab/lib.sh`.
#
# Rates are those of QEMU's throttles. The processor is translated, so a rate holds within a seventh, and fio is asked for the same load
# where it shows whether the throttle or the processor was the limit.
run=(--time 2s --warm-up 1s --passes 1 --no-progress --no-report --store /tmp/lab.db)

# discovered TARGET…: its study in /tmp/path.kdl, what was said in /tmp/drawn.
discovered() {
    rm -f /tmp/path.kdl
    iopath discover "$@" -o /tmp/path.kdl > /tmp/drawn 2>&1
}
# drawn NAME TARGET…: what is discovered is a right study, and is predicted.
drawn() {
    local name=$1 command
    shift
    discovered "$@" || { wrong "$name is drawn" "exit code $?" /tmp/drawn; return; }
    for command in check predict; do
        code=0
        iopath $command /tmp/path.kdl > /tmp/said 2>&1 || code=$?
        if [ $code != 0 ]; then
            wrong "$name is drawn" "$command: exit code $code" /tmp/said
            return
        fi
    done
    ok "$name is drawn, its study is right and predicted"
}
# shows NAME TEXT: the study has it, line ends and indentation left out. hides NAME TEXT: it has not. finds NAME RULE: a finding.
flat() { tr -s ' \\\n' ' ' < /tmp/path.kdl; }
shows() { if flat | grep -qE -- "$2"; then ok "$1"; else wrong "$1" "no '$2' in the study" /tmp/path.kdl; fi; }
hides() { if flat | grep -qE -- "$2"; then wrong "$1" "'$2' in the study" /tmp/path.kdl; else ok "$1"; fi; }
finds() { if grep -q -- "$2" /tmp/drawn; then ok "$1"; else wrong "$1" "no '$2' among the findings" /tmp/drawn; fi; }

# measured TARGET [OPTION…]: a run that reads; its JSON in /tmp/run.json, its rate in $rate.
measured() {
    local target=$1
    shift
    code=0
    timeout --kill-after=5 90 iopath measure --target "$target" "${run[@]}" --json "$@" > /tmp/run.json 2> /tmp/said || code=$?
    rate=$(jq '.trials[0].findings.deskewed_throughput_bytes_per_sec // 0 | floor' /tmp/run.json 2> /dev/null || echo 0)
    iops=$(jq '.trials[0].findings.deskewed_operations_per_sec // 0 | floor' /tmp/run.json 2> /dev/null || echo 0)
}
# near VALUE WANTED: within a seventh.
near() { [ "$1" -ge $(($2 * 6 / 7)) ] && [ "$1" -le $(($2 * 8 / 7)) ]; }
# What fio reads of the same, in bytes a second.
by_fio() { # TARGET [OPTION…]
    local target=$1
    shift
    fio --name=lab --filename="$target" --rw=read --bs=1M --iodepth=8 --direct=1 --ioengine=libaio --runtime=2 --ramp_time=1 --time_based \
        --readonly --output-format=json "$@" 2> /dev/null | jq '.jobs[0].read.bw_bytes // 0 | floor'
}
# carries NAME TARGET RATE: iopath reads at this rate; where the processor was in the way, at what fio reads.
carries() {
    local name="$1 carries $(($3 / 1000000)) MB/s" theirs
    measured "$2"
    if [ $code != 0 ]; then wrong "$name" "exit code $code" /tmp/said; return; fi
    if near "$rate" "$3"; then ok "$name"; return; fi
    theirs=$(by_fio "$2")
    if near "$theirs" "$3" || [ "$rate" -gt "$3" ] || [ "$rate" -lt $((theirs * 6 / 7)) ]; then
        wrong "$name" "$rate B/s; fio: $theirs B/s"
    else
        ok "$name, or here $rate B/s, as the processor allows; fio: $theirs B/s"
    fi
}
# explained NAME: the last run can be explained.
explained() {
    if iopath explain --store /tmp/lab.db > /tmp/said 2>&1; then ok "$1 is explained"; else wrong "$1 is explained" "exit code $?" /tmp/said; fi
}
# limited NAME CAUSE [ENTITY…]: what limited the last run, and where; one of these.
limited() {
    local name=$1 causes=$2 cause entity entities
    shift 2
    entities=" $* "
    cause=$(jq -r '.trials[0].findings.limit.cause' /tmp/run.json 2> /dev/null || echo none)
    entity=$(jq -r '.trials[0].findings.limit.entity // "none"' /tmp/run.json 2> /dev/null || echo none)
    jq -r '.trials[0].findings.limit.evidence[].text' /tmp/run.json > /tmp/said 2>&1 || true
    if [[ " $causes " != *" $cause "* ]]; then wrong "$name" "cause $cause, not $causes, of $entity" /tmp/said; return; fi
    if [ $# -gt 0 ] && [[ $entities != *" $entity "* ]]; then wrong "$name" "$entity, not $*" /tmp/said; return; fi
    ok "$name"
}
# watched NAME TARGET DEVICE…: while others read the target, watch shows that each device carries.
watched() {
    local name=$1 target=$2 device bytes reader
    shift 2
    (while :; do dd if="$target" of=/dev/null bs=1M iflag=direct status=none; done) 2> /dev/null &
    reader=$!
    code=0
    timeout 60 iopath watch --json --count 1 --interval 2s > /tmp/watch.json 2> /tmp/said || code=$?
    # Its dd outlives the loop.
    kill $reader $(pgrep --parent $reader) 2> /dev/null || true
    wait $reader 2> /dev/null || true
    udevadm settle
    for device in "$@"; do
        bytes=$(tail -1 /tmp/watch.json | jq "[.entities[] | select(.name == \"$device\").read_bytes_per_sec // 0] | max // 0 | floor" || echo 0)
        if [ "$bytes" -lt 1000000 ]; then wrong "$name is watched" "$device carries $bytes B/s, exit code $code" /tmp/said; return; fi
    done
    ok "$name is watched: $* carry"
}
# The kernel's name of what a node or link leads to.
kernel() { basename "$(readlink -f "$1")"; }
