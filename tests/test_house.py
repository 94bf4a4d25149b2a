"""The house itself: who may import whom, what stands at the top, that importing does nothing, what README promises."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HOUSE = ROOT / "companion"

DOORS: dict[str, set[str]] = {
    "errors": set(),
    "config": {"errors", "config_reading"},
    "config_reading": {"errors"},
    "rules": {"errors"},
    "decks": {"errors", "rules", "numpy", "cv2", "reportlab"},
    "vision": {"errors", "decks", "rules.hexgrid", "numpy", "cv2"},
    "referee": {"errors", "rules"},
    "views": {"errors", "rules", "referee"},
    "devices": {"errors", "vision.frame", "referee", "numpy", "cv2", "gpiozero", "picamera2"},
    "simulator": {"errors", "decks", "rules", "vision.frame", "devices.camera", "numpy", "cv2"},
    "web": {"errors", "views", "referee", "rules.engine", "flask", "waitress", "werkzeug"},
    "meaning": {"errors", "vision", "referee", "rules", "numpy", "cv2"},
    "watching": {"errors", "vision", "meaning", "referee", "rules.engine", "devices.camera", "numpy"},
    "reviewing": {"errors", "meaning", "referee", "rules.engine", "vision", "numpy", "cv2"},
    "announcing": {"errors", "referee", "views"},
    "invitation": {"errors", "referee", "decks"},
    "doctor": {
        "errors",
        "config",
        "choosing",
        "devices",
        "simulator",
        "vision",
        "numpy",
        "cv2",
        "web.server",
        "referee",
    },
    "choosing": {"errors", "config", "devices", "rules.engine"},
    "switching": {"errors", "referee"},
    "table": {"config", "devices.panel", "devices.pulse", "invitation", "referee", "switching"},
    "welcoming": {"table"},
    "supervising": {"errors", "devices", "referee", "table"},
    "bootstrap": {"*"},
    "surveying": {"errors", "calibrating", "choosing", "table", "vision", "numpy", "cv2"},
    "calibrating": {"errors", "decks", "rules.comet_state", "vision", "numpy"},
    "demo": {"*"},
    "demo_table": {"*"},
    "cli": {"*"},
    "cli_calibrate": {"*"},
    "cli_config": {"*"},
    "cli_demo": {"*"},
    "cli_doctor": {"*"},
    "cli_outline": {"*"},
    "cli_panel": {"*"},
    "cli_print": {"*"},
    "cli_table": {"*"},
    "cli_review": {"*"},
    "cli_vision": {"*"},
    "__main__": {"cli"},
    "__init__": set(),
}
"""What each room may import besides itself and the standard library."""


def modules() -> list[Path]:
    return sorted(HOUSE.rglob("*.py"))


def room_of(path: Path) -> str:
    first = path.relative_to(HOUSE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            names += [
                f"{node.module}.{alias.name}" if node.module == "companion" else str(node.module)
                for alias in node.names
            ]
    return names


def is_stranger(name: str, room: str) -> bool:
    head, _, rest = name.partition(".")
    if head in sys.stdlib_module_names:
        return False
    wanted = rest if head == "companion" else head
    if head == "companion" and (rest == "" or wanted.split(".")[0] in (room, "__version__")):
        return False
    allowed = DOORS[room]
    return "*" not in allowed and not any(wanted == door or wanted.startswith(f"{door}.") for door in allowed)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(HOUSE)))
def test_a_room_imports_only_through_its_doors(path: Path) -> None:
    strangers = [name for name in imports(path) if is_stranger(name, room_of(path))]
    assert not strangers, f"{path.relative_to(HOUSE)} imports {', '.join(strangers)}"


def test_a_game_never_imports_a_game() -> None:
    games = ("hexel", "hexdragon", "comet", "hexapod")
    for path in (HOUSE / "rules").glob("*.py"):
        mine = [g for g in games if path.stem == g or path.stem.startswith(f"{g}_")]
        others = [
            n
            for n in imports(path)
            for g in games
            if mine and g not in mine and re.match(rf"companion\.rules\.{g}\b", n)
        ]
        assert not others, f"{path.name} imports {others}"


def test_the_engine_needs_nothing_but_the_standard_library() -> None:
    code = "import sys, companion.rules, companion.rules.engine; print('cv2' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_every_file_has_a_caption() -> None:
    without = [str(p.relative_to(ROOT)) for p in modules() if not ast.get_docstring(ast.parse(p.read_text()))]
    assert not without


def test_the_top_level_holds_what_the_house_says_and_nothing_else() -> None:
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout: nothing says what belongs to the tree")
    top = {line.split("/")[0] for line in listed.stdout.splitlines()}
    expected = {"pyproject.toml", "README.md", "companion", "models", "calibration", "tests", "systemd", "LICENSE"}
    assert {t for t in top if not t.startswith(".")} == expected


def test_every_command_is_named_in_the_readme() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "companion", "--help"], capture_output=True, text=True, check=True
    ).stdout
    commands = re.findall(r"^  (\w+)  ", shown.split("Commands:")[1], re.M)
    readme = (ROOT / "README.md").read_text()
    assert commands
    assert [c for c in commands if f"companion {c}" not in readme] == []
