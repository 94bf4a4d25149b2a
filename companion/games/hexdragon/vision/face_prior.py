"""The faces that a HexDragon piece can have, and how sure each edge is given what the network says of all six.

A face is six labels in order of direction: what the line that begins at the edge leads to, said relative to the edge,
so that a face turns with its tile by a cyclic shift, as a Hex'el card's symbols do: ``+2`` the edge two directions on,
``tail``, ``head:red``; a star token shows ``star:red`` six times, the start tile six tails.
"""

import numpy as np

from companion.games.hexdragon.deck import BODY_SET, HEAD_LINE, HEADS, TAIL_LINE
from companion.games.hexdragon.vision.tile_crops import ENDS, OWNERS, Answers
from companion.vision.networks import softmax

Face = tuple[str | None, ...]

HEAD_NAMES = tuple(f"head:{owner}" for owner in OWNERS)
STAR_NAMES = tuple(f"star:{owner}" for owner in OWNERS)
NAMES: tuple[str | None, ...] = (*ENDS[:6], *HEAD_NAMES, *STAR_NAMES, None)
"""What each class is called; None for no piece at all."""
TAIL, HEAD = 5, 6
_KIND_SHARES = {"body": 0.5, "head": 0.44, "start": 0.06}
"""What is expected before anything is seen: there are six times as many heads as bodies, but not on a table."""
_PRIOR_WEIGHT = 0.3
"""Little is expected: 930 drawn tiles were read best so, with hardly a tile stated wrongly."""


def _all_faces() -> np.ndarray:
    """Every face a tile can show in every turn, (F, 6) indices of `paths.ENDS`: 15 bodies, 90 heads, the start."""
    bodies = [_labels(tile.across) for tile in BODY_SET]
    heads = [_labels(tile.across) for tile in HEADS]
    turned = [tuple(face[(d - turns) % 6] for d in range(6)) for face in bodies + heads for turns in range(6)]
    return np.array([*dict.fromkeys(turned), (TAIL,) * 6])


def _labels(across: tuple[int, ...]) -> tuple[int, ...]:
    return tuple({HEAD_LINE: HEAD, TAIL_LINE: TAIL}.get(far, (far - d) % 6 - 1) for d, far in enumerate(across))


def _prior() -> np.ndarray:
    """What each of `FACES` is expected at, (F,)."""
    heads, tails = (FACES == HEAD).any(1), (FACES == TAIL).all(1)
    kinds = np.where(tails, "start", np.where(heads, "head", "body"))
    return np.array([_KIND_SHARES[str(kind)] / (kinds == kind).sum() for kind in kinds])


FACES = _all_faces()
_LOG_PRIOR = _PRIOR_WEIGHT * np.log(_prior())
_ONE_HOT = np.eye(len(ENDS), dtype=np.float32)[FACES]
"""(F, 6, 7)."""


def edge_probabilities(answers: Answers) -> np.ndarray:
    """Probability of each of `NAMES` for each edge, (N, 6, C): what the faces that can be speak for, together."""
    n = len(answers.ends)
    weight = face_weights(answers.ends)
    ends = np.einsum("nf,fdl->ndl", weight, _ONE_HOT)
    owners, tile, star, other = answers.owners[:, None], *(answers.kinds[:, k, None, None] for k in range(3))
    out = [ends[..., :6] * tile, ends[..., HEAD:] * owners * tile, np.repeat(owners * star, 6, axis=1)]
    return np.concatenate([*out, np.broadcast_to(other, (n, 6, 1))], axis=-1).astype(np.float32)


def answers_told(probabilities: np.ndarray) -> Answers:
    """The answers from which such probabilities (N, 6, C) come."""
    ends = np.stack([end_shares(p) for p in probabilities])
    owned = probabilities[..., _HEADS].sum(1) + probabilities[..., _STARS].sum(1)
    tile, star = (np.array([share(p) for p in probabilities]) for share in (tile_share, star_share))
    kinds = np.stack([tile, star, 1 - tile - star], axis=1)
    return Answers(ends, owned / np.maximum(owned.sum(1, keepdims=True), 1e-6), kinds)


def face_weights(ends: np.ndarray) -> np.ndarray:
    """How likely each of `FACES` is (N, F), from the probabilities of the ends of its edges (N, 6, 7)."""
    return softmax(np.einsum("ndl,fdl->nf", np.log(np.maximum(ends, 1e-6)), _ONE_HOT) + _LOG_PRIOR)


def end_shares(probabilities: np.ndarray) -> np.ndarray:
    """The probabilities (6, 7) of `paths.ENDS` in (6, C), of a piece that is a tile."""
    ends = np.concatenate([probabilities[:, :HEAD], probabilities[:, _HEADS].sum(-1, keepdims=True)], axis=1)
    return np.asarray(ends / np.maximum(ends.sum(-1, keepdims=True), 1e-6))


def tile_share(probabilities: np.ndarray) -> float:
    """How surely (6, C) is a tile, 0..1."""
    return float(probabilities[:, :10].sum(-1).mean())


def star_share(probabilities: np.ndarray) -> float:
    """How surely (6, C) is a star token, 0..1."""
    return float(probabilities[:, 10:14].sum(-1).mean())


def accepted_edges(probabilities: np.ndarray, sure: float, sure_owner: float) -> Face:
    """The labels (6,) that may be stated as fact; None where unsure.

    Args:
        probabilities: (6, C).
        sure: what an edge leads to, or that a star lies there, is at least so certain.
        sure_owner: whose head or star it is, given that it is one, is at least so certain.

    >>> p = np.zeros((6, len(NAMES)), np.float32)
    >>> p[:, NAMES.index("tail")] = 0.99
    >>> accepted_edges(p, 0.9, 0.8)[:2]
    ('tail', 'tail')
    """
    best = probabilities.argmax(-1)
    return tuple(_name(int(k), p, sure, sure_owner) for k, p in zip(best, probabilities, strict=True))


def _name(best: int, p: np.ndarray, sure: float, sure_owner: float) -> str | None:
    owned = _HEADS if best in range(*_HEADS.indices(len(NAMES))) else _STARS
    if best not in range(*owned.indices(len(NAMES))):
        return NAMES[best] if p[best] >= sure else None
    share = float(p[owned].sum())
    return NAMES[best] if share >= sure and p[best] >= sure_owner * share else None


_HEADS, _STARS = slice(6, 10), slice(10, 14)
