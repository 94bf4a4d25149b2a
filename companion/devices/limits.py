"""A limit on the patience with drivers: what does not come back in time is left to itself and said."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

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
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it is raised again where it was called for
            answer.set_exception(error)

    threading.Thread(target=run, name=what, daemon=True).start()
    if not wait([answer], limit_s).done:
        raise Hung(f"{what} did not come back within {limit_s:g} s")
    return answer.result()
