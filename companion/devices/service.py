"""The service manager: what systemd is told about the table, and the supervisor that keeps its watchdog fed.

The watchdog is fed only while every part that is looked at gives a sign of life; nothing else feeds it. A part that
hangs is therefore seen: the feeding stops, the reason is said, and the manager ends and restarts the table. Where no
manager is listening, as on a laptop, nothing is told and nothing supervised.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Check = Callable[[], str | None]
"""A part's sign of life: None, or what is wrong with it, for people."""

_MEALS_A_PERIOD = 3
"""The watchdog is fed three times in its period, so that one slow look at everything is no reason to be restarted."""


def is_logged(environment: Mapping[str, str] = os.environ, descriptor: int = 1) -> bool:
    """Whether what this process prints goes to the system's log, as ``JOURNAL_STREAM`` says; systemd.exec(5)."""
    state = os.fstat(descriptor)
    return environment.get("JOURNAL_STREAM") == f"{state.st_dev}:{state.st_ino}"


@dataclass(frozen=True, slots=True)
class ServiceManager:
    """Who started this process and wants to hear of it; sd_notify(3) says how.

    Attributes:
        address: of its socket, as ``NOTIFY_SOCKET`` says it; None when nobody listens.
        watchdog_s: the time within which it wants a sign of life; None when it does not.
    """

    address: str | None = None
    watchdog_s: float | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "ServiceManager":
        """The manager that the environment names; a watchdog meant for another process is none of ours.

        >>> ServiceManager.from_environment({"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30000000"})
        ServiceManager(address='/run/notify', watchdog_s=30.0)
        """
        period, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        is_ours = period.isdecimal() and int(period) > 0 and process in ("", str(os.getpid()))
        return cls(environment.get("NOTIFY_SOCKET") or None, int(period) / 1e6 if is_ours else None)

    @property
    def is_listening(self) -> bool:
        """Whether there is one."""
        return self.address is not None

    def ready(self, status: str) -> None:
        """The page is live."""
        self.notify("READY=1", f"STATUS={status}")

    def stopping(self) -> None:
        """The table is being closed."""
        self.notify("STOPPING=1", "STATUS=closing")

    def notify(self, *assignments: str) -> None:
        """Send assignments in one message. A manager that has gone is said to be so; the table goes on without it."""
        if self.address is None:
            return
        to = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sending:
                sending.sendto("\n".join(assignments).encode(), to)
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
            manager: who is told.
            checks: the parts to look at, by name; each answers well within the watchdog's time.
            status: one line for ``systemctl status`` while all is well.
            say: where the reason goes when the feeding stops, and when it goes on.
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
        """Look no more. Twice is harmless."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def check(self) -> bool:
        """Look at every part once, and feed the watchdog if all are alive."""
        found = (f"{name}: {trouble}" for name, check in self._checks.items() if (trouble := check()) is not None)
        trouble = "; ".join(found)
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
        while not self._stopping.wait(self._manager.watchdog_s / _MEALS_A_PERIOD):
            self.check()
