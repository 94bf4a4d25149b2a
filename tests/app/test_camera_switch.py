"""The camera's switch: what was switched off stays off over a restart, and people are told."""

import os
import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.app.bootstrap import run_table
from companion.app.table import Switch, Table
from companion.config import PanelSettings, Settings, TableSettings, WebSettings
from companion.devices.recorded import Recorded
from companion.errors import TableError


def test_a_camera_is_on_until_it_is_switched_off_and_then_off_until_it_is_switched_on(tmp_path: Path) -> None:
    assert Switch(tmp_path).is_on
    Switch(tmp_path).turn(False)
    assert not Switch(tmp_path).is_on
    assert (tmp_path / "camera").read_text() == "off\n"
    Switch(tmp_path).turn(True)
    assert Switch(tmp_path).is_on


def test_a_switch_that_cannot_be_read_says_which_file_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "camera").write_text("maybe\n")
    with pytest.raises(TableError, match=r"camera says 'maybe'.*on or off"):
        Switch(tmp_path)


def test_a_switch_that_is_a_pipe_is_waited_for_by_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "camera")
    with pytest.raises(TableError, match="no file"):
        Switch(tmp_path)


class Filming(Recorded):
    """A camera that knows whether it films."""

    is_filming = False

    def open(self) -> None:
        super().open()
        self.is_filming = True

    def close(self) -> None:
        super().close()
        self.is_filming = False


def test_a_table_whose_camera_was_switched_off_starts_without_it_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(*_: Any, **__: Any) -> None:
        raise AssertionError("nobody is to look")

    (tmp_path / "frames").mkdir()
    cv2.imwrite(str(tmp_path / "frames" / "0.png"), np.zeros((9, 16, 3), np.uint8))
    settings = Settings(
        web=WebSettings("127.0.0.1", 0), panel=PanelSettings("mock"), table=TableSettings(tmp_path / "data")
    )
    camera = Filming(tmp_path / "frames")
    monkeypatch.setattr("companion.app.watching.Watching", nobody)
    seen: list[tuple[str, bool]] = []
    lines: list[str] = []
    looking: list[threading.Thread] = []

    def switch_off(table: Table) -> None:
        table.switch_camera(False)
        table.ask_to_stop()

    def look(table: Table) -> None:
        listener = table.referee.feed.subscribe()
        while "camera-off" not in table.referee.latest().notices:
            assert listener.next(5) is not None, "the page does not say it"
        seen.append((table.health()["camera"]["state"], camera.is_filming))
        table.ask_to_stop()

    def on_live(table: Table) -> None:
        looking.append(threading.Thread(target=look, args=(table,)))
        looking[0].start()

    run_table(settings, camera=lambda table: camera, on_live=switch_off, say=lambda line: None)
    run_table(settings, camera=lambda table: camera, on_live=on_live, say=lines.append)
    looking[0].join(10)
    assert seen == [("off", False)]
    assert any("switched off" in line for line in lines)
