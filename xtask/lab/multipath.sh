# Multipath for jobs: `. /lab/multipath.sh` follows `. /lab/lib.sh`.
modprobe -a dm_multipath dm_service_time dm_round_robin

# join SELECTOR SERIAL…: starts multipathd, every path in one group, and waits for the units with these serial numbers.
join() {
    local selector=$1 serial
    shift
    cat > /etc/multipath.conf <<X
defaults {
    user_friendly_names yes
    find_multipaths no
    path_grouping_policy multibus
    path_selector "$selector 0"
    rr_min_io_rq 1
    no_path_retry fail
}
blacklist {
    devnode "^(vd|nvme|dm)"
}
X
    pidof multipathd > /dev/null || multipathd -s > /dev/null 2>&1
    for serial in "$@"; do until [ -n "$(map "$serial")" ]; do sleep 0.2; done; done
    udevadm settle
}
# The device over a unit with this serial number, /dev/mapper/NAME; nothing where there is none.
map() {
    local name holder
    for name in $(lsblk --nodeps --noheadings --output NAME,SERIAL | awk -v serial="$1" '$2 == serial {print $1}'); do
        for holder in /sys/block/"$name"/holders/dm-*; do
            if [ -e "$holder" ]; then echo "/dev/mapper/$(cat "$holder/dm/name")" && return; fi
        done
    done
}
# Kernel names of the paths of a map.
paths_of() { ls "/sys/block/$(basename "$(readlink -f "$1")")/slaves"; }
