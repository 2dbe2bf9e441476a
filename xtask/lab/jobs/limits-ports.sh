# A drive of 200 MB/s at a port, and one behind a switch that takes 5000 requests a second. The links that QEMU shows are no limit.
. /lab/lib.sh
. /lab/path.sh
fresh
fast=$(drive LAB5) behind=$(drive LAB6)
measured "$fast"
limited "throttled drive at a port" device "$(kernel "$fast")" target
measured "$behind" --block 4KiB --depth 32 --pattern random
limited "throttled drive behind a switch" device "$(kernel "$behind")" target
finish
