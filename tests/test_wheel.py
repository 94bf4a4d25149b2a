"""What an installed companion consists of: the networks that run and their checksums, and nothing that only trains."""

from pathlib import Path, PurePosixPath

import pytest
from hatchling.builders.wheel import WheelBuilder

from companion.games import network_files

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def shipped() -> set[PurePosixPath]:
    """The paths of the wheel's files."""
    builder = WheelBuilder(str(ROOT))
    builder.config.set_build_data({"artifacts": [], "force_include": {}})
    return {PurePosixPath(file.distribution_path) for file in builder.recurse_included_files()}


def test_the_wheel_ships_each_network_with_its_checksum_and_nothing_else_of_models(shipped: set[PurePosixPath]) -> None:
    networks = {PurePosixPath("companion/models") / name for name in network_files()}
    expected = networks | {path.with_suffix(".sha256") for path in networks}
    assert {path for path in shipped if path.is_relative_to("companion/models")} == expected
    assert {path.parts[0] for path in shipped} == {"companion"}


def test_the_wheel_ships_all_of_the_package(shipped: set[PurePosixPath]) -> None:
    package = {PurePosixPath(path.relative_to(ROOT).as_posix()) for path in (ROOT / "companion").rglob("*.py")}
    assert package <= shipped
