"""The second look: what a camera's pictures say today, laid beside what was confirmed and beside today's rules."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.app.profiles import Profiles
from companion.app.reviewing import Review, review
from companion.cli.main import main
from companion.errors import Refusal
from companion.games import GAMES
from companion.games import game as game_spec
from companion.games.hexel.demo import player as hexel
from companion.games.hexel.rules import game as rules
from companion.games.hexel.vision.recognizer import read_hexel
from companion.referee.lines import line
from companion.referee.messages import Confirm, Do, Evidence, Propose
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Command, Header
from companion.simulator.script import Script, write_script
from companion.views.sheet import suggestions
from companion.vision.calibration.calibration import Calibration
from companion.vision.evidence import evidence_picture
from companion.vision.tracking.tracks import SettleTimes
from tests.teaching.pictures import layout_picture

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})
LAID = ("line", "place")


def beginning() -> Script:
    """A game up to its third placed card."""
    whole = write_script(HEADER, hexel.player(4, least_cards=6))
    third = [n for n, command in enumerate(whole.commands) if command["cmd"] == "place"][2]
    return Script(HEADER, whole.commands[: third + 1])


def filmed(data: Path, script: Script, confirmed: tuple[Command, ...]) -> Path:
    """A data folder of a game whose pictures show the script, while people confirmed these commands."""
    tabletop = game_spec("hexel").demo().tabletop(script, 3)
    referee = open_table(data, HEADER, HEADER, press_gap_s=0.0)
    referee.start()
    for n, command in enumerate(confirmed):
        if command["cmd"] not in LAID:
            referee.ask(Do(command))
            continue
        tabletop.lay_out(n + 1)
        confirm(referee, command, evidence(tabletop.next(0.1).bgr))
    referee.stop()
    return data


def evidence(bgr: Any) -> bytes:
    reading = read_hexel(bgr)
    return evidence_picture(bgr, reading.cards, reading.cards[-1:])


def confirm(referee: Referee, command: Command, jpeg: bytes) -> None:
    referee.ask(Propose(command, Evidence(jpeg, 0.9)))
    referee.ask(Confirm(referee.latest().version))


def wrong(script: Script, n: int) -> tuple[Command, ...]:
    """The script with its n-th command replaced by one with another face, after which the rest is still allowed."""
    state = rules.start(HEADER)
    for command in script.commands[:n]:
        state, _ = rules.apply(state, command)
    for other in suggestions(rules, state, script.commands[n]):
        commands = (*script.commands[:n], other, *script.commands[n + 1 :])
        if other["cell"] == script.commands[n]["cell"] and is_allowed(commands):
            return commands
    raise AssertionError("no other face would have been allowed")


def is_allowed(commands: tuple[Command, ...]) -> bool:
    state = rules.start(HEADER)
    try:
        for command in commands:
            state, _ = rules.apply(state, command)
    except Refusal:
        return False
    return True


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game as it was filmed."""
    script = beginning()
    return filmed(tmp_path_factory.mktemp("kept"), script, script.commands)


@pytest.fixture
def data(kept: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it to spoil."""
    yield shutil.copytree(kept, tmp_path / "data")


def journal(data: Path) -> Path:
    return data / "games" / "0001.jsonl"


def looked_at(data: Path) -> Review:
    return review(journal(data))


def codes(told: Review) -> list[tuple[int, str]]:
    return [(each.move, each.code) for each in told.differing]


def pictures(data: Path) -> list[Path]:
    return sorted((data / "games" / "0001.evidence").glob("*.jpg"))


def test_pictures_kept_today_are_read_today_as_they_were(kept: Path) -> None:
    told = looked_at(kept)
    assert told.differing == []
    assert (told.read_again, told.not_kept, told.left_out, told.trouble) == (4, 0, 0, None)


def watched(bgr: Any, game: str, referee: Referee, stands: Calibration) -> bytes:
    """The evidence that the watching thread makes of a picture at rest."""
    tracker, interpreter = (
        GAMES[game].recognizer().tracker(GAMES[game].recognizer().classifier(None, None), SettleTimes(start_s=0.05)),
        GAMES[game].interpreter(),
    )
    while tracker.cards is None:
        tracker.step(bgr)
    interpreter.note_zones(stands.zone_of)
    interpretation = interpreter.interpret(tracker, referee.latest(), (bgr.shape[1], bgr.shape[0]))
    return evidence_picture(bgr, interpretation.cards, interpretation.new_cards, stands.zone_of)


@pytest.mark.parametrize("game", ["hexdragon", "comet", "hexapod"])
def test_every_games_pictures_are_read_as_they_were(game: str, tmp_path: Path) -> None:
    stage = game_spec(game).demo()
    script = write_script(stage.header, stage.player(stage.header, 2))
    tabletop = stage.tabletop(script, 2)
    zones = {name: np.array(corners, float) for name, corners in tabletop.zones.items()}
    stands = Calibration("", "", tabletop.camera.size, np.linalg.inv(tabletop.camera.px_from_mm()), zones=zones)
    referee = open_table(tmp_path, stage.header, stage.header, press_gap_s=0.0)
    referee.start()
    for n, command in enumerate(script.commands[:3]):
        if tabletop.is_laid(n):
            tabletop.lay_out(n + 1)
            confirm(referee, command, watched(tabletop.next(0.1).bgr, game, referee, stands))
        else:
            referee.ask(Do(command))
    referee.stop()
    told = looked_at(tmp_path)
    assert told.read_again >= 2
    assert told.differing == []


def test_a_move_that_was_confirmed_wrongly_is_listed_and_no_other(tmp_path: Path) -> None:
    script = beginning()
    second = [n for n, command in enumerate(script.commands) if command["cmd"] == "place"][1]
    confirmed = wrong(script, second)
    told = looked_at(filmed(tmp_path, script, confirmed))
    assert codes(told) == [(second + 1, "read-differently")]
    assert told.differing[0].was == confirmed[second]
    assert told.differing[0].now is not None
    assert sorted(told.differing[0].now["edges"]) == sorted(script.commands[second]["edges"])


def test_a_picture_that_shows_no_new_card_is_not_read_as_one(data: Path) -> None:
    first, *_, last = pictures(data)
    last.write_bytes(first.read_bytes())
    resealed(journal(data), last.name, first)
    assert codes(looked_at(data)) == [(looked_at(data).moves, "not-read")]


def test_a_changed_picture_is_listed_and_one_that_made_room_is_counted(data: Path) -> None:
    first, second, *_ = pictures(data)
    first.write_bytes(b"another")
    second.unlink()
    told = looked_at(data)
    assert codes(told) == [(1, "picture-damaged")]
    assert (told.read_again, told.not_kept) == (2, 1)


def test_a_picture_that_an_earlier_version_painted_on_is_left_out(data: Path) -> None:
    first, *_ = pictures(data)
    first.write_bytes(b"\xff\xd8 with outlines painted over it")
    resealed(journal(data), first.name, first)
    told = looked_at(data)
    assert (codes(told), told.left_out, told.read_again) == ([], 1, 3)


def test_what_the_rules_now_say_otherwise_is_listed(data: Path) -> None:
    path = journal(data)
    rewrite(path, lambda body: body["events"][0].update(amount=99) if is_stake(body) else None)
    assert codes(looked_at(data)) == [(2, "rules-differ")]


def test_a_move_that_the_rules_no_longer_allow_ends_the_look(data: Path) -> None:
    path = journal(data)
    rewrite(path, lambda body: body["command"].update(amount=0) if is_stake(body) else None)
    told = looked_at(data)
    assert codes(told) == [(2, "rules-refuse")]
    assert "nothing after it" in str(told.trouble)


def test_the_command_says_so_in_words_and_as_json(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--review", str(kept)]) == 0
    assert "nothing would come out differently; 4 pictures read again" in capsys.readouterr().out
    assert main(["replay", "--review", str(journal(kept)), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["differing"], told["games"][0]["read_again"]) == (True, 0, 4)


def test_the_command_lists_what_differs_and_a_damaged_journal(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite(journal(data), lambda body: body["events"][0].update(amount=99) if is_stake(body) else None)
    (data / "games" / "0002.jsonl").write_text("{}\n{}\n")
    assert main(["replay", "--review", str(data)]) == 1
    said = capsys.readouterr().out
    assert "  move 2: it caused" in said
    assert "    stands  stake Ana " in said
    assert "0002.jsonl is damaged" in said
    assert "1 move would come out differently" in said


def test_a_folder_without_games_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--review", str(tmp_path)]) == 2
    assert "holds no games" in capsys.readouterr().err


def test_pictures_are_read_by_the_printing_that_the_table_reads_its_deck_by(data: Path) -> None:
    layout = layout_picture(GAMES["hexel"].layouts("hexel36")[0])
    swapped = [{"cards": [{"edges": [name] * 6} for name in ("blue", "red", "void")]}]
    profile = GAMES["hexel"].recognizer().learn("hexel36", [("a", layout)], swapped, trust_names=True)
    profiles = Profiles(data)
    profiles.use("hexel36", profiles.keep(profile.described(name="Ours")))
    assert (1, "read-differently") in codes(looked_at(data))
    profiles.use("hexel36", None)
    assert codes(looked_at(data)) == []


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"game": "comet", "deck": "comet"}, "no game there is one of comet"),
        ({"game": "hexel", "deck": "hexel46"}, "nothing would come out differently"),
    ],
)
def test_a_game_of_another_deck_than_the_profiles_is_read_by_the_tables_own_printing(
    other: dict[str, str], told: str, kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "other.json"
    profile.write_text(json.dumps(other))
    assert main(["replay", "--review", str(kept), "--profile", str(profile)]) == 0
    said = capsys.readouterr().out
    assert told in said and "4 of 4 pictures read again" in said


@pytest.mark.parametrize("option", ["--profile", "--calibration"])
def test_a_file_that_is_not_there_is_wrong_usage(
    option: str, kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "missing")
    assert main(["replay", "--review", str(kept), option, missing]) == 2
    assert missing in capsys.readouterr().err
    assert main(["replay", str(journal(kept)), option, missing]) == 2
    assert "a record holds no pictures" in capsys.readouterr().err


def is_stake(body: dict[str, Any]) -> bool:
    return body.get("did") == "move" and body["command"]["cmd"] == "stake"


def rewrite(path: Path, change: Any) -> None:
    """Change the journal's lines and seal them anew, as another version may have written them."""
    bodies = [json.loads(text) for text in path.read_text().splitlines()]
    for body in bodies:
        del body["crc"]
        change(body)
    path.write_bytes(b"".join(line(body) for body in bodies))


def resealed(path: Path, name: str, picture: Path) -> None:
    """Give the journal the hash of a picture put in another's place."""
    sha256 = hashlib.sha256(picture.read_bytes()).hexdigest()

    def change(body: dict[str, Any]) -> None:
        if body.get("evidence") and body["evidence"]["file"] == name:
            body["evidence"]["sha256"] = sha256

    rewrite(path, change)
