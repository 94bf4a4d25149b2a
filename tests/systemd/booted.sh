#!/usr/bin/env bash
# Boots this machine's own Debian in a container, over a layer that is thrown away, installs the table there as
# systemd/install.sh does, and tries the service under systemd: start, kill, five crashes in a row, a hang that the
# watchdog ends, an upgrade in the middle of a game, an installation cut off half-way, --uninstall.
#
#   tests/systemd/booted.sh
#
# Needs root, the network, systemd-container, and Bookworm or Trixie on this machine.
set -euo pipefail

tree=$(cd "$(dirname "$0")/../.." && pwd)
layer=$(mktemp -d /var/tmp/companion-booted.XXXXXX)
root=$layer/root

leave() { umount "$root/dev" "$root/proc" "$root" "$layer" 2>/dev/null || true; rmdir "$layer"; }
trap leave EXIT

mount -t tmpfs tmpfs "$layer"
mkdir "$layer"/{above,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/above,workdir=$layer/work" "$root"
find "$root/etc/systemd/system" -name '*.wants' -prune -exec rm -rf {} + # nothing of this machine's own is started
rm -rf "$root/src" && mkdir "$root/src"
git -C "$tree" ls-files -z | tar -C "$tree" --null --ignore-failed-read -T - -cf - | tar -C "$root/src" -xf -
rm -f "$root/etc/machine-id" && touch "$root/etc/machine-id"

echo "== install"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
chroot "$root" /src/systemd/install.sh --no-hardware --no-start
umount "$root/dev" "$root/proc"
cp "$tree/tests/systemd/trial.sh" "$root/src/"
cat > "$root/etc/systemd/system/trial.service" <<'UNIT'
[Service]
Type=oneshot
ExecStart=/src/trial.sh
ExecStopPost=systemctl poweroff
StandardOutput=file:/src/told
StandardError=file:/src/told
[Install]
WantedBy=multi-user.target
UNIT
ln -s ../trial.service "$root/etc/systemd/system/multi-user.target.wants/trial.service" 2>/dev/null ||
  { mkdir -p "$root/etc/systemd/system/multi-user.target.wants" &&
    ln -s ../trial.service "$root/etc/systemd/system/multi-user.target.wants/trial.service"; }

echo "== boot"
timeout 600 systemd-nspawn --quiet --directory "$root" --register=no --keep-unit --private-network --boot > "$layer/boot" 2>&1 || true
cat "$root/src/told"
tail -1 "$root/src/told" | grep -q '^well$' || { tail -30 "$layer/boot" >&2; exit 1; }
