"""Learnt printings: taught from one photograph, kept in a file, told apart or said to look alike."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import UsageError
from companion.games.hexel.deck import SYMBOLS as SYMBOLS_OF
from companion.games.hexel.vision.classifier import PATCH, without_reflection
from companion.games.hexel.vision.enrolment import TEACHING, learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.prototypes import FRAME, SymbolProfile
from companion.games.hexel.vision.recognizer import read_hexel, read_unknown
from companion.games.hexel.vision.reexamination import is_same_card
from companion.rules.hexgrid import Cell
from companion.vision.enrolment.learning import fit_profile
from companion.vision.enrolment.sample import CONFIRMED, Sample, jpeg_of, rectify_card
from companion.vision.image.pyramid import Pyramid
from companion.vision.tracking.layouts import agree, register
from companion.vision.tracking.regions import Unchanged, usual_width_px
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph
from models.drawing.hexel.printings import Mark, Printing
from models.drawing.hexel.styles import PicturedDeck
from models.drawing.photograph import Photograph
from tests.games.hexel.vision.taught_scenes import SCENES

SYMBOLS = ("red", "blue", "void")
LIGHT = Printing(
    {"red": Mark("star", (40, 40, 190)), "blue": Mark("square", (160, 90, 20)), "void": Mark("ring", (30, 30, 30), 0.2)}
)
DARK = Printing(
    {
        "red": Mark("disc", (60, 60, 235), outline=(235, 235, 235)),
        "blue": Mark("diamond", (240, 170, 60)),
        "void": Mark("ring", (210, 215, 215), 0.2),
    },
    face=(46, 38, 34),
    border=(60, 150, 190),
    border_mm=1.5,
)


_TAUGHT: dict[tuple[int, int, float | None], tuple[Printing | PicturedDeck, SymbolProfile]] = {}
"""By the printing's identity, which is kept with it, and how it was shown."""


def taught(look: Printing | PicturedDeck, seed: int, across_px: float | None = None) -> SymbolProfile:
    """What a photograph of each symbol on a card of its own teaches; learnt once for all tests."""
    key = id(look), seed, across_px
    if key not in _TAUGHT:
        _TAUGHT[key] = look, newly_taught(look, seed, across_px)
    return _TAUGHT[key][1]


def newly_taught(look: Printing | PicturedDeck, seed: int, across_px: float | None) -> SymbolProfile:
    faces: dict[Cell, tuple[str, ...]] = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS)}
    rng, asked = np.random.default_rng(seed), {"edition": "36", "size": (800, 608), "across_px": across_px}
    picture = photograph(rng, printing=look, faces=faces, hardness=0.0, **asked)
    return learn_hexel("hexel36", [("taught", picture.bgr)], [{"image": "taught", "cards": picture.truth["cards"]}])


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_a_printing_taught_from_one_photograph_is_read_in_another_room(look: Printing) -> None:
    classifier = FewShotSymbols(taught(look, 1))
    picture = photograph(np.random.default_rng(12), edition="36", printing=look, cards=8, across_px=90, hardness=0.3)
    truth = {tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"] if not c.get("cut")}
    told = {c.cell: c.edges for c in read_hexel(picture.bgr, classifier).cards if c.cell is not None}
    match = register(truth, told)
    assert match is not None and match.clashing == 0
    assert len([1 for cell, edges in told.items() if agree(truth[match.cell(cell)], match.edges(edges))]) == len(truth)


@cache
def upright(letters: str, turns: Sequence[int] = (0,)) -> PicturedDeck:
    """A deck whose letters stand upright on their cards, which lie the same way up, or each one of some ways."""
    pictures = {}
    for name, letter in zip(SYMBOLS, letters, strict=True):
        opacity = cv2.putText(np.zeros((96, 96), np.uint8), letter, (16, 80), cv2.FONT_HERSHEY_DUPLEX, 3, 255, 9)
        pictures[name] = np.dstack([np.full((96, 96, 3), (60, 40, 30), np.uint8), opacity])
    return PicturedDeck(Printing({}), pictures, 14.0, 0.66, is_upright=True, turns=turns)


def test_symbols_that_stand_upright_are_told_whichever_way_a_card_lies() -> None:
    look = upright("FKP", range(6))
    profile = taught(look, 2, across_px=120)
    assert profile.upright_at == pytest.approx(0.66, abs=0.05)
    picture = photograph(np.random.default_rng(12), edition="36", printing=look, cards=8, across_px=110, hardness=0.2)
    truth = {tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"] if not c.get("cut")}
    told = {c.cell: c.edges for c in read_hexel(picture.bgr, FewShotSymbols(profile)).cards if c.cell is not None}
    match = register(truth, told)
    assert match is not None and match.clashing == 0
    assert sum(agree(truth[match.cell(cell)], match.edges(edges)) for cell, edges in told.items()) == len(truth)


def confirmed(profile: SymbolProfile, seen: Photograph) -> SymbolProfile:
    """The profile with the cards of a photograph as moves that players confirmed."""
    pyramid, cards = Pyramid.of(seen.bgr), seen.truth["cards"]
    crops = [rectify_card(pyramid, np.array(card["corners"]), FRAME) for card in cards]
    moves = [
        Sample({"edges": card["edges"]}, jpeg_of(crop), 1, CONFIRMED) for card, crop in zip(cards, crops, strict=True)
    ]
    made = fit_profile(TEACHING, profile.deck, [*profile.samples, *moves])
    assert isinstance(made, SymbolProfile)
    return made


def test_an_upright_card_is_read_beside_known_ones_or_after_confirmed_moves() -> None:
    look = upright("FKP", range(6))
    profile = taught(look, 2, across_px=120)

    def four(seed: int) -> Photograph:
        rng, asked = np.random.default_rng(seed), {"edition": "36", "size": (800, 608), "across_px": 110}
        return photograph(rng, printing=look, cards=4, hardness=0.0, **asked)

    seen = four(19)
    together = read_hexel(seen.bgr, FewShotSymbols(profile)).cards
    assert len(together) == 4 and all(None not in card.edges for card in together)

    def read_alone(classifier: FewShotSymbols, *, beside: bool) -> list[bool]:
        """Whether each card is read by itself as together with the others."""
        same = []
        for card in together:
            known = tuple(other for other in together if other is not card) if beside else ()
            width = usual_width_px(together)
            assert width is not None
            reading = read_unknown(seen.bgr, classifier, width, Unchanged(known))
            (now,) = (one for one in (*reading.cards, *reading.loose) if is_same_card(one.corners, card.corners))
            same.append(any(now.edges[k:] + now.edges[:k] == card.edges for k in range(6)))
        return same

    assert all(read_alone(FewShotSymbols(profile), beside=True))
    assert all(read_alone(FewShotSymbols(confirmed(profile, four(15))), beside=False))


def test_a_symbol_that_is_another_upside_down_is_not_told() -> None:
    look = upright("69K")
    classifier = FewShotSymbols(taught(look, 2, across_px=120))
    faces: dict[Cell, tuple[str, ...]] = {(0, 0): ("red",) * 6, (1, 0): ("red", "void", "red", "red", "void", "red")}
    rng = np.random.default_rng(5)
    picture = photograph(rng, edition="36", size=(800, 608), printing=look, faces=faces, across_px=120, hardness=0.0)
    told = {edge for card in read_hexel(picture.bgr, classifier).cards for edge in card.edges}
    assert told == {None, "void", "red"}


def test_symbols_turned_with_their_edges_are_not_taken_for_upright_ones() -> None:
    assert taught(LIGHT, 1).upright_at == 0
    assert taught(DARK, 1).upright_at == 0


def single_symbols(rng: np.random.Generator, edition: str, look: Printing) -> Photograph:
    """A photograph of the cards that carry one symbol, in a calm room."""
    faces: dict[Cell, tuple[str, ...]] = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS_OF[edition])}
    return photograph(rng, edition=edition, printing=look, faces=faces, hardness=0.0)


def brighter(bgr: np.ndarray, gain: float) -> np.ndarray:
    return np.minimum(bgr.astype(np.float32) * np.float32(gain), 255).astype(np.uint8)


@pytest.mark.parametrize(("seed", "edition"), [(9810009, "46"), (9830006, "36")], ids=["taught", "seen"])
def test_a_photograph_that_is_overexposed_and_one_that_is_not_show_the_same_printing(seed: int, edition: str) -> None:
    rng = np.random.default_rng(seed)
    look = invented(SYMBOLS_OF[edition], rng)
    lesson = single_symbols(rng, edition, look)
    label = {"image": "taught", "cards": lesson.truth["cards"]}
    classifier = FewShotSymbols(learn_hexel(f"hexel{edition}", [("taught", lesson.bgr)], [label]))
    picture = photograph(rng, edition=edition, printing=look, cards=int(rng.integers(4, 16)))
    told = {c.cell: c.edges for c in read_hexel(picture.bgr, classifier).cards if c.cell is not None}
    match = register({tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"]}, told)
    assert match is not None and match.clashing == 0
    assert [edges for edges in told.values() if None not in edges] == list(told.values()) != []


@cache
def dark_printing(seed: int, taught_gain: float) -> tuple[SymbolProfile, Photograph]:
    """A dark printing taught in so many times its light, and a photograph of six of its cards."""
    rng = np.random.default_rng(seed)
    look = invented(SYMBOLS_OF["46"], rng)
    lesson = single_symbols(rng, "46", look)
    picture = photograph(rng, edition="46", printing=look, cards=6, hardness=0.0)
    label = {"image": "taught", "cards": lesson.truth["cards"]}
    return learn_hexel("hexel46", [("taught", brighter(lesson.bgr, taught_gain))], [label], trust_names=True), picture


burnt_out = pytest.mark.parametrize(
    ("seed", "taught_gain", "seen_gain"), [(9890035, 6, 1), (9890053, 1, 4)], ids=["taught", "seen"]
)


@burnt_out
def test_a_dark_printing_is_the_same_where_light_burns_out_its_print(
    seed: int, taught_gain: float, seen_gain: float
) -> None:
    profile, picture = dark_printing(seed, taught_gain)
    reading = read_hexel(brighter(picture.bgr, seen_gain), FewShotSymbols(profile))
    told = {c.cell: c.edges for c in reading.cards if c.cell is not None}
    match = register({tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"]}, told)
    assert match is not None and (match.agreeing, match.clashing) == (6, 0)


@burnt_out
def test_an_exposure_stays_for_a_piece_of_the_picture_until_the_light_changes(
    seed: int, taught_gain: float, seen_gain: float
) -> None:
    profile, picture = dark_printing(seed, taught_gain)
    corners = np.array([card["corners"] for card in picture.truth["cards"]], np.float32)
    seen, other_light = Pyramid.of(brighter(picture.bgr, seen_gain)), Pyramid.of(brighter(picture.bgr, taught_gain))
    fitted = FewShotSymbols(profile).exposed_as(seen, corners)
    assert fitted.exposure > 0 or fitted.profile is not profile
    assert all(fitted.exposed_as(seen, corners[i : i + 1]) is fitted for i in range(len(corners)))
    anew, afresh = fitted.exposed_as(other_light, corners), FewShotSymbols(profile).exposed_as(other_light, corners)
    assert anew.exposure == afresh.exposure and anew.profile is afresh.profile
    assert anew.exposure != fitted.exposure or anew.profile is not fitted.profile


def test_a_lamp_in_two_symbols_of_a_card_does_no_harm() -> None:
    rng = np.random.default_rng(1)
    lesson = single_symbols(rng, "36", DARK)
    corners = np.array(lesson.truth["cards"][0]["corners"], np.float32)
    side = float(np.linalg.norm(corners[0] - corners[1]))
    glint = np.zeros(lesson.bgr.shape[:2], np.float32)
    cv2.circle(
        glint, tuple(np.round(0.65 * corners[1] + 0.35 * corners.mean(0)).astype(int).tolist()), int(0.45 * side), 1, -1
    )
    glint = cv2.GaussianBlur(glint, None, 0.12 * side)[..., None]
    burnt = (lesson.bgr * (1 - glint) + 250 * glint).astype(np.uint8)
    label = {"image": "taught", "cards": lesson.truth["cards"]}
    profile = learn_hexel("hexel36", [("taught", burnt)], [label], trust_names=True)
    picture = photograph(rng, edition="36", printing=DARK, cards=6, hardness=0.0)
    told = {c.cell: c.edges for c in read_hexel(picture.bgr, FewShotSymbols(profile)).cards if c.cell is not None}
    match = register({tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"]}, told)
    assert match is not None and (match.agreeing, match.clashing) == (6, 0)


def reflecting(bgr: np.ndarray, added: np.ndarray) -> np.ndarray:
    """A picture with so much light (H, W), as a share of white, added."""
    light = (bgr / 255.0) ** 2.2 + added[..., None]
    return (255 * np.minimum(light, 1.0) ** (1 / 2.2)).astype(np.uint8)


def test_a_lamp_that_reflects_in_some_cards_of_a_lesson_does_not_make_their_faces_light() -> None:
    """A dark deck was learnt as a light one, and six cards were left open where no lamp shone on them."""
    lesson = single_symbols(np.random.default_rng(1), "36", DARK)
    xs = sorted(float(np.mean(card["corners"], axis=0)[0]) for card in lesson.truth["cards"])
    added = 0.16 * np.clip((np.arange(lesson.bgr.shape[1]) - xs[0]) / (xs[1] - xs[0]) - 0.5, 0, 1)
    shown = reflecting(lesson.bgr, np.broadcast_to(added, lesson.bgr.shape[:2]))
    label = {"image": "taught", "cards": lesson.truth["cards"]}
    profile, plain = (
        learn_hexel("hexel36", [("taught", bgr)], [label], trust_names=True) for bgr in (shown, lesson.bgr)
    )
    assert profile.face_value == pytest.approx(plain.face_value, abs=0.05)
    picture = photograph(np.random.default_rng(5), edition="36", printing=DARK, cards=6, hardness=0.0)
    told = {c.cell: c.edges for c in read_hexel(picture.bgr, FewShotSymbols(profile)).cards if c.cell is not None}
    match = register({tuple(c["cell"]): tuple(c["edges"]) for c in picture.truth["cards"]}, told)
    assert match is not None and (match.agreeing, match.clashing) == (6, 0)


@pytest.mark.parametrize(("share", "is_taken_off"), [(0.0, True), (0.12, False)], ids=["lamp", "shadow"])
def test_only_light_that_adds_to_print_and_face_alike_is_taken_off(share: float, is_taken_off: bool) -> None:
    patches = np.full((2, 6, PATCH, PATCH, 3), 45, np.float32)
    patches[:, :, 6:12, 6:18] = 190
    faces, added = np.full((2, 3), 45, np.float32), np.linspace(0.0, 0.15, 6)[:, None, None, None]
    light = (patches / 255) ** 2.2
    light[1] = light[1] * (share + (1 - share) * added / 0.15) if share else light[1] + added
    seen = (255 * light ** (1 / 2.2)).astype(np.float32)
    told, told_faces = without_reflection(seen, faces + np.float32([[0], [30]]))
    assert (np.abs(told - patches).max() < 1.0) == is_taken_off
    assert (told is seen) != is_taken_off
    assert (told_faces < 46).all() == is_taken_off


def test_a_second_light_that_burns_out_does_no_harm() -> None:
    rng = np.random.default_rng(9870018)
    look = invented(SYMBOLS_OF["36"], rng)
    first = single_symbols(rng, "36", look)
    _, picture = (photograph(rng, printing=look, cards=int(rng.integers(4, 12))) for _ in range(2))
    second = single_symbols(rng, "36", look)
    lessons = [("first", first), ("second", second)]
    pictures = [(name, lesson.bgr) for name, lesson in lessons]
    labels = [{"image": name, "cards": lesson.truth["cards"]} for name, lesson in lessons]
    reading = read_hexel(picture.bgr, FewShotSymbols(learn_hexel("hexel36", pictures, labels, trust_names=True)))
    shown = [card for card in picture.truth["cards"] + picture.truth["loose"] if not card.get("cut")]
    assert len(reading.cards) + len(reading.loose) == len(shown)
    assert all(None not in card.edges for card in (*reading.cards, *reading.loose)) and not reading.warnings


def test_a_printing_of_many_samples_is_read_like_one_of_few() -> None:
    profile = taught(LIGHT, 1)
    many = replace(profile, samples=profile.samples * 12)
    picture = photograph(np.random.default_rng(12), edition="36", printing=LIGHT, cards=4, across_px=90, hardness=0.0)
    few, all_of_them = (read_hexel(picture.bgr, FewShotSymbols(one)) for one in (profile, many))
    assert [card.edges for card in all_of_them.cards] == [card.edges for card in few.cards] != []


def test_a_profile_is_the_same_after_a_file(tmp_path: Path) -> None:
    profile = taught(LIGHT, 2)
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(profile.as_json()), encoding="utf-8")
    again = SymbolProfile.read(path)
    assert (again.deck, again.symbols) == (profile.deck, profile.symbols)
    assert np.allclose(again.prototypes, profile.prototypes, atol=1e-4) and np.allclose(
        again.face_value, profile.face_value
    )


def test_a_profile_of_another_form_is_to_be_learnt_again(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**taught(LIGHT, 2).as_json(), "profile": 1}), encoding="utf-8")
    with pytest.raises(UsageError, match="learn the printing again"):
        SymbolProfile.read(path)


def test_a_profile_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    in_the_way = tmp_path / "deck.json"
    in_the_way.mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        taught(LIGHT, 2).write(in_the_way)
    assert [*tmp_path.iterdir()] == [in_the_way]


def test_a_symbol_that_light_has_burnt_out_is_not_learnt() -> None:
    faces: dict[Cell, tuple[str, ...]] = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS)}
    picture = photograph(
        np.random.default_rng(1), edition="36", size=(800, 608), printing=LIGHT, faces=faces, hardness=0.0
    )
    blazing = np.zeros(picture.bgr.shape[:2], np.uint8)
    cv2.fillPoly(blazing, [np.round(picture.truth["cards"][0]["corners"]).astype(int)], 1)
    picture.bgr[blazing > 0] = 254
    with pytest.raises(UsageError, match="red does not show: too much light"):
        learn_hexel("hexel36", [("taught", picture.bgr)], [{"image": "taught", "cards": picture.truth["cards"]}])


def test_symbols_that_look_the_same_are_not_learnt() -> None:
    ring = Mark("ring", (30, 30, 30), 0.2)
    with pytest.raises(UsageError, match="blue and void look the same"):
        taught(Printing({"red": Mark("star", (40, 40, 190)), "blue": ring, "void": ring}), 2)


def test_symbols_that_look_alike_are_said_when_they_are_learnt() -> None:
    looks = np.zeros((3, 8), np.float32)
    looks[1, 0], looks[2, 1] = 1.5, 6.0
    profile = SymbolProfile("hexel36", SYMBOLS, looks, np.full(3, 0.75, np.float32))
    assert profile.ambiguous_pairs == (("red", "blue"),)
    assert "red with blue" in profile.summary()
    assert "alike" not in taught(DARK, 3).summary()


def test_a_card_that_is_not_seen_clearly_is_not_learnt() -> None:
    faces: dict[Cell, tuple[str, ...]] = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS)}
    picture = photograph(
        np.random.default_rng(1), edition="36", size=(800, 608), printing=LIGHT, faces=faces, hardness=0.0
    )
    x, y = np.mean(picture.truth["cards"][0]["corners"], axis=0)
    side = float(np.linalg.norm(np.subtract(*picture.truth["cards"][0]["corners"][:2])))
    picture.bgr[int(y) : int(y + side), int(x - side) : int(x + side)] = (90, 120, 60)
    with pytest.raises(UsageError, match="red is not seen clearly"):
        learn_hexel("hexel36", [("taught", picture.bgr)], [{"image": "taught", "cards": picture.truth["cards"]}])


def test_a_card_that_a_lamp_veils_on_one_side_asks_for_softer_light() -> None:
    corners = {
        "red": [[240, 87], [239, 217], [129, 277], [21, 210], [20, 82], [129, 19]],
        "blue": [[466, 93], [463, 224], [350, 285], [240, 219], [240, 89], [353, 25]],
        "yellow": [[700, 98], [694, 230], [576, 292], [465, 224], [468, 93], [585, 28]],
    }
    cards = [{"edges": [symbol] * 6, "corners": place} for symbol, place in corners.items()]
    picture = cv2.imread(str(SCENES / "lamp-taught.jpg"))
    with pytest.raises(UsageError, match="blue does not show: too much light"):
        learn_hexel("hexel46", [("taught", picture)], [{"image": "taught", "cards": cards}])


@pytest.mark.parametrize("clockwise", [True, False])
def test_rough_corners_do_as_well_as_none(clockwise: bool) -> None:
    faces: dict[Cell, tuple[str, ...]] = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS)}
    picture = photograph(
        np.random.default_rng(1), edition="36", size=(800, 608), printing=LIGHT, faces=faces, hardness=0.0
    )
    rough = [
        {**card, "corners": (np.array(card["corners"])[:: 1 if clockwise else -1] + 4.0).tolist()}
        for card in picture.truth["cards"]
    ]
    told = learn_hexel("hexel36", [("taught", picture.bgr)], [{"image": "taught", "cards": rough}])
    assert np.abs(told.prototypes - taught(LIGHT, 1).prototypes).max() < 1.0
