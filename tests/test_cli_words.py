"""What the command line says of what it does not know."""

import pytest

from companion.cli.main import main


def test_a_mistyped_command_is_told_with_what_it_may_have_been(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reply", "x.jsonl"]) == 2
    assert "did you mean replay?" in capsys.readouterr().err


def test_a_mistyped_option_is_told_with_what_it_may_have_been(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--reviw", "x.jsonl"]) == 2
    said = capsys.readouterr().err
    assert "--review" in said
    assert "(usage)" not in said
