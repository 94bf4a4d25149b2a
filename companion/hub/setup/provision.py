"""What a hall needs before its first evening: the broker's configuration, who may say what, passwords, certificates.

FOLDER/mosquitto.conf        the broker's configuration; ``mosquitto -c FOLDER/mosquitto.conf`` starts it
FOLDER/acl, passwords        who may read and write which topics; the passwords' hashes
FOLDER/ca.pem, ca.key        the hall's own authority; the key stays here
FOLDER/hub.toml              settings for ``companion hub --settings``
FOLDER/tables/table-01.toml  settings to take to a table, with its password; ca.pem goes along
"""

import base64
import hashlib
import secrets
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.errors import UsageError
from companion.hub.broker import TUNING
from companion.hub.messages import address
from companion.hub.publisher import PREFIX
from companion.hub.setup.certificates import Authority, is_for
from companion.referee.folder import storage_errors, write_whole

HUB = "hub"
_SALT_BYTES, _ITERATIONS, _KEY_BYTES = 12, 10_000, 64


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write.

    Attributes:
        host: of the broker, as the tables reach it.
        renew: tables that get a new password, for the old one was stolen.
        has_certificates: whether tables show certificates of their own besides.
        halls: that send their tables' games here, where this is the hub of a league.
        user: whom the broker runs as, when it is started by root; None: as it is built.
    """

    folder: Path
    hall: str
    tables: Sequence[str]
    host: str
    port: int = 8883
    renew: Sequence[str] = ()
    has_certificates: bool = False
    user: str | None = None
    halls: Sequence[str] = ()


def provision(plan: Plan) -> list[str]:
    """Write what lacks and leave passwords and certificates that are there; the tables that got new ones.

    Where the broker has got another host its certificate is signed anew, by the same authority.

    Raises:
        CompanionError: a name that cannot be, or a folder that cannot be written.
    """
    names = [*plan.tables, *plan.halls]
    for name in names:
        address(plan.hall, name)
    if HUB in names or len(set(names)) < len(names):
        raise UsageError(f"tables and halls need names of their own, and none is {HUB}")
    if unknown := [name for name in plan.renew if name not in names]:
        raise UsageError(f"no such table: {', '.join(unknown)}")
    with storage_errors(f"cannot write in {plan.folder}"):
        (plan.folder / "tables").mkdir(parents=True, exist_ok=True)
        authority = Authority(plan.folder, plan.hall)
        hosts = [plan.host, "localhost", "127.0.0.1"]
        if not is_for(plan.folder / "broker.pem", hosts):
            authority.sign_server(plan.folder, "broker", hosts)
        passwords, fresh = {}, []
        for name in (HUB, *names):
            file = plan.folder / "hub.toml" if name == HUB else plan.folder / "tables" / f"{name}.toml"
            known = None if name in plan.renew else _known_password(file)
            passwords[name] = known or secrets.token_urlsafe(18)
            certificate = file.with_name(f"{name}.pem")
            if plan.has_certificates and (name in plan.renew or not certificate.exists()):
                authority.sign_client(file.parent, name)
            if known is None:
                fresh.append(name)
            _write_private(file, _settings(plan, name, passwords[name]))
        hashes = "".join(f"{name}:{hashed(password)}\n" for name, password in passwords.items())
        _write_private(plan.folder / "passwords", hashes)
        write_whole(plan.folder / "acl", access(plan.hall, plan.tables, plan.halls).encode())
        write_whole(plan.folder / "mosquitto.conf", _configuration(plan).encode())
    return [name for name in fresh if name != HUB]


def access(hall: str, tables: Sequence[str], halls: Sequence[str] = ()) -> str:
    """The broker's list of who may do what: a table writes its own ``up`` and reads its own ``down``, nothing else.

    A hall of a league does so for all of its tables, and is asked for nothing.

    >>> print(access("hall", ["table-01"]).split("\\n\\n")[1].strip())
    user table-01
    topic write companion/hall/table-01/up/#
    topic read companion/hall/table-01/down/#
    topic write homeassistant/+/hall_table-01/#
    """
    entries = [f"user {HUB}\ntopic read companion/+/+/up/#\ntopic write companion/{hall}/+/down/#"]
    entries[0] += "".join(f"\ntopic write companion/{each}/+/down/position" for each in halls)
    for name in tables:
        here = address(hall, name)
        entries.append(
            f"user {name}\ntopic write {here.topic('up', '#')}\ntopic read {here.topic('down', '#')}\n"
            f"topic write {PREFIX}/+/{'_'.join(here)}/#"
        )
    for each in halls:
        entries.append(f"user {each}\ntopic write companion/{each}/+/up/#\ntopic read companion/{each}/+/down/position")
    return "\n\n".join(entries) + "\n"


def hashed(password: str) -> str:
    """A password as Mosquitto keeps it: PBKDF2 with SHA-512, ``$7$iterations$salt$key``, mosquitto_passwd(1)."""
    salt = secrets.token_bytes(_SALT_BYTES)
    key = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS, _KEY_BYTES)
    return f"$7${_ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(key).decode()}"


def _configuration(plan: Plan) -> str:
    folder = plan.folder.resolve()
    lines = [
        f"listener {plan.port}",
        f"cafile {folder / 'ca.pem'}",
        f"certfile {folder / 'broker.pem'}",
        f"keyfile {folder / 'broker.key'}",
        f"require_certificate {'true' if plan.has_certificates else 'false'}",
        *(["use_identity_as_username true"] if plan.has_certificates else []),
        "allow_anonymous false",
        f"password_file {folder / 'passwords'}",
        f"acl_file {folder / 'acl'}",
        f"message_size_limit {_MAX_MESSAGE_BYTES}",
        *([f"user {plan.user}"] if plan.user else []),
    ]
    return "\n".join(lines) + "\n" + TUNING


_MAX_MESSAGE_BYTES = 8_500_000
"""An evidence picture at its largest, and a little more."""


def _settings(plan: Plan, name: str, password: str) -> str:
    """A hub finds its files in the folder; a table has them in /etc/companion, beside its settings."""
    folder = plan.folder.resolve() if name == HUB else Path("/etc/companion")
    lines = [
        "[hub]",
        f'broker = "mqtts://{plan.host}:{plan.port}"',
        f'hall = "{name if name in plan.halls else plan.hall}"',
        f'name = "{name}"',
        f'password = "{password}"',
        f'ca = "{folder / "ca.pem"}"',
    ]
    if plan.has_certificates:
        lines += [f'certificate = "{folder / name}.pem"', f'key = "{folder / name}.key"']
    return "\n".join(lines) + "\n"


def _known_password(file: Path) -> str | None:
    if not file.exists():
        return None
    try:
        return str(tomllib.loads(file.read_text())["hub"]["password"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        raise UsageError(f"{file} holds no password; remove it, and a new one is made") from None


def _write_private(file: Path, text: str) -> None:
    """What nobody else may read; the broker may, who owns the folder."""
    write_whole(file, text.encode())
    file.chmod(0o600)
