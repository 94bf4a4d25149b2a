"""Everything that can go wrong, one tree.

CompanionError                 code, message and further fields; shown as one line, never as a traceback
├── Refusal                    the rules say no: nothing has changed                        exit status 1
├── UsageError                 wrong usage or unreadable input                              exit status 2
│   ├── BadHeader              a record's first line does not describe a game
│   ├── UnreadableImage        a file that is no picture
│   ├── TeachingRefused        photographs that teach no printing                       exit status 1
│   └── BadSettings            companion.toml or an option says something impossible
└── TableError                 the world outside fails: a port, a folder, a camera          exit status 2
    ├── JournalError           the journal cannot be written or does not read back whole
    ├── DeviceError            a camera or a panel that was asked for is not there
    └── ModelError             a trained network is missing or cannot be read
"""

import re
from typing import Any

_PART = r"[^/\s:;,'\"()]{1,255}"
_FOLDERS = re.compile(rf"(?<![\w./:])(?:(?:/{_PART})+/(?=[^/\s])|(?:{_PART}/){{2,}}(?={_PART}\.[A-Za-z]))")
"""An absolute path's folders; of a path that begins anywhere only two or more before a name with a suffix: not of 3/4,
nor the folder of a game's pictures."""


class CompanionError(Exception):
    """Anything a person is told in one line.

    Attributes:
        code: a short word other programs may rely on, such as ``edge-mismatch``.
        message: one sentence for the people at the table, naming the offender and what would do.
        fields: further facts for programs, JSON types only.
    """

    exit_status = 2
    default_code = "error"

    def __init__(self, message: str, *, code: str | None = None, **fields: Any) -> None:
        super().__init__(message)
        self.code = code or self.default_code
        self.message = message
        self.fields = fields

    def as_json(self) -> dict[str, Any]:
        """The error as the contract prints it.

        >>> UsageError("no such game: chess", code="unknown-game").as_json()
        {'code': 'unknown-game', 'message': 'no such game: chess'}
        """
        return {"code": self.code, "message": self.message, **self.fields}


class Refusal(CompanionError):
    """The rules say no. A refused command has changed nothing."""

    exit_status = 1
    default_code = "refused"

    def __init__(self, code: str, message: str, **fields: Any) -> None:
        super().__init__(message, code=code, **fields)


class UsageError(CompanionError):
    """Wrong usage or unreadable input."""

    default_code = "usage"


class BadHeader(UsageError):
    """A record's first line, or a new game's settings, do not describe a game."""

    default_code = "bad-header"


class UnreadableImage(UsageError):
    """A file that is no picture, or none that can be read."""

    exit_status = 1
    default_code = "unreadable-image"


class TeachingRefused(UsageError):
    """Photographs and labels from which no printing can be learnt; the message says what to do."""

    exit_status = 1
    default_code = "teaching-refused"


class BadSettings(UsageError):
    """A setting or option that cannot be."""

    default_code = "bad-settings"


class TableError(CompanionError):
    """The world outside fails: a port, a folder, a device."""

    default_code = "table-error"


class JournalError(TableError):
    """The journal cannot be written, or does not read back whole."""

    default_code = "journal"


class DeviceError(TableError):
    """A device that was asked for is not there or does not answer."""

    default_code = "device"


class ModelError(TableError):
    """A trained network is missing from the installation, or cannot be read."""

    default_code = "no-model"


def without_folders(message: str) -> str:
    """A message for guests of the network: of each path only the file's own name.

    >>> without_folders("cannot read /var/lib/companion/games/0001.jsonl: no space; see http://table:8080/past")
    'cannot read 0001.jsonl: no space; see http://table:8080/past'
    >>> without_folders("the move is not written, tm/d/games/0001.jsonl: 3/4 full")
    'the move is not written, 0001.jsonl: 3/4 full'
    """
    return _FOLDERS.sub("", message)
