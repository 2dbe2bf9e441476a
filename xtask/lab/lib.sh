# What the jobs share: `. /lab/lib.sh` is their first line, `finish` their last.
#
# An assertion prints one line, `ok NAME` or `WRONG NAME: why`. A command of the set-up that fails ends the job as WRONG, too, so a job
# never passes because it could not do what it wanted to.
set -eEuo pipefail
guard() { trap 'echo "WRONG set-up, line $LINENO of $(basename "${BASH_SOURCE[0]}"): $BASH_COMMAND"; exit 1' ERR; }
guard
exec 2>&1
wrong=0
brief=(--time 200ms --warm-up 0s --passes 1 --no-progress --no-report --no-path --store /tmp/lab.db)

ok() { echo "ok $1"; }
wrong() { # NAME WHY [FILE with what the program said]
    echo "WRONG $1: $2"
    wrong=$((wrong + 1))
    [ -z "${3-}" ] || sed 's/^/    | /' "$3" | head -12
}
# same NAME EXPECTED FOUND
same() { if [ "$2" = "$3" ]; then ok "$1"; else wrong "$1" "expected '$2', found '$3'"; fi; }
finish() { exit $((wrong > 0)); }
say() { printf '\n## %s\n' "$*"; }

# Writes 1 MiB to a target, or tries to; what the program says is in /tmp/said, its exit code in $code.
write() { # TARGET [OPTION…]
    local target=$1
    shift
    code=0
    timeout --kill-after=5 60 iopath measure --op write --target "$target" --size 1MiB "${brief[@]}" "$@" > /tmp/said 2>&1 || code=$?
}
# What the last refusal offers as an override; nothing for what is in use.
offered() { sed -n 's/.*--allow-destroy //p' /tmp/said | head -1; }

# never NAME TARGET [TOKEN…]: what is in use is refused, no override is offered, and neither its name nor the tokens help.
never() {
    local name=$1 target=$2 token tokens=()
    shift 2
    write "$target"
    if [ $code != 5 ]; then wrong "$name" "exit code $code, not 5" /tmp/said; return; fi
    if [ -n "$(offered)" ]; then wrong "$name" "an override is offered: $(offered)" /tmp/said; return; fi
    for token in "$target" "$(readlink -f "$target")" "$@"; do tokens+=(--allow-destroy "$token"); done
    write "$target" "${tokens[@]}"
    if [ $code != 5 ]; then wrong "$name" "exit code $code with ${tokens[*]}" /tmp/said; return; fi
    ok "$name"
}
# refused NAME TARGET: refused, whether or not an override is offered.
refused() {
    write "$2"
    if [ $code = 5 ]; then ok "$1"; else wrong "$1" "exit code $code, not 5" /tmp/said; fi
}
# named NAME TARGET: what holds data at rest is refused, and an override is offered.
named() {
    write "$2"
    if [ $code = 5 ] && [ -n "$(offered)" ]; then ok "$1"; else wrong "$1" "exit code $code, offered '$(offered)'" /tmp/said; fi
}
# writable NAME TARGET: the positive control; nothing is there that could be lost.
writable() {
    write "$2"
    if [ $code = 0 ]; then ok "$1"; else wrong "$1" "exit code $code, not 0" /tmp/said; fi
}

# fill DEVICE FOLDER [MKFS…]: a file system with a file in it, mounted; `intact` says whether the device still has every byte of it.
fill() {
    mkdir -p "$2"
    mount "$1" "$2"
    dd if=/dev/urandom of="$2/file" bs=1M count="${3:-8}" status=none
    sync
    sha256sum "$2/file" > "/tmp/sum$(echo "$2" | tr / -)"
}
ext4() { mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$1"; }
intact() { # NAME FOLDER
    sync
    echo 3 > /proc/sys/vm/drop_caches
    if sha256sum --quiet --check "/tmp/sum$(echo "$2" | tr / -)" > /tmp/said 2>&1; then ok "$1"; else wrong "$1" "the file has changed" /tmp/said; fi
}

# The drive with a serial number, /dev/NAME, wherever the kernel has put it.
drive() { lsblk --nodeps --noheadings --paths --output NAME,SERIAL | awk -v serial="$1" '$2 == serial {print $1; exit}'; }

# Undoes what an earlier job of this boot has left, and empties the drives, so that jobs do not depend on one another.
fresh() {
    if [ ! -e /run/lab-used ]; then touch /run/lab-used; return; fi
    trap '' ERR
    set +e
    local tries=0 stop disk
    while grep -q ' /mnt/' /proc/mounts && [ $((tries++)) -lt 20 ]; do
        awk '$2 ~ "^/mnt/" {print $2}' /proc/mounts | tac | xargs umount 2> /dev/null # what was mounted last goes first
        losetup --detach-all 2> /dev/null
    done
    swapoff --all
    for stop in /sys/block/bcache*/bcache/stop /sys/fs/bcache/*-*/stop; do if [ -e "$stop" ]; then echo 1 > "$stop"; fi; done
    dmsetup remove_all --force 2> /dev/null
    mdadm --stop --scan 2> /dev/null
    for disk in $(lsblk --nodeps --noheadings --paths --output NAME,SERIAL | awk '/LAB/ {print $1}'); do
        blkdiscard --force "$disk" 2> /dev/null # QEMU punches a hole, which reads as zeros
    done
    udevadm settle
    set -e
    guard
    rm -f /tmp/lab.db
}
