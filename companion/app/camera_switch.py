"""Whether the camera is switched on: kept in the data folder, so that a restart does not switch it on again."""

from pathlib import Path

from companion.errors import TableError
from companion.referee.folder import storage_errors, write_whole

_ON, _OFF = "on", "off"


class Switch:
    """The camera's switch: whether it is one of those who say what was laid; else all is entered by hand."""

    def __init__(self, data: Path) -> None:
        """As it was left in a data folder, at first on. Raises `TableError` when that cannot be read."""
        self._file = data / "camera"
        self._is_on = _kept(self._file)

    @property
    def is_on(self) -> bool:
        """Whether it is."""
        return self._is_on

    def turn(self, is_on: bool) -> None:
        """Switch it, for good. Raises `TableError` when that cannot be kept; then nothing has changed."""
        with storage_errors(f"cannot keep the camera's switch in {self._file}"):
            write_whole(self._file, f"{_ON if is_on else _OFF}\n".encode())
        self._is_on = is_on


def _kept(file: Path) -> bool:
    with storage_errors(f"cannot read the camera's switch in {file}"):
        text = file.read_text(errors="replace").strip() if file.exists() else _ON
    if text not in (_ON, _OFF):
        raise TableError(f"{file} says {text[:20]!r}: write on or off there, or remove it")
    return text == _ON
