"""Records: a game's header and commands as lines of JSON, read and replayed by the rules of the game that they name."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from companion import games
from companion.errors import BadHeader, Refusal
from companion.rules.engine import Command, Event, Game, Header
from companion.rules.fields import is_whole, malformed, shown
from companion.rules.limits import LONGEST_NAME, MOST_PLAYERS, as_seen, is_name, read_json


@dataclass(frozen=True, slots=True)
class Replayed:
    """A record run to its end or to its first refusal.

    Attributes:
        state: after the last command that was accepted.
        log: for each accepted command its line of the file, the header being 1, and its events.
        refused_line: the line of the command that was refused; it changed nothing, and no later line was read.
    """

    header: Header
    state: Any
    log: tuple[tuple[int, tuple[Event, ...]], ...]
    refusal: Refusal | None = None
    refused_line: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The one object that the contract's ``companion replay`` prints."""
        view = games.game(self.header.game).rules.view(self.state)
        log = [{"line": line, "events": list(events)} for line, events in self.log]
        report: dict[str, Any] = {"ok": self.refusal is None, "game": self.header.game, **view, "log": log}
        if self.refusal is not None:
            report |= {"line": self.refused_line, "error": self.refusal.as_json()}
        return report


def read_header(value: object) -> Header:
    """The header that a record's first line, or a request for a new game, gives as JSON.

    Source: the contract's "bad header". The options are judged by the game's own `start`.

    Raises:
        BadHeader: it does not describe a game.
    """
    if not isinstance(value, Mapping):
        raise BadHeader("a record begins with a JSON object, its header")
    if not is_whole(value.get("record")) or value["record"] != 1:
        raise BadHeader(f"record is {shown(value.get('record'))}; only records of form 1 can be read")
    name = value.get("game")
    if not isinstance(name, str) or name not in games.GAMES:
        raise BadHeader(f"no such game: {shown(name)}; there are {', '.join(games.GAMES)}")
    game = games.GAMES[name].rules
    options = value.get("options", {})
    if not isinstance(options, Mapping):
        raise BadHeader("options must be a JSON object")
    return Header(name, _players(value.get("players"), game), _edition(value, game), dict(options))


def require_distinct(header: Header) -> Header:
    """The header of a game that is to begin; raises `BadHeader` for players whose names look the same.

    A record that was played with such names is replayed all the same: hence not in `read_header`.
    """
    if len(set(map(as_seen, header.players))) < len(header.players):
        raise BadHeader(f"two players have one name: {', '.join(header.players)}")
    return header


def replay(lines: Iterable[str | bytes], notify: Callable[[int, str], None] | None = None) -> Replayed:
    """Run a record from its header to its end or to its first refused command.

    Blank lines are skipped but counted. A line that is not JSON is a refused command, `malformed`.

    Args:
        lines: the file's lines.
        tell: called with a line of the file and a sentence, for each event as it happens.

    Raises:
        BadHeader: the first line does not describe a game.
    """
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    _, first = next(numbered, (1, "null"))
    try:
        header = read_header(read_json(first))
    except ValueError as error:
        raise BadHeader(f"the header is not JSON: {error}") from None
    game = games.GAMES[header.game].rules
    state = game.start(header)
    log: list[tuple[int, tuple[Event, ...]]] = []
    for number, line in numbered:
        try:
            after, events = game.apply(state, _command(line))
        except Refusal as refusal:
            return Replayed(header, state, tuple(log), refusal, number)
        if notify is not None:
            for event in events:
                notify(number, game.explain(state, event))
        log.append((number, events))
        state = after
    return Replayed(header, state, tuple(log))


def _players(value: object, game: Game) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise BadHeader("players must be a list of names")
    if len(value) > MOST_PLAYERS:
        raise BadHeader(f"{MOST_PLAYERS} players have room at a table; the header names {len(value)}")
    if not all(is_name(name) for name in value):
        raise BadHeader(f"a player's name is 1 to {LONGEST_NAME} printable characters")
    least, most = game.PLAYERS
    if len(value) < least or (most is not None and len(value) > most):
        wanted = f"{least}" if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        raise BadHeader(f"{game.NAME} is played by {wanted}; the header names {len(value)}")
    if len(set(value)) < len(value):
        raise BadHeader(f"two players have one name: {', '.join(value)}")
    return tuple(value)


def _edition(header: Mapping[str, Any], game: Game) -> str | None:
    if "edition" not in header:
        return game.EDITIONS[0] if game.EDITIONS else None
    edition = header["edition"]
    if edition not in game.EDITIONS:
        there_are = f"there are {', '.join(game.EDITIONS)}" if game.EDITIONS else "the game has only one"
        raise BadHeader(f"no such edition of {game.NAME}: {shown(edition)}; {there_are}")
    return str(edition)


def _command(line: str | bytes) -> Command:
    try:
        value = read_json(line)
    except ValueError as error:
        raise malformed(f"not JSON: {error}") from None
    if not isinstance(value, Mapping):
        raise malformed("a command is a JSON object")
    return value
