#!/usr/bin/env bash
# Runs inside the machine that booted.sh boots: what becomes of the service. The last line is "well".
set -euo pipefail

table=http://127.0.0.1:8080
data=/var/lib/companion

step() { echo "== $(cut -d' ' -f1 /proc/uptime) s: $*"; }
fail() { echo "failed: $*"; systemctl status companion --no-pager -n 30 || true; exit 1; }
main_process() { systemctl show -p MainPID --value companion; }
ask() { python3 - "$@" <<'PYTHON'
import json, sys, urllib.request
url, *body = sys.argv[1:]
code = open("/var/lib/companion/join-code").read().strip()
pin = open("/var/lib/companion/operator-pin").read().strip()
headers = {"X-Join-Code": code, "X-Operator-Pin": pin}
asked = urllib.request.Request(url, body[0].encode() if body else None, headers)
print(json.dumps(json.load(urllib.request.urlopen(asked, timeout=5))))
PYTHON
}
is_live() { # within so many seconds, by another process than the one named
  local process=
  for _ in $(seq $((${1:-60} * 5))); do
    process=$(main_process)
    [ "$process" != 0 ] && [ "$process" != "${2:-0}" ] && ask "$table/api/state" >/dev/null 2>&1 && return
    sleep 0.2
  done
  fail "not live"
}
still_there() {
  ask "$table/api/state" | grep -q '"turn": "Bo"' || fail "the game is not as it was: $(ask "$table/api/state")"
}

step "start"
systemctl enable -q --now companion
is_live
[ "$(systemctl show -p NotifyAccess --value companion)" = main ]
echo "$(systemctl is-active companion), $(systemctl show -p StatusText --value companion)"
header='{"record": 1, "game": "hexapod", "players": ["Ana", "Bo"]}'
ask "$table/api/next" "{\"header\": $header}" >/dev/null
ask "$table/api/commands" '{"cmd": "pass", "player": "Ana"}' >/dev/null
still_there
[ "$(stat -c '%a %U' $data)" = "750 companion" ] || fail "the data folder is $(stat -c '%a %U' $data)"
! journalctl -u companion | grep -qF "$(cat $data/join-code)" || fail "the code is in the log"

step "killed five times in a row"
for _ in 1 2 3 4 5; do
  before=$(main_process)
  kill -KILL "$before"
  is_live 60 "$before"
  still_there
done
echo "$(systemctl show -p NRestarts --value companion) restarts"

step "hangs: the watchdog ends it"
before=$(main_process)
kill -STOP "$before"
is_live 90 "$before"
still_there
journalctl -u companion | grep -qi watchdog || fail "no watchdog in the log"

step "upgrade in the middle of a game"
echo "# another version" >> /src/companion/__main__.py
rm -f /opt/companion/installed
before=$(main_process)
cp -a /opt/companion/venv/lib/python3*/site-packages/companion /tmp/kept
sed -i '/^  pip_install /d' /src/systemd/install.sh # there is no network here: the files alone
cp -r /src/companion /opt/companion/venv/lib/python3*/site-packages/
/src/systemd/install.sh --no-hardware
is_live 60 "$before"
still_there

step "an installation cut off half-way is begun anew"
rm -f /opt/companion/installed /etc/systemd/system/companion.service
! /src/systemd/install.sh --check --no-hardware || fail "half an installation passes"
/src/systemd/install.sh --no-hardware | grep -E 'doing|done'
is_live
still_there

step "the command finds the service's table, and what root brings back is the service's"
companion replay $data/games/0002.jsonl --json >/dev/null
companion backup /tmp/kept.zip
[ "$(find $data ! -user companion | wc -l)" = 0 ] || fail "root's in the data folder: $(find $data ! -user companion)"
systemctl stop companion
mv $data $data.before
mkdir -m 750 $data
companion restore /tmp/kept.zip
[ "$(find $data ! -user companion | wc -l)" = 0 ] || fail "root's in the data folder: $(find $data ! -user companion)"
systemctl start companion
is_live
still_there
rm -rf $data.before

step "stop and uninstall"
systemctl stop companion
[ "$(systemctl show -p Result --value companion)" = success ] || fail "stopping: $(systemctl show -p Result --value companion)"
/src/systemd/install.sh --uninstall
[ ! -e /opt/companion ] && [ ! -e /usr/local/bin/companion ] && [ -e $data/games/0002.jsonl ] || fail "uninstalled: $(ls /opt $data)"
! systemctl cat companion >/dev/null 2>&1 || fail "the unit is still there"
/src/systemd/install.sh --uninstall --purge
[ ! -e $data ] && [ ! -e /etc/companion ] || fail "something is left"
echo well
