#!/usr/bin/env bash
# Tries the program on a 64-bit ARM Debian, emulated: everything is imported, one photograph is read as it is read here,
# and the tests named pass, by default those of rules, referee and vision.
#
#   tests/systemd/arm64_root.sh bookworm|trixie [TESTS ...]
#
# Needs root, the network, debootstrap, qemu-user and binfmt_misc. PYTHON is a Python here that runs the program. Take
# qemu 10: under 7.2, Bookworm's own, one test of Trixie's Python 3.13 with hypothesis was not over after minutes, where 10
# takes seconds.
# The root is made in $BARE_ROOT, or in a folder under /var/tmp, and kept. The wheels for ARM, those that an installation
# takes, are unpacked from here, so that only what is tried is emulated, which is slow.
set -euo pipefail

suite=${1:?bookworm or trixie}
shift
tree=$(cd "$(dirname "$0")/../.." && pwd)
root=${BARE_ROOT:-/var/tmp/companion-arm64-$suite}
python=${PYTHON:-python3}
case $suite in bookworm) version=3.11 ;; trixie) version=3.13 ;; *) echo "bookworm or trixie" >&2; exit 2 ;; esac
wheels=(--platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 --implementation cp --python-version "$version"
  --only-binary=:all: --no-deps)
tests=("$@")
[ $# -gt 0 ] || tests=(tests/rules tests/playthroughs tests/referee tests/vision)

step() { echo "== $*"; }
leave() { umount "$root/proc" 2>/dev/null || true; }
trap leave EXIT

[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] ||
  { echo "no emulation of arm64: apt install qemu-user, and mount binfmt_misc" >&2; exit 2; }
if [ ! -e "$root/unpacked" ]; then
  step "make a bare $suite for arm64"
  debootstrap --foreign --arch=arm64 --variant=minbase --include=python3,python3-numpy "$suite" "$root"
  # unpacked only: the packages' own scripts, emulated, take a quarter of an hour, and Python needs none of them
  for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  touch "$root/unpacked"
fi

if [ ! -d "$root/opt/site/cv2" ]; then
  step "unpack the wheels"
  awk '/^[a-z]/ { kept = !/^numpy==/ } kept' "$tree/systemd/requirements-$suite.txt" > "$root/requirements.txt" # numpy is apt's
  "$python" -m pip install -q --target "$root/opt/site" "${wheels[@]}" --require-hashes -r "$root/requirements.txt"
  "$python" -m pip install -q --target "$root/opt/site" "${wheels[@]}" pytest iniconfig pygments hypothesis sortedcontainers
fi

step "bring the program and a photograph"
rm -rf "$root/src"
mkdir -p "$root/src"
git -C "$tree" ls-files -z companion models tests calibration pyproject.toml systemd README.md | tar -C "$tree" --null -T - -cf - | tar -C "$root/src" -xf -
cat > "$root/src/try.py" <<'PYTHON'
import importlib, json, pkgutil
from pathlib import Path

import companion
from companion.games import GAMES
from companion.vision.image.codec import load_picture

optional = ("__main__", ".hub")  # what its pages need is installed apart
names = [each.name for each in pkgutil.walk_packages(companion.__path__, "companion.") if not any(name in each.name for name in optional)]
for name in names:
    importlib.import_module(name)
print(len(names), "modules imported")
reader = GAMES["hexel"].recognizer()
read = reader.read(load_picture(Path(__file__).parent / "photograph.png"), reader.classifier(reader.edition(None), None))
print(sorted(str(card["edges"]) for card in (*read.as_json()["cards"], *read.as_json()["loose"])))
PYTHON
PYTHONPATH=$tree "$python" - "$root/src/photograph.png" <<'PYTHON'
import sys
import cv2, numpy as np
from models.drawing.hexel.photograph import photograph
cv2.imwrite(sys.argv[1], photograph(np.random.default_rng(1), hardness=0.0, cards=6).bgr)
PYTHON
mount -t proc proc "$root/proc" 2>/dev/null || true
there=(chroot "$root" env -i -C /src PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 OMP_NUM_THREADS=1
  LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu/blas:/usr/lib/aarch64-linux-gnu/lapack PYTHONPATH=/src:/opt/site python3)

step "here"
PYTHONPATH=$root/src "$python" "$root/src/try.py" > "$root/src/here.txt"
step "there"
"${there[@]}" -c 'import platform, sys, numpy, cv2; print(platform.machine(), sys.version.split()[0], numpy.__version__, cv2.__version__)'
"${there[@]}" /src/try.py > "$root/src/there.txt"
diff "$root/src/here.txt" "$root/src/there.txt"
head -c 300 "$root/src/there.txt" && echo
step "the same there as here; the tests"
"${there[@]}" -m pytest -p no:cacheprovider "${tests[@]}"
step "well"
