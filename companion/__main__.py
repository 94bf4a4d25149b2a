"""The ``companion`` command, also as ``python -m companion``."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType

_FINISH_WITHIN_S = 0.5


def main() -> int:
    """Run the command line; end quietly on Ctrl-C, which may come while its modules are loaded from a slow disk."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # not under nohup
            signal.signal(number, _leave)
    try:
        from companion.cli.main import main as run_command

        status = run_command()
    except KeyboardInterrupt:
        return 130
    if _is_busy():
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(status)
    return status


def _is_busy() -> bool:
    """Whether a thread is still at work: Python would wait for it, or end it within a library, which aborts.

    A phone may have sent a large photograph just before its table was stopped.
    """
    ends_s = time.monotonic() + _FINISH_WITHIN_S
    others = [one for one in threading.enumerate() if one is not threading.current_thread()]
    for one in others:
        one.join(max(0.0, ends_s - time.monotonic()))
    return any(one.is_alive() for one in others)


def _leave(number: int, frame: FrameType | None) -> None:
    """End as a signal asks to, but close what is open, such as a broker that was started, until a table does better."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    raise SystemExit(main())
