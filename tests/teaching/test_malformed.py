"""Labels and profiles that are JSON and still none: refused in one line, whatever stands where."""

import json
from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.cli.main import main
from companion.errors import UsageError
from companion.games import GAMES
from companion.vision.enrolment.labels import Candidates, outlines_of
from companion.vision.enrolment.learning import fit_profile, learn
from companion.vision.enrolment.teaching import Teaching
from companion.vision.image.pyramid import Pyramid
from tests.teaching.pictures import layout_picture

DECKS = {"hexel": "hexel36", "hexdragon": "hexdragon", "hexapod": "hexapod", "comet": "comet"}
SOME_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.sampled_from([0.5, 1e9, -1e9, 10**11]) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)
WRONG = [None, True, -1, 2.5, 10**11, "x", [], [[]], [None], {"x": 1}]
NO_OUTLINES = [
    5,
    False,
    "",
    {},
    "x",
    [1],
    [[1, 2]],
    [[1], [2], [3]],
    [[0, 0]] * 4,
    [["0", "1"]] * 4,
    [[0, 0], [9, 0], [9, None]],
]
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def picture(game: str) -> Any:
    return layout_picture(GAMES[game].layouts(DECKS[game])[0])


@cache
def glance(game: str) -> Any:
    """A small picture that is read soon: of Comet, whose taught cards are searched for longest, one card alone."""
    small = cv2.resize(picture(game), (320, 180))
    return small[:90, :160] if game == "comet" else small


@cache
def teaching(game: str) -> Teaching:
    """The game's teaching, which looks for the outlines on its picture once."""
    own = GAMES[game].recognizer().teaching
    assert own is not None
    found = own.candidates(Pyramid.of(picture(game)))

    class Seen(type(own)):  # type: ignore[misc]
        def candidates(self, pyramid: Pyramid) -> Candidates:
            return found

    return Seen()


@cache
def profile(game: str) -> dict[str, Any]:
    held: dict[str, Any] = learn(teaching(game), DECKS[game], [("a.png", picture(game))]).as_json()
    return held


@cache
def label(game: str) -> dict[str, Any]:
    """What lies on the picture, as reading prints it: with corners, and what learning does not need."""
    layout = GAMES[game].layouts(DECKS[game])[0]
    told = layout.as_json()[layout.part]
    found = outlines_of("a.png", teaching(game).candidates(Pyramid.of(picture(game))), [{}] * len(told))
    more = {"cell": [0, 0], "paths": [[0, 2]], "tails": [1]} if game == "hexdragon" else {"zone": None}
    cards = [
        {**card, **more, "corners": corners.round(1).tolist(), "confidence": 0.9}
        for card, corners in zip(told, found, strict=True)
    ]
    return {"image": "a.png", "ok": True, "loose": [], "warnings": [], layout.part: cards}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON value; of a list at its beginning alone."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def with_other(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with another one in a place; all else is shared with it."""
    key, *inside = path
    changed = copy(value)
    changed[key] = with_other(value[key], tuple(inside), other) if inside else other
    return changed


def learnt(game: str, line: Any) -> None:
    try:
        learn(teaching(game), DECKS[game], [("a.png", picture(game))], [line])
    except UsageError as error:
        assert error.message and "\n" not in error.message


@pytest.mark.parametrize("game", GAMES)
def test_the_label_itself_teaches(game: str) -> None:
    assert learn(teaching(game), DECKS[game], [("a.png", picture(game))], [label(game)]).samples


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data())
@FEW
def test_anything_in_place_of_a_part_of_a_label_is_refused_or_works(game: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([*places(label(game))]))
    learnt(game, with_other(label(game), path, data.draw(SOME_JSON)))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("corners", NO_OUTLINES)
def test_corners_that_are_no_outline_are_refused(game: str, corners: Any) -> None:
    part = GAMES[game].layouts(DECKS[game])[0].part
    with pytest.raises(UsageError, match="no list of points") as refused:
        learn(
            teaching(game),
            DECKS[game],
            [("a.png", picture(game))],
            [with_other(label(game), (part, 0, "corners"), corners)],
        )
    assert refused.value.code == "labels-differ"


@pytest.mark.parametrize(
    ("game", "line", "code"),
    [
        ("comet", {"cards": [{"corners": [[274, 354], [443, 351], [442, 590], [269, 592]]}]}, "labels-differ"),
        ("comet", {"cards": "x"}, "labels-differ"),
        ("comet", {"cards": [{"values": [2.0, 3, 4]}]}, "unknown-name"),
        ("hexel", {"cards": 5}, "labels-differ"),
        ("hexel", {"loose": [None]}, "labels-differ"),
        ("hexel", {"cards": [{"edges": [["red"]] * 6}]}, "unknown-name"),
        ("hexapod", {"boards": True}, "labels-differ"),
        ("hexapod", {"boards": [[1]]}, "labels-differ"),
        ("hexapod", {"boards": [{"cells": [5]}]}, "labels-differ"),
        ("hexdragon", {"tiles": [{"kind": "start", "paths": [[], [1, 5], [3, 4]]}]}, "labels-differ"),
        ("hexdragon", {"tiles": [{"kind": "start", "paths": [[1, 1]]}]}, "labels-differ"),
        ("hexdragon", {"tiles": [{"kind": ["start"]}]}, "unknown-name"),
        ("hexdragon", {"tiles": [["start"]]}, "labels-differ"),
    ],
)
def test_a_malformed_label_is_one_line_and_status_2(
    game: str, line: Any, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, labels = tmp_path / "a.png", tmp_path / "labels.jsonl"
    cv2.imwrite(str(shown), picture(game))
    labels.write_text(json.dumps(line))
    words = ["--game", game, "--deck", DECKS[game], "--labels", str(labels), "--out", str(tmp_path / "p.json")]
    assert main(["learn", *words, "--json", str(shown)]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == code and err.count("\n") == 1


def read(game: str, held: Any, path: Path) -> dict[str, Any] | None:
    """What is read by a profile of what it was taught on, or nothing where it is refused as no profile."""
    path.write_text(json.dumps(held))
    recognizer, own = GAMES[game].recognizer(), teaching(game)
    try:
        profile = own.read(path)
    except UsageError as error:
        assert error.code == "unreadable-profile" and "\n" not in error.message
        return None
    return recognizer.read(glance(game), own.classifier(profile)).as_json()


@pytest.mark.parametrize("game", GAMES)
def test_the_profile_itself_is_read(game: str, tmp_path: Path) -> None:
    told = read(game, profile(game), tmp_path / "p.json")
    assert told is not None and any(found for part, found in told.items() if part != "warnings")


def test_a_profile_of_comet_whose_three_numbers_stand_no_way_up_together_is_refused(tmp_path: Path) -> None:
    held = profile("comet")
    assert read("comet", {**held, "turned": [1, *held["turned"][1:]]}, tmp_path / "p.json") is None


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers of any size
def test_a_wrong_value_of_any_field_of_a_profile_is_refused_or_works(game: str, tmp_path: Path) -> None:
    small = {**profile(game), "samples": profile(game)["samples"][:2]}
    for field in small:
        for wrong in WRONG:
            read(game, {**small, field: wrong}, tmp_path / "p.json")
        read(game, {key: value for key, value in small.items() if key != field}, tmp_path / "p.json")


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data())
@FEW
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_anything_in_place_of_a_part_of_a_profile_is_refused_or_works(
    game: str, data: st.DataObject, tmp_path: Path
) -> None:
    path = data.draw(st.sampled_from([*places(profile(game))]))
    read(game, with_other(profile(game), path, data.draw(SOME_JSON)), tmp_path / "p.json")


@pytest.mark.parametrize("game", GAMES)
def test_a_wrong_value_in_a_samples_label_is_refused_or_learnt_from(game: str, tmp_path: Path) -> None:
    file, held = tmp_path / "p.json", profile(game)
    for path in places(held["samples"][0]["label"], ("samples", 0, "label")):
        for wrong in WRONG:
            if read(game, with_other(held, path, wrong), file) is None:
                continue
            with suppress(UsageError):
                fit_profile(teaching(game), DECKS[game], teaching(game).read(file).samples)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("wrong", [None, [], {}, "x", [["a", 1]]])
def test_learning_again_from_broken_samples_is_one_line_and_status_2(
    game: str, wrong: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps(with_other(profile(game), ("samples", 0, "label"), wrong)))
    assert main(["learn", "--game", game, "--deck", DECKS[game], "--update", str(file), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == "unreadable-profile" and err.count("\n") == 1


def test_a_byte_order_mark_before_labels_is_left_out_and_a_spoilt_line_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, labels = tmp_path / "a.png", tmp_path / "labels.jsonl"
    cv2.imwrite(str(shown), picture("hexdragon"))
    words = ["learn", "--game", "hexdragon", "--labels", str(labels), "--out", str(tmp_path / "p.json"), str(shown)]
    line = json.dumps(label("hexdragon")).encode()
    labels.write_bytes(b"\xef\xbb\xbf" + line)
    assert main(words) == 0
    labels.write_bytes(line + b"\n\n{")
    assert main(words) == 2
    assert "line 3 is no JSON: expecting property name enclosed in double quotes at column 2" in capsys.readouterr().err
