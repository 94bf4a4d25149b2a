"""The ``companion`` command, also as ``python -m companion``."""

import signal
from types import FrameType


def main() -> int:
    """Run the command line; end quietly on Ctrl-C, which may come while its modules are loaded from a slow disk."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # not under nohup
            signal.signal(number, _leave)
    try:
        from companion.cli.main import main as run_command

        return run_command()
    except KeyboardInterrupt:
        return 130


def _leave(number: int, frame: FrameType | None) -> None:
    """End as a signal asks to, but close what is open, such as a broker that was started, until a table does better."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    raise SystemExit(main())
