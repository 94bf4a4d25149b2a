"""Files and pictures that are malformed, too large or nested too deep: one clear line, and the rest goes on."""

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.config import load
from companion.devices.recorded import Recorded
from companion.errors import CompanionError
from companion.games.hexapod.vision.enrolment import InsectProfile
from companion.games.hexdragon.vision.prototypes import InkProfile
from companion.games.hexel.vision.prototypes import SymbolProfile
from companion.referee.folder import Pictures
from companion.views.words import use
from companion.vision.calibration.calibration import read_calibration
from companion.vision.enrolment.sample import Sample
from companion.vision.networks import checksum
from companion.web.access.seat_keys import SeatKeys

READERS = {
    "settings": load,
    "words": use,
    "calibration": read_calibration,
    "hexel profile": SymbolProfile.read,
    "hexdragon profile": InkProfile.read,
    "hexapod profile": InsectProfile.read,
    "seats": SeatKeys,
}
DEEP = b"[" * 100_000
SPOILT = {
    "no text": b"\xff\xfe\x00\x80",
    "nested deep": DEEP + b"]" * 100_000,
    "nested deep in a value": b"a = " + DEEP + b"]" * 100_000,
    "a long number": b"9" * 5000,
    "a long number in a value": b"a = " + b"9" * 5000,
    "another thing": b'"a text"',
    "too large": b" " * 3_000_000 + b"{",
}


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("reader", READERS)
def test_a_spoilt_file_is_one_clear_line(tmp_path: Path, reader: str, spoilt: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(SPOILT[spoilt])
    with pytest.raises(CompanionError) as told:
        READERS[reader](path)
    assert "\n" not in told.value.message and len(told.value.message) < 500


@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_in_a_files_place_is_one_clear_line_and_waited_for_by_nobody(tmp_path: Path, reader: str) -> None:
    os.mkfifo(tmp_path / "file")
    with pytest.raises(CompanionError, match="no file"):
        READERS[reader](tmp_path / "file")


MISFITTING = {
    "profile": SymbolProfile.VERSION,
    "game": "hexel",
    "deck": "hexel36",
    "symbols": ["red", "blue"],
    "face_value": [1, 1, 1],
    "looks": [[0.0] * 47] * 2,
    "networks": {name: checksum(name) for name in SymbolProfile.NETWORKS},
}
"""A profile whose looks have other lengths than the network's."""


def test_a_profile_of_another_network_or_of_other_numbers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(MISFITTING))
    with pytest.raises(CompanionError, match="do not fit"):
        SymbolProfile.read(path)
    path.write_text(json.dumps({**MISFITTING, "networks": dict.fromkeys(SymbolProfile.NETWORKS, "0" * 64)}))
    with pytest.raises(CompanionError, match="learnt with another"):
        SymbolProfile.read(path)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"game": None}, "names no game"),
        ({"networks": None}, "with which networks"),
        ({"looks": None}, "does not say looks"),
        ({"looks": "x"}, "its looks are no numbers"),
        ({"looks": [[1], [1, 2]]}, "its looks are no numbers"),
        ({"samples": {"a": 1}}, "no list of objects"),
        ({"samples": [{"source": "taught"}]}, "a sample without its picture"),
        ({"profile": 3}, "profile version 3; learn the printing again"),
        ({"deck": 5}, "its deck, 5, is no text"),
    ],
)
def test_what_is_wrong_with_a_profile_is_told_in_plain_words(
    changed: dict[str, object], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "profile.json"
    path.write_text(json.dumps({key: value for key, value in {**MISFITTING, **changed}.items() if value is not None}))
    with pytest.raises(CompanionError, match=told) as refused:
        SymbolProfile.read(path)
    assert str(path) in refused.value.message


@pytest.mark.parametrize("jpeg", [b"", b"no picture", b"\xff\xd8\xff"])
def test_a_sample_that_is_no_picture_is_no_sample(jpeg: bytes) -> None:
    with pytest.raises(ValueError, match="picture"):
        Sample.from_json(Sample({"edges": ["red"]}, jpeg, 0).as_json())


def png(width: int, height: int) -> bytes:
    """A PNG file that names a size and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_picture_of_billions_of_pixels_is_one_line_and_the_others_are_read(tmp_path: Path) -> None:
    huge, plain = tmp_path / "a.png", tmp_path / "b.png"
    huge.write_bytes(png(60000, 60000))
    cv2.imwrite(str(plain), np.full((240, 320, 3), 90, np.uint8))
    told = subprocess.run(
        [sys.executable, "-m", "companion", "read", "--game", "hexel", "--json", str(huge), str(plain)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    first, second = map(json.loads, told.stdout.splitlines())
    assert (first["ok"], first["error"]["code"], second["ok"], told.returncode) == (False, "unreadable-image", True, 1)
    assert len(told.stderr.splitlines()) == 1


TIFF = b"II*\0\x08\0\0\0\x02\0\0\x01\x04\0\x01\0\0\0\x60\xea\0\0\x42\x01\x04\0\x01\0\0\0\xf0\xff\xff\x7f" + bytes(60)
SPOILT_PICTURES = {
    "exr": b"\x76\x2f\x31\x01" + bytes(100),
    "hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 799 +X 799\n" + bytes(100),
    "jp2": b"\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 ",
    "tiff": TIFF,
    "png": png(3000, 3000),
    "gif": b"GIF89a\xff\xff\xff\xff\xf7\0\0" + bytes(768),
    "ppm": b"P6 60000 60000 255\n",
}


def test_a_spoilt_picture_of_any_kind_is_one_line(tmp_path: Path) -> None:
    for kind, data in SPOILT_PICTURES.items():
        (tmp_path / f"{kind}.png").write_bytes(data)
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    command = [sys.executable, "-m", "companion", "read", "--game", "hexel", *files]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (told.returncode, len(told.stderr.splitlines())) == (1, len(files)), told.stderr


def tiff(width: int, height: int, tile_width: int, tile_height: int) -> bytes:
    """A TIFF of one empty tile."""
    tags = {256: width, 257: height, 258: 8, 259: 1, 262: 1, 277: 1, 322: tile_width, 323: tile_height, 324: 8, 325: 16}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    return b"II*\0" + struct.pack("<I", 24) + bytes(16) + struct.pack("<H", len(tags)) + entries + bytes(4)


@pytest.mark.parametrize(
    "data", [png(20000, 20000), tiff(7999, 8000, 16000, 16000)], ids=["1.2 GB", "a tile of 256 million pixels"]
)
def test_a_picture_above_the_limit_takes_no_memory(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(data)
    program = (  # the peak of its own memory: a process begins with its parent's `ru_maxrss`
        "import re, sys; from companion.cli.main import main; main(['read', '--game', 'hexel', sys.argv[1]]);"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    told = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert int(told.stdout.splitlines()[-1]) < 600_000


def test_a_camera_folder_goes_on_after_a_picture_that_is_none(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.zeros((24, 32, 3), np.uint8))
    (tmp_path / "2.png").write_bytes(png(60000, 60000))
    (tmp_path / "3.jpg").write_bytes(b"no picture")
    cv2.imwrite(str(tmp_path / "4.png"), np.zeros((24, 32, 3), np.uint8))
    camera = Recorded(tmp_path, in_real_time=False)
    camera.open()
    frames = [camera.next(), camera.next(), camera.next()]
    assert [frame and frame.number for frame in frames] == [0, 3, None]


def test_a_pipe_among_the_pictures_is_left_out_and_waited_for_by_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.png")
    (tmp_path / "2.png").symlink_to(tmp_path / "1.png")
    (tmp_path / "3.png").symlink_to(tmp_path / "3.png")
    (tmp_path / "4.png").mkdir()
    cv2.imwrite(str(tmp_path / "5.png"), np.zeros((24, 32, 3), np.uint8))
    camera = Recorded(tmp_path, in_real_time=False)
    camera.open()
    frame = camera.next()
    assert frame is not None and frame.number == 4


def test_pictures_that_are_odd_files_do_not_keep_a_table_from_starting(tmp_path: Path) -> None:
    folder = tmp_path / "0001.evidence"
    folder.mkdir()
    (folder / "0001.jpg").write_bytes(b"a" * 60)
    (folder / "0002.jpg").symlink_to(tmp_path / "gone")
    (folder / "holiday.jpg").write_bytes(b"b" * 60)
    pictures = Pictures(tmp_path, most_bytes=100)
    pictures.keep(tmp_path / "0001.jsonl", 3, b"c" * 60, 1.0)
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["0003.jpg", "holiday.jpg"]
