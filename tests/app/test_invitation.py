"""The table's address is the one that its machine has now, also where it is the network itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from companion.app.invitation import Invitation, invitation
from companion.web.server import bind

HOTSPOT = """
import subprocess
from companion.app.invitation import Invitation
table = Invitation("http://0.0.0.0:8080/", "ROSE42", "471100")
print(table.url)
for change in ("link add wlan0 type veth peer name phone", "address add 10.42.0.1/24 dev wlan0", "link set wlan0 up"):
    subprocess.run(["ip", *change.split()], check=True)
print(table.url)
subprocess.run("ip route add default via 10.42.0.2".split(), check=True)
print(table.url, table.host, table.link)
"""


def test_a_table_whose_network_comes_later_is_then_found_there_also_where_it_leads_nowhere() -> None:
    alone = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*alone, "ip", "link", "add", "wlan0", "type", "veth"], capture_output=True).returncode:
        pytest.skip("needs a network namespace")
    told = subprocess.run([*alone, sys.executable, "-c", HOTSPOT], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == [
        "http://127.0.0.1:8080/",
        "http://10.42.0.1:8080/",
        "http://10.42.0.1:8080/ 10.42.0.1 http://10.42.0.1:8080/?code=ROSE42",
    ]


def test_a_table_that_serves_one_address_is_found_there(tmp_path: Path) -> None:
    with bind("127.0.0.1", 0) as listening:
        made = invitation(listening, tmp_path, "ROSE42", "471100")
        assert made.url == f"http://127.0.0.1:{listening.getsockname()[1]}/"
    with bind("0.0.0.0", 0) as listening:
        made = invitation(listening, tmp_path, "ROSE42", "471100")
        assert made == Invitation(f"http://0.0.0.0:{listening.getsockname()[1]}/", "ROSE42", "471100")
