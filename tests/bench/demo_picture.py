"""Films ten seconds of the demo's board into the README's animated picture.

    python tests/bench/demo_picture.py [--out .github/demo.webp]

Needs chromium with chromedriver, and OpenCV 4.12 or newer, which writes animated WebP.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
SIZE, WIDTH_PX, LENGTH_MS = (1280, 720), 960, 10_000
FRAME_MS, MOST_FRAMES, FRAMES_AFTER, AT_REST, QUALITY = 500, 120, 3, 5, 45
SPEED = 3


def browser(home: Path) -> tuple[Any, subprocess.Popen[str]]:
    """The browser of the page's tests."""
    spec = spec_from_file_location("conftest", ROOT / "tests/web/conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": str(home)}
    )
    assert driver.stdout is not None
    port = next(int(said[1]) for line in driver.stdout if (said := re.search(r"started .* on port (\d+)", line)))
    return module.Browser(port, home / "profile"), driver


def filmed(page: Any) -> list[np.ndarray]:
    """Pictures of the board from the first card that is laid wrongly until it counts, few of a table at rest."""
    page.wait_for("document.getElementById('caption')?.textContent.includes('laid wrongly')", 180_000)
    called = "return document.getElementById('call').textContent"
    before, frames, left = page.run(called), [], MOST_FRAMES
    while left > 0:
        begun, left = time.monotonic(), left - 1
        if page.run(called) != before:
            before, left = page.run(called), FRAMES_AFTER
        picture = cv2.imdecode(np.frombuffer(page.picture(), np.uint8), cv2.IMREAD_COLOR)
        frames.append(cv2.resize(picture, (WIDTH_PX, WIDTH_PX * SIZE[1] // SIZE[0]), interpolation=cv2.INTER_AREA))
        time.sleep(max(0.0, FRAME_MS * SPEED / 2000 - time.monotonic() + begun))
    return [
        frame
        for n, frame in enumerate(frames)
        if n < AT_REST or any((frame != frames[n - k]).any() for k in range(1, AT_REST))
    ]


def main() -> None:
    """Run a demo, film it and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / ".github/demo.webp")
    out = parser.parse_args().out
    with TemporaryDirectory() as folder:
        command = ["-m", "companion", "demo", "--port", "0", "--host", "127.0.0.1", "--speed", str(SPEED)]
        spoken = {**os.environ, "PYTHONUNBUFFERED": "1"}
        demo = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=spoken)
        page, driver = browser(Path(folder))
        try:
            assert demo.stdout is not None
            address = next(said[0] for line in demo.stdout if (said := re.search(r"http://\S+/", line)))
            page.screen(*SIZE)
            page.open(f"{address}board")
            frames = filmed(page)
        finally:
            page.close()
            driver.terminate()
            demo.terminate()
    animation = cv2.Animation()
    animation.frames, animation.durations = frames, [LENGTH_MS // len(frames)] * len(frames)
    assert cv2.imwriteanimation(str(out), animation, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
    print(f"{out}: {len(frames)} frames, {out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
