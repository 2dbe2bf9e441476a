# Logical volumes over drives of 100 MB/s: linear on one and on two, a stripe, a thin volume larger than its pool, a snapshot.
. /lab/lib.sh
. /lab/path.sh
modprobe -a dm_mod dm_thin_pool dm_snapshot
fresh
a=$(drive LAB0) b=$(drive LAB1) c=$(drive LAB2)
vgcreate -qq -y lab "$a" "$b" "$c"
make() { lvcreate -qq -y "$@" && udevadm settle; }
make -Wy -Zy -L 128M -n linear lab "$b"
drawn "linear volume" /dev/lab/linear
shows "it lies on its drive alone" "concat \"lab-linear\" size=\"128 MiB\" over=\"[^,\"]*\""
hides "nothing is assumed of it" "needs root"
carries "linear volume" /dev/lab/linear 100000000
explained "linear volume"
watched "linear volume" /dev/lab/linear "$(kernel "$b")"
make -Wy -Zy -L 200M -n two lab "$c"
lvextend -qq -y -L +200M /dev/lab/two "$a"
drawn "volume on two drives" /dev/lab/two
shows "a part for each" 'concat "lab-two-1" size="200 MiB" over="[^"]*" .*concat "lab-two-2" size="200 MiB" over="[^"]*" .*over="lab-two-1, lab-two-2"'
shows "in the order of its table" "to=\"$c, $a\""
carries "volume on two drives" /dev/lab/two 100000000
lvremove -qq -y lab/two
make -Wy -Zy -i 3 -I 64k -L 240M -n stripe lab
drawn "stripe" /dev/lab/stripe
shows "its chunk and three members" 'stripe "lab-stripe" unit="64 KiB"'
carries "stripe" /dev/lab/stripe 300000000
explained "stripe"
watched "stripe" /dev/lab/stripe "$(kernel "$a")" "$(kernel "$b")" "$(kernel "$c")"

make --type thin-pool -L 160M -c 64k -n pool lab "$a"
make -V 300M --thin -n thin lab/pool
drawn "thin volume larger than its pool" /dev/lab/thin
shows "its pool lies on its data" 'concat "lab-pool-tpool" size="160 MiB" over="lab-pool_tdata"'
hides "metadata are no member" 'over="[^"]*tmeta'
hides "it promises no more than there is" '300 MiB'
finds "metadata are named as not drawn" 'its metadata on lab-pool_tmeta is not drawn'
dd if=/dev/urandom of=/dev/lab/thin bs=1M count=96 oflag=direct status=none
code=0
timeout 90 iopath measure --target /dev/lab/thin --size 96MiB "${run[@]}" --json > /tmp/run.json 2> /tmp/said || code=$?
rate=$(jq '.trials[0].findings.deskewed_throughput_bytes_per_sec | floor' /tmp/run.json)
if near "$rate" 100000000; then ok "what is allocated of it carries 100 MB/s"; else wrong "what is allocated of it carries 100 MB/s" "$rate B/s" /tmp/said; fi
if jq -e '[.trials[0].findings.audit[] | select(.holds == false)] == []' /tmp/run.json > /dev/null; then ok "no law is broken"; else wrong "no law is broken" "$(jq -c '[.trials[0].findings.audit[] | select(.holds == false).text]' /tmp/run.json)"; fi

make -s -L 40M -n shadow lab/linear
drawn "snapshot" /dev/lab/shadow
shows "it lies on its origin alone" 'concat "lab-shadow" size="128 MiB" over="lab-linear-real"'
finds "its store is named as not drawn" 'its store of changes on lab-shadow-cow is not drawn'
carries "snapshot" /dev/lab/shadow 100000000
drawn "its origin" /dev/lab/linear
shows "it lies on the same" 'over="lab-linear-real"'
drawn "the whole machine"
ext4 /dev/lab/shadow
fill /dev/lab/shadow /mnt/shadow
never "snapshot in use" /dev/lab/shadow
never "its origin" /dev/lab/linear
umount /mnt/shadow
vgchange -qq -an lab
finish
