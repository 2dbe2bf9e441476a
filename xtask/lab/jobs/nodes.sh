# A drive next to each of two NUMA nodes.
. /lab/lib.sh
. /lab/path.sh
fresh
a=$(drive LAB0) b=$(drive LAB1)
drawn "both drives" "$a" "$b"
shows "a socket for each node" 'socket "node0".*socket "node1"|socket count=2'
shows "the second drive below its node" "socket \"node1\" [^{]*\{ .*root-port .*nvme \"$(kernel "$b")\""
carries "drive next to its node" "$b" 100000000
numactl -N 0 bash -c ". /lab/path.sh; discovered $b"
finds "a drive far from the processors in use" numa-remote
numactl -N 1 bash -c ". /lab/path.sh; discovered $b"
if grep -q numa-remote /tmp/drawn; then wrong "not from its own" "numa-remote" /tmp/drawn; else ok "not from its own"; fi
drawn "the whole machine"
finish
