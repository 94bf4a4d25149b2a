"""The command line: one thin function per command, and the one place where an error becomes a line and an exit status.

A command raises any `CompanionError`; `main` prints it as one line on standard error (with ``--json`` also as an object
on standard output) and ends with the error's exit status: 1 for a refusal, 2 for wrong usage or unreadable input.
A new command is one function under ``@companion.command()``; an option ``--json`` is `json_option`.
"""

import codecs
import io
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TextIO

import click

from companion import __version__
from companion.cli.paths import PATH
from companion.cli.terminal import erase_bar, may_colour, state_coloured
from companion.errors import CompanionError, UsageError
from companion.games import game
from companion.rules.limits import MOST_PIXELS, MOST_RECORD_BYTES
from companion.rules.records import Replayed, replay

_JOURNAL = b'{"n": 1, "journal": '
"""How a journal of `companion.referee.journal` begins."""


class FiniteRange(click.FloatRange):
    """A number within a range; click's own takes ``nan``, which is in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Fails as click's own does."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no number.", param, ctx)
        return number


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and say how it went: the exit status of the contract."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name that the terminal cannot show is shown as its code
        sys.stdout.reconfigure(errors="backslashreplace")
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))  # before anything imports OpenCV
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small: more threads wait for each other
    os.environ.setdefault("OPENCV_LOG_LEVEL", "FATAL")  # what is wrong with a picture is said in one line, by us
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # and with a film
    try:
        status = _run(words)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader, such as `head`, has gone: nobody is left to tell
        _discard(sys.stdout)
        return 1
    except OSError as error:
        if error.filename is not None:  # it is no matter of the output
            return _report(UsageError(f"{error.filename}: {error.strerror}", code="unreadable-file"), "--json" in words)
        _discard(sys.stdout)
        try:
            echo_error(f"cannot write the output: {error.strerror} (unwritable-output)")
        except OSError:
            _discard(sys.stderr)
        return UsageError.exit_status


def _run(words: Sequence[str]) -> int:
    try:
        return companion.main(words, prog_name="companion", standalone_mode=False, color=may_colour()) or 0
    except CompanionError as error:
        return _report(error, "--json" in words)
    except click.ClickException as error:
        return _report(UsageError(error.format_message()), "--json" in words)
    except click.Abort:
        return 130


def _discard(stream: TextIO) -> None:
    """Drop what a stream still holds, which Python would try to write once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class LazyCommands(click.Group):
    """Commands that are imported only when they run, so that `replay` and ``--help`` start in milliseconds."""

    modules: ClassVar = {
        "backup": ("companion.cli.backup", "backup_command", "Keep everything of a table in one zip file."),
        "calibrate": ("companion.cli.calibrate", "calibrate_command", "Find where the camera stands over the table."),
        "config": ("companion.cli.config", "config_command", "Print the settings, or check a file of them."),
        "demo": ("companion.cli.demo", "demo_command", "Play by itself on a simulated table and camera."),
        "doctor": ("companion.cli.doctor", "doctor_command", "Check the machine, its devices and the settings."),
        "hub": ("companion.cli.hub", "hub_command", "Run the hub of a hall: tables live, tournaments."),
        "learn": ("companion.cli.learn", "learn_command", "Learn a printing from photographs of its cards."),
        "outline": ("companion.cli.outline", "outline_command", "Find the outlines of all cards on photographs."),
        "panel": ("companion.cli.panel", "panel_command", "Try the panel: its buttons, lamps and buzzer."),
        "print": ("companion.cli.print", "print_command", "Make a PDF to print: a deck, boards, mats, marks."),
        "printings": ("companion.cli.printings", "printings_command", "Show what was taught, and take things back."),
        "read": ("companion.cli.vision", "read_command", "Recognise the cards on photographs."),
        "restore": ("companion.cli.backup", "restore_command", "Restore a backup into an empty folder."),
        "run": ("companion.cli.run", "run_command", "Run the table: camera, referee, panel, scoreboard."),
        "teach": ("companion.cli.teach", "teach_command", "Teach a printing, step by step, for `run`."),
        "watch": ("companion.cli.vision", "watch_command", "Follow a table and print what changes."),
    }
    """The module, the function and one line of help of each."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All names, early and late."""
        return sorted([*super().list_commands(context), *self.modules])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, imported now if need be."""
        if name not in self.modules:
            return super().get_command(context, name)
        module, attribute, _ = self.modules[name]
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        lines = {name: help_line for name, (_, _, help_line) in self.modules.items()}
        lines |= {name: command.get_short_help_str(80) for name, command in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted(lines.items()))

    def resolve_command(self, context: click.Context, args: list[str]) -> Any:
        """The command that is asked for. A mistyped one is told with what it may have been."""
        names = self.list_commands(context)
        if args and not args[0].startswith("-") and args[0] not in names:
            like = get_close_matches(args[0], names, 1)
            meant = f"; did you mean {like[0]}?" if like else f"; there are {', '.join(names)}"
            raise UsageError(f"there is no command {args[0]}{meant}", code="no-such-command")
        return super().resolve_command(context, args)


@click.group(cls=LazyCommands, no_args_is_help=False)
@click.version_option(__version__)
def companion() -> None:
    """A referee for hex cards on a real table: it sees them, judges the moves and shows the score."""


@companion.command("replay")
@click.argument("record", type=PATH)
@click.option("--review", is_flag=True, help="RECORD is a data folder: read its games' stored pictures again.")
@click.option("--profile", type=PATH, help="With --review: for games of its deck; else the settings' own.")
@click.option("--calibration", type=PATH, help="With --review: as in run; else the settings' own.")
@json_option
def replay_command(record: Path, review: bool, profile: Path | None, calibration: Path | None, as_json: bool) -> int:
    """Run a recorded game through the rules.

    RECORD is a JSON Lines file: a header, then one command a line; or a journal of a table's data folder, of which the
    moves that stand are run. With --review it is a table's data folder, or the
    journal of one of its games: the pictures that moves were read from are read again with today's recogniser and
    rules, and the moves that would come out differently are listed; the exit status is then 1.
    """
    if review:
        status: int = import_module("companion.cli.review").review_games(record, profile, calibration, as_json)
        return status
    if profile is not None or calibration is not None:
        raise UsageError("--profile and --calibration are for --review: a record holds no pictures")
    lines = _lines(record)
    if as_json:
        replayed = replay(lines)
        print_json(replayed.as_json())
    else:
        replayed = replay(lines, lambda line, sentence: click.echo(f"{line:5}  {printable(sentence)}"))
        _print_state(replayed)
    if replayed.refusal is None:
        return 0
    echo_error(f"line {replayed.refused_line}: {one_line(replayed.refusal)}")
    return replayed.refusal.exit_status


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output, in ASCII so that no terminal's encoding can refuse it."""
    click.echo(json.dumps(value))


def echo_error(words: str) -> None:
    """One line on standard error, in place of a bar that stands there."""
    erase_bar()
    click.echo(f"{state_coloured('fail', 'companion:')} {words}", err=True, color=may_colour())


def one_line(error: CompanionError) -> str:
    """An error as one line for people."""
    code = "" if error.code == UsageError.default_code else f" ({error.code})"
    return printable(f"{error.message}{code}")


def printable(text: str) -> str:
    """A text on one line; what would steer the terminal is shown as its code."""
    line = " ".join(text.split())
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in line)


def _report(error: CompanionError, as_json: bool) -> int:
    if as_json:
        print_json({"ok": False, "error": error.as_json()})
    echo_error(one_line(error))
    return error.exit_status


def _lines(path: Path) -> Sequence[str | bytes]:
    """The lines of a record, or of a journal as a record."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_RECORD_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", code="unreadable-record") from None
    if len(data) > MOST_RECORD_BYTES:
        megabytes = MOST_RECORD_BYTES // 1_000_000
        raise UsageError(f"cannot read {path}: it has more than {megabytes} MB", code="unreadable-record")
    if not data.startswith(_JOURNAL):
        return [line.removesuffix(b"\r") for line in data.removeprefix(codecs.BOM_UTF8).split(b"\n")]
    record: Sequence[Mapping[str, Any]] = import_module("companion.referee.past").journal_as_record(path)
    return [json.dumps(dict(line)) for line in record]


def _print_state(replayed: Replayed) -> None:
    rules = game(replayed.header.game).rules
    view = rules.view(replayed.state)
    turn = f", {view['turn']} to move" if view["turn"] else ""
    click.echo(f"{replayed.header.game}: phase {view['phase']}{turn}")
    for name, player in view["players"].items():
        simple = {key: value for key, value in player.items() if not isinstance(value, list | dict)}
        click.echo(f"  {name}: {_plain(simple)}")
    if view["result"]:
        click.echo(f"result: {_plain(view['result'])}")


def _plain(value: Any) -> str:
    """A JSON value in words: ``blue 2, green 0`` for an object, its parts for a list."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(part)}" for key, part in value.items())
    if isinstance(value, list):
        return " and ".join(_plain(part) for part in value)
    return value if isinstance(value, str) else json.dumps(value)
