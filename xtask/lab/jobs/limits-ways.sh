# Two ways of 100 and 25 MB/s that take turns: the slow one is named.
. /lab/lib.sh
. /lab/path.sh
. /lab/multipath.sh
join round-robin UNIT0
unit=$(map UNIT0)
slow=
for name in $(paths_of "$unit"); do
    rate=$(by_fio "/dev/$name")
    if [ "$rate" -lt 50000000 ]; then slow=$name; fi
done
[ -n "$slow" ]
measured "$unit"
limited "slow way of a multipath device" device "$slow"
finish
