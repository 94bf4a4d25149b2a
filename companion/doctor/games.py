"""The games that were kept: whether every journal reads back, and every picture is the one that was kept."""

from companion.config import Settings, default_data
from companion.doctor.finding import Finding, Machine, State
from companion.referee.folder import journals
from companion.referee.inspection import Fault, inspect_games

_NAMED = 3
_WHAT = {
    "torn": "{} ends in an unfinished entry",
    "damaged": "{} is damaged",
    "contradicted": "{} does not follow today's rules",
    "picture": "a picture of {} was changed",
}
_TRUNCATED = "nothing is lost that was confirmed; the next start cuts it off"
_RESTORE = "restore it from a copy, or move it out of the folder"


def games(machine: Machine, settings: Settings) -> Finding:
    """Look through the whole data folder. Names files only: what stands in them is nobody else's."""
    folder = (settings.table.data or default_data()) / "games"
    found = inspect_games(folder)
    if not found.games:
        return Finding("games", "ok", f"none yet at {folder}")
    counted = (_counted(found.games, "game"), _counted(found.moves, "move"), _counted(found.pictures, "picture"))
    summary = f"{', '.join(counted)} at {folder}"
    if not found.faults:
        return Finding("games", "ok", f"{summary}: all whole")
    named = "; ".join(_WHAT[fault.what].format(fault.path.name) for fault in found.faults[:_NAMED])
    more = f"; and {len(found.faults) - _NAMED} more" if len(found.faults) > _NAMED else ""
    newest = journals(folder)[-1]
    keeps_from_starting = [f for f in found.faults if f.path == newest and f.what in ("damaged", "contradicted")]
    state: State = "fail" if keeps_from_starting else "warn"
    return Finding("games", state, f"{summary}: {named}{more}", _fix(found.faults))


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _fix(faults: tuple[Fault, ...]) -> str:
    return _TRUNCATED if {fault.what for fault in faults} == {"torn"} else _RESTORE
