"""Networks that run once for the same batch, however many tests, or stages of one reading, ask for its answer."""

import hashlib
import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from companion.vision import networks
from companion.vision.networks import OnnxRuntimeNetwork

KEPT_BYTES = 96 << 20
"""Of answers, in one process; of more the one that was asked for longest ago goes."""

_answers: OrderedDict[tuple[int, tuple[int, ...], bytes], NDArray[np.float32]] = OrderedDict()
_kept_bytes = 0
_keeping = threading.Lock()


class RememberingNetwork(OnnxRuntimeNetwork):
    """A network whose answer depends on its weights and the batch alone; `test_networks` tries the engine without it.

    `network` keeps each that it has loaded.
    """

    def forward(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        global _kept_bytes
        batch = np.ascontiguousarray(batch, np.float32)
        key = id(self), batch.shape, hashlib.sha256(batch.data).digest()
        with _keeping:
            if key in _answers:
                _answers.move_to_end(key)
                return _answers[key].copy()
        answer = super().forward(batch)
        with _keeping:
            if key not in _answers:
                _answers[key] = answer.copy()
                _kept_bytes += answer.nbytes
            while _kept_bytes > KEPT_BYTES:
                _kept_bytes -= _answers.popitem(last=False)[1].nbytes
        return answer


def remember_answers() -> None:
    """Let all networks that are loaded from now on remember, for as long as this process runs."""
    fastest = networks.engine
    networks.engine = lambda: RememberingNetwork if fastest() is OnnxRuntimeNetwork else fastest()
