# RAID 10 of md, and a stripe over mirrors as arrays of arrays, by the commands that `iopath layout` prints: discovered again, and removed.
. /lab/lib.sh
. /lab/path.sh
modprobe -a raid0 raid1 raid10
fresh
. /lab/layout.sh

study md10 'raid "ten" level=10 segment="64 KiB" over="h.d[1], h.d[3], h.d[0], h.d[2]"' ten
script md10 mdadm
made "RAID 10"
found "RAID 10" /dev/md/ten
shows "RAID 10 has its segment" 'raid "[^"]*" level=10 segment="64 KiB"'
shows "RAID 10 has its members in order" "$(over "$b" "$d" "$a" "$c")"
gone "RAID 10"

study stack 'mirror "m" { side of="h.d[0-1]"; side of="h.d[2-3]" }
    stripe "ten" unit="64 KiB" size="96 MiB" over="m"' ten
script stack mdadm
made "a stripe over mirrors, as arrays of arrays"
found "the arrays" /dev/md/ten
shows "a stripe over mirrors" 'mirror "[^"]*".*stripe "[^"]*" unit="64 KiB"'
gone "a stripe over mirrors, as arrays of arrays"
finish
