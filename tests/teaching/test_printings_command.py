"""`companion printings`: what was taught, what each name rests on, and how to take things back, for every game."""

import json
import os
from pathlib import Path

import pytest

from companion.app.profiles import Profiles
from companion.cli.main import main
from companion.errors import UsageError
from companion.games import GAMES
from companion.vision.enrolment.profile import MOST_BYTES
from tests.teaching.pictures import LAMP, layout_picture

DECKS = {"hexel": "hexel36", "hexdragon": "hexdragon", "hexapod": "hexapod", "comet": "comet"}


@pytest.fixture(params=DECKS)
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A data folder with one printing, taught from two photographs."""
    layout = GAMES[request.param].layouts(DECKS[request.param])[0]
    pictures = [
        ("a", layout_picture(layout, turn_deg=3)),
        ("b", layout_picture(layout, light=LAMP, brightness=0.7, seed=2)),
    ]
    profile = GAMES[request.param].recognizer().learn(DECKS[request.param], pictures)
    Profiles(tmp_path).keep(profile.described(name="Ours"))
    return tmp_path


def test_a_printing_is_on_the_disk_before_it_replaces_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = GAMES["hexel"].layouts("hexel36")[0]
    profile = GAMES["hexel"].recognizer().learn("hexel36", [("a", layout_picture(layout, turn_deg=3))])
    path = tmp_path / "ours.json"
    profile.write(path)
    before, replaced, os_fsync = path.stat().st_ino, [], os.fsync

    def synced(descriptor: int) -> None:
        os_fsync(descriptor)
        replaced.append(path.stat().st_ino != before)

    monkeypatch.setattr(os, "fsync", synced)
    profile.described(name="Ours").write(path)
    assert replaced == [False, True]  # the file, and then its folder
    assert json.loads(path.read_text())["name"] == "Ours"


def said(capsys: pytest.CaptureFixture[str], data: Path, *words: str, status: int = 0) -> str:
    assert main(["printings", "--data", str(data), *words]) == status
    told = capsys.readouterr()
    return told.err if status else told.out


def test_samples_are_seen_removed_and_come_back(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(said(capsys, data, "show", "ours", "--json"))
    count = len(shown["samples"])
    assert {one["light"] for one in shown["samples"]} == {1, 2} and all(shown["names"].values())
    assert "rests on" in said(capsys, data, "show", "ours")
    assert f"; {'1 sample' if count == 2 else f'{count - 1} samples'}, 1 earlier version, in use" in said(
        capsys, data, "remove", "ours", str(count)
    )
    assert f"; {count} samples, 0 earlier versions, in use" in said(capsys, data, "back", "ours")
    assert "there is no earlier version" in said(capsys, data, "back", "ours", status=1).lower()
    assert "in use" not in said(capsys, data, "usual", "ours")
    assert "is read by ours; " in said(capsys, data, "use", "ours")
    told = said(capsys, data, "forget", "ours")
    assert "is read as the reference printing; by a table that runs, once its camera is switched off and on" in told
    assert said(capsys, data) == ""
    assert "companion teach" in said(capsys, data, "show", "ours", status=1)


def test_what_a_name_needs_is_not_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = (
        GAMES["hexel"].recognizer().learn("hexel36", [("a", layout_picture(GAMES["hexel"].layouts("hexel36")[0]))])
    )
    Profiles(tmp_path).keep(profile.described(name="Ours"))
    assert "show no red" in said(capsys, tmp_path, "remove", "ours", "1", status=1)
    assert "say which sample, 1 to 3" in said(capsys, tmp_path, "remove", "ours", "9", status=2)
    assert json.loads(said(capsys, tmp_path, "--json"))["printings"][0]["samples"] == 3


def test_a_copied_file_is_a_printing_by_the_name_that_copying_gave_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = layout_picture(GAMES["hexel"].layouts("hexel36")[0])
    GAMES["hexel"].recognizer().learn("hexel36", [("a", layout)]).write(tmp_path / "profiles" / "Ours 2 (1).json")
    assert "in use" in said(capsys, tmp_path, "use", "Ours 2 (1)")
    assert "in use" not in said(capsys, tmp_path, "usual", "Ours 2 (1)")
    said(capsys, tmp_path, "forget", "Ours 2 (1)")
    assert said(capsys, tmp_path) == ""


def test_every_change_is_told_to_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = layout_picture(GAMES["hexel"].layouts("hexel36")[0])
    profile = GAMES["hexel"].recognizer().learn("hexel36", [("a", layout), ("b", layout)])
    for name in ("Ours", "Theirs"):
        Profiles(tmp_path).keep(profile.described(name=name))
    for words, told in (
        (["remove", "ours", "6"], {"samples": 5, "versions": 1}),
        (["back", "ours"], {"samples": 6, "versions": 0}),
        (["use", "ours"], {"in_use": True}),
        (["usual", "ours"], {"in_use": False}),
    ):
        (shown,) = json.loads(said(capsys, tmp_path, *words, "--json"))["printings"]
        assert shown["key"] == "ours" and told.items() <= shown.items()
    assert json.loads(said(capsys, tmp_path, "forget", "ours", "--json")) == {"ok": True, "printings": []}
    assert [one["key"] for one in json.loads(said(capsys, tmp_path, "--json"))["printings"]] == ["theirs"]


def test_a_version_that_cannot_be_written_leaves_the_printing_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = layout_picture(GAMES["hexel"].layouts("hexel36")[0])
    profiles, profile = Profiles(tmp_path), GAMES["hexel"].recognizer().learn("hexel36", [("a", layout)])
    key = profiles.keep(profile.described(name="Ours"))
    before = profiles.path(key).read_bytes()
    with pytest.raises(UsageError, match="take fewer pictures"):
        profiles.keep(profile.described(name="Ours", licence="x" * MOST_BYTES), key)
    assert profiles.path(key).read_bytes() == before
    assert "3 samples, 0 earlier versions, in use" in said(capsys, tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ours/evenings.json", '{"1": 5, "2": ["x"]}'),
        ("ours/0x.json", "{}"),
        ("in-use", '{"hexel36": ["ours"], "comet": "../../elsewhere"}'),
        ("chess.json", '{"game": "chess", "deck": "chess", "name": "x", "made": "x", "samples": []}'),
        ("list.json", '{"game": ["hexel"], "deck": {}, "name": 1, "made": null, "samples": []}'),
    ],
)
def test_a_spoilt_file_among_the_printings_hides_no_other(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = layout_picture(GAMES["hexel"].layouts("hexel36")[0])
    profile = GAMES["hexel"].recognizer().learn("hexel36", [("a", picture)])
    for _ in range(2):
        Profiles(tmp_path).keep(profile.described(name="Ours\n\x07"), "ours")
    (tmp_path / "profiles" / name).write_text(text)
    counts = "3 samples, 1 earlier version, in use"
    assert said(capsys, tmp_path) == f"ours: Ours \\x07, hexel36, {profile.made}; {counts}\n"
    Profiles(tmp_path).keep(profile, "ours")
    assert Profiles(tmp_path).in_use("comet") is None
