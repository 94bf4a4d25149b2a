"""Cuts the views that the tile reader learns from out of drawn photographs, with what it should say of each.

Outlines are a little off, as the finder's are. An edge whose line something hides is not asked, or taught to be unsure.
"""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.vision.classifier import OWNERS, cut_tiles
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.hexdragon.tile_classifier.draw import pictures, read
from models.hexdragon.tile_classifier.stars import star_views
from models.hexel.symbol_classifier.train import jittered

Labels = tuple[list[int], int, int]
"""What each edge leads to (-1: not asked, 7: hidden), the owner (-1: not asked), the kind."""
HIDDEN = 7
MOSTLY, PARTLY = 0.6, 0.35
"""An edge with more of its line under something is hidden; with more than the lesser share it is not asked."""
HELD_BACK = 25
"""Of so many pictures one is kept for measuring."""


def dataset(
    caches: list[Path], repeats: int, stars: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_]]:
    """All views (M, VIEW, VIEW, 3) uint8, their labels (M, 8), and which are for measuring (M,) bool.

    Kept beside the first cache's pictures.
    """
    kept = caches[0] / f"views-{len(caches)}-{repeats}-{stars}.npz"
    if not kept.exists():
        rng = np.random.default_rng(7)
        drawn = [picture for cache in caches for picture in pictures(cache)]
        parts = [cut(path, truth, rng, repeats) for path, truth in drawn]
        x = np.concatenate([views for views, _ in parts])
        y = np.array([[*ends, owner, kind] for _, labels in parts for ends, owner, kind in labels], np.int64)
        measured = np.concatenate([np.full(len(views), k % HELD_BACK == 0) for k, (views, _) in enumerate(parts)])
        discs, disc_labels = star_views(x[(y[:, 7] == 2) & ~measured], stars, rng) if stars else (x[:0], y[:0])
        x, y = np.concatenate([discs, x]), np.concatenate([disc_labels, y])
        np.savez(kept, x=x, y=y, measured=np.concatenate([np.zeros(len(discs), bool), measured]))
    with np.load(kept) as file:
        return file["x"], file["y"], file["measured"]


def cut(
    path: Path, truth: dict[str, Any], rng: np.random.Generator, repeats: int
) -> tuple[NDArray[np.uint8], list[Labels]]:
    """Views and labels from one picture; of what lies partly under something twice as many."""
    pyramid = Pyramid.of(read(path))
    names = truth["conditions"]["printing"] != "invented"
    outlines, labels = [], []
    for entry in truth["tiles"] + truth["stars"]:
        quad = np.array(entry["corners"])
        if "cut" in entry or cv2.contourArea(quad.astype(np.float32)) < 0.866 * 30**2:
            continue
        for _ in range(repeats * (2 if entry["kind"] == "star" or entry["covered"] > 0.03 else 1)):
            start = int(rng.integers(6))
            label = wanted(entry, start, names)
            if label is not None:
                amount = float(rng.choice([0.6, 1.0, 1.8]))
                centre, affine = HEXAGON.pose_of(jittered(quad, rng, amount))
                if entry["kind"] == "star":  # a star lies anywhere on its cell
                    centre = centre + affine @ rng.uniform(-0.22, 0.22, 2)
                outlines.append(np.roll(centre + HEXAGON.unit @ affine.T, -start, axis=0))
                labels.append(label)
    for outline in jittered_outlines(truth, rng):
        outlines.append(jittered(outline, rng, 1.0))
        labels.append(([-1] * 6, -1, 2))
    views, _ = cut_tiles(pyramid, np.array(outlines).reshape(-1, 6, 2))
    return np.round(views * 200).astype(np.uint8), labels


def wanted(entry: dict[str, Any], start: int, names: bool) -> Labels | None:
    """What the network should say of a piece seen from its corner ``start``; None when too much of it is hidden."""
    owner = OWNERS.index(entry["owner"]) if entry["owner"] and names else -1
    if entry["kind"] == "star":
        return ([-1] * 6, owner, 1) if entry["covered"] < 0.3 else None
    if entry["covered"] > 0.75:
        return [-1] * 6, -1, 2
    if entry["covered"] > 0.55:
        return None
    hidden = entry["hidden"]
    ends = [HIDDEN if h > MOSTLY else -1 if h > PARTLY else e for e, h in zip(ends_of(entry), hidden, strict=True)]
    if entry["head"] is not None and hidden[entry["head"]] > 0.4:
        owner = -1
    return [ends[(d - start) % 6] for d in range(6)], owner, 0


def ends_of(entry: dict[str, Any]) -> list[int]:
    """What each edge of a tile leads to, as indices of `classifier.ENDS`."""
    ends = [5] * 6
    if entry["head"] is not None:
        ends[entry["head"]] = 6
    for a, b in entry["paths"]:
        ends[a], ends[b] = (b - a) % 6 - 1, (a - b) % 6 - 1
    return ends


def jittered_outlines(truth: dict[str, Any], rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Outlines where no tile lies: free cells, between tiles, on the table, over counters and face-down tiles."""
    pieces = [np.array(e["corners"]) for e in truth["tiles"] + truth["stars"]]
    centres = np.array([c.mean(0) for c in pieces])
    found = []
    for _ in range(14):
        base = pieces[int(rng.integers(len(pieces)))]
        centre, affine = HEXAGON.pose_of(base)
        angle = rng.uniform(0, 2 * np.pi)
        cell = [np.array([np.cos(a), np.sin(a)]) * np.sqrt(3) for a in np.radians(60.0 * np.arange(6))]
        way = cell[int(rng.integers(6))] * rng.choice([1, 1, 0.5, 2])
        if rng.random() < 0.3:
            way = np.array([np.cos(angle), np.sin(angle)]) * rng.uniform(0.5, 2.2)
        at = centre + affine @ way
        size = np.sqrt(abs(np.linalg.det(affine)))
        if np.linalg.norm(centres - at, axis=1).min() > 0.42 * size and (at > 0).all() and (at < truth["size"]).all():
            found.append(at + HEXAGON.unit @ affine.T)
    found += [np.array(decoy) for decoy in truth.get("decoys", []) for _ in range(2)]
    for outline in truth["ignore"]:
        quad = np.array(outline)
        if quad.shape == (6, 2) and np.linalg.norm(centres - quad.mean(0), axis=1).min() > 10:
            found.append(quad)
    return found
