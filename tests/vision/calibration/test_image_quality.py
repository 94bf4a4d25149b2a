"""A picture is told to be dark, blown out, unevenly lit or soft when it is, and left in peace when it is not."""

import cv2
import numpy as np
import pytest

from companion.vision.calibration.image_quality import Check, checks, softness_px
from models.drawing.hexel.photograph import photograph


@pytest.fixture(scope="module")
def calm() -> np.ndarray:
    """Cards in a calm room, filmed well."""
    return photograph(np.random.default_rng(3), hardness=0.0, cards=12, size=(960, 540)).bgr


def told(bgr: np.ndarray) -> dict[str, Check]:
    return {check.name: check for check in checks(bgr)}


def lit(bgr: np.ndarray, light: np.ndarray | float) -> np.ndarray:
    return np.clip((((bgr / 255.0) ** 2.2) * light) ** (1 / 2.2) * 255, 0, 255).astype(np.uint8)


def test_a_good_picture_is_left_in_peace(calm: np.ndarray) -> None:
    assert [check.state for check in checks(calm)] == ["ok"] * 4
    assert all(check.fix == "" for check in checks(calm))


@pytest.mark.parametrize(("light", "state"), [(0.05, "warn"), (0.005, "fail")])
def test_too_little_light_is_told(calm: np.ndarray, light: float, state: str) -> None:
    assert told(lit(calm, light))["light"].state == state


def test_glare_is_told(calm: np.ndarray) -> None:
    shiny = calm.copy()
    cv2.ellipse(shiny, (480, 260), (70, 40), 20, 0, 360, (255, 255, 255), -1)
    assert told(shiny)["glare"].state == "warn"


@pytest.mark.parametrize(("fall", "state"), [(0.8, "ok"), (3.5, "warn")])
def test_light_that_falls_off_is_told(calm: np.ndarray, fall: float, state: str) -> None:
    across = np.linspace(0, 1, calm.shape[1])[None, :, None]
    assert told(lit(calm, np.exp(-fall * across)))["evenness"].state == state


@pytest.mark.parametrize("blur_px", [1.0, 2.0, 3.0])
def test_softness_is_the_blur_of_the_edges(blur_px: float) -> None:
    sheet = np.full((400, 600), 60, np.uint8)
    cv2.rectangle(sheet, (100, 80), (300, 300), 220, -1)
    cv2.rectangle(sheet, (380, 150), (520, 330), 150, -1)
    assert softness_px(cv2.GaussianBlur(sheet, (0, 0), blur_px)) == pytest.approx(blur_px, rel=0.25)


def test_a_picture_out_of_focus_is_told(calm: np.ndarray) -> None:
    assert told(cv2.GaussianBlur(calm, (0, 0), 3.0))["focus"].state == "fail"


def test_an_empty_picture_has_no_focus_to_judge() -> None:
    assert told(np.full((540, 960, 3), 120, np.uint8))["focus"].state == "warn"


def test_a_picture_far_wider_than_high_is_looked_at() -> None:
    assert len(checks(np.full((10, 20_000, 3), 90, np.uint8))) == 4
