"""The keys given out at this table: to each seat one, to operators a few. Kept as hashes, over restarts too.

A key is a phone's cookie; the table keeps its SHA-256, and the secret that keys are made with.
"""

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Collection
from pathlib import Path
from threading import Lock

from companion.errors import TableError
from companion.referee.folder import storage_errors, write_whole
from companion.rules.limits import FILE, read_file, read_json

_OPERATORS = 8
_log = logging.getLogger(__name__)


class SeatKeys:
    """Who holds which seat and who is an operator. Any thread."""

    def __init__(self, file: Path | None = None, pin: str | None = None) -> None:
        """The keys that ``file`` keeps; without a file they are forgotten when the program ends.

        Args:
            pin: what an operator's key is given for; whoever gave another one is no operator any more.

        Raises:
            TableError: the file is there and does not read.
        """
        self._file = file
        self._pin = pin
        self._lock = Lock()
        self._seats: dict[str, str] = {}
        self._operators: list[str] = []
        secret = ""
        if file is not None and file.exists():
            self._seats, self._operators, secret = _read(file)
        self._secret = secret or secrets.token_hex(32)
        if not secret:
            self._keep(self._seats, self._operators)

    @property
    def secret(self) -> bytes:
        """What this table's keys are made with; the same after a restart."""
        return self._secret.encode()

    def taken(self) -> frozenset[str]:
        """The players whose seats are claimed."""
        with self._lock:
            return frozenset(self._seats)

    def claim(self, player: str, players: Collection[str], phone: str | None = None) -> str | None:
        """The key of a seat that was free, None for one that is taken; seats of people who left the game are freed.

        Args:
            phone: which asks; it gets the same key of a seat again, and gives up any other seat. None: not known.
        """
        key = secrets.token_urlsafe(24) if phone is None else self._key_of(phone, player)
        with self._lock:
            if player in self._seats and self._seats[player] != _hash(key):
                return None
            others = {p: k for p, k in self._seats.items() if p in players and not self._is_of(phone, p, k)}
            self._keep({**others, player: _hash(key)}, self._operators)
            return key

    def seat(self, key: str | None) -> str | None:
        """The player whose seat a key is for."""
        if key is None:
            return None
        wanted = _hash(key)
        with self._lock:
            return next(
                (player for player, known in self._seats.items() if secrets.compare_digest(known, wanted)), None
            )

    def free(self, player: str, key: str | None = None) -> None:
        """Let somebody else have a seat, by ``key`` only while it is that key's. Twice is harmless."""
        with self._lock:
            if player in self._seats and (key is None or self._seats[player] == _hash(key)):
                self._keep({p: k for p, k in self._seats.items() if p != player}, self._operators)

    def appoint(self) -> str:
        """The key of one more operator; of too many the earliest is forgotten."""
        key = secrets.token_urlsafe(24)
        with self._lock:
            self._keep(self._seats, [*self._operators, self._operator_hash(key)][-_OPERATORS:])
        return key

    def is_operator(self, key: str | None) -> bool:
        """Whether a key is an operator's."""
        if key is None:
            return False
        wanted = self._operator_hash(key)
        with self._lock:
            return any(secrets.compare_digest(known, wanted) for known in self._operators)

    def dismiss(self, key: str) -> None:
        """An operator leaves the place; who has none has nothing written, for anybody may ask."""
        wanted = self._operator_hash(key)
        with self._lock:
            if wanted in self._operators:
                self._keep(self._seats, [known for known in self._operators if known != wanted])

    def _operator_hash(self, key: str) -> str:
        return _hash(key) if self._pin is None else _hash(json.dumps([key, self._pin]))

    def _key_of(self, phone: str, player: str) -> str:
        named = json.dumps(["seat", phone, player]).encode()
        return hmac.new(self.secret, named, hashlib.sha256).hexdigest()

    def _is_of(self, phone: str | None, player: str, known: str) -> bool:
        return phone is not None and known == _hash(self._key_of(phone, player))

    def _keep(self, seats: dict[str, str], operators: list[str]) -> None:
        """Have these hold from now on; a file that cannot be written, as on a full disk, is written at the next change.

        Whoever would make room must come in first.
        """
        self._seats, self._operators = seats, operators
        if self._file is None:
            return
        try:
            kept = {"seats": seats, "operators": operators, "secret": self._secret}
            write_whole(self._file, json.dumps(kept, indent=1).encode(), mode=0o600)
        except OSError as error:
            _log.warning("the seats are not kept over a restart, %s: %s", self._file, error.strerror or error)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _read(file: Path) -> tuple[dict[str, str], list[str], str]:
    with storage_errors(f"cannot read the seats in {file}"):
        data = read_file(file)
    try:
        kept = read_json(data, FILE)
        seats, operators, secret = dict(kept["seats"]), list(kept["operators"]), kept.get("secret", "")
        if not all(isinstance(text, str) for text in (*seats.values(), *operators, secret)):
            raise TypeError("a key's hash is a text")
        return seats, operators, secret
    except (ValueError, KeyError, TypeError):
        raise TableError(f"{file} does not list seats; remove it, and everybody claims a seat anew") from None
