# A refusal changes nothing. A target that is opened for writing and closed again has udev look at it, and udev assembles arrays.
. /lab/lib.sh
modprobe -a raid1
fresh
a=$(drive LAB0) b=$(drive LAB1)
mdadm --quiet --create /dev/md0 --level=1 --raid-devices=2 --metadata=1.2 --assume-clean --run "$a" "$b"
udevadm settle
mdadm --quiet --stop /dev/md0
udevadm settle
arrays() { udevadm settle; sleep 0.5; udevadm settle; grep '^md' /proc/mdstat || true; }
same "the array is stopped" "" "$(arrays)"
before=$(sha256sum "$a" "$b")
named "a member at rest needs its name" "$a"
first=$(offered)
same "the array is still stopped" "" "$(arrays)"
named "so does the other" "$b"
same "and now" "" "$(arrays)"
named "the first again" "$a"
same "its override has the same name" "$first" "$(offered)"
same "and at the end" "" "$(arrays)"
same "no byte of the members changed" "$before" "$(sha256sum "$a" "$b")"
finish
