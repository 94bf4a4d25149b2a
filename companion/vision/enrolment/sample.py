"""Samples: small rectified crops of cards with what they show. A profile is learnt from nothing else."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import side_px
from companion.vision.image.codec import decode_picture, encode_picture
from companion.vision.image.pyramid import Pyramid, warp

Floats = NDArray[np.float64]

TAUGHT, CONFIRMED = "taught", "confirmed"
_JPEG = (90, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)
EVENINGS_SHARE = 0.5
"""What all evenings together weigh at most against what was taught."""
MOST_PX = 512
"""No crop is wider or higher."""


_GREY_EXPONENTS = (0.4, 0.6, 1.0, 1.6, 2.5)


@dataclass(frozen=True, slots=True, eq=False)
class CropFrame:
    """Where a card lies in its crop.

    Attributes:
        size: the crop's width and height in pixels.
        corners: (K, 2) of the card in it.
    """

    size: tuple[int, int]
    corners: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A card as one photograph showed it.

    Attributes:
        label: the card as `read` prints it, without its place on the photograph; directions are the crop's own.
        jpeg: the crop, a JPEG file's bytes.
        light: the number of the photograph among all of the profile: one light, one camera.
        source: ``taught`` by a person, or ``confirmed`` as a move of a game.
    """

    label: Mapping[str, Any]
    jpeg: bytes
    light: int
    source: str = TAUGHT

    def as_json(self) -> dict[str, Any]:
        """As a profile's file holds it."""
        crop = base64.b64encode(self.jpeg).decode()
        return {"label": dict(self.label), "light": self.light, "source": self.source, "jpeg": crop}

    @staticmethod
    def from_json(held: Mapping[str, Any]) -> "Sample":
        """A sample of a profile's file. Raises `ValueError` for what is none."""
        if not isinstance(held.get("jpeg"), str) or not isinstance(held.get("label"), Mapping):
            raise ValueError("a sample without its picture or its label")
        try:
            jpeg = base64.b64decode(held["jpeg"], validate=True)
        except ValueError:  # also where it is no ASCII
            raise ValueError("a sample is no base64") from None
        if held.get("source") not in (TAUGHT, CONFIRMED) or type(held.get("light")) is not int:
            raise ValueError("a sample without its source or its light")
        sample = Sample(dict(held["label"]), jpeg, held["light"], held["source"])
        if max(sample.crop().shape) > MOST_PX:
            raise ValueError("a sample is too large")
        return sample

    def relabelled(self, label: Mapping[str, Any]) -> "Sample":
        """The same crop under another label."""
        return replace(self, label=label)

    def crop(self) -> NDArray[np.uint8]:
        """The crop, uint8 BGR (h, w, 3). Raises `ValueError` where its bytes are no picture."""
        picture = decode_picture(self.jpeg)
        if picture is None:
            raise ValueError("a sample is no picture")
        return picture


def samples_of(value: Any) -> tuple[Sample, ...]:
    """The samples in a profile's file, from JSON. Raises `ValueError` for what are none."""
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise ValueError(f"its samples are no list of objects, {value!r:.40}")
    return tuple(map(Sample.from_json, value))


def taught_of(samples: Sequence[Sample]) -> list[Sample]:
    """Those that people showed, without what was confirmed as moves."""
    return [sample for sample in samples if sample.source == TAUGHT]


def by_light(samples: Sequence[Sample]) -> list[list[int]]:
    """The places of the samples of each photograph, in the order of the photographs."""
    places = sorted(range(len(samples)), key=lambda i: samples[i].light)
    return [list(own) for _, own in groupby(places, key=lambda i: samples[i].light)]


def times_taught(taught: int, confirmed: int) -> int:
    """How often each of a name's taught looks counts beside its confirmed ones, which then weigh `EVENINGS_SHARE`.

    >>> times_taught(5, 0), times_taught(5, 2), times_taught(2, 5)
    (1, 1, 5)
    """
    return max(1, ceil(confirmed / (EVENINGS_SHARE * taught))) if taught else 1


def rectify_card(pyramid: Pyramid, corners: NDArray[np.floating], frame: CropFrame) -> NDArray[np.uint8]:
    """A card (K, 2 corners in pixels) as its crop shows it: uint8 BGR of the frame's size."""
    outline = np.asarray(corners, np.float64)
    image_from_crop, _ = cv2.findHomography(frame.corners, outline)
    scale = side_px(outline) / side_px(frame.corners)
    return np.asarray(warp(pyramid, image_from_crop, frame.size, scale), np.uint8)


def jpeg_of(crop: NDArray[np.uint8]) -> bytes:
    """A crop, uint8 (h, w, 3), as the JPEG file's bytes that a sample keeps."""
    return encode_picture(crop, *_JPEG)


def in_grey(picture: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """A picture without its colours, uint8 (h, w, 3) each, in several depths.

    What differs in depth alone is mixed up in one of them.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) / 255.0
    levels = [(255 * grey**exponent).astype(np.uint8) for exponent in _GREY_EXPONENTS]
    return [np.asarray(cv2.cvtColor(one, cv2.COLOR_GRAY2BGR), np.uint8) for one in levels]


def mosaic(samples: Sequence[Sample], frame: CropFrame) -> tuple[Pyramid, NDArray[np.float32]]:
    """Samples of one light side by side, as one picture, and their corners (N, K, 2) on it."""
    picture = np.concatenate([sample.crop() for sample in samples], axis=1)
    right = np.arange(len(samples))[:, None, None] * np.array([frame.size[0], 0.0])
    return Pyramid.of(picture), (frame.corners + right).astype(np.float32)
