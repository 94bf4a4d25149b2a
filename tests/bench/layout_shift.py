"""How much a demo's page jumps, and what its first view weighs, in a real Chromium.

    python tests/bench/layout_shift.py --game hexel --seconds 120 --size 390x844

Prints the sum of Chromium's layout shifts, the largest with what moved from and to where, and the kB of the first view.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.web.conftest import READY, Browser  # noqa: E402

OBSERVE = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, startTime, hadRecentInput, sources } of list.getEntries())
    if (!hadRecentInput) shifts.push([value, startTime, sources.map(({ node, previousRect: was, currentRect: is }) =>
      `${node?.id || node?.className || node?.nodeName} ${Math.round(was.y)} > ${Math.round(is.y)}`)]);
}).observe({ type: 'layout-shift', buffered: true });
"""
WEIGHT = """
return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name }) => !name.includes('/api/events')).reduce((sum, { transferSize }) => sum + transferSize, 0);
"""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--game", default="hexel")
    asked.add_argument("--seconds", type=float, default=120)
    asked.add_argument("--speed", default="1")
    asked.add_argument("--size", default="390x844")
    asked.add_argument("--path", default="/")
    wished = asked.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    demo = [sys.executable, "-m", "companion", "demo", "--game", wished.game, "--host", "127.0.0.1"]
    demo += ["--port", str(port), "--speed", wished.speed]
    home = tempfile.mkdtemp(prefix="layout-shift-")
    with (
        subprocess.Popen(demo, cwd=ROOT, stdout=subprocess.DEVNULL) as table,
        subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": home}
        ) as driver,
    ):
        try:
            assert driver.stdout is not None
            at = next(int(said[1]) for line in driver.stdout if (said := re.search(r"started .* on port (\d+)", line)))
            watch(Browser(at, Path(home) / "profile"), f"http://127.0.0.1:{port}", wished)
        finally:
            table.terminate()
            driver.terminate()


def watch(browser: Browser, url: str, wished: argparse.Namespace) -> None:
    """Look at the demo's page for so long, and print what was found."""
    wait_for(url)
    browser.screen(*map(int, wished.size.split("x")))
    browser.open(url + wished.path)
    browser.run(OBSERVE)
    browser.wait_for(READY)
    kilobytes = browser.run(WEIGHT) / 1000
    time.sleep(wished.seconds)
    shifts = browser.run("return window.shifts")
    moves = browser.run("return document.querySelectorAll('[id^=open-]').length")
    browser.close()
    total = sum(value for value, _, _ in shifts)
    print(f"{wished.game} {wished.size}: layout shift {total:.3f} in {wished.seconds:.0f} s, {moves} moves")
    for value, at_ms, sources in sorted(shifts, reverse=True)[:8]:
        print(f"  {value:.3f} after {at_ms / 1000:.0f} s: {', '.join(sources)}")
    print(f"first view: {kilobytes:.1f} kB")


def wait_for(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{url}/api/me").close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"no table at {url}")


if __name__ == "__main__":
    main()
