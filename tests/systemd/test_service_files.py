"""The service's files: that they agree with each other, with the program and with what systemd thinks of them."""

import configparser
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from companion.config import read

FOLDER = Path(__file__).resolve().parents[2] / "systemd"
MOST_EXPOSED = 4.0


class Unit(configparser.RawConfigParser):
    """A unit's settings; of a setting said twice the last."""

    optionxform = staticmethod(str)


@pytest.fixture
def service() -> configparser.SectionProxy:
    unit = Unit(strict=False, delimiters=("=",), comment_prefixes=("#",))
    unit.read(FOLDER / "companion.service")
    return unit["Service"]


def test_the_unit_starts_what_the_installer_installs(service: configparser.SectionProxy) -> None:
    installer = (FOLDER / "install.sh").read_text()
    program = re.search(r"^program=(\S+)", installer, re.M)[1]
    assert service["ExecStart"] == f"{program}/venv/bin/companion run"
    assert (service["User"], service["StateDirectory"]) == ("companion", "companion")
    assert f'wanted_groups="{service["SupplementaryGroups"]}"' in installer


def test_the_command_speaks_of_the_table_that_the_unit_starts(
    service: configparser.SectionProxy, tmp_path: Path
) -> None:
    text = (FOLDER / "companion.sh").read_text()
    installed = service["ExecStart"].removesuffix(" run")
    assert text.count(installed) == 1
    program, data = tmp_path / "program", tmp_path / "data"
    program.write_text('#!/bin/sh\necho "$1 of $STATE_DIRECTORY by $CONFIGURATION_DIRECTORY"; exit 3\n')
    program.chmod(0o755)
    trial = text.replace(installed, str(program)).replace("/var/lib/companion", str(data))
    ended = subprocess.run(["sh", "-c", trial, "companion", "doctor"], capture_output=True, text=True, check=False)
    assert ended.returncode == 3
    assert ended.stdout == f"doctor of {data} by /etc/companion\n"
    assert service["StateDirectory"] == service["ConfigurationDirectory"] == "companion"


def test_the_unit_wants_signs_of_life_and_allows_what_a_table_needs(service: configparser.SectionProxy) -> None:
    assert (service["Type"], service["Restart"]) == ("notify", "on-failure")
    assert int(service["WatchdogSec"]) >= 20
    assert int(service["TimeoutStopSec"]) <= 5
    assert "PrivateDevices" not in service
    assert "AF_NETLINK" in service["RestrictAddressFamilies"]


def test_the_settings_that_are_installed_are_settings() -> None:
    settings = read(tomllib.loads((FOLDER / "companion.toml").read_text()))
    assert (settings.camera.source, settings.panel.pins) == ("pi", "auto")


@pytest.mark.parametrize("system, numpy", [("bookworm", "1.24.2"), ("trixie", "2.2.4")])
def test_each_system_has_its_constraints(system: str, numpy: str) -> None:
    lines = (FOLDER / f"constraints-{system}.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert pins["numpy"] == numpy  # apt's own, which its camera libraries were built for
    assert re.match(r"4\.1[0-9]\.", pins["opencv-python-headless"])
    assert re.match(r"1\.[23][0-9]\.", pins["onnxruntime"])


@pytest.mark.parametrize("system", ["bookworm", "trixie"])
def test_all_that_is_installed_is_pinned_with_its_hashes(system: str) -> None:
    text = (FOLDER / f"requirements-{system}.txt").read_text()
    pinned = {name.lower(): version for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.M)}
    assert len(re.findall(r"^[\w.-]+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", text, re.M)) == len(pinned)
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text())
    of_a_hall = [each for each in project["project"]["optional-dependencies"]["hub"] if each.startswith("paho")]
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"], *of_a_hall]
    assert of_a_hall
    assert {re.match(r"[\w.-]+", each)[0].lower() for each in wanted} <= set(pinned)
    constraints = (FOLDER / f"constraints-{system}.txt").read_text().splitlines()
    for name, version in (line.split("==") for line in constraints if line and not line.startswith("#")):
        assert pinned[name] == version


def test_a_table_enters_a_hall_with_what_is_installed() -> None:
    apart = ("sqlalchemy", "pg8000", "caissify_pairings", "waitress")  # the hub's own
    blocked = f"import sys; sys.modules.update(dict.fromkeys({apart}))"
    subprocess.run([sys.executable, "-c", f"{blocked}; import companion.hub.publisher"], check=True)


def test_no_package_code_runs_as_root_and_settings_are_the_services_alone() -> None:
    installer = (FOLDER / "install.sh").read_text()
    assert re.findall(r"^.*pip.* install .*$", installer, re.M) == [
        'pip_install() { as_companion "$venv/bin/python" -m pip install -q --no-input '
        '--disable-pip-version-check "$@"; }'
    ]
    assert "--require-hashes" in installer and 'chmod 640 "$settings"' in installer


def test_the_installer_says_its_usage_for_a_word_it_does_not_know() -> None:
    ended = subprocess.run(["bash", str(FOLDER / "install.sh"), "--chek"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "--check" in ended.stderr and "--uninstall" in ended.stderr


def test_checking_changes_nothing_and_needs_no_root() -> None:
    command = ["bash", str(FOLDER / "install.sh"), "--check", "--no-hardware"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    steps = [line.split() for line in ended.stdout.splitlines()]
    assert {word for word, _ in steps} <= {"ok", "missing"}
    assert [step for _, step in steps] == [
        "system",
        "packages",
        "user",
        "program",
        "settings",
        "command",
        "unit",
        "service",
    ]
    assert ended.returncode == int(any(word == "missing" for word, _ in steps))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_unit_is_exposed_no_more_than_it_must_be() -> None:
    unit = str(FOLDER / "companion.service")
    told = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", unit], capture_output=True, text=True, check=True
    ).stdout
    assert float(re.search(r"Overall exposure level for companion.service: ([\d.]+)", told)[1]) <= MOST_EXPOSED
    found = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    told = [line for line in (found.stdout + found.stderr).splitlines() if "companion.service" in line]
    assert [line for line in told if "is not executable" not in line] == []
