"""uvicorn's server, stopped at once: as it comes it looks ten times a second whether it is to stop, and waits a tenth
of a second for its connections even when none is left."""

import asyncio
import socket
from contextlib import suppress

import uvicorn

_LOOKS_EACH_S = 0.005


class PromptServer(uvicorn.Server):
    """A server that another thread stops; see `uvicorn.Server`."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ticks: asyncio.Future[None] | None = None

    def leave(self) -> None:
        """Stop serving. Returns at once; called from any thread."""
        self.should_exit = True
        if (ticks := self._ticks) is not None:
            with suppress(RuntimeError):  # its loop is closed: it has stopped already
                ticks.get_loop().call_soon_threadsafe(ticks.cancel)

    async def main_loop(self) -> None:
        """Serve until it is to stop."""
        self._ticks = asyncio.ensure_future(super().main_loop())
        with suppress(asyncio.CancelledError):
            await self._ticks

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what listens, let each connection finish its answer within the time configured, cancel the others."""
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(_LOOKS_EACH_S)
                for server in self.servers:
                    await server.wait_closed()
        except TimeoutError:
            for task in list(self.server_state.tasks):
                task.cancel()
