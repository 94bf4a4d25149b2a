#!/usr/bin/env bash
# Installs the table in a bare Debian made by debootstrap, as systemd/install.sh does on a machine without a Raspberry
# Pi's hardware, and tries it there: with that system's Python and numpy, and with its constraints.
#
#   tests/systemd/bare_root.sh bookworm|trixie
#
# Needs root, the network and debootstrap. The root is made in $BARE_ROOT, or in a folder under /var/tmp, and kept for the
# next time. All must import, a photograph be read, the demo answer, and the core of the tests pass.
set -euo pipefail

suite=${1:?bookworm or trixie}
tree=$(cd "$(dirname "$0")/../.." && pwd)
root=${BARE_ROOT:-/var/tmp/companion-$suite}
port=${PORT:-18080}

step() { echo "== $*"; }

there=(chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 OMP_NUM_THREADS=1
  PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DEFAULT_TIMEOUT=180 PIP_ROOT_USER_ACTION=ignore)

inside() { "${there[@]}" "$@"; }

leave() { umount "$root/dev" "$root/proc" 2>/dev/null || true; }

bring_tree() {
  rm -rf "$root/src"
  mkdir -p "$root/src"
  git -C "$tree" ls-files -z | tar -C "$tree" --null --ignore-failed-read -T - -cf - | tar -C "$root/src" -xf -
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
}

the_demo_answers() {
  # not through the function, so that the signal reaches the demo and not a shell that waits for it
  timeout --foreground 300 "${there[@]}" /opt/companion/venv/bin/companion demo --port "$port" --host 127.0.0.1 \
    > "$root/tmp/demo.log" 2>&1 &
  local demo=$! answered=no
  for _ in $(seq 120); do
    inside python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:$port/healthz').read()[:200])" \
      2>/dev/null && { answered=yes; break; }
    sleep 0.5
  done
  kill -TERM "$demo"
  wait "$demo" || { cat "$root/tmp/demo.log" >&2; exit 1; }
  [ "$answered" = yes ] || { cat "$root/tmp/demo.log" >&2; exit 1; }
}

trap leave EXIT
if [ ! -x "$root/usr/bin/python3" ]; then
  step "make a bare $suite"
  debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv,python3-numpy "$suite" "$root"
fi
bring_tree
mount -t proc proc "$root/proc" 2>/dev/null || true
mount --bind /dev "$root/dev"

step "install"
inside /src/systemd/install.sh --no-hardware --no-start
inside /src/systemd/install.sh --check --no-hardware --no-start
python="inside /opt/companion/venv/bin/python"
$python -c "import sys, platform, numpy, cv2; print(platform.machine(), sys.version.split()[0], numpy.__version__, numpy.__file__, cv2.__version__)"

step "import everything"
$python - <<'PYTHON'
import importlib, pkgutil
import companion
names = [each.name for each in pkgutil.walk_packages(companion.__path__, "companion.") if "__main__" not in each.name]
for name in names:
    importlib.import_module(name)
print(len(names), "modules")
PYTHON

step "read one photograph"
$python - <<'PYTHON'
import json, subprocess, sys, time
import cv2, numpy as np
from models.drawing.hexel.photograph import photograph
drawn = photograph(np.random.default_rng(1), hardness=0.0, cards=6)
cv2.imwrite("/tmp/photograph.png", drawn.bgr)
began = time.monotonic()
told = subprocess.run([sys.executable, "-m", "companion", "read", "--game", "hexel", "--json", "/tmp/photograph.png"],
                      capture_output=True, text=True, check=True).stdout
cards = json.loads(told)["cards"]
assert sum(card["cell"] is not None for card in cards) == len(drawn.truth["cards"]), told
print(len(cards), "cards read in", round(time.monotonic() - began, 1), "s")
PYTHON

step "the demo"
the_demo_answers
step "the core of the tests"
inside sh -c 'cd /src && /opt/companion/venv/bin/pip install -q "pytest>=9" "hypothesis>=6.100"'
core="tests/rules tests/games tests/playthroughs tests/referee tests/vision tests/devices tests/systemd"
inside sh -c "cd /src && /opt/companion/venv/bin/python -m pytest ${TESTS:-$core}"
step "well"
