"""The camera's on/off switch, stored in the data folder so that it survives a restart."""

from pathlib import Path

from companion.errors import TableError
from companion.referee.folder import storage_errors, write_whole

_ON, _OFF = "on", "off"


class Switch:
    """Whether the camera is used; when it is off, moves are entered by hand."""

    def __init__(self, data: Path) -> None:
        """Read the switch from a data folder; on by default. Raises `TableError` when it cannot be read."""
        self._file = data / "camera"
        self._is_on = _read(self._file)

    @property
    def is_on(self) -> bool:
        """Whether the camera is used."""
        return self._is_on

    def turn(self, is_on: bool) -> None:
        """Switch the camera and store it. Raises `TableError` when it cannot be stored; nothing has changed then."""
        with storage_errors(f"cannot keep the camera's switch in {self._file}"):
            write_whole(self._file, f"{_ON if is_on else _OFF}\n".encode())
        self._is_on = is_on


def _read(file: Path) -> bool:
    with storage_errors(f"cannot read the camera's switch in {file}"):
        text = file.read_text(errors="replace").strip() if file.exists() else _ON
    if text not in (_ON, _OFF):
        raise TableError(f"{file} says {text[:20]!r}: write on or off there, or remove it")
    return text == _ON
