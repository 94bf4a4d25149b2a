"""Notifies systemd of the table's state, and feeds its watchdog while every part is alive.

When a part hangs, the feeding stops, the reason is printed, and systemd restarts the table. Without a service manager,
as on a laptop, nothing is sent and nothing supervised.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Check = Callable[[], str | None]
"""Checks one part; returns None, or what is wrong with it."""

_FEEDS_A_PERIOD = 3
"""The watchdog is fed three times in its period, so that one slow check causes no restart."""


def is_logged(environment: Mapping[str, str] = os.environ, descriptor: int = 1) -> bool:
    """Whether what this process prints goes to the system's log, as ``JOURNAL_STREAM`` says; systemd.exec(5)."""
    state = os.fstat(descriptor)
    return environment.get("JOURNAL_STREAM") == f"{state.st_dev}:{state.st_ino}"


@dataclass(frozen=True, slots=True)
class ServiceManager:
    """The service manager that started this process; see sd_notify(3).

    Attributes:
        address: of its socket, from ``NOTIFY_SOCKET``; None without a manager.
        watchdog_s: the watchdog's period; None without a watchdog.
    """

    address: str | None = None
    watchdog_s: float | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "ServiceManager":
        """The manager that the environment names; a watchdog for another process is ignored.

        >>> ServiceManager.from_environment({"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30000000"})
        ServiceManager(address='/run/notify', watchdog_s=30.0)
        """
        period, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        is_ours = period.isdecimal() and int(period) > 0 and process in ("", str(os.getpid()))
        return cls(environment.get("NOTIFY_SOCKET") or None, int(period) / 1e6 if is_ours else None)

    @property
    def is_listening(self) -> bool:
        """Whether a manager is listening."""
        return self.address is not None

    def ready(self, status: str) -> None:
        """Report that the page is live."""
        self.notify("READY=1", f"STATUS={status}")

    def stopping(self) -> None:
        """Report that the table is closing."""
        self.notify("STOPPING=1", "STATUS=closing")

    def notify(self, *assignments: str) -> None:
        """Send assignments in one message; when the manager is gone, print the error and go on."""
        if self.address is None:
            return
        address = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.sendto("\n".join(assignments).encode(), address)
        except OSError as error:
            print(f"companion: the service manager does not hear: {error}", file=sys.stderr, flush=True)


class Supervisor:
    """Feeds the watchdog as long as every part is alive, from `start` to `stop`."""

    def __init__(
        self,
        manager: ServiceManager,
        checks: Mapping[str, Check],
        status: Callable[[], str],
        say: Callable[[str], None] = print,
    ) -> None:
        """A supervisor; without a watchdog to feed it does nothing.

        Args:
            manager: the manager to feed.
            checks: the parts' checks by name; each returns well within the watchdog's period.
            status: one line for ``systemctl status`` while all is well.
            say: prints why the feeding stops, and when it resumes.
        """
        self._manager = manager
        self._checks = checks
        self._status = status
        self._say = say
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._trouble = ""

    def start(self) -> None:
        """Begin to look."""
        if self._manager.watchdog_s is not None:
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread. Idempotent."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def check(self) -> bool:
        """Check every part once, and feed the watchdog if all are alive."""
        failures = (f"{name}: {failure}" for name, check in self._checks.items() if (failure := check()) is not None)
        trouble = "; ".join(failures)
        if trouble != self._trouble:
            self._say(f"not alive, and restarted unless that ends: {trouble}" if trouble else "all alive again")
            self._trouble = trouble
        if trouble:
            self._manager.notify(f"STATUS={trouble}")
        else:
            self._manager.notify("WATCHDOG=1", f"STATUS={self._status()}")
        return not trouble

    def _run(self) -> None:
        assert self._manager.watchdog_s is not None
        while not self._stopping.wait(self._manager.watchdog_s / _FEEDS_A_PERIOD):
            self.check()
