"""Symbols in doubt are looked at once more: half covered, veiled or unlike their likes, they get their name."""

import cv2
import numpy as np
import pytest

from companion.games.hexel.vision import few_shot_classifier
from companion.games.hexel.vision.classifier import PATCH, raw_patches
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols, is_shown, symbol_probabilities
from companion.games.hexel.vision.prototypes import SymbolProfile, fit_prototypes
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

SIDE, PLAIN = 90.0, 0.93
INKS = {"red": (40, 40, 200), "blue": (190, 90, 30)}
NET = "hexel/embedding/weights.onnx"


def card(edges: list[str], face: int = 225) -> tuple[np.ndarray, np.ndarray]:
    """A picture (300, 300, 3) of one card with a disc at every edge, and its corners (1, 6, 2)."""
    picture = np.full((300, 300, 3), 90, np.uint8)
    corners = HEXAGON.unit * SIDE + 150
    cv2.fillPoly(picture, [np.round(corners).astype(np.int32)], (face, face, face))
    for edge, name in enumerate(edges):
        x, y = place(edge)
        cv2.circle(picture, (round(x), round(y)), 13, INKS[name], -1, cv2.LINE_AA)
    return picture, corners[None].astype(np.float32)


def place(edge: int) -> tuple[float, float]:
    angle, out = np.radians(-60.0 * edge), 0.76 * SIDE * np.sqrt(3) / 2
    return 150 + out * np.cos(angle), 150 + out * np.sin(angle)


@pytest.fixture(scope="module")
def profile() -> SymbolProfile:
    photographs = []
    for name in INKS:
        picture, corners = card([name] * 6)
        photographs.append((Pyramid.of(picture), corners, [[name] * 6]))
    return fit_prototypes(network(NET), "hexel36", photographs)


def told(profile: SymbolProfile, picture: np.ndarray, corners: np.ndarray) -> np.ndarray:
    return np.asarray(symbol_probabilities(network(NET), profile, Pyramid.of(picture), corners, PLAIN)[0])


def test_a_symbol_half_under_a_stick_is_named_by_its_other_half(profile: SymbolProfile) -> None:
    picture, corners = card(["red", "red", "blue", "red", "blue", "red"])
    x, y = place(0)
    cv2.rectangle(picture, (round(x) - 40, round(y) + 7), (round(x) + 40, round(y) + 30), (60, 150, 60), -1)
    assert told(profile, picture, corners)[0, profile.symbols.index("red")] > PLAIN


def test_a_symbol_wholly_under_a_thing_stays_unnamed(profile: SymbolProfile) -> None:
    picture, corners = card(["red", "red", "blue", "red", "blue", "red"])
    x, y = place(0)
    cv2.circle(picture, (round(x), round(y)), 36, (60, 150, 60), -1)
    assert told(profile, picture, corners)[0, :-1].max() < PLAIN


def test_an_outline_is_embedded_once_on_a_picture(profile: SymbolProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader asks for a card that it names at once four times: that took twice as long."""
    net, batches = network(NET), []

    class Counted:
        def forward(self, batch: np.ndarray) -> np.ndarray:
            batches.append(len(batch))
            return net.forward(batch)

    counted = Counted()
    monkeypatch.setattr(few_shot_classifier, "network", lambda _: counted)
    picture, corners = card(["red", "blue", "red", "red", "blue", "blue"])
    classifier, pyramid = FewShotSymbols(profile), Pyramid.of(picture)
    named = classifier.accept(classifier.classify(pyramid, corners)[0])
    assert named == ("red", "blue", "red", "red", "blue", "blue")
    misfit = classifier.misfit(pyramid, corners.astype(np.float64))
    assert misfit < 1.0
    assert not classifier.is_foreign(pyramid, corners)
    assert batches == [6]
    other = Pyramid.of(np.full_like(picture, 90))
    assert classifier.misfit(other, corners) > misfit
    assert batches == [6, 6]


def test_a_face_burnt_out_to_white_shows_no_symbols(profile: SymbolProfile) -> None:
    picture, corners = card(["red"] * 6)
    picture[:] = 255
    assert not is_shown(*raw_patches(Pyramid.of(picture), corners)).any()
    assert (told(profile, picture, corners)[:, -1] == 1.0).all()


@pytest.mark.parametrize(("face", "shows"), [(240.0, True), (254.0, False)], ids=["lit", "burnt out"])
def test_a_faint_print_is_shown_where_its_face_is_not_burnt_out(face: float, shows: bool) -> None:
    patches = np.full((1, 6, PATCH, PATCH, 3), face, np.float32)
    patches[:, :, 8:16, 8:16] -= 9.0
    assert (is_shown(patches, np.full((1, 3), face, np.float32)) == shows).all()
