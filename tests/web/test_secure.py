"""https by a certificate that the table makes for itself, and screens that stay on with and without it."""

import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from flask.testing import FlaskClient

from companion.app.invitation import host_names, table_certificate
from companion.hub.setup.certificates import Authority, suits_phones
from companion.referee.referee import Referee
from companion.web.app import create_app
from companion.web.app_context import HttpsAddress, TableParts
from companion.web.server import Deadlines, Server, bind

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def shake_hands(certificate: Path, key: Path, authority: Path, name: str) -> None:
    """What a phone that trusts an authority says of a server by that name."""
    strict = ssl.create_default_context(cafile=str(authority))
    strict.verify_flags |= ssl.VERIFY_X509_STRICT  # as Python does from 3.13 on
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key)
    to_table, to_phone = ssl.MemoryBIO(), ssl.MemoryBIO()
    phone = strict.wrap_bio(to_phone, to_table, server_hostname=name)
    table = serving.wrap_bio(to_table, to_phone, server_side=True)
    for _ in range(2):
        for side in (phone, table):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    assert phone.getpeercert()


def test_a_table_speaks_https_to_whoever_trusts_its_authority(referee: Referee, tmp_path: Path) -> None:
    made = table_certificate(tmp_path, "192.168.7.9")
    app = create_app(referee, join_code="ROSE42", parts=TableParts(secure=HttpsAddress(0, made.authority)))
    with closing(bind("127.0.0.1", 0)) as listening:
        server = Server(app, listening, certificate=(made.certificate, made.key))
        server.start()
        try:
            trusting = ssl.create_default_context(cafile=str(made.authority))
            address = f"https://127.0.0.1:{listening.getsockname()[1]}/api/state"
            with urllib.request.urlopen(address, context=trusting, timeout=20) as answer:
                assert answer.status == 200
            with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
                urllib.request.urlopen(address, context=ssl.create_default_context(), timeout=20)
        finally:
            server.stop()


def test_a_handshake_that_is_never_whole_is_closed(referee: Referee, tmp_path: Path) -> None:
    made = table_certificate(tmp_path, "192.168.7.9")
    listening = bind("127.0.0.1", 0)
    deadlines = Deadlines(request_s=0.1)
    server = Server(create_app(referee, join_code="ROSE42"), listening, deadlines, (made.certificate, made.key))
    server.start()
    try:
        with socket.create_connection(listening.getsockname(), timeout=20) as slow:
            slow.sendall(b"\x16\x03\x01")
            assert slow.recv(100) == b""
    finally:
        server.stop()


def test_a_certificate_is_kept_and_signed_anew_for_another_address_by_the_same_authority(tmp_path: Path) -> None:
    first = table_certificate(tmp_path, "192.168.7.9")
    before, authority = first.certificate.read_bytes(), first.authority.read_bytes()
    assert table_certificate(tmp_path, "192.168.7.9").certificate.read_bytes() == before
    moved = table_certificate(tmp_path, "10.0.0.3")
    assert moved.certificate.read_bytes() != before
    assert moved.authority.read_bytes() == authority
    assert first.key.stat().st_mode & 0o077 == 0
    assert "localhost" in host_names("10.0.0.3")


def test_a_certificate_is_one_that_phones_and_strict_programs_take(tmp_path: Path) -> None:
    made = table_certificate(tmp_path, "192.168.7.9")
    certificate = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    assert certificate.not_valid_after_utc - certificate.not_valid_before_utc < timedelta(days=825)
    shake_hands(made.certificate, made.key, made.authority, "localhost")


@pytest.mark.parametrize(("valid_before_days", "valid_for_days"), [(3650, 1825), (424, 399), (-1, 730)])
def test_a_certificate_that_lasts_too_long_or_too_short_or_not_yet_is_signed_anew(
    tmp_path: Path, valid_before_days: int, valid_for_days: int
) -> None:
    made = table_certificate(tmp_path, "192.168.7.9")
    authority = made.authority.read_bytes()
    old = Authority(made.authority.parent, "table")
    old.sign_pages(
        made.authority.parent,
        "table",
        host_names("192.168.7.9"),
        (timedelta(days=valid_before_days), timedelta(days=valid_for_days)),
    )
    before = made.certificate.read_bytes()
    assert table_certificate(tmp_path, "192.168.7.9").certificate.read_bytes() != before
    assert suits_phones(made.certificate)
    assert made.authority.read_bytes() == authority


def test_whoever_takes_a_tables_authority_can_pose_as_no_site_on_the_internet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "kitchen")
    made = table_certificate(tmp_path, "192.168.7.9")
    for name in ("kitchen", "kitchen.local", "localhost", "192.168.7.9"):
        shake_hands(made.certificate, made.key, made.authority, name)
    thief = Authority(made.authority.parent, "table")
    thief.sign_server(tmp_path, "stolen", ["bank.example"])
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        shake_hands(tmp_path / "stolen.pem", tmp_path / "stolen.key", made.authority, "bank.example")
    monkeypatch.setattr("socket.gethostname", lambda: "club")
    renamed = table_certificate(tmp_path, "130.10.20.30")
    for name in ("club.local", "localhost", "130.10.20.30"):
        shake_hands(renamed.certificate, renamed.key, made.authority, name)


def test_a_certificate_signed_before_the_clock_was_right_is_signed_anew_while_the_table_runs(
    referee: Referee, tmp_path: Path
) -> None:
    made = table_certificate(tmp_path, "192.168.7.9")
    long_ago = (timedelta(days=3000), timedelta(days=-1000))
    Authority(made.authority.parent, "table").sign_pages(
        made.authority.parent, "table", host_names("192.168.7.9"), long_ago
    )
    renewed = threading.Event()

    def renew() -> None:
        table_certificate(tmp_path, "192.168.7.9")
        renewed.set()

    listening = bind("127.0.0.1", 0)
    pair = made.certificate, made.key
    server = Server(create_app(referee, join_code="ROSE42"), listening, None, pair, renew, renew_every_s=0)
    server.start()
    try:
        assert renewed.wait(20)
        trusting = ssl.create_default_context(cafile=str(made.authority))
        for tries_left in reversed(range(100)):  # between the files and the next connection
            try:
                with socket.create_connection(listening.getsockname(), timeout=20) as plain:
                    trusting.wrap_socket(plain, server_hostname="localhost").close()
                break
            except ssl.SSLCertVerificationError:
                assert tries_left
                time.sleep(0.05)
    finally:
        server.stop()


def test_a_table_that_begins_before_its_network_is_there_keeps_its_certificate(tmp_path: Path) -> None:
    before = table_certificate(tmp_path, "192.168.7.9").certificate.read_bytes()
    assert table_certificate(tmp_path, "127.0.0.1").certificate.read_bytes() == before


@pytest.mark.parametrize("name", ["ca.key", "ca.pem", "table.key", "table.pem", "hosts"])
@pytest.mark.parametrize("left", [None, b"", bytes(200), b"\xff\xfe"])
def test_a_certificate_that_a_power_cut_spoilt_is_made_anew(tmp_path: Path, name: str, left: bytes | None) -> None:
    spoilt = table_certificate(tmp_path, "192.168.7.9").key.with_name(name)
    spoilt.unlink()
    if left is not None:
        spoilt.write_bytes(left)
    made = table_certificate(tmp_path, "192.168.7.9")
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(made.certificate, made.key)
    x509.load_pem_x509_certificate(made.certificate.read_bytes()).verify_directly_issued_by(
        x509.load_pem_x509_certificate(made.authority.read_bytes())
    )
    assert made.key.stat().st_mode & 0o077 == made.authority.with_suffix(".key").stat().st_mode & 0o077 == 0


def test_a_phone_is_told_of_https_only_where_the_table_speaks_it(
    referee: Referee, spectator: FlaskClient, tmp_path: Path
) -> None:
    assert spectator.get("/api/me").get_json()["secure_port"] is None
    assert spectator.get("/table-certificate.crt").status_code == 404
    made = table_certificate(tmp_path, "192.168.7.9")
    phone = create_app(
        referee, join_code="ROSE42", parts=TableParts(secure=HttpsAddress(8443, made.authority))
    ).test_client()
    assert phone.get("/api/me").get_json()["secure_port"] == 8443
    assert phone.get("/api/me", base_url="https://localhost").get_json()["secure_port"] is None
    assert phone.get("/table-certificate.crt").data == made.authority.read_bytes()


def test_a_screen_stays_on_by_a_silent_film_where_the_browser_has_no_lock(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    page.asynchronous(
        "const done = arguments[0]; import('/static/awake.js').then(({ stayAwake }) => { stayAwake(); done(1); })"
    )
    page.tap(160, 20)
    page.wait_for("document.querySelector('video.awake') && document.querySelector('video.awake').currentTime > 0.2")
    assert page.run("const film = document.querySelector('video.awake'); return [film.loop, film.paused]") == [
        True,
        False,
    ]
