"""What the hub keeps: every table's lines, once, whatever arrives twice; on SQLite or PostgreSQL.

A line is *linked* when every line before it is kept too. A table's position is its newest linked line, and that is what
the hub acknowledges. Several hubs may write at once.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite

from companion.errors import TableError
from companion.hub.messages import Address, Entry, Position

StoredEntry = tuple[Address, Entry]

MOST_BYTES_OF_A_TABLE = 256_000_000
"""A table's share of the database: at 0.53 kB a line, twenty years of an evening a week with 450 lines."""
_MOST_LOOSE_OF_A_TABLE = 1024
"""Four times what a table has under way: what is beyond follows nothing, or comes again."""

_data = sql.MetaData()
_name = sql.String(40)

events = sql.Table(
    "events",
    _data,
    sql.Column("serial", sql.Integer, primary_key=True),
    sql.Column("hall", _name, nullable=False),
    sql.Column("table", _name, nullable=False),
    sql.Column("game", _name, nullable=False),
    sql.Column("line", sql.Integer, nullable=False),
    sql.Column("after_game", _name),
    sql.Column("after_line", sql.Integer),
    sql.Column("is_linked", sql.Boolean, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.UniqueConstraint("hall", "table", "game", "line"),
)
_ADDRESS = (events.c.hall, events.c.table)
_is_loose = ~events.c.is_linked
sql.Index("loose_events", events.c.hall, events.c.table, sqlite_where=_is_loose, postgresql_where=_is_loose)
positions = sql.Table(
    "positions",
    _data,
    sql.Column("hall", _name, primary_key=True),
    sql.Column("table", _name, primary_key=True),
    sql.Column("game", _name, nullable=False),
    sql.Column("line", sql.Integer, nullable=False),
)
shares = sql.Table(
    "shares",
    _data,
    sql.Column("hall", _name, primary_key=True),
    sql.Column("table", _name, primary_key=True),
    sql.Column("bytes", sql.BigInteger, nullable=False),
)
entries_of_tournaments = sql.Table(
    "tournament_log",
    _data,
    sql.Column("tournament", _name, primary_key=True),
    sql.Column("n", sql.Integer, primary_key=True),
    sql.Column("body", sql.Text, nullable=False),
)


@dataclass(slots=True)
class Batch:
    """What came of keeping some lines.

    Attributes:
        new: the lines that were not kept before.
        positions: of every table in the batch, as they are now; None where no line of it is linked.
        again: of tables that sent only what was kept before, and their position not among it, the last line of that:
            after a game was deleted there, a table goes through all that it has from the first line on.
        differing: tables of which another line is kept at the same place.
        full: tables that have had their share, of which nothing more is kept.
    """

    new: list[tuple[Address, Position]] = field(default_factory=list)
    positions: dict[Address, Position | None] = field(default_factory=dict)
    again: dict[Address, Position] = field(default_factory=dict)
    differing: set[Address] = field(default_factory=set)
    full: set[Address] = field(default_factory=set)


class StoreAway(TableError):
    """The database fails or cannot be reached, as while its server starts anew."""

    default_code = "store-away"


class Store:
    """One database. Any thread; every call is one transaction, and raises `StoreAway` where that fails."""

    def __init__(self, url: str, most_bytes_of_a_table: int = MOST_BYTES_OF_A_TABLE) -> None:
        """Open a database by its address, such as ``sqlite:///hub.db``, and make its tables where they lack.

        Raises:
            TableError: it cannot be opened.
        """
        self._most_bytes = most_bytes_of_a_table
        try:
            if url.startswith("postgresql:"):
                url = url.replace("postgresql:", "postgresql+pg8000:", 1)
            self._engine = sql.create_engine(url)
            self._is_sqlite = self._engine.dialect.name == "sqlite"
            if self._is_sqlite:
                _begin_privately(self._engine.url.database or "")
                sql.event.listen(self._engine, "connect", _write_ahead)
                sql.event.listen(self._engine, "begin", _begin)
            else:
                sql.event.listen(self._engine, "checkout", _ping)
            self._writing = self._engine.execution_options(is_writing=True)
            _data.create_all(self._writing)
            fresh = (sqlite if self._is_sqlite else postgresql).insert(positions)
            columns = {"game": fresh.excluded.game, "line": fresh.excluded.line}
            self._moving = fresh.on_conflict_do_update(index_elements=["hall", "table"], set_=columns)
            more = (sqlite if self._is_sqlite else postgresql).insert(shares)
            grown = {"bytes": shares.c.bytes + more.excluded.bytes}
            self._growing = more.on_conflict_do_update(index_elements=["hall", "table"], set_=grown)
        except (sql.exc.SQLAlchemyError, ImportError) as error:
            raise TableError(f"cannot open the store {url.split('@')[-1]}: {error}", code="no-store") from None

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def keep(self, batch: Sequence[StoredEntry]) -> Batch:
        """Keep lines of any tables, in the order in which they came, as far as each table's share goes."""
        tables = {address for address, _ in batch}
        done = Batch()
        with self._held(self._writing.begin) as held:
            self._lock(held, tables)
            done.full = self._full(held, tables)
            batch = [(address, entry) for address, entry in batch if address not in done.full]
            if not batch:
                return done
            tables -= done.full
            known = self._positions(held, tables)
            rows, done.positions = _chained(batch, known)
            crowded = self._crowded(held, tables)
            rows = [row for row in rows if row["is_linked"] or _address(row) not in crowded]
            done.new = self._insert(held, rows)
            self._grow(held, rows, done.new)
            if len(done.new) < len(rows):
                done.differing = _differing(held, rows, set(done.new))
                done.again = _kept_before(held, batch, done)
            self._link(held, done.positions)
            now = {address: position for address, position in done.positions.items() if position is not None}
            self._set_positions(held, {address: at for address, at in now.items() if at != known.get(address)})
        return done

    def position(self, address: Address) -> Position | None:
        """Up to where a table's lines are kept."""
        with self._held(self._engine.connect) as held:
            return self._positions(held, {address}).get(address)

    def lines(self, address: Address, game: str) -> list[dict[str, Any]]:
        """The linked lines of one game, in order."""
        wanted = sql.select(events.c.body).where(*_of(address), events.c.game == game, events.c.is_linked)
        with self._held(self._engine.connect) as held:
            return [_read(body) for (body,) in held.execute(wanted.order_by(events.c.line))]

    def games(self, address: Address) -> list[str]:
        """The games of a table of which at least the first line is kept, in the order in which they were played."""
        columns = (events.c.game, events.c.after_game)
        wanted = sql.select(*columns).where(*_of(address), events.c.line == 1, events.c.is_linked)
        with self._held(self._engine.connect) as held:
            return _in_order({row.game: row.after_game for row in held.execute(wanted.order_by(events.c.serial))})

    def tables(self) -> list[Address]:
        """The tables of which something is kept."""
        with self._held(self._engine.connect) as held:
            return [Address(*row) for row in held.execute(sql.select(positions.c.hall, positions.c.table))]

    def count(self) -> int:
        """How many lines are kept."""
        with self._held(self._engine.connect) as held:
            return int(held.scalar(sql.select(sql.func.count()).select_from(events)) or 0)

    def following(self, address: Address, position: Position | None, limit: int) -> list[Entry]:
        """The linked lines of a table after a position; from the first where there is none such."""
        games = self.games(address)
        at = games.index(position.game) if position and position.game in games else 0
        line = position.line if position and position.game in games else 0
        columns = (events.c.line, events.c.after_game, events.c.after_line, events.c.body)
        found: list[Entry] = []
        with self._held(self._engine.connect) as held:
            for game in games[at:]:
                wanted = sql.select(*columns).where(
                    *_of(address), events.c.game == game, events.c.line > line, events.c.is_linked
                )
                rows = held.execute(wanted.order_by(events.c.line).limit(limit - len(found)))
                found += [Entry(Position(game, n), _position(*after), _read(body)) for n, *after, body in rows]
                line = 0
                if len(found) == limit:
                    break
        return found

    def log(self, tournament: str, first: int = 0) -> list[dict[str, Any]]:
        """The entries of a tournament's log from the ``first``-th on, counted from 0, in order."""
        kept = entries_of_tournaments
        of = kept.c.tournament == tournament
        wanted = sql.select(kept.c.body).where(of, kept.c.n >= first).order_by(kept.c.n)
        with self._held(self._engine.connect) as held:
            return [_read(body) for (body,) in held.execute(wanted)]

    def append(self, tournament: str, n: int, body: Mapping[str, Any]) -> bool:
        """Write the ``n``-th entry of a tournament's log, from 0; False when another has written one there."""
        row = {"tournament": tournament, "n": n, "body": json.dumps(body)}
        with self._held(self._writing.begin) as held:
            statement = self._insert_new(entries_of_tournaments).returning(entries_of_tournaments.c.n)
            return held.scalar(statement, row) is not None

    def tournaments(self) -> list[str]:
        """The names of all tournaments."""
        with self._held(self._engine.connect) as held:
            return list(held.scalars(sql.select(entries_of_tournaments.c.tournament).distinct().order_by("tournament")))

    @contextmanager
    def _held(self, connect: Callable[[], AbstractContextManager[sql.Connection]]) -> Iterator[sql.Connection]:
        try:
            with connect() as held:
                yield held
        except (sql.exc.SQLAlchemyError, OSError) as error:  # of a connection that breaks the driver tells by either
            raise StoreAway("The hub's store does not answer just now; try again soon.") from error

    def _lock(self, held: sql.Connection, tables: Collection[Address]) -> None:
        """Hold tables against other hubs until the transaction ends, those too of which nothing is kept yet."""
        if held.dialect.name == "postgresql":  # SQLite has one writer
            for key in sorted({zlib.crc32("/".join(address).encode()) for address in tables}):
                held.execute(sql.select(sql.func.pg_advisory_xact_lock(key)))

    def _positions(self, held: sql.Connection, tables: Collection[Address]) -> dict[Address, Position]:
        wanted = sql.select(positions).where(sql.tuple_(positions.c.hall, positions.c.table).in_([*tables]))
        return {Address(hall, table): Position(game, line) for hall, table, game, line in held.execute(wanted)}

    def _full(self, held: sql.Connection, tables: Collection[Address]) -> set[Address]:
        """The tables that have had their share."""
        among = sql.tuple_(shares.c.hall, shares.c.table).in_([*tables])
        wanted = sql.select(shares.c.hall, shares.c.table).where(among, shares.c.bytes >= self._most_bytes)
        return {Address(*row) for row in held.execute(wanted)}

    def _crowded(self, held: sql.Connection, tables: Collection[Address]) -> set[Address]:
        """The tables of which so much follows nothing that no more such lines are kept."""
        among = sql.tuple_(*_ADDRESS).in_([*tables])
        loose = sql.select(*_ADDRESS).where(among, _is_loose).group_by(*_ADDRESS)
        return {Address(*row) for row in held.execute(loose.having(sql.func.count() >= _MOST_LOOSE_OF_A_TABLE))}

    def _grow(
        self, held: sql.Connection, rows: Iterable[dict[str, Any]], new: Collection[tuple[Address, Position]]
    ) -> None:
        """Add the lines that were not kept before to their tables' shares."""
        kept, grown = set(new), Counter[Address]()
        for row in rows:
            if (_address(row), Position(row["game"], row["line"])) in kept:
                grown[_address(row)] += len(row["body"])
        if grown:
            held.execute(self._growing, [{**table._asdict(), "bytes": size} for table, size in sorted(grown.items())])

    def _insert(self, held: sql.Connection, rows: Sequence[dict[str, Any]]) -> list[tuple[Address, Position]]:
        columns = (*_ADDRESS, events.c.game, events.c.line)
        if not rows:
            return []
        inserted = held.execute(self._insert_new(events).returning(*columns), rows)
        return [(Address(hall, table), Position(game, line)) for hall, table, game, line in inserted]

    def _insert_new(self, table: sql.Table) -> Any:
        dialect = sqlite if self._is_sqlite else postgresql
        return dialect.insert(table).on_conflict_do_nothing()

    def _link(self, held: sql.Connection, now: dict[Address, Position | None]) -> None:
        """Link what came out of order as soon as what was missing is there."""
        columns = (*_ADDRESS, events.c.game, events.c.line, events.c.after_game, events.c.after_line)
        tables = sql.tuple_(*_ADDRESS).in_([*now])
        loose: dict[Address, dict[Position | None, Position]] = {}
        rows = held.execute(sql.select(*columns).where(tables, ~events.c.is_linked))
        for hall, table, game, line, after_game, after_line in rows:
            loose.setdefault(Address(hall, table), {})[_position(after_game, after_line)] = Position(game, line)
        for address, by_predecessor in loose.items():
            for after in _linked_among(held, address, [*by_predecessor]):
                now[address] = self._link_from(held, address, after, by_predecessor, now[address])

    def _link_from(
        self,
        held: sql.Connection,
        address: Address,
        after: Position | None,
        loose: dict[Position | None, Position],
        now: Position | None,
    ) -> Position | None:
        while (found := loose.pop(after, None)) is not None:
            at = (events.c.game == found.game, events.c.line == found.line)
            held.execute(sql.update(events).where(*_of(address), *at).values(is_linked=True))
            if now is None or found.game != now.game or found.line > now.line:
                now = found
            after = found
        return now

    def _set_positions(self, held: sql.Connection, moved: Mapping[Address, Position]) -> None:
        if moved:
            rows = [{**address._asdict(), **position._asdict()} for address, position in moved.items()]
            held.execute(self._moving, rows)


def _chained(
    batch: Sequence[StoredEntry], known: Mapping[Address, Position]
) -> tuple[list[dict[str, Any]], dict[Address, Position | None]]:
    """The rows to insert, linked as far as they follow the positions known, and the positions after them.

    Rows and positions are in one order whatever the batch: hubs that keep the same lines wait for, but never block, one
    another.
    """
    rows: dict[tuple[Address, Position], dict[str, Any]] = {}
    now: dict[Address, Position | None] = {address: known.get(address) for address, _ in batch}
    for address, entry in batch:
        position, after = entry.position, entry.after
        is_linked = after == now[address] and (address, position) not in rows
        if is_linked:
            now[address] = position
        rows.setdefault(
            (address, position),
            {
                **address._asdict(),
                **position._asdict(),
                "after_game": after and after.game,
                "after_line": after and after.line,
                "is_linked": is_linked,
                "body": json.dumps(entry.body),
            },
        )
    return [rows[key] for key in sorted(rows)], {address: now[address] for address in sorted(now)}


def _differing(held: sql.Connection, rows: Iterable[dict[str, Any]], new: Collection[Any]) -> set[Address]:
    """The tables that sent a line again, but not the same line."""
    found = set()
    for row in rows:
        address, position = _address(row), Position(row["game"], row["line"])
        if (address, position) not in new:
            at = (events.c.game == position.game, events.c.line == position.line)
            if held.scalar(sql.select(events.c.body).where(*_of(address), *at)) != row["body"]:
                found.add(address)
    return found


def _kept_before(held: sql.Connection, batch: Sequence[StoredEntry], done: Batch) -> dict[Address, Position]:
    """See `Batch.again`."""
    sent: dict[Address, list[Position]] = {}
    for address, entry in batch:
        sent.setdefault(address, []).append(entry.position)
    known = {table: lines for table, lines in sent.items() if done.positions[table] not in lines}
    for table in {*done.differing, *(table for table, _ in done.new)}:
        known.pop(table, None)
    kept: dict[Address, Position] = {}
    for table, lines in known.items():
        linked = set(_linked_among(held, table, lines))
        if last := next((line for line in reversed(lines) if line in linked), None):
            kept[table] = last
    return kept


def _linked_among(held: sql.Connection, address: Address, wanted: Sequence[Position | None]) -> list[Position | None]:
    """Those positions of which the line is kept and linked, and None, before the first line of all."""
    keys = [position for position in wanted if position is not None]
    among = sql.tuple_(events.c.game, events.c.line).in_(keys)
    rows = held.execute(sql.select(events.c.game, events.c.line).where(*_of(address), events.c.is_linked, among))
    return [*([None] if None in wanted else []), *(Position(*row) for row in rows)]


def _in_order(after: Mapping[str, str | None]) -> list[str]:
    """Games each after the one that it follows, in the order given where that does not say.

    >>> _in_order({"c": "b", "a": None, "b": "a", "z": None})
    ['a', 'b', 'c', 'z']
    """
    next_of: dict[str | None, list[str]] = {}
    for game, before in after.items():
        next_of.setdefault(before if before in after else None, []).append(game)
    ordered, waiting = [], list(reversed(next_of.pop(None, [])))
    while waiting:
        ordered.append(game := waiting.pop())
        waiting += reversed(next_of.pop(game, []))
    return ordered


def _address(row: Mapping[str, Any]) -> Address:
    return Address(row["hall"], row["table"])


def _of(address: Address) -> tuple[Any, Any]:
    return events.c.hall == address.hall, events.c.table == address.table


def _read(body: str) -> dict[str, Any]:
    """A line or an entry as it was kept. Raises `TableError` where the database now holds something else."""
    try:
        read = json.loads(body)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        message = f"The hub's store is damaged: {body[:40]!r} is no line; restore it from a copy."
        raise TableError(message, code="store-damaged")
    return read


def _position(game: str | None, line: int | None) -> Position | None:
    return None if game is None or line is None else Position(game, line)


def _begin_privately(database: str) -> None:
    """Have a database's file, and what SQLite puts beside it, not readable by others; where it cannot, it says why."""
    if database not in ("", ":memory:") and not database.startswith("file:"):
        with suppress(OSError):
            Path(database).touch(mode=0o640)


def _begin(held: sql.Connection) -> None:
    """A writer of SQLite takes its turn at once, or two that read first would each wait for the other."""
    held.exec_driver_sql("BEGIN IMMEDIATE" if held.get_execution_options().get("is_writing") else "BEGIN")


def _ping(connection: Any, _record: Any, _proxy: Any) -> None:
    """Replace a connection that its server has ended, as at a restart, before it is used."""
    try:
        connection.cursor().execute("select 1")
        connection.rollback()
    except Exception as error:  # the driver tells of it by errors of several kinds, which SQLAlchemy does not all know
        raise sql.exc.DisconnectionError from error


def _write_ahead(connection: Any, _record: Any) -> None:
    """Readers do not wait for the writer; a commit is on the disk; transactions are begun by SQLAlchemy's own event."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 10000"):
        connection.execute(f"PRAGMA {pragma}")
