"""Supervision of the process: watchdog, signals, memory, and an exit when a thread dies."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from companion.app.table import Table, Watcher
from companion.devices.camera import MonitoredCamera
from companion.devices.service import ServiceManager, Supervisor
from companion.errors import CompanionError, TableError
from companion.referee.messages import Notice
from companion.referee.referee import BUG_EXIT_STATUS, Referee

_REFEREE_ANSWERS_WITHIN_S = 5.0
_CAMERA_LOOP_RETURNS_WITHIN_S = 20.0  # opening a Pi's camera anew takes seconds, and so may one picture on a busy Pi


def status(table: Table) -> str:
    """One line for ``systemctl status``."""
    session, health = table.referee.latest(), table.health()
    return f"{session.header.game}, {len(session.moves)} moves, camera {health['camera']['state']}, {table.url}"


def release_memory() -> None:
    """Give memory that was freed back to the system.

    glibc keeps what lies between blocks that are still used: after eight games, each watched by a tracker of its own, a
    process held 541 MB, with this 227 MB. Without glibc nothing happens.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@contextmanager
def supervised(table: Table, camera: MonitoredCamera | None, manager: ServiceManager) -> Iterator[None]:
    """Feed the service manager's watchdog from a thread while the referee answers and the camera loop runs."""
    checks = {
        "referee": lambda: _referee_trouble(table.referee),
        "camera loop": lambda: _loop_trouble(table.watcher, camera),
    }
    supervisor = Supervisor(
        manager, checks, lambda: status(table), lambda line: print(f"companion: {line}", flush=True)
    )
    supervisor.start()
    try:
        yield
    finally:
        supervisor.stop()


@contextmanager
def ending_at_a_bug() -> Iterator[None]:
    """Exit the process when a thread dies, so that the service manager restarts it; a bug prints its traceback."""
    before = threading.excepthook

    def end(died: threading.ExceptHookArgs) -> None:
        exit_status = BUG_EXIT_STATUS
        try:
            if isinstance(died.exc_value, CompanionError):
                exit_status = died.exc_value.exit_status
                print(f"companion: {died.exc_value.message} ({died.exc_value.code})", file=sys.stderr)
            else:
                before(died)
            if sys.stderr is not None:
                sys.stderr.flush()
        finally:  # also where the log's disk is full
            os._exit(exit_status)

    threading.excepthook = end
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def stopped_by_signals(table: Table) -> Iterator[None]:
    """Stop the table at SIGINT or SIGTERM; a second signal ends the process by the previous handler."""
    before: dict[int, Any] = {}

    def stop(number: int, frame: FrameType | None) -> None:
        table.ask_to_stop()
        restore()

    def restore() -> None:
        for caught, handler in before.items():
            signal.signal(caught, handler)

    before |= {caught: signal.signal(caught, stop) for caught in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        restore()


def _referee_trouble(referee: Referee) -> str | None:
    """The error when the referee does not answer a request that changes nothing: clearing a notice nobody gave."""
    try:
        referee.ask(Notice("sign-of-life", None), _REFEREE_ANSWERS_WITHIN_S)
    except TableError as error:
        return error.message
    return None


def _loop_trouble(watcher: Watcher | None, camera: MonitoredCamera | None) -> str | None:
    if camera is None or watcher is None or watcher.health()["state"] in ("ended", "unused"):
        return None
    quiet_s = camera.quiet_s()
    return None if quiet_s < _CAMERA_LOOP_RETURNS_WITHIN_S else f"no sign of life for {quiet_s:.0f} s"
