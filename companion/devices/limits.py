"""A limit on the patience with drivers: what does not come back in time is left to itself and said."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from companion.errors import DeviceError

Answer = TypeVar("Answer")


class Hung(DeviceError):
    """A driver did not come back; what it was called for may still be going on, and its device is not to be touched."""

    default_code = "hung"


def within(limit_s: float, call: Callable[[], Answer], what: str) -> Answer:
    """Call a driver on a thread of its own and wait for it so long, no longer.

    Args:
        limit_s: seconds.
        call: what to do; its exceptions come through.
        what: what did not come back, for people, such as ``closing the Pi camera``.

    Raises:
        Hung: it did not come back in time. Its thread is left behind, since none can be ended from outside.
    """
    calling = _Call(call)
    thread = threading.Thread(target=calling.run, name=what, daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        raise Hung(f"{what} did not come back within {limit_s:g} s")
    return calling.answer()


class _Call(Generic[Answer]):
    def __init__(self, call: Callable[[], Answer]) -> None:
        self._call = call
        self._answers: list[Answer] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._answers.append(self._call())
        except BaseException as error:  # noqa: BLE001 - it is raised again where it was called for
            self._error = error

    def answer(self) -> Answer:
        if self._error is not None:
            raise self._error
        return self._answers[0]
