"""What happens to a real table: a disk that turns read-only or full, a journal moved away, a clock that is set.

    python tests/soak/mishaps.py

Needs root, e2fsprogs and libfaketime. A table runs on a small file system of its own. Each mishap comes while it is
played; told are the seconds until the page says so and until a move counts again after it was mended. Meanwhile every
move must be refused; at the end the process is killed, and after its next start each game must stand as acknowledged.
Exit status 1 when something was noticed later than after 2 s, or is not as it must be.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PORT, CODE, PIN = 8099, "ROSE42", "271828"
HEADER = {"record": 1, "game": "hexapod", "players": ["Ana", "Bo"]}
SETTINGS = f"""[web]
host = "127.0.0.1"
port = {PORT}
join_code = "{CODE}"
operator_pin = "{PIN}"
[panel]
pins = "none"
"""
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
WITHIN_S, LIVE_WITHIN_S = 2.0, 60.0
YEARS_S = 10 * 365 * 24 * 3600


class Wrong(AssertionError):
    """Something that must be so is not."""


def ask(path: str, body: object = None) -> tuple[int, Any]:
    """An answer's status and its JSON, or its text."""
    headers = {"X-Join-Code": CODE, "X-Operator-Pin": PIN}
    asked = urllib.request.Request(
        f"http://127.0.0.1:{PORT}{path}", None if body is None else json.dumps(body).encode(), headers
    )
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            text = answer.read().decode()
            return answer.status, json.loads(text) if answer.headers.get_content_type() == "application/json" else text
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())


def until(happened: Callable[[], bool], limit_s: float) -> float:
    """For how many seconds something had to be waited for. Raises `Wrong` beyond the limit."""
    begun = time.monotonic()
    while not happened():
        if time.monotonic() - begun > limit_s:
            raise Wrong(f"not within {limit_s:g} s: {ask('/api/state')}")
        time.sleep(0.02)
    return time.monotonic() - begun


@dataclass
class Table:
    """The table's process on a file system of its own, with a clock of its own."""

    folder: Path
    begun: int = 0
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def image(self) -> Path:
        return self.folder / "image"

    @property
    def journal(self) -> Path:
        return self.disk / "data" / "games" / f"{self.begun:04}.jsonl"

    def prepare(self) -> None:
        """Write the settings, and make and mount the file system."""
        (self.folder / "companion.toml").write_text(SETTINGS)
        (self.folder / "clock").write_text("+0s\n")
        with self.image.open("wb") as file:
            file.truncate(32 << 20)
        self.disk.mkdir()
        run("mkfs.ext4", "-q", str(self.image))
        self.mount()

    def mount(self) -> None:
        """Mount the file system."""
        run("mount", "-o", "loop,errors=remount-ro", str(self.image), str(self.disk))

    def unmount(self) -> None:
        """Unmount it."""
        run("umount", "-R", str(self.disk))

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings, data = str(self.folder / "companion.toml"), str(self.disk / "data")
        command = (sys.executable, "-m", "companion", "run", "--settings", settings, "--data", data)
        clock = {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.folder / "clock")}
        fake = {**clock, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"} if FAKETIME else {}
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **fake})
        until(self._is_live, LIVE_WITHIN_S)

    def kill(self) -> None:
        """End it as a power cut does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def begin(self) -> None:
        """Put a game on the table in which Ana has passed; Bo is to play."""
        for path, body in (("/api/next", {"header": HEADER}), ("/api/commands", {"cmd": "pass", "player": "Ana"})):
            status, told = ask(path, body)
            if status != 200:
                raise Wrong(f"{path}: {status} {told}")
        self.begun = max(int(path.stem) for path in self.journal.parent.glob("*.jsonl"))

    def _is_live(self) -> bool:
        with contextlib.suppress(OSError):
            return ask("/api/state")[0] == 200
        return False


def noticed(code: str) -> bool:
    """Whether the page shows a notice."""
    return any(notice["code"] == code for notice in ask("/api/state")[1]["notices"])


def lose(table: Table, spoil: Callable[[], None], mend: Callable[[], None]) -> str:
    """Spoil what the journal needs: it is said, Bo's pass is refused; mended, it counts."""
    table.begin()
    spoil()
    said_s = until(lambda: noticed("journal-lost"), WITHIN_S)
    status, told = ask("/api/commands", {"cmd": "pass", "player": "Bo"})
    turn = ask("/api/state")[1]["turn"]
    if status != 503 or told["error"]["code"] != "not-written" or turn != "Bo" or ask("/healthz")[0] != 503:
        raise Wrong(f"answered {status} {told}, turn {turn}")
    mend()
    back_s = until(lambda: ask("/api/commands", {"cmd": "pass", "player": "Bo"})[0] == 200, WITHIN_S)
    gone_s = until(lambda: not noticed("journal-lost"), WITHIN_S)
    return (
        f"said after {said_s:.1f} s; mended: a move counts after {back_s:.1f} s, the notice goes after {gone_s:.1f} s"
    )


def fill(table: Table) -> str:
    """Leave no room on the disk: no game is begun on it; with room again one is."""
    table.begin()
    before, path = ask("/api/state")[1], table.disk / "filler"
    with path.open("wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1 << 8):
            with contextlib.suppress(OSError):
                while True:
                    filler.write(bytes(size))
    status, told = ask("/api/next", {"header": HEADER})
    if status != 503 or ask("/api/state")[1] != before:
        raise Wrong(f"answered {status} {told}")
    path.unlink()
    table.begin()
    return "a new game is refused, the one on the table stays; with room again it is begun"


def set_clock(table: Table, by_s: int, *, is_said: bool) -> str:
    """Set the clock; what was played and what is played now stands."""
    table.begin()
    (table.folder / "clock").write_text(f"{by_s:+d}s\n")
    said = f"said after {until(lambda: noticed('clock-back'), WITHIN_S):.1f} s" if is_said else "nothing to say"
    status, told = ask("/api/commands", {"cmd": "pass", "player": "Bo"})
    pages = ["/", "/past", f"/past/{table.begun}", "/past/players", f"/past/{table.begun}/game.json", "/api/moves/2"]
    if status != 200 or (bad := [page for page in pages if ask(page)[0] != 200]):
        raise Wrong(f"answered {status} {told}, {bad}")
    return f"{said}, moves count, the past games open"


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def mishaps(table: Table) -> Iterator[tuple[str, Callable[[], str]]]:
    """Each mishap by name."""
    games, away = table.disk / "data" / "games", table.disk / "away"

    def fail() -> None:
        device = subprocess.check_output(("findmnt", "-no", "SOURCE", str(table.disk)), text=True).strip()
        Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error").write_text("mishap")

    def repair() -> None:
        table.kill()
        table.unmount()
        subprocess.run(("e2fsck", "-p", str(table.image)), stdout=subprocess.DEVNULL)  # its status tells what it mended
        table.mount()
        table.start()

    def mount_over() -> None:
        run("mount", "--bind", str(games), str(games))
        run("mount", "-o", "remount,bind,ro", str(games))

    yield "the disk turns read-only at an error", lambda: lose(table, fail, repair)
    yield "the folder is mounted read-only", lambda: lose(table, mount_over, lambda: run("umount", str(games)))
    yield "the disk is full", lambda: fill(table)
    for what, path in (("games' folder", lambda: games), ("journal", lambda: table.journal)):
        yield (
            f"the {what} is moved away",
            lambda path=path: lose(table, lambda: path().rename(away), lambda: away.rename(path())),
        )
    if FAKETIME is None:
        print("no libfaketime: the clock is left alone")
        return
    yield "the clock jumps back ten years", lambda: set_clock(table, -YEARS_S, is_said=True)
    yield "the clock jumps forward twenty years", lambda: set_clock(table, YEARS_S, is_said=False)
    yield "the clock jumps back ten years to now", lambda: set_clock(table, 0, is_said=True)


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        table = Table(Path(name))
        table.prepare()
        try:
            table.start()
            for what, happen in mishaps(table):
                try:
                    print(f"{what}: {happen()}", flush=True)
                    acknowledged = ask("/api/state")[1]
                    table.kill()
                    table.start()
                    stands = ask("/api/state")[1]
                    if any(stands[name] != acknowledged[name] for name in ("header", "history", "turn")):
                        raise Wrong(f"after the next start {stands}, before {acknowledged}")
                except Wrong as error:
                    wrong += 1
                    print(f"{what}: WRONG: {error}", flush=True)
                    break
            if "Traceback" in (log := (table.folder / "log").read_text()):
                wrong += 1
                print(log)
        finally:
            table.kill()
            table.unmount()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
