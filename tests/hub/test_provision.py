"""What `companion hub init` writes makes a broker at which each table speaks for itself alone."""

import os
import pwd
import ssl
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from companion.cli.main import main
from companion.config import HubSettings, load
from companion.errors import BadSettings, TableError, UsageError
from companion.hub.broker import Mosquitto, free_port, mosquitto
from companion.hub.link import Broker, Link, broker_at, broker_of
from companion.hub.messages import Address, encode
from companion.hub.publisher import Place, Publisher
from companion.hub.service import Hub
from companion.hub.setup.certificates import is_for
from companion.hub.setup.provision import Plan, provision
from companion.hub.store import Store
from tests.hub.conftest import HEADER, play, require, table, until

ANA, BO = Address("hall", "table-01"), Address("hall", "table-02")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    user = pwd.getpwuid(os.getuid()).pw_name
    return Plan(tmp_path / "hall", "hall", ["table-01", "table-02"], "127.0.0.1", free_port(), user=user)


@pytest.fixture
def hall(plan: Plan) -> Iterator[Mosquitto]:
    require(mosquitto(), "mosquitto")
    provision(plan)
    with Mosquitto(plan.folder, plan.port, plan.folder / "mosquitto.conf") as running:
        yield running


def settings(plan: Plan, name: str) -> HubSettings:
    """A table's settings, its files where they were written and not where they are taken."""
    file = plan.folder / "tables" / f"{name}.toml"
    text = file.read_text().replace("/etc/companion/ca.pem", str(plan.folder / "ca.pem"))
    return load(_written(file.with_suffix(".here.toml"), text.replace("/etc/companion", str(file.parent)))).hub


def _written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


def hub_of(plan: Plan, tmp_path: Path) -> Hub:
    return Hub(broker_of(load(plan.folder / "hub.toml").hub), Store(f"sqlite:///{tmp_path / 'hub.db'}"))


def closed(hub: Hub) -> None:
    hub.stop()
    hub.store.close()


def test_a_table_and_the_hub_meet_over_tls(plan: Plan, hall: Mosquitto, tmp_path: Path) -> None:
    hub = hub_of(plan, tmp_path)
    hub.start()
    with table(tmp_path / "data") as referee:
        publisher = Publisher(referee, Place(broker_of(settings(plan, "table-01")), ANA))
        publisher.start()
        play(referee, moves=4)
        until(lambda: hub.store.count() == 5)
        hub.ask(ANA, {"ask": "dismiss"})
        publisher.stop()
    closed(hub)


def test_a_table_cannot_speak_for_another_nor_hear_it(plan: Plan, hall: Mosquitto, tmp_path: Path) -> None:
    hub = hub_of(plan, tmp_path)
    hub.start()
    heard: list[str] = []
    connected: list[bool] = []
    thief = Link(
        broker_of(settings(plan, "table-02")),
        {"companion/#": 1},
        lambda message: heard.append(message.topic),
        lambda: connected.append(True),
    )
    thief.open()
    with table(tmp_path / "data") as referee:
        publisher = Publisher(referee, Place(broker_of(settings(plan, "table-01")), ANA))
        publisher.start()
        play(referee, moves=2)
        until(lambda: connected and hub.store.count() == 3)
        first = encode({"game": "0001-0badcafe", "line": 1, "after": None, "body": {"n": 1}})
        for address in (ANA, Address("other", "table-02")):
            thief.publish(address.topic("up", "event"), first, 1)
            thief.publish(address.topic("up", "snapshot"), b"rubbish")
        thief.publish(ANA.topic("down", "ask"), encode({"ask": "begin", "header": HEADER.as_json()}), 1)
        thief.publish(BO.topic("up", "event"), first, 1)  # what it may say
        until(lambda: hub.store.position(BO) is not None)
        assert hub.store.count() == 4
        assert hub.consumer.counts.unreadable[ANA] == 0
        assert len(referee.latest().moves) == 2
        until(lambda: heard)
        assert set(heard) == {BO.topic("down", "position")}
        publisher.stop()
    thief.close()
    closed(hub)


def test_a_stolen_password_is_worth_nothing_once_it_is_renewed(plan: Plan, hall: Mosquitto, tmp_path: Path) -> None:
    stolen = broker_of(settings(plan, "table-01"))
    kept = settings(plan, "table-02")
    assert provision(Plan(**{**_fields(plan), "renew": ["table-01"]})) == ["table-01"]
    hall.close()
    hall.start()
    entered: dict[str, bool] = {}
    links = [
        Link(broker, {}, lambda message: None, lambda name=name: entered.__setitem__(name, True))
        for name, broker in {
            "stolen": stolen,
            "new": broker_of(settings(plan, "table-01")),
            "other": broker_of(kept),
            "nobody": broker_at(f"mqtts://127.0.0.1:{plan.port}", "table-01", None, plan.folder / "ca.pem"),
        }.items()
    ]
    for link in links:
        link.open()
    until(lambda: len(entered) == 2)
    assert set(entered) == {"new", "other"}
    for link in links:
        link.close()


def test_with_certificates_a_password_alone_opens_nothing(tmp_path: Path, plan: Plan) -> None:
    require(mosquitto(), "mosquitto")
    plan = Plan(**{**_fields(plan), "has_certificates": True})
    provision(plan)
    entered: list[str] = []

    def link(name: str, broker: Broker) -> Link:
        made = Link(broker, {}, lambda message: None, lambda: entered.append(name))
        made.open()
        return made

    with Mosquitto(plan.folder, plan.port, plan.folder / "mosquitto.conf"):
        whole = broker_of(settings(plan, "table-01"))
        bare = broker_at(f"mqtts://127.0.0.1:{plan.port}", "table-01", whole.password, plan.folder / "ca.pem")
        links = [link("bare", bare), link("whole", whole)]
        until(lambda: entered)
        assert entered == ["whole"]
        for each in links:
            each.close()


def test_a_hall_whose_certificates_are_older_is_entered_where_python_is_strict(
    tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(mosquitto(), "mosquitto")
    plan.folder.mkdir()
    _sign_without_key_identifiers(plan.folder)
    provision(plan)
    usual = ssl.create_default_context

    def strict(**given: Any) -> ssl.SSLContext:  # as it is from Python 3.13 on
        context = usual(**given)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr(ssl, "create_default_context", strict)
    entered: list[bool] = []
    with Mosquitto(plan.folder, plan.port, plan.folder / "mosquitto.conf"):
        link = Link(broker_of(settings(plan, "table-01")), {}, lambda message: None, lambda: entered.append(True))
        link.open()
        until(lambda: entered)
        link.close()


def _sign_without_key_identifiers(folder: Path) -> None:
    """An authority and a broker's certificate as `provision` wrote them before it heeded RFC 5280."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hall")])
    hosts = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")])
    for name, subject, extension, is_critical in (
        ("ca", issuer, x509.BasicConstraints(ca=True, path_length=0), True),
        ("broker", x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")]), hosts, False),
    ):
        built = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        built = built.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        signed = built.add_extension(extension, critical=is_critical).sign(key, hashes.SHA256())
        pem = serialization.Encoding.PEM
        secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (folder / f"{name}.pem").write_bytes(signed.public_bytes(pem))
        (folder / f"{name}.key").write_bytes(secret)


def test_more_tables_come_in_and_what_was_there_stays(plan: Plan) -> None:
    provision(plan)
    before = {path.name: path.read_text() for path in plan.folder.rglob("*.toml")}
    authority = (plan.folder / "ca.pem").read_bytes()
    more = Plan(**{**_fields(plan), "tables": [*plan.tables, "table-03"]})
    assert provision(more) == ["table-03"]
    assert {name: (next(plan.folder.rglob(name))).read_text() for name in before} == before
    assert (plan.folder / "ca.pem").read_bytes() == authority
    assert "user table-03" in (plan.folder / "acl").read_text()


def test_a_broker_that_has_got_another_host_is_believed_there(plan: Plan) -> None:
    provision(plan)
    before, authority = ((plan.folder / name).read_bytes() for name in ("broker.pem", "ca.pem"))
    provision(plan)
    assert (plan.folder / "broker.pem").read_bytes() == before
    provision(Plan(**{**_fields(plan), "host": "hall.local"}))
    assert is_for(plan.folder / "broker.pem", ["hall.local", "127.0.0.1"])
    assert not is_for(plan.folder / "broker.pem", ["other.local"])
    assert (plan.folder / "ca.pem").read_bytes() == authority


def test_a_league_knows_its_halls(plan: Plan) -> None:
    assert provision(Plan(**{**_fields(plan), "halls": ["north"]})) == ["table-01", "table-02", "north"]
    north = load(plan.folder / "tables" / "north.toml").hub
    assert (north.hall, north.name) == ("north", "north")
    access = (plan.folder / "acl").read_text()
    assert "user north\ntopic write companion/north/+/up/#\ntopic read companion/north/+/down/position" in access
    assert "topic write companion/north/+/down/position" in access.split("\n\n")[0]


def test_secrets_are_for_nobody_else(plan: Plan) -> None:
    provision(plan)
    for file in ("ca.key", "broker.key", "passwords", "hub.toml", "tables/table-01.toml"):
        assert (plan.folder / file).stat().st_mode & 0o077 == 0, file
    password = tomllib.loads((plan.folder / "hub.toml").read_text())["hub"]["password"]
    assert password not in (plan.folder / "passwords").read_text()


@pytest.mark.parametrize("wrong", [{"tables": ["hub"]}, {"tables": ["a/b"]}, {"hall": "+"}, {"renew": ["table-09"]}])
def test_a_name_that_cannot_be_is_refused(plan: Plan, wrong: dict) -> None:
    with pytest.raises((BadSettings, UsageError)):
        provision(Plan(**{**_fields(plan), **wrong}))


def test_an_authority_that_does_not_read_is_said_in_a_line(plan: Plan) -> None:
    provision(plan)
    (plan.folder / "ca.key").write_bytes(b"")
    with pytest.raises(TableError, match="do not hold a certificate"):
        provision(plan)


def test_the_command_says_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hub", "init", str(tmp_path / "hall"), "--tables", "3"]) == 0
    told = capsys.readouterr().out
    assert "3 tables got a password" in told
    assert f"mosquitto -c {tmp_path / 'hall' / 'mosquitto.conf'}" in told
    assert load(tmp_path / "hall" / "hub.toml").hub.name == "hub"


def test_without_a_broker_the_hub_says_what_it_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["hub"]) == 2
    assert "companion hub init" in capsys.readouterr().err


def _fields(plan: Plan) -> dict:
    return {name: getattr(plan, name) for name in Plan.__slots__}
