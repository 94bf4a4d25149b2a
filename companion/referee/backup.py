"""Backs a data folder up to one zip file and restores it: games, pictures, seats, profiles and calibrations.

A table may be running meanwhile: journals only grow, and a line that was half written is cut off when the copy is
opened, as after a power cut.
"""

import lzma
import os
import re
import shutil
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from companion.errors import UsageError
from companion.referee.folder import UNPACKED, put_in_place, sync_folder

_NOT_KEPT = ("lock",)
_PACKING, _UNPACKING = "backing-up-", "restoring-"
"""How folders begin in which a backup is made or unpacked; one that was killed leaves its own behind."""
_STORED = (".jpg", ".npz", ".onnx")
"""Files that are compressed already."""
_MARK = b"companion backup"
"""The zip file's comment, by which a backup is known."""
_OF_A_TABLE = re.compile(r"games/\d+\.jsonl|seats\.json|join-code")
"""A backup from before there was a mark, or one packed anew by hand, holds one of these."""
_MOST_UNPACKED = 200
"""Times a backup's own size: a journal's lines, all alike, are packed to a fiftieth."""
_SPOILT = (OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
"""What `zipfile` raises for a file with wrong bytes in it; a RuntimeError where it takes it for encrypted."""


def back_up(data: Path, file: Path) -> int:
    """Write a data folder to a zip file, replacing it atomically; return the number of files.

    Nobody may read the file but whose folder it lies in, also if root writes it: it holds the table's codes and keys.

    Raises:
        UsageError: `no-data`, or the file cannot be written.
    """
    if not data.is_dir():
        raise UsageError(f"there is no data folder {data}: nothing was ever played there", code="no-data")
    kept = _own_files(data)
    try:
        file = file.resolve()  # a link stays one
        kept = [path for path in kept if path.resolve() != file]
        if file.exists() and not file.is_file():
            raise UsageError(f"cannot write {file}: it is no file", code="unwritable-backup")
        with TemporaryDirectory(dir=file.parent, prefix=_PACKING) as beside:
            draft = Path(beside) / file.name
            draft.touch(mode=0o600)
            _pack(data, kept, draft)
            with draft.open("rb") as packed:
                os.fsync(packed.fileno())
                if os.geteuid() == 0:
                    os.fchown(packed.fileno(), file.parent.stat().st_uid, file.parent.stat().st_gid)
            draft.replace(file)
            sync_folder(file.parent)
    except OSError as error:
        is_own = error.filename is not None and Path(error.filename) in kept
        what = f"read {error.filename}" if is_own else f"write {file}"
        raise UsageError(f"cannot {what}: {error.strerror or error}", code="unwritable-backup") from None
    return len(kept)


def restore(file: Path, data: Path) -> int:
    """Unpack a backup into an empty folder; return the number of files.

    Raises:
        UsageError: `data-in-place`, `data-unwritable`, or the file is no backup.
    """
    if data.exists() and not data.is_dir():
        raise UsageError(f"{data} is no folder: name another with --data", code="data-in-place")
    try:
        put_in_place(data)
    except OSError as error:
        raise UsageError(f"cannot write to {data}: {error.strerror or error}", code="data-unwritable") from None
    if data.exists() and any(path.name not in _NOT_KEPT and not _is_left(path) for path in data.iterdir()):
        raise UsageError(f"{data} holds a table already: name another folder with --data", code="data-in-place")
    try:
        with zipfile.ZipFile(file) as packed:
            names = packed.namelist()
            if strange := next((name for name in names if not _is_own_name(name)), None):
                message = f"{file} is no backup: it would write {strange!r}"
                raise UsageError(message, code="bad-backup")
            if packed.comment != _MARK and not any(map(_OF_A_TABLE.fullmatch, names)):
                message = f"{file} is no backup of a table: `companion backup` makes one"
                raise UsageError(message, code="bad-backup")
            size = sum(entry.file_size for entry in packed.infolist())
            if size > _MOST_UNPACKED * file.stat().st_size:
                raise UsageError(f"{file} is no backup: it would unpack to {size} bytes", code="bad-backup")
            if (damaged := packed.testzip()) is not None:
                raise UsageError(f"{file} is damaged at {damaged}", code="bad-backup")
            _unpack(packed, data)
    except _SPOILT as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"{file} is no backup that can be read: {why}", code="bad-backup") from None
    return len(names)


def _own_files(data: Path) -> list[Path]:
    """The table's own files in a folder and its folders, by name. Raises `UsageError` for what cannot be read."""

    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # pictures of a game that was deleted meanwhile
            raise error

    try:
        found = (Path(folder, name) for folder, _, names in os.walk(data, onerror=refuse) for name in names)
        own = sorted(path for path in found if _is_own(path) and not _is_left(data / path.relative_to(data).parts[0]))
        for path in own:
            str(path.relative_to(data)).encode()
        return own
    except UnicodeEncodeError:
        message = f"cannot keep {str(path)!r}: its name is no text in UTF-8, rename it or take it away"
        raise UsageError(message, code="unwritable-backup") from None
    except OSError as error:
        message = f"cannot read {error.filename}: {error.strerror}"
        raise UsageError(message, code="unwritable-backup") from None


def _pack(data: Path, kept: list[Path], draft: Path) -> None:
    """Write files of a data folder to a new zip file."""
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as packed:
        packed.comment = _MARK
        for path in kept:
            method = zipfile.ZIP_STORED if path.suffix in _STORED else zipfile.ZIP_DEFLATED
            with suppress(FileNotFoundError):  # a picture that made room meanwhile
                packed.write(path, path.relative_to(data).as_posix(), method)


def _unpack(packed: zipfile.ZipFile, data: Path) -> None:
    """Unpack beside, then into place: a folder holds a whole table or none. Files are as readable as they were.

    Once all of it lies on the disk under its own name, whoever opens the folder next puts it in place.

    Raises:
        UsageError: `data-unwritable`.
    """
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        data.mkdir(mode=0o750, exist_ok=True)
        for left in filter(_is_left, data.iterdir()):
            shutil.rmtree(left)
        with TemporaryDirectory(dir=data, prefix=_UNPACKING) as beside:
            for entry in packed.infolist():
                path = Path(packed.extract(entry, beside))
                path.chmod(0o750 if entry.is_dir() else entry.external_attr >> 16 & 0o640 | 0o600)
            os.sync()
            Path(beside).rename(data / UNPACKED)
            put_in_place(data)
    except OSError as error:
        raise UsageError(f"cannot write to {data}: {error.strerror or error}", code="data-unwritable") from None


def _is_own(path: Path) -> bool:
    """Whether a file is the table's own: no link to another's, no pipe."""
    return path.is_file() and not path.is_symlink() and path.name not in _NOT_KEPT


def _is_left(path: Path) -> bool:
    """Whether a path is a folder that a backup or a restoring left behind."""
    return path.name.startswith((_PACKING, _UNPACKING)) and path.is_dir() and not path.is_symlink()


def _is_own_name(name: str) -> bool:
    """Whether a backup may hold that: nothing outside the folder, and no lock, which would be in the table's way."""
    path = PurePosixPath(name)
    is_inside = not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name
    is_draft = any(part.startswith((_PACKING, _UNPACKING)) for part in path.parts[:1])
    return is_inside and not is_draft and path.parts[:1] != _NOT_KEPT
