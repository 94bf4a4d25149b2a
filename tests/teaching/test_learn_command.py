"""`companion learn`: layouts in words, photographs of them without labels, updates, and what is refused."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.games import GAMES
from companion.printing.material import sheets_of
from tests.teaching.pictures import LAMP, layout_picture

DECKS = {"hexel": "hexel36", "hexdragon": "hexdragon", "hexapod": "hexapod", "comet": "comet"}
HEXEL46 = ("--game", "hexel", "--deck", "hexel46")
TAUGHT = ("hexel", "hexdragon", "hexapod")


def picture_file(folder: Path, game: str, name: str = "a.png", **how: Any) -> Path:
    path = folder / name
    cv2.imwrite(str(path), layout_picture(GAMES[game].layouts(DECKS[game])[0], **how))
    return path


def learn(*words: str | Path) -> int:
    return main(["learn", *map(str, words)])


def deck(game: str) -> list[str]:
    return ["--game", game, *(["--deck", DECKS[game]] if game == "hexel" else [])]


@pytest.mark.parametrize("game", GAMES)
def test_the_layout_is_said_in_words_in_labels_and_on_a_sheet(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    layout = GAMES[game].layouts(DECKS[game])[0]
    assert learn(*deck(game), "--what") == 0
    said = capsys.readouterr().out
    assert layout.words in said and all(place.words in said for place in layout.places)
    assert learn(*deck(game), "--what", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told[layout.part] == [place.label for place in layout.places]
    written = " ".join(text.words for sheet in sheets_of(f"teaching-{game}", "a4") for text in sheet.texts)
    assert all(place.words in written for place in layout.places)


def test_what_to_lay_is_said_of_every_deck_where_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert learn("--game", "hexel", "--what", "--json") == 0
    assert [json.loads(line)["deck"] for line in capsys.readouterr().out.splitlines()] == ["hexel36", "hexel46"]


@pytest.mark.parametrize("game", TAUGHT)
def test_a_photograph_of_the_layout_teaches_without_labels_and_another_light_is_added(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = picture_file(tmp_path, game, turn_deg=6)
    second = picture_file(tmp_path, game, "b.png", turn_deg=-8, light=LAMP, brightness=0.7, seed=1)
    out = tmp_path / "deck.json"
    assert learn(*deck(game), "--out", out, first) == 0
    once = json.loads(out.read_text())
    assert learn(*deck(game), "--update", out, "--name", "Grandma's", "--json", second) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    held = json.loads(out.read_text())
    assert told["samples"] == len(held["samples"]) == 2 * len(once["samples"])
    assert {sample["light"] for sample in held["samples"]} == {1, 2}
    assert held["name"] == "Grandma's" and held["made"].endswith("from 2 photographs") and held["licence"]
    assert out.stat().st_size == told["bytes"] < 1_000_000
    assert all(len(checksum) == 64 for checksum in held["networks"].values())
    assert main(["read", "--game", game, "--profile", str(out), "--json", str(second)]) == 0
    read = json.loads(capsys.readouterr().out.splitlines()[-1])
    if game == "hexel":
        seen = sorted(card["edges"] for card in (*read["cards"], *read["loose"]))
        assert seen == [["blue"] * 6, ["red"] * 6, ["void"] * 6]
    if game == "hexapod":
        assert read["boards"][0]["cells"][0] == ["blue", "green", "gold", "dung", "leaf"]


def test_what_is_added_to_a_profile_leaves_its_name_and_its_licence(tmp_path: Path) -> None:
    out, shown = tmp_path / "deck.json", picture_file(tmp_path, "hexel")
    assert learn(*deck("hexel"), "--out", out, "--name", "Grandma's", "--licence", "CC0", shown) == 0
    for words in ([shown], [], ["--licence", "CC BY", shown]):
        assert learn(*deck("hexel"), "--update", out, *words) == 0
        held = json.loads(out.read_text())
        assert (held["name"], held["licence"]) == ("Grandma's", "CC BY" if "--licence" in words else "CC0")


@pytest.mark.parametrize("colour", ["red", "blue", "yellow", "purple"])
def test_a_hexdragon_set_of_one_colour_is_taught_by_labels_and_no_other_is_read(
    colour: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = GAMES["hexdragon"].layouts("hexdragon")[0]
    others = [i for i, place in enumerate(layout.places) if place.label["owner"] not in (colour, None)]
    shown, out, labels = tmp_path / "a.png", tmp_path / "deck.json", tmp_path / "labels.jsonl"
    cv2.imwrite(str(shown), layout_picture(layout, turn_deg=5, left_out=others))
    told = [place.label for i, place in enumerate(layout.places) if i not in others]
    labels.write_text(json.dumps({"tiles": told}))
    assert learn(*deck("hexdragon"), "--labels", labels, "--out", out, shown) == 0
    assert json.loads(out.read_text())["owners"] == [colour]
    everything = picture_file(tmp_path, "hexdragon", "all.png", turn_deg=-4, seed=1)
    capsys.readouterr()
    assert main(["read", "--game", "hexdragon", "--profile", str(out), "--json", str(shown), str(everything)]) == 0
    own, other = (json.loads(line)["tiles"] for line in capsys.readouterr().out.splitlines())
    assert [tile["owner"] for tile in own if tile["kind"] == "head"] == [colour]
    assert {tile["owner"] for tile in other} <= {colour, None}


def test_a_photograph_without_a_head_teaches_no_hexdragon_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, labels = tmp_path / "a.png", tmp_path / "labels.jsonl"
    layout = GAMES["hexdragon"].layouts("hexdragon")[0]
    cv2.imwrite(str(shown), layout_picture(layout, left_out=(1, 2, 3, 4)))
    labels.write_text(json.dumps({"tiles": [place.label for place in layout.places if place.label["owner"] is None]}))
    assert learn(*deck("hexdragon"), "--labels", labels, "--out", tmp_path / "p.json", "--json", shown) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "classes-missing"


def test_a_profile_of_other_networks_is_refused_and_learnt_again_from_its_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deck.json"
    shown = picture_file(tmp_path, "hexel")
    assert learn(*deck("hexel"), "--out", out, shown) == 0
    held = json.loads(out.read_text())
    out.write_text(json.dumps({**held, "networks": {"hexel/embedding/weights.onnx": "0" * 64}}))
    assert main(["read", "--game", "hexel", "--profile", str(out), str(shown)]) == 2
    assert "companion learn --update" in capsys.readouterr().err
    assert learn(*deck("hexel"), "--update", out) == 0
    assert np.allclose(json.loads(out.read_text())["looks"], held["looks"], atol=1e-3)


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["--game", "hexel", "--out", "p.json", "a.png"], None, 2),
        (["--game", "hexel", "--deck", "hexel36", "a.png"], None, 2),
        (["--game", "hexel", "--deck", "hexel36", "--out", "p.json"], None, 2),
        (["--game", "hexdragon", "--out", "p.json", "a.png"], "no-layout", 1),
        ([*HEXEL46, "--labels", "l.jsonl", "--out", "p.json", "a.png"], "unknown-name", 2),
    ],
)  # fmt: skip
def test_what_cannot_be_learnt_is_refused_in_one_line(
    words: list[str],
    code: str | None,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    picture_file(tmp_path, "hexel")
    (tmp_path / "l.jsonl").write_text(json.dumps({"loose": [{"edges": ["void"] * 6}] * 3}))
    assert main(["learn", *words]) == status
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and (code is None or f"({code})" in told)
    assert not (tmp_path / "p.json").exists()


def test_a_case_of_another_size_than_the_decks_teaches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photograph, labels = picture_file(tmp_path, "hexapod"), tmp_path / "l.jsonl"
    labels.write_text(json.dumps({"boards": [place.label for place in GAMES["hexapod"].layouts("hexapod")[0].places]}))
    assert learn("--game", "hexapod", "--deck", "hexapod4x6", "--what") == 2
    assert learn("--game", "hexapod", "--deck", "hexapod5x5", "--what") == 0
    other = ["--game", "hexapod", "--deck", "hexapod4x6", "--out", tmp_path / "p.json", photograph]
    for words in ([*other, "--labels", labels], other):
        assert learn(*words) == 2
        assert "5x5" in capsys.readouterr().err
        assert not (tmp_path / "p.json").exists()
    same = ["--game", "hexapod", "--deck", "hexapod5x5", "--labels", labels, "--out", tmp_path / "p.json", photograph]
    assert learn(*same) == 0
    read = ["read", "--game", "hexapod", "--profile", str(tmp_path / "p.json"), "--deck"]
    assert main([*read, "hexapod", str(photograph)]) == 2
    assert main([*read, "hexapod5x5", str(photograph)]) == 0


def test_a_profile_of_another_deck_than_the_one_named_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photograph, out = picture_file(tmp_path, "hexel"), tmp_path / "deck.json"
    assert learn(*deck("hexel"), "--out", out, photograph) == 0
    capsys.readouterr()
    for command in ("read", "watch"):
        assert main([command, *HEXEL46, "--profile", str(out), str(photograph)]) == 2
        assert "was learnt of hexel36, not of hexel46" in capsys.readouterr().err
    assert main(["read", *deck("hexel"), "--profile", str(out), str(photograph)]) == 0
    settings = tmp_path / "companion.toml"
    settings.write_text(f"[vision]\ndeck = 'hexel46'\nprofile = '{out}'\n")
    assert main(["config", "--check", "--settings", str(settings)]) != 0
    assert "was learnt of hexel36" in "".join(capsys.readouterr())
