# The policy of several paths by the commands that `iopath layout` prints: the map takes it, and has its own again after undo.
. /lab/lib.sh
. /lab/path.sh
. /lab/multipath.sh
fresh
join service-time UNIT0
# selector: that of the map over the unit, as its table has it.
selector() { dmsetup table "$(map UNIT0)" | grep -oE 'round-robin|queue-length|service-time' | sort -u; }
# groups: how many groups of paths the map has.
groups() { dmsetup table "$(map UNIT0)" | grep -oE 'round-robin|queue-length|service-time' | wc -l; }
# until_is WANTED: multipathd reloads maps a moment after it was told to.
until_is() { for _ in $(seq 50); do if [ "$(selector) $(groups)" = "$1" ]; then return; fi; sleep 0.2; done; }
same "before" "service-time 1" "$(selector) $(groups)"
for row in "queue-length queue-length 1" "fixed round-robin 2" "round-robin round-robin 1"; do
    read -r policy wanted <<< "$row"
    cat > /tmp/policy.kdl << END
study "policy"
path {
    host "h" { hba count=2 { port use="fc-8g" } }
    array "box" { controller { port count=2 use="fc-8g"; lun "u" { disk both="100 MB/s" } } }
    wire from="h.hba.port" to="box.controller.port"
    multipath policy="$policy"
}
workload time="1 s" { streams "r" over="box.controller.u" block="1 MiB" }
END
    rm -f /tmp/layout.sh
    iopath layout /tmp/policy.kdl --for multipath -o /tmp/layout.sh > /tmp/said 2>&1
    if sh /tmp/layout.sh make > /tmp/made 2>&1; then ok "$policy is written"; else wrong "$policy is written" "exit code $?" /tmp/made; fi
    until_is "$wanted"
    same "$policy is what the map has" "$wanted" "$(selector) $(groups)"
    if sh /tmp/layout.sh make > /tmp/made 2>&1; then wrong "a second policy is refused" "exit code 0"; else ok "a second policy is refused"; fi
    sh /tmp/layout.sh undo > /tmp/made 2>&1
    until_is "service-time 1"
    same "after $policy it is as before" "service-time 1" "$(selector) $(groups)"
done
same "no file is left" "" "$(ls /etc/multipath/conf.d)"
finish
