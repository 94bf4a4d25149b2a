"""The doctor: what it finds on machines that are set up wrongly, and what it says to do."""

import json
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.cli.main import main
from companion.config import CameraSettings, GameSettings, HubSettings, Settings, TableSettings, WebSettings
from companion.devices.panel import Panel
from companion.doctor import modules, system, table
from companion.doctor.finding import Finding, Machine, Ran, run
from companion.doctor.report import CHECKS, is_well, lines, without_secrets, write_bundle
from companion.errors import UsageError
from companion.games import network_files

PI5 = "Raspberry Pi 5 Model B Rev 1.0\0"


@pytest.fixture
def pi(tmp_path: Path) -> Path:
    """The files of a Raspberry Pi 5."""
    write(tmp_path, "proc/device-tree/model", PI5)
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def telling(*answers: Ran) -> Any:
    """Commands that answer in this order."""
    left = list(answers)
    return lambda command: left.pop(0)


def module(machine: Machine, name: str) -> Finding:
    return modules._module(machine, name)


def facts(version: str, *names: str, aruco: bool = True) -> Ran:
    return Ran(0, "hello\n\n" + json.dumps({"version": version, "file": "/x.py", "names": names, "aruco": aruco}))


def test_each_module_is_named_with_its_version_and_where_it_came_from() -> None:
    found = module(Machine(), "numpy")
    assert (found.state, found.found) == ("ok", f"{np.__version__} from {np.__file__}")


def test_a_module_that_crashes_is_a_finding_and_not_the_doctors_end() -> None:
    found = module(Machine(), "companion_of_nobody")
    assert found.state == "fail" and "No module named" in found.found and found.fix


def test_another_numpy_than_the_cameras_is_recognised(pi: Path) -> None:
    complaint = "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96, got 88"
    found = module(Machine(pi, telling(Ran(1, "", complaint))), "picamera2")
    assert found.state == "fail" and "constraints-bookworm.txt" in found.fix


@pytest.mark.parametrize(
    "name, answer, fix",
    [
        ("cv2", facts("5.0.0"), "opencv-python-headless<5"),
        ("cv2", facts("4.6.0", aruco=False), ">=4.10"),
        ("lgpio", facts("0.0.0.2"), "python3-lgpio"),
        ("gpiozero", facts("2.0.1"), "post3"),
        ("picamera2", Ran(1, "", "ModuleNotFoundError: No module named 'picamera2'"), "python3-picamera2"),
    ],
)
def test_a_copy_that_will_not_do_is_named_with_the_one_that_will(pi: Path, name: str, answer: Ran, fix: str) -> None:
    found = module(Machine(pi, telling(answer)), name)
    assert found.state in ("warn", "fail") and fix in found.fix


def test_a_good_copy_is_well(pi: Path) -> None:
    assert module(Machine(pi, telling(facts("0.2.2.0", "SET_PULL_NONE"))), "lgpio").state == "ok"


def test_every_network_of_this_installation_loads() -> None:
    found = modules.models(Machine(), Settings())
    assert (found.state, found.found) == ("ok", f"{len(network_files())} networks, all load into onnxruntime")


@pytest.mark.parametrize("source, state", [("usb", "fail"), ("none", "warn")])
def test_a_network_that_does_not_load_is_named(source: str, state: str) -> None:
    trouble = "the model comet/corner_refiner/weights.onnx is missing from this installation: install companion again"
    machine = Machine(run=telling(Ran(0, json.dumps([13, "OpenCV", [trouble]]))))
    found = modules.models(machine, Settings(camera=CameraSettings(source)))
    assert (found.state, "comet/corner_refiner/weights.onnx is missing" in found.found) == (state, True)
    assert "install" in found.fix


@pytest.mark.parametrize(
    "bits, state, found",
    [
        (0x0, "ok", "steady since the start"),
        (0x50005, "fail", "now: under-voltage, throttled"),
        (0x20000, "warn", "since the start: frequency capped"),
    ],
)
def test_the_firmwares_bits_are_read(pi: Path, bits: int, state: str, found: str) -> None:
    told = system.power(Machine(pi, telling(Ran(0, f"throttled=0x{bits:x}"))), Settings())
    assert (told.state, told.found) == (state, found)


@pytest.mark.parametrize("milli, state", [("48300", "ok"), ("72000", "warn"), ("84100", "fail")])
def test_heat_is_told(tmp_path: Path, milli: str, state: str) -> None:
    write(tmp_path, "sys/class/thermal/thermal_zone0/temp", milli + "\n")
    assert system.heat(Machine(tmp_path), Settings()).state == state


def test_a_system_that_forgets_at_power_off_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, "proc/cmdline", "console=tty1 overlayroot=tmpfs")
    found = system.disk(Machine(tmp_path), Settings(table=TableSettings(tmp_path)))
    assert [each.state for each in found if each.name == "overlay"] == ["warn"]


def test_little_memory_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, "proc/device-tree/model", "Raspberry Pi 4 Model B")
    values = "MemTotal: 900000 kB\nMemAvailable: 200000 kB\nCmaTotal: 262144 kB\nCmaFree: 20000 kB\n"
    write(tmp_path, "proc/meminfo", values)
    assert [each.state for each in system.memory(Machine(tmp_path), Settings())] == ["warn", "warn"]


@pytest.mark.parametrize("answer, state", [(Ran(0, "yes"), "ok"), (Ran(0, "no"), "warn"), (Ran(1, ""), "skipped")])
def test_the_clock_is_asked(answer: Ran, state: str) -> None:
    assert system.clock(Machine(run=telling(answer)), Settings()).state == state


def test_pins_are_taken_and_let_go() -> None:
    assert table.pins(Panel("mock")).state == "skipped"
    assert "python3-lgpio" in table.pins(Panel("lgpio")).found


def test_a_service_that_is_not_running_is_a_failure(tmp_path: Path) -> None:
    write(tmp_path, "etc/systemd/system/companion.service", "")
    found = table.service(Machine(tmp_path, telling(Ran(3, "failed"))), Settings())
    assert (found.state, found.found) == ("fail", "failed")


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with table.bind("127.0.0.1", 0) as taken:
        settings = Settings(web=WebSettings("127.0.0.1", taken.getsockname()[1]))
        assert "the table is running" in table.page(Machine(), settings).found
    assert table.page(Machine(), Settings(web=WebSettings("192.0.2.77", 8080))).state == "fail"


def test_a_command_that_is_not_there_is_no_end() -> None:
    assert run(["companion-of-nobody"]) == Ran(None, "", "there is no companion-of-nobody")
    assert run([sys.executable, "-c", "import sys; sys.exit('no')"]) == Ran(1, "", "no")


def test_every_finding_that_is_not_well_says_what_to_do() -> None:
    def nothing(command: Sequence[str]) -> Ran:
        return Ran(1, "", "no")

    found = [each for check in CHECKS for each in as_tuple(check(Machine(run=nothing), Settings()))]
    assert [each.name for each in found if each.state in ("warn", "fail") and not each.fix] == []
    assert not is_well(found)
    assert all(each.found in "\n".join(lines(found)) for each in found)


def as_tuple(found: Finding | tuple[Finding, ...]) -> tuple[Finding, ...]:
    return found if isinstance(found, tuple) else (found,)


def test_the_support_file_holds_no_secrets(tmp_path: Path) -> None:
    web = WebSettings(join_code="ROSEHIP", operator_pin="246813")
    game = GameSettings("hexdragon", ("Ana", "Bo"), options={"colours": {"Ana": "red", "Bo": "blue"}})
    hub = HubSettings("mqtts://table:in-the-url@hall.local:8883", password="of-the-hall")
    settings = Settings(game, web, CameraSettings("usb"), hub=hub)
    write_bundle(tmp_path / "help.zip", (Finding("clock", "ok", "synchronised"),), settings)
    with zipfile.ZipFile(tmp_path / "help.zip") as bundle:
        text = "".join(bundle.read(name).decode() for name in bundle.namelist())
    secrets = ("ROSEHIP", "246813", "Ana", "of-the-hall", "in-the-url")
    assert not [secret for secret in secrets if secret in text]
    assert "hall.local:8883" in text and '"player 1": "red"' in text
    assert "synchronised" in text and '"usb"' in text and "numpy==" in text
    assert without_secrets(Settings())["web"]["join_code"] is None
    with pytest.raises(UsageError, match="cannot write"):
        write_bundle(tmp_path / "nowhere" / "help.zip", (), settings)


def test_the_command_prints_a_page_and_ends_with_its_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.doctor.report.CHECKS", ())
    (tmp_path / "companion.toml").write_text('[camera]\nsource = "usb:63"')
    assert main(["doctor", "--settings", str(tmp_path / "companion.toml"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], [finding["name"] for finding in told["findings"]]) == (False, ["pins", "camera", "calibration"])
    (tmp_path / "companion.toml").write_text("")
    assert main(["doctor", "--settings", str(tmp_path / "companion.toml")]) == 0
    assert "skipped  camera" in capsys.readouterr().out
