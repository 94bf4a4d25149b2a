#!/usr/bin/env bash
# Installs the table as a service on a 64-bit Raspberry Pi OS or Debian, Bookworm or Trixie. Run it from a clone of the
# repository, as root; run it again after an update, it does only what is missing and renews the program.
#
#   systemd/install.sh [--no-hardware] [--no-start]   install
#   systemd/install.sh --check [--no-hardware]        say what is there and what is not; changes nothing
#   systemd/install.sh --uninstall [--purge]          remove; games and settings stay unless purged
#
# --no-hardware: without the packages for camera, pins and speech (the rule where there is no Raspberry Pi).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source_folder=$(dirname "$here")
program=/opt/companion
venv=$program/venv
settings=/etc/companion/companion.toml
games=/var/lib/companion
unit=/etc/systemd/system/companion.service
drop_in=$unit.d/groups.conf
command=/usr/local/bin/companion
base_packages="python3 python3-venv python3-numpy"
hardware_packages="python3-picamera2 python3-lgpio python3-gpiozero espeak-ng alsa-utils"
wanted_groups="video gpio audio"

fail() { echo "install.sh: $*" >&2; exit 1; }

system() { . /etc/os-release && echo "${VERSION_CODENAME:-unknown}"; }

is_pi() { grep -qs "Raspberry Pi" /proc/device-tree/model; }

there_are() { # which of these groups exist here
  for group in $wanted_groups; do getent group "$group" >/dev/null && echo "$group"; done
}

# ---------------------------------------------------------------- the steps: each knows whether it is done, and does it

system_is_done() {
  [ "$(getconf LONG_BIT)" = 64 ] && [ -f "$here/requirements-$(system).txt" ]
}
system_do() {
  [ "$(getconf LONG_BIT)" = 64 ] || fail "this system is 32-bit: there are no OpenCV wheels for it; use the 64-bit image"
  fail "this is $(system); there are requirements for bookworm and trixie"
}

packages_is_done() {
  for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || return 1
  done
}
packages_do() {
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages
}

user_is_done() {
  id companion >/dev/null 2>&1 || return 1
  for group in $(there_are); do id -nG companion | grep -qw "$group" || return 1; done
}
user_do() {
  id companion >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir "$games" --no-create-home --shell /usr/sbin/nologin companion
  for group in $(there_are); do usermod --append --groups "$group" companion; done
}

program_is_done() {
  [ -x "$venv/bin/companion" ] && [ "$(cat "$program/installed" 2>/dev/null)" = "$(source_is)" ]
}
source_is() { # what would be installed, as one word
  (cd "$source_folder" && find companion models pyproject.toml "systemd/requirements-$(system).txt" -type f \
    ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
}
program_do() {
  mkdir -p "$program"
  rm -f "$program/installed"
  building=$(mktemp -d /var/tmp/companion.XXXXXX)
  trap 'rm -rf "$building"; chown -R root:root "$program"' EXIT
  (cd "$source_folder" && tar -cf - companion models pyproject.toml README.md LICENSE) | tar -xf - -C "$building"
  cp "$here/requirements-$(system).txt" "$building/requirements.txt"
  chown -R companion:companion "$building" "$program"
  # what a power cut left half done is begun anew
  as_companion "$venv/bin/python" -m pip --version >/dev/null 2>&1 ||
    as_companion python3 -m venv --clear --system-site-packages "$venv"
  pip_install --require-hashes -r "$building/requirements.txt"
  pip_install --force-reinstall --no-deps --no-build-isolation "$building"
  as_companion "$venv/bin/python" -c "import companion.cli.run"
  chown -R root:root "$program"
  rm -rf "$building"
  trap - EXIT
  cp "$source_folder/README.md" "$program/"
  source_is > "$program/installed.draft"
  sync -f "$program"
  mv "$program/installed.draft" "$program/installed"
}
as_companion() { runuser -u companion -- env HOME="$building" "$@"; } # so that no package's code runs as root
pip_install() { as_companion "$venv/bin/python" -m pip install -q --no-input --disable-pip-version-check "$@"; }

settings_is_done() { [ "$(stat -c '%a %U %G' "$settings" 2>/dev/null)" = "640 root companion" ]; }
settings_do() { # they may hold codes: the service reads them, and nobody else
  mkdir -p "$(dirname "$settings")"
  if [ -f "$settings" ]; then :; elif is_pi; then cp "$here/companion.toml" "$settings"; else sed 's/^source = "pi" /source = "none" /' "$here/companion.toml" > "$settings"; fi
  chown root:companion "$settings"
  chmod 640 "$settings"
}

unit_is_done() {
  cmp -s "$here/companion.service" "$unit" && [ "$(groups_of_unit)" = "$(cat "$drop_in" 2>/dev/null)" ]
}
groups_of_unit() { # a unit that names a group that is not there does not start
  printf '[Service]\nSupplementaryGroups=\nSupplementaryGroups=%s' "$(there_are | xargs)"
}
unit_do() {
  mkdir -p "$(dirname "$drop_in")"
  cp "$here/companion.service" "$unit"
  groups_of_unit > "$drop_in"
  is_booted && systemctl daemon-reload || true
}

command_is_done() { cmp -s "$here/companion.sh" "$command" && [ -x "$command" ]; }
command_do() { install -D -m 755 "$here/companion.sh" "$command"; }

is_booted() { [ -d /run/systemd/system ]; }

service_is_done() { ! is_booted || [ "$start" = no ] || systemctl is-active -q companion; }
service_do() {
  systemctl enable -q companion
  systemctl restart companion
}

steps="system packages user program settings command unit service"

install_all() {
  [ "$(id -u)" = 0 ] || fail "run it as root: sudo $0"
  was_current=yes
  for step in $steps; do
    if "${step}_is_done"; then echo "ok       $step"; continue; fi
    was_current=no
    echo "doing    $step"
    "${step}_do"
    "${step}_is_done" || fail "$step did not succeed"
  done
  [ "$was_current" = yes ] || ! is_booted || [ "$start" = no ] || systemctl restart companion
  echo "done. Settings: $settings. Games: $games. What it says: journalctl -u companion"
}

check_all() {
  missing=0
  for step in $steps; do
    if "${step}_is_done"; then echo "ok       $step"; else echo "missing  $step"; missing=1; fi
  done
  return "$missing"
}

uninstall() {
  [ "$(id -u)" = 0 ] || fail "run it as root: sudo $0 --uninstall"
  if is_booted; then systemctl disable -q --now companion 2>/dev/null || true; fi
  rm -rf "$unit" "$(dirname "$drop_in")" "$program" "$command"
  if is_booted; then systemctl daemon-reload; fi
  if [ "$purge" = yes ]; then
    rm -rf "$games" "$(dirname "$settings")"
    ! id companion >/dev/null 2>&1 || userdel companion
    echo "removed, with all games and settings"
  else
    echo "removed; games stay in $games, settings in $(dirname "$settings")"
  fi
}

action=install_all
start=yes
purge=no
hardware=no
if is_pi; then hardware=yes; fi
for word in "$@"; do
  case "$word" in
    --check) action=check_all ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    --no-hardware) hardware=no ;;
    --no-start) start=no ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
packages=$base_packages
if [ "$hardware" = yes ]; then packages="$packages $hardware_packages"; fi
"$action"
