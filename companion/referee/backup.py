"""Backs a data folder up to one zip file and restores it: games, pictures, seats, profiles and calibrations.

A table may be running meanwhile: journals only grow, and a line that was half written is cut off when the copy is
opened, as after a power cut.
"""

import zipfile
from pathlib import Path, PurePosixPath

from companion.errors import UsageError

_NOT_KEPT = ("lock",)
_STORED = (".jpg", ".npz", ".onnx")
"""Files that are compressed already."""


def back_up(data: Path, file: Path) -> int:
    """Write a data folder to a zip file, replacing it atomically; return the number of files.

    Raises:
        UsageError: `no-data`, or the file cannot be written.
    """
    if not data.is_dir():
        raise UsageError(f"there is no data folder {data}: nothing was ever played there", code="no-data")
    kept = [path for path in sorted(data.rglob("*")) if path.is_file() and path.name not in _NOT_KEPT and path != file]
    draft = file.with_name(f"{file.name}.draft")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in kept:
                method = zipfile.ZIP_STORED if path.suffix in _STORED else zipfile.ZIP_DEFLATED
                packed.write(path, path.relative_to(data).as_posix(), method)
        draft.replace(file)
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}", code="unwritable-backup") from None
    return len(kept)


def restore(file: Path, data: Path) -> int:
    """Unpack a backup into an empty folder; return the number of files.

    Raises:
        UsageError: `data-in-place`, or the file is no backup.
    """
    if data.exists() and any(path.name not in _NOT_KEPT for path in data.iterdir()):
        raise UsageError(f"{data} holds a table already: name another folder with --data", code="data-in-place")
    try:
        with zipfile.ZipFile(file) as packed:
            names = packed.namelist()
            if strange := next((name for name in names if not _is_inside(name)), None):
                message = f"{file} is no backup: it would write {strange!r} outside the folder"
                raise UsageError(message, code="bad-backup")
            if (damaged := packed.testzip()) is not None:
                raise UsageError(f"{file} is damaged at {damaged}", code="bad-backup")
            data.mkdir(parents=True, exist_ok=True)
            packed.extractall(data)
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{file} is no backup that can be read: {error}", code="bad-backup") from None
    return len(names)


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name
