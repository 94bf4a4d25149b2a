"""What holds for every test: no property fails because the machine was busy, and the whole run uses every core."""

import gc
import os
import sys
from collections.abc import Generator

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `companion.cli.main` does, before anything imports NumPy

import cv2
import pytest
from hypothesis import settings

from tests.remembering import remember_answers

settings.register_profile("companion", settings(), deadline=None)
settings.load_profile("companion")

sys.dont_write_bytecode = False  # else each worker, and each program that a test starts, compiles everything anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
cv2.setNumThreads(1)  # tests run side by side: their own threads would only wait for each other
remember_answers()

KEPT_BYTES = {"MMAP_THRESHOLD": 32 << 20, "TRIM_THRESHOLD": 256 << 20, "TOP_PAD": 16 << 20}
"""For glibc in each worker: memory of pictures is used again, not given back and then had anew, all cleared."""
for name, size in KEPT_BYTES.items():
    os.environ.setdefault(f"MALLOC_{name}_", str(size))


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run side by side, a file at a time, when all tests are asked for; files that are named run in this process.

    Tests of pages wait for the browser, so there is one process more than cores: on two the run takes 515 s, else 582.
    """
    if "PYTEST_XDIST_WORKER" in os.environ or not config.pluginmanager.hasplugin("xdist"):
        return
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and config.option.numprocesses is None:
        config.option.numprocesses = config.hook.pytest_xdist_auto_num_workers(config=config) + 1
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False  # else files of one long test come last, for one process alone


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the pages on a television: they would come last, in one process alone."""
    items.sort(key=lambda item: item.path.name != "test_television.py")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage once when all tests are found, and from then on only in what the tests make."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
