"""Certificates: one authority of its own in a hall, or at a table that speaks https, and what it signs.

They have the extensions that RFC 5280 asks for: Python trusts no others from version 3.13 on.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.errors import TableError
from companion.referee.folder import write_whole

_AUTHORITY_FOR = timedelta(days=3650)
_SIGNED_FOR = timedelta(days=1825)
_CLOCKS_DIFFER_BY = timedelta(days=3650)
"""A Pi has no clock of its own: until it is told the time it may live years ago, and it must get in even so."""
_PAGES_VALID = timedelta(days=90), timedelta(days=734)
"""What phones look at: Apple's take no certificate for longer than 825 days in all, whoever signed it."""
_PAGES_RENEWED = timedelta(days=400)
"""So long a certificate for pages must last at a start."""


class Authority:
    """Signs certificates. Made once and kept in a folder as ``ca.pem`` and ``ca.key``."""

    def __init__(self, folder: Path, hall: str, names: Sequence[str] = ()) -> None:
        """The authority that a folder keeps, or a new one.

        Args:
            names: a new one signs for these host names and what ends with them, and for addresses; without, for all.

        Raises:
            TableError: `authority-damaged`: what is kept there is none.
        """
        self.file = folder / "ca.pem"
        key_file = folder / "ca.key"
        if not self.file.exists():
            self._key = ec.generate_private_key(ec.SECP256R1())
            subject = _name(f"companion, {hall}")
            built = (
                _builder(subject, subject, self._key, self._key, (_CLOCKS_DIFFER_BY, _AUTHORITY_FOR))
                .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
                .add_extension(_SIGNS, critical=True)
            )
            if names:  # not critical: whoever does not know it takes the certificate all the same
                only = x509.NameConstraints([x509.DNSName(name) for name in names], None)
                built = built.add_extension(only, critical=False)
            _write(built.sign(self._key, hashes.SHA256()), self._key, self.file, key_file)
        try:
            loaded = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
            self._certificate = x509.load_pem_x509_certificate(self.file.read_bytes())
        except (ValueError, TypeError, FileNotFoundError):
            loaded = None
        if not isinstance(loaded, ec.EllipticCurvePrivateKey) or loaded.public_key() != self._certificate.public_key():
            message = f"{self.file} and {key_file} do not hold a certificate and its key; restore them, or remove both"
            raise TableError(message, code="authority-damaged")
        self._key = loaded

    def sign_server(self, folder: Path, name: str, hosts: Sequence[str]) -> None:
        """Write ``NAME.pem`` and ``NAME.key`` of a server at some host names or addresses."""
        names = x509.SubjectAlternativeName([_host(host) for host in hosts])
        self._sign(folder, name, ExtendedKeyUsageOID.SERVER_AUTH, names)

    def sign_pages(
        self, folder: Path, name: str, hosts: Sequence[str], valid: tuple[timedelta, timedelta] = _PAGES_VALID
    ) -> None:
        """As `sign_server`, for as long as phones allow; see `suits_phones`. Leaves out hosts it may not sign for.

        Args:
            valid: so long before and after now.
        """
        names = x509.SubjectAlternativeName([named for named in map(_host, hosts) if self._may_sign(named)])
        self._sign(folder, name, ExtendedKeyUsageOID.SERVER_AUTH, names, valid)

    def _may_sign(self, host: x509.GeneralName) -> bool:
        try:
            only = self._certificate.extensions.get_extension_for_class(x509.NameConstraints).value
        except x509.ExtensionNotFound:
            return True
        endings = [f".{permitted.value}" for permitted in only.permitted_subtrees or ()]
        return not isinstance(host, x509.DNSName) or f".{host.value}".endswith(tuple(endings))

    def sign_client(self, folder: Path, name: str) -> None:
        """Write ``NAME.pem`` and ``NAME.key`` of a client who goes by that name."""
        self._sign(folder, name, ExtendedKeyUsageOID.CLIENT_AUTH, x509.SubjectAlternativeName([x509.DNSName(name)]))

    def _sign(
        self,
        folder: Path,
        name: str,
        usage: x509.ObjectIdentifier,
        names: x509.SubjectAlternativeName,
        valid: tuple[timedelta, timedelta] = (_CLOCKS_DIFFER_BY, _SIGNED_FOR),
    ) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        built = (
            _builder(_name(name), self._certificate.subject, key, self._key, valid)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .add_extension(names, critical=False)
        )
        _write(built.sign(self._key, hashes.SHA256()), key, folder / f"{name}.pem", folder / f"{name}.key")


def suits_phones(certificate: Path) -> bool:
    """Whether phones take a certificate, which is valid for no longer than they allow, for another year."""
    try:
        read, now = x509.load_pem_x509_certificate(certificate.read_bytes()), datetime.now(UTC)
    except (ValueError, FileNotFoundError):
        return False
    begins, ends = read.not_valid_before_utc, read.not_valid_after_utc
    return begins <= now and now + _PAGES_RENEWED <= ends <= begins + sum(_PAGES_VALID, timedelta())


def is_for(certificate: Path, hosts: Sequence[str]) -> bool:
    """Whether a server's certificate is there and names all of these hosts."""
    try:
        read = x509.load_pem_x509_certificate(certificate.read_bytes())
        named = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, FileNotFoundError, x509.ExtensionNotFound):
        return False
    return {_host(host) for host in hosts} <= {*named}


_SIGNS = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuing: ec.EllipticCurvePrivateKey,
    valid: tuple[timedelta, timedelta],
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - valid[0])
        .not_valid_after(now + valid[1])
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuing.public_key()), critical=False)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey, file: Path, key_file: Path) -> None:
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write_whole(key_file, secret, mode=0o600)
    write_whole(file, certificate.public_bytes(pem))
