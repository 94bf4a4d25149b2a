#!/usr/bin/env bash
# Writes requirements-bookworm.txt and requirements-trixie.txt: every package that an installation takes, with the hashes
# of its files, from the dependencies in pyproject.toml, what a table speaks to its hall by, and each system's constraints.
# Needs `pip install uv`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
asked=$(mktemp)
trap 'rm -f "$asked"' EXIT
{ sed -n '/^dependencies = \[/,/^\]/p' "$here/../pyproject.toml" | grep -o '^  "[^"]*"' | tr -d ' "'
  sed -n 's/^  "\(paho-mqtt[^"]*\)".*/\1/p' "$here/../pyproject.toml"
  sed -n 's/^requires = \["\([^"]*\)"\].*/\1/p' "$here/../pyproject.toml"; } > "$asked"

for of in bookworm:3.11 trixie:3.13; do
  system=${of%%:*}
  {
    echo "# All that the installation on Raspberry Pi OS $system takes, with the hashes of its files."
    echo "# Made by systemd/requirements.sh; made anew when a dependency changes."
    uv pip compile -q --generate-hashes --no-header --no-annotate --python-version "${of##*:}" \
      --python-platform aarch64-manylinux_2_28 -c "$here/constraints-$system.txt" "$asked"
  } > "$here/requirements-$system.txt"
done
