"""The command that shows and checks the settings file. Loaded only when asked for."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

from companion.app.factories import asked_header, calibration_file, camera_from, default_header
from companion.cli.main import json_option, print_json
from companion.cli.paths import PATH
from companion.config import FILE, Settings, checked, documented, load, usual_file
from companion.config_reading import Lines, Problem, described
from companion.errors import CompanionError, UsageError
from companion.games import GAMES
from companion.rules.limits import read_file
from companion.views.words import own_words
from companion.vision.calibration.calibration import read_calibration


@click.command("config")
@click.option("--check", "only_check", is_flag=True, help="Say every problem of the file, with its line.")
@click.option("--settings", "file", type=PATH, help="Settings file [the usual companion.toml].")
@json_option
def config_command(only_check: bool, file: Path | None, as_json: bool) -> int:
    """Print every setting, commented, as a file to begin from, with --json as it holds now; or check a file."""
    if not only_check:
        if as_json:
            print_json({"file": _named(file or usual_file()), "settings": described(load(file))})
        else:
            click.echo(documented(), nl=False)
        return 0
    path = file or usual_file()
    if path is None and as_json:
        print_json({"ok": True, "file": None, "problems": []})
        return 0
    if path is None:
        click.echo(f"there is no {FILE}: every setting has its default; `companion config` prints them all")
        return 0
    try:
        text = read_file(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'no text file'}") from None
    settings, problems = checked(text)
    if all(problem.setting for problem in problems):  # it is TOML: what it names can be looked for
        problems = (*problems, *_in_the_world(settings, Lines(text)))
    problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
    if as_json:
        entries = [{"line": p.line, "setting": p.setting, "message": p.message} for p in problems]
        print_json({"ok": not problems, "file": str(path), "problems": entries})
    else:
        click.echo("\n".join(problem.as_line(str(path)) for problem in problems) or f"{path}: all settings are good")
    return 1 if problems else 0


def _named(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _in_the_world(settings: Settings, lines: Lines) -> Iterator[Problem]:
    """What names a thing that is not there."""
    try:
        header = asked_header(settings) or default_header()
    except CompanionError as error:
        yield Problem("game", error.message, lines.of("game.name") or lines.of("game"))
        header = default_header()
    try:
        GAMES[header.game].rules.start(header)
    except CompanionError as error:
        yield Problem("game.options", error.message, lines.of("game.options") or lines.of("game"))
    try:
        if settings.table.words is not None:
            own_words(settings.table.words, settings.table.language)
    except CompanionError as error:
        yield Problem("table.words", error.message, lines.of("table.words"))
    try:
        if settings.hub.broker is not None:
            import_module("companion.hub.link").broker_of(settings.hub)
    except CompanionError as error:
        yield Problem("hub.broker", error.message.removeprefix("hub.broker: "), lines.of("hub.broker"))
    except ModuleNotFoundError as error:
        message = f"[hub] needs {error.name}, which is not installed: pip install 'companion[hub]'"
        yield Problem("hub.broker", message, lines.of("hub.broker"))
    try:
        camera_from(settings.camera)
    except CompanionError as error:
        yield Problem("camera.source", error.message, lines.of("camera.source"))
    vision = settings.vision
    try:
        if vision.deck is not None and header.game in GAMES:
            GAMES[header.game].recognizer().edition(vision.deck)
    except CompanionError as error:
        yield Problem("vision.deck", error.message, lines.of("vision.deck"))
    try:
        if vision.profile is not None and header.game in GAMES:
            GAMES[header.game].recognizer().classifier(header.edition, vision.profile)
            GAMES[header.game].recognizer().require_deck(vision.deck, vision.profile)
    except CompanionError as error:
        yield Problem("vision.profile", error.message, lines.of("vision.profile"))
    try:
        if vision.calibration is not None:
            read_calibration(calibration_file(vision.calibration, settings.table.data))
    except CompanionError as error:
        yield Problem("vision.calibration", error.message, lines.of("vision.calibration"))
    data = settings.table.data
    if data is not None and data.exists() and not data.is_dir():
        yield Problem("table.data", f"{data} is no folder", lines.of("table.data"))
