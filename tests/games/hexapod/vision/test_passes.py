"""How often a field is looked at: an insect whose name is doubtful is asked of cuts beside it too."""

import numpy as np

from companion.games.hexapod.vision import orientation as hexapod_fields
from companion.games.hexapod.vision.classifier import KINDS
from companion.games.hexapod.vision.orientation import classify_fields, embed_turned, rotate_field
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid

CARDS = ((0, 0, (("blue", "green"), ("gold", "dung"))),)


class SureBy:
    """Names everything a leaf, so surely; the way up is the first."""

    rows, cols, needs_upright = 5, 5, True

    def __init__(self, sure):
        self.sure = sure

    def kinds(self, cells):
        out = np.zeros((*cells.state.shape[:2], len(KINDS)))
        out[..., KINDS.index("leaf")] = self.sure
        return out

    def fit(self, cells):
        return 0.0


def test_only_a_doubtful_name_asks_for_cuts_beside_and_the_likeness_is_what_all_have_in_common(frame, monkeypatch):
    picture = frame([((480, 320), 0, CARDS)])
    (case,) = read_hexapod(picture).cards
    quad, pyramid = Detection(case.corners, 0.99), Pyramid.of(picture)
    looks, classify_cells = [], hexapod_fields.classify_cells
    monkeypatch.setattr(
        hexapod_fields, "classify_cells", lambda net, fields: looks.append(classify_cells(net, fields)) or looks[-1]
    )

    (sure,) = classify_fields(pyramid, [quad], 5, 5, SureBy(0.99))
    assert len(looks) == 1
    looks.clear()

    (doubtful,) = classify_fields(pyramid, [quad], 5, 5, SureBy(0.5))
    _stood, beside = looks
    assert len(beside) >= 4
    assert all(np.abs(one.embedding - sure.cells.embedding).max() > 1e-3 for one in beside)
    shared = np.mean([sure.cells.embedding, *(one.embedding for one in beside)], axis=0)
    shared /= np.linalg.norm(shared, axis=-1, keepdims=True)
    assert np.abs(doubtful.cells.embedding - shared).max() < 1e-5
    assert np.array_equal(doubtful.cells.state, sure.cells.state)


def test_a_field_that_is_turned_as_others_lie_gets_the_embeddings_of_that_way_up(frame):
    picture = frame([((480, 320), 0, CARDS)])
    (case,) = read_hexapod(picture).cards
    pyramid, classifier = Pyramid.of(picture), SureBy(0.5)
    (field,) = classify_fields(pyramid, [Detection(case.corners, 0.99)], 5, 5, classifier)

    turned = rotate_field(field, 2)
    (embedded,) = embed_turned(pyramid, [field], [turned], classifier)
    (as_before,) = embed_turned(pyramid, [embedded], [rotate_field(embedded, 2)], classifier)
    assert np.abs(embedded.cells.embedding - turned.cells.embedding).max() > 0.1
    assert np.abs(as_before.cells.embedding - field.cells.embedding).max() < 1e-3
    assert embed_turned(pyramid, [field], [field], classifier) == [field]


class NamedByShift(SureBy):
    """Doubts everything, and names what lies in each crop by its first embedding."""

    def kinds(self, cells):
        out = np.zeros((*cells.state.shape[:2], len(KINDS)))
        out[..., KINDS.index("leaf")] = np.where(cells.embedding[..., 0] > 0, 0.8, 0.1)
        out[..., KINDS.index("gold")] = np.where(cells.embedding[..., 0] > 0, 0.1, 0.8)
        return out


def test_an_insect_is_contested_where_a_cut_beside_names_it_otherwise(frame, monkeypatch):
    picture = frame([((480, 320), 0, CARDS)])
    (case,) = read_hexapod(picture).cards
    quad, pyramid = Detection(case.corners, 0.99), Pyramid.of(picture)
    run, turned = hexapod_fields._run_passes, (2, 3)

    def one_cut_differs(*arguments):
        passes = run(*arguments)
        for cells in (one for some in passes for one in some):
            cells.embedding[..., 0] = 1.0
        if passes and len(passes[0]) == len(hexapod_fields._JITTERS):
            passes[0][-1].embedding[turned][0] = -1.0
        return passes

    monkeypatch.setattr(hexapod_fields, "_run_passes", one_cut_differs)
    (field,) = classify_fields(pyramid, [quad], 5, 5, NamedByShift(0.8))
    assert field.contested is not None and np.argwhere(field.contested).tolist() == [list(turned)]
