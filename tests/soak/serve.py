"""A table without a camera behind one of several web servers, for comparing them; see `phones.py`.

    python tests/soak/serve.py SERVER PORT

SERVER is own (as the product serves), waitress, waitress-wide, gunicorn, granian, hypercorn or uvicorn. All but own and
waitress, the two that the product has had, are installed by hand: ``pip install waitress gunicorn granian hypercorn``.
"""

import resource
import sys
import tempfile
import threading
from pathlib import Path

from flask import Flask

from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.web.app import create_app
from companion.web.server import Server, bind
from companion.web.shell import Bell, Shell

CODE, PIN = "ROSE42", "271828"


def table() -> tuple[Flask, Referee]:
    header = Header("hexel", ("Ana", "Bo"), "36")
    referee = open_table(Path(tempfile.mkdtemp()), header, header, press_gap_s=0.0)
    referee.start()
    return create_app(referee, join_code=CODE, operator_pin=PIN), referee


def shell() -> Shell:
    app, referee = table()
    bell = Bell()
    referee.feed.ring(bell.ring)
    return Shell(app, bell)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    {
        "own": own,
        "waitress": lambda port: by_waitress(port, threads=212, connection_limit=400),
        "waitress-wide": lambda port: by_waitress(port, threads=612, connection_limit=2400),
        "gunicorn": by_gunicorn,
        "granian": by_granian,
        "hypercorn": by_hypercorn,
        "uvicorn": by_uvicorn,
    }[sys.argv[1]](int(sys.argv[2]))


def own(port: int) -> None:
    Server(table()[0], bind("127.0.0.1", port)).start()
    threading.Event().wait()


def by_waitress(port: int, **limits: int) -> None:
    import waitress

    waitress.serve(table()[0], host="127.0.0.1", port=port, channel_timeout=30, **limits)


def by_gunicorn(port: int) -> None:
    from gunicorn.app.base import BaseApplication

    class Application(BaseApplication):
        def load_config(self) -> None:
            options = {"bind": f"127.0.0.1:{port}", "worker_class": "gthread", "workers": 1, "threads": 612}
            for name, value in {**options, "worker_connections": 2400, "loglevel": "error"}.items():
                self.cfg.set(name, value)

        def load(self) -> Flask:
            return table()[0]

    Application().run()


def by_granian(port: int) -> None:
    import asyncio

    from granian.constants import Interfaces
    from granian.server.embed import Server as Granian

    asyncio.run(
        Granian(shell(), address="127.0.0.1", port=port, interface=Interfaces.ASGINL, log_enabled=False).serve()
    )


def by_hypercorn(port: int) -> None:
    import asyncio

    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind, config.read_timeout, config.backlog = [f"127.0.0.1:{port}"], 10, 1024
    asyncio.run(serve(shell(), config))


def by_uvicorn(port: int) -> None:
    import uvicorn

    uvicorn.run(shell(), host="127.0.0.1", port=port, lifespan="off", log_level="error", ws="none")


if __name__ == "__main__":
    main()
