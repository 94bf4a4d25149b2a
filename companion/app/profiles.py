"""The printings that a table was taught: profiles in its data folder, which deck is read by which, and older versions.

A printing is a file ``profiles/NAME.json``; each version before it stands in ``profiles/NAME/``, numbered. Which one
reads a deck is written in ``profiles/in-use``; where nothing is, the newest one of the deck does.
"""

import json
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from companion import games
from companion.errors import Refusal, UsageError
from companion.referee.folder import write_whole
from companion.rules.limits import FILE, read_file, read_json
from companion.vision.enrolment.profile import Profile

_MOST_VERSIONS = 30
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_BUILT_IN = ""
"""Instead of a printing's name: the deck is read as the reference printing is."""
_WRITING = threading.Lock()


@dataclass(frozen=True, slots=True)
class StoredPrinting:
    """A printing in the folder.

    Attributes:
        key: its file's name without the ending.
        name: what people call it.
        made: how it came about, in English.
        made_on: the day of that, such as ``2026-05-04``, where it says so.
        versions: how many older ones there are to go back to.
        evenings: what games taught it, as `companion.app.evenings.LearningReport`, the newest last; those that did.
    """

    key: str
    name: str
    game: str
    deck: str
    made: str
    made_on: str
    samples: int
    versions: int
    is_in_use: bool
    evenings: tuple[Mapping[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        return {name.removeprefix("is_"): value for name, value in asdict(self).items()}


class Profiles:
    """The printings in one data folder."""

    def __init__(self, data: Path) -> None:
        """Those of a data folder, which need not hold any."""
        self._folder = data / "profiles"

    def kept(self) -> list[StoredPrinting]:
        """All printings that can be read, by name."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            held = _head(path)
            if held is not None:
                game, deck, name = (str(held[key]) for key in ("game", "deck", "name"))
                is_in_use = self.in_use(deck) == path
                made = str(held["made"])
                counts = (len(held["samples"]), len(self._versions(path)))
                told = (made, "".join(_DAY.findall(made)[:1]), *counts)
                evenings = tuple(one for one in self._evenings(path).values() if one.get("samples"))
                found.append(StoredPrinting(path.stem, name or path.stem, game, deck, *told, is_in_use, evenings))
        return found

    def in_use(self, deck: str) -> Path | None:
        """The file of the printing by which a deck is read; None for the reference printing."""
        chosen = self._chosen().get(deck)
        if chosen == _BUILT_IN:
            return None
        if chosen and (path := self._folder / f"{chosen}.json").is_file():
            return path
        fitting = [path for path in self._folder.glob("*.json") if (held := _head(path)) and held["deck"] == deck]
        return max(fitting, key=lambda path: path.stat().st_mtime) if fitting else None

    def use(self, deck: str, key: str | None) -> None:
        """Read a deck by a printing from now on, by the reference printing for None. Raises `Refusal`, `UsageError`."""
        if key is not None and self.path(key).stem not in {one.key for one in self.kept() if one.deck == deck}:
            raise Refusal("no-profile", f"There is no printing {key} of {deck}.")
        with self._changing():
            self._folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps({**self._chosen(), deck: key or _BUILT_IN})
            write_whole(self._folder / "in-use", text.encode(), 0o644)

    def path(self, key: str) -> Path:
        """The file of a printing. Raises `Refusal` for a key that no file here can have."""
        if not _is_key(key):
            raise Refusal("no-profile", "There is no such printing.")
        return self._folder / f"{key}.json"

    def keep(self, profile: Profile, key: str | None = None) -> str:
        """Write a printing, the one of a key anew with the old version kept; its key. Raises `UsageError`.

        The printing stays as it is until the new version is written whole.
        """
        with self._changing():
            path = self.path(key) if key else self._free_path(profile.name or profile.deck)
            older = self._copied(path) if path.exists() else None
            try:
                profile.write(path)
            except UsageError:
                if older is not None:
                    older.unlink()
                raise
            for gone in self._versions(path)[:-_MOST_VERSIONS]:
                gone.unlink()
            return path.stem

    def note_evening(self, key: str, game: int) -> bool:
        """Note that a printing learns from a game; False where it did before."""
        if str(game) in self._evenings(self.path(key)):
            return False
        self.write_evening(key, game, {})
        return True

    def write_evening(self, key: str, game: int, report: Mapping[str, Any]) -> None:
        """Note what a printing learnt from a game, for people. Raises `UsageError`."""
        with self._changing():
            path = self.path(key)
            noted = path.with_suffix("") / "evenings.json"
            noted.parent.mkdir(parents=True, exist_ok=True)
            write_whole(noted, json.dumps({**self._evenings(path), str(game): dict(report)}).encode(), 0o644)

    def go_back(self, key: str) -> None:
        """Make the version before the present one the present one. Raises `Refusal` for none, `UsageError`."""
        with self._changing():
            path = self.path(key)
            versions = self._versions(path)
            if not versions:
                raise Refusal("no-version", "There is no earlier version of this printing.")
            versions[-1].replace(path)

    def forget(self, key: str) -> None:
        """Take a printing away with all its versions. Raises `Refusal` where there is none, `UsageError`."""
        with self._changing():
            path = self.path(key)
            if not path.exists():
                raise Refusal("no-profile", "There is no such printing.")
            path.unlink()
            if (versions := path.with_suffix("")).is_dir():
                shutil.rmtree(versions)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Change the folder's files, one at a time. Raises `UsageError` where that fails, as on a full disk."""
        with _WRITING:
            try:
                yield
            except OSError as error:
                message = f"cannot write in {self._folder}: {error.strerror or error}"
                raise UsageError(message, code="unwritable-profile") from None

    def _copied(self, path: Path) -> Path:
        """A printing's file once more, as its newest earlier version. Raises `UsageError`."""
        versions = self._versions(path)
        older = path.with_suffix("") / f"{1 + int(versions[-1].stem) if versions else 1:04}.json"
        try:
            older.parent.mkdir(exist_ok=True)
            write_whole(older, path.read_bytes(), 0o644)
        except OSError as error:
            raise UsageError(f"cannot write {older}: {error.strerror}", code="unwritable-profile") from None
        return older

    def _versions(self, path: Path) -> list[Path]:
        return sorted(one for one in path.with_suffix("").glob("[0-9]*.json") if one.stem.isdecimal())

    def _evenings(self, path: Path) -> dict[str, Any]:
        """What a printing learnt from each game, by its number; empty for one that is being learnt from."""
        noted = _object_in(path.with_suffix("") / "evenings.json")
        return {game: report for game, report in noted.items() if isinstance(report, dict)}

    def _free_path(self, name: str) -> Path:
        slug = re.sub(r"[^\w-]+", "-", name.strip(), flags=re.ASCII).strip("-").lower()[:50] or "printing"
        taken = {path.stem for path in self._folder.glob("*.json")}
        ways = (slug, *(f"{slug}-{number}" for number in range(2, 1000)))
        return self._folder / f"{next(way for way in ways if way not in taken)}.json"

    def _chosen(self) -> dict[str, str]:
        chosen = _object_in(self._folder / "in-use").items()
        return {deck: key for deck, key in chosen if key == _BUILT_IN or (isinstance(key, str) and _is_key(key))}


def _is_key(text: str) -> bool:
    return re.fullmatch(r"\w[\w .()-]{0,59}", text) is not None


def _head(path: Path) -> dict[str, Any] | None:
    """A profile's file as JSON, None for one that is none of a game that can be taught."""
    held = _object_in(path)
    are_texts = all(isinstance(held.get(key), str) for key in ("game", "deck", "name", "made"))
    if not are_texts or not isinstance(held.get("samples"), list) or held["game"] not in games.GAMES:
        return None
    return held if games.game(held["game"]).recognizer().teaching is not None else None


def _object_in(path: Path) -> dict[str, Any]:
    """A file's JSON object; an empty one where there is none."""
    try:
        held = read_json(read_file(path), FILE)
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def profile_for(data: Path, game: str, edition: str | None) -> Path | None:
    """The file in a data folder by which an edition's deck is read; None where it is read as the reference printing."""
    teaching = games.game(game).recognizer().teaching
    try:
        return None if teaching is None else Profiles(data).in_use(teaching.deck_of(edition))
    except OSError as error:
        raise UsageError(f"cannot read the profiles in {data}: {error.strerror}", code="unreadable-profile") from None
