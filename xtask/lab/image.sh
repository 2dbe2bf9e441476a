#!/bin/bash
# Makes what a guest of the lab boots from: OUT/vmlinux, OUT/initrd and OUT/root.squashfs, all from Debian packages.
#
#   image.sh RECIPE OUT SCRATCH
#
# RECIPE is the folder with `packages` and `initrd.sh`, SCRATCH an empty folder for the unpacked root (some 900 MB), in memory where
# there is room: dpkg syncs every file. Packages come from the sources and through the proxy that this machine's apt has. Needs root.
set -euo pipefail
recipe=$1 out=$2 scratch=$3
# In a mount namespace of its own, so that nothing stays behind however this ends.
[ -n "${IMAGE_NAMESPACE-}" ] || IMAGE_NAMESPACE=1 exec unshare --mount -- bash "$0" "$@"
if [ "$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)" -gt 3000000 ]; then mount -t tmpfs -o size=2G lab "$scratch"; fi
export SOURCE_DATE_EPOCH=1700000000 # times in the image say nothing of when it was built
. /etc/os-release
sources=/etc/apt/sources.list.d/debian.sources
[ -e "$sources" ] || sources=/etc/apt/sources.list
root=$scratch/root ram=$scratch/ram
mkdir -p "$root" "$ram"/{bin,dev,proc,sys,root,lower,upper,modules}
chmod 755 "$root"

bootstrap() {
    apt-config dump | { grep -iE '^Acquire::[a-z]+::Proxy' || true; } > "$scratch/proxy"
    # Debian's kernel package would build an initrd of its own, slowly; ours is below.
    mmdebstrap --quiet --variant=minbase --include="$(grep -v '^#' "$recipe/packages" | paste -sd,)" \
        --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' --aptopt="$scratch/proxy" \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
        --dpkgopt=force-confold --essential-hook='mkdir -p "$1/etc/initramfs-tools" && echo "update_initramfs=no" > "$1/etc/initramfs-tools/update-initramfs.conf"' \
        "$VERSION_CODENAME" "$root" "$sources"
}

# The kernel without its compression: QEMU enters it directly, which spares a translated processor seconds of unpacking.
unpack_kernel() {
    local packed=$root/boot/vmlinuz-$version offset
    offset=$(LC_ALL=C grep -abo -m1 -P '\xFD7zXZ\x00' "$packed" | head -1 | cut -d: -f1)
    [ -n "$offset" ] || { echo "no xz stream in $packed" >&2; return 1; }
    tail -c "+$((offset + 1))" "$packed" | xz -dc --single-stream > "$out/vmlinux" 2> /dev/null || true # what follows is no xz
    [ "$(head -c4 "$out/vmlinux")" = $'\x7fELF' ] || { echo "no kernel in $packed" >&2; return 1; }
}

# Leaves what no guest here needs, and what differs from one build to the next.
prune() {
    (cd "$root/lib/modules/$version/kernel" && rm -rf sound net/{bluetooth,mac80211,wireless} \
        drivers/{gpu,media,staging,iio,hid,input,usb,bluetooth,isdn,hwmon,video,infiniband,net/wireless,net/ethernet})
    depmod -b "$root" "$version"
    rm -rf "$root"/boot "$root"/lib/modules/"$version"/{build,source} "$root"/var/{cache,log,lib/apt}/* "$root"/etc/apt/apt.conf.d/99mmdebstrap
    rm -f "$root"/etc/{machine-id,hostname,resolv.conf} "$root"/var/lib/dpkg/*-old
    mkdir -p "$root"/boot
}

# busybox and the few modules that lead to the root.
pack_initrd() {
    local number=100 file
    if ldd "$(command -v busybox)" > /dev/null 2>&1; then echo "busybox needs libraries: install busybox-static" >&2; return 1; fi
    cp "$(command -v busybox)" "$ram/bin/busybox"
    for module in virtio_pci virtio_blk squashfs overlay 9pnet_virtio 9p; do
        modprobe -d "$root" -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
    done | awk '!seen[$0]++' | while read -r file; do
        cp "$file" "$ram/modules/$number-$(basename "$file")"
        number=$((number + 1))
    done
    install -m 755 "$recipe/initrd.sh" "$ram/init"
    find "$ram" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$ram" && find . | LC_ALL=C sort | cpio -o -H newc --quiet --reproducible --owner 0:0 | gzip -1n) > "$out/initrd"
}

bootstrap
version=$(ls "$root/lib/modules")
unpack_kernel
prune
pack_initrd
mksquashfs "$root" "$out/root.squashfs" -comp lz4 -no-progress -quiet -noappend -no-exports -no-xattrs
chroot "$root" dpkg-query --show > "$out/packages"
