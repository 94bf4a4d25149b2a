"""What the command line says of what it does not know."""

import subprocess
import sys

import click
import pytest

from companion.cli.main import LazyCommands, companion, main


def test_a_mistyped_command_is_told_with_what_it_may_have_been(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reply", "x.jsonl"]) == 2
    assert "did you mean replay?" in capsys.readouterr().err


def test_a_mistyped_option_is_told_with_what_it_may_have_been(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--reviw", "x.jsonl"]) == 2
    said = capsys.readouterr().err
    assert "--review" in said
    assert "(usage)" not in said


def test_help_lists_every_command_and_imports_none() -> None:
    code = (
        "import sys; from companion.cli.main import main; main(['--help']); "
        "sys.exit(bool({'cv2', 'flask', 'sqlalchemy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for name, (_, _, help_line) in LazyCommands.modules.items():
        assert f"{name:9}  {help_line}" in done.stdout


@pytest.mark.parametrize("name", LazyCommands.modules)
def test_every_listed_command_exists_under_its_name(name: str) -> None:
    command = companion.get_command(click.Context(companion), name)
    assert command is not None
    assert command.name == name
