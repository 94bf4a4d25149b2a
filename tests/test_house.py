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
    "config": {"errors", "config_reading", "rules.limits"},
    "config_reading": {"errors"},
    "rules": {"errors", "games"},
    "referee": {"errors", "games", "rules"},
    "views": {"errors", "games", "referee", "rules", "babel"},
    "web": {"errors", "referee", "rules", "views", "flask", "h11", "uvicorn", "werkzeug"},
    "printing": {"errors", "games", "reportlab", "numpy", "cv2"},
    "vision": {
        "errors",
        "printing.layout",
        "printing.marks",
        "rules.hexgrid",
        "rules.limits",
        "numpy",
        "cv2",
        "onnxruntime",
    },
    "interpretation": {"errors", "referee", "rules", "vision", "numpy", "cv2"},
    "devices": {"errors", "referee", "vision.image.codec", "numpy", "cv2", "gpiozero", "picamera2"},
    "simulator": {"errors", "devices.camera", "games", "printing", "rules", "numpy", "cv2"},
    "doctor": {
        "app",
        "config",
        "devices",
        "errors",
        "games",
        "referee",
        "simulator",
        "vision",
        "web.server",
        "numpy",
        "cv2",
    },
    "app": {"*"},
    "hub": {"*"},
    "cli": {"*"},
    "__main__": {"cli"},
    "__init__": set(),
}
"""What each room may import besides itself and the standard library. ``games`` is the registry alone, never a game."""

GAME_DOORS: dict[str, set[str]] = {
    "": set(),
    "rules": {"errors", "rules"},
    "vision": {"deck", "errors", "layout", "printing.layout", "rules", "vision", "numpy", "cv2"},
    "deck": {"artwork", "printing.shapes", "rules"},
    "artwork": {"printing.shapes"},
    "layout": {"artwork", "deck", "printing", "rules"},
    "materials": {"deck", "layout", "printing", "rules"},
    "spec": {"games", "rules"},
    "recognition": {"deck", "errors", "vision", "numpy"},
    "interpretation": {"interpretation", "referee", "rules", "vision", "numpy", "cv2"},
    "demo": {"deck", "errors", "games", "printing", "rules", "simulator", "spec", "numpy", "cv2"},
}
"""What each part of a game may import, of its own package and of the shared rooms alike."""


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
            names += [imported_from(str(node.module), alias.name) for alias in node.names]
    return names


def imported_from(module: str, name: str) -> str:
    """The module that ``from module import name`` imports: the name's own where it is one."""
    inner = ROOT.joinpath(*module.split("."), name)
    return f"{module}.{name}" if inner.is_dir() or inner.with_suffix(".py").is_file() else module


def owner(path: Path) -> tuple[str, str] | None:
    """The game and the part of it that a file belongs to; None for a file of a shared room."""
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return (parts[1], parts[2]) if parts[0] == "games" and len(parts) > 2 else None


def strangers_of(path: Path, names: list[str]) -> list[str]:
    """The imports of a file, by name, that its room or its part of a game may not make."""
    game = owner(path)
    if game is not None:
        allowed, own = GAME_DOORS["" if game[1] == "__init__" else game[1]], game[1]
    else:
        allowed, own = DOORS.get(room_of(path), set()) | ({"*"} if room_of(path) == "games" else set()), room_of(path)
    return [name for name in names if not _is_allowed(name, allowed, own, game)]


def _is_allowed(name: str, allowed: set[str], own: str, game: tuple[str, str] | None) -> bool:
    head, _, wanted = name.partition(".")
    if head in sys.stdlib_module_names:
        return True
    if head == "models":
        return False
    if head != "companion":
        return "*" in allowed or head in allowed
    parts = wanted.split(".")
    if parts[0] == "games" and len(parts) > 1:  # a game's own folder, from that game alone
        return (
            game is not None and parts[1] == game[0] and (parts[2:3] == [own] or _opens(".".join(parts[2:]), allowed))
        )
    return (
        wanted in ("", "__version__") or "*" in allowed or (game is None and parts[0] == own) or _opens(wanted, allowed)
    )


def _opens(wanted: str, allowed: set[str]) -> bool:
    return any(wanted == door or wanted.startswith(f"{door}.") for door in allowed)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(HOUSE)))
def test_a_file_imports_only_through_its_doors(path: Path) -> None:
    strangers = strangers_of(path, imports(path))
    assert not strangers, f"{path.relative_to(HOUSE)} imports {', '.join(strangers)}"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("vision/networks.py", "companion.games.hexel.deck"),
        ("vision/networks.py", "companion.games"),
        ("referee/session.py", "companion.games.comet.rules.game"),
        ("views/games.py", "companion.games.comet.rules.game"),
        ("web/app.py", "companion.games.hexel.spec"),
        ("web/app.py", "companion.vision.networks"),
        ("app/table.py", "companion.games.hexapod.deck"),
        ("games/comet/vision/passes.py", "companion.games.hexel.vision.lattice"),
        ("games/comet/vision/passes.py", "companion.simulator.film"),
        ("games/comet/rules/game.py", "numpy"),
        ("games/comet/recognition.py", "models.training"),
    ],
)
def test_a_file_that_came_through_the_wrong_door_would_be_named(file: str, name: str) -> None:
    assert strangers_of(HOUSE / file, [name]) == [name]


def test_no_folder_is_too_wide_and_no_path_too_deep() -> None:
    folders = [folder for top in (HOUSE, ROOT / "models") for folder in (top, *top.rglob("*")) if folder.is_dir()]
    wide = {str(f.relative_to(ROOT)): n for f in folders if (n := len(list(f.glob("*.py")))) > 20}
    deep = [str(p.relative_to(HOUSE)) for p in modules() if len(p.relative_to(HOUSE).parts) > 4]
    assert (wide, deep) == ({}, [])


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
