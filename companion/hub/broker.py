"""A Mosquitto of one's own, as a subprocess: for the demo, for tests, and for a hall on one machine."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

from companion.errors import TableError

_STARTS_WITHIN_S = 10.0
_CHECK_S = 0.02


def mosquitto() -> str | None:
    """The path of the broker's program; None where it is not installed."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """A port of this machine's loopback that nobody has now."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


class Mosquitto:
    """A running broker; a context that ends it.

    Attributes:
        port: on the loopback.
    """

    def __init__(self, folder: Path, port: int | None = None, config: Path | None = None) -> None:
        """A broker, started and listening.

        Args:
            folder: where its configuration and its log are kept.
            config: a whole configuration, with its own listener at ``port``; None: anybody on this machine may
                connect and say anything.

        Raises:
            TableError: Mosquitto is not installed, or does not start.
        """
        self.port = port or free_port()
        self._folder = folder
        self._config = config or _open_house(folder, self.port)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def pid(self) -> int:
        """Of the process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, again after `kill`."""
        program = mosquitto()
        if program is None:
            raise TableError("mosquitto is not installed; try apt install mosquitto", code="no-broker")
        log = (self._folder / "mosquitto.log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [program, "-c", str(self._config)],
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C is for those who say goodbye to it first
            )
        try:
            self._await()
        except BaseException:  # also a signal's: nobody else would end it
            self.kill()
            raise

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Ask it to end, and wait."""
        if self._process:
            self._process.terminate()
            self._process.wait()

    def __enter__(self) -> "Mosquitto":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _await(self) -> None:
        assert self._process is not None
        ends_s = time.monotonic() + _STARTS_WITHIN_S
        while time.monotonic() < ends_s and self._process.poll() is None:
            with socket.socket() as trying:
                if trying.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(_CHECK_S)
        raise TableError(f"mosquitto does not start; see {self._folder / 'mosquitto.log'}", code="no-broker")


def _open_house(folder: Path, port: int) -> Path:
    config = folder / "mosquitto.conf"
    user = pwd.getpwuid(os.getuid()).pw_name  # or a broker started by root would give up its rights to the folder
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser {user}\n{TUNING}", encoding="utf-8"
    )
    return config


TUNING = "max_inflight_messages 1000\nmax_queued_messages 10000\nset_tcp_nodelay true\n"
"""Room for hubs that read in batches; what a slow one misses beyond that, the tables send again."""
