"""The table's certificate for https: an authority of its own, kept in the data folder, that signs for its addresses."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.app.bootstrap import lazy_import
from companion.referee.folder import storage_errors, write_whole

_FOLDER, _NAME, _HOSTS = "https", "table", "hosts"


@dataclass(frozen=True, slots=True)
class TableCertificate:
    """The files of a server certificate, and of the authority that a phone may be told to trust."""

    certificate: Path
    key: Path
    authority: Path


def table_certificate(data: Path, address: str) -> TableCertificate:
    """The certificate for this machine's names and ``address``; signed anew when they have changed.

    The authority stays, so that a phone that trusts it goes on trusting the table.
    """
    folder, hosts = data / _FOLDER, host_names(address)
    authority = lazy_import("companion.hub.setup.certificates").Authority
    with storage_errors(f"cannot keep the certificate in {folder}"):
        folder.mkdir(mode=0o700, exist_ok=True)
        made = TableCertificate(folder / f"{_NAME}.pem", folder / f"{_NAME}.key", folder / "ca.pem")
        signed_for = folder / _HOSTS
        signs = authority(folder, f"table at {hosts[0]}")
        if not made.certificate.exists() or not signed_for.exists() or signed_for.read_text().split() != list(hosts):
            signs.sign_server(folder, _NAME, hosts)
            write_whole(signed_for, " ".join(hosts).encode())
    return made


def host_names(address: str) -> Sequence[str]:
    """How this machine is reached: its name, its name in the local network, its address and itself."""
    name = socket.gethostname().split(".")[0] or "table"
    return tuple(dict.fromkeys((name, f"{name}.local", address, "localhost", "127.0.0.1")))
