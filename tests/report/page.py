"""Opens a page of `cp2 report` in headless Chromium, zooms, and compares its numbers with what `cp2 stats` and
`cp2 why` say of the same run.

Usage: page.py CP2 RUN [FOLDER]; pictures go to FOLDER.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]


def report(cp2, *arguments):
    return json.loads(subprocess.run([cp2, *arguments, "--json"], check=True, capture_output=True).stdout)


def readout(page):
    """The numbers of the part in sight."""
    return page.evaluate(
        """() => {
          const table = document.getElementById("readout");
          const rows = [...table.querySelectorAll("tr[data-key]")].map((row) => [row.dataset.key, +row.dataset.value]);
          return { begin: +table.dataset.begin, end: +table.dataset.end, flops: +table.dataset.flops, ...Object.fromEntries(rows) };
        }"""
    )


def expected(account):
    causes = {name: n for name, n in account["profile"]["causes"].items() if n}
    channel = {f"dma_{name}": n for name, n in account["channel"].items() if n and name != "idle"}
    found = {"begin": account["begin"], "end": account["end"], "flops": account["profile"]["flops"]} | causes | channel
    if account["without_kernel"]:
        found["without_kernel"] = account["without_kernel"]
    return found


def drag(page, part_from, part_to):
    box = page.locator(".u-over").first.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + part_from * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + part_to * box["width"], y, steps=5)
    page.mouse.up()


def check_moves(page, whole):
    """The wheel alone scrolls; with Ctrl it zooms; buttons and keys zoom and move."""
    box = page.locator(".u-over").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, 200)
    page.wait_for_function("scrollY > 0")
    assert readout(page) == whole
    page.evaluate("scrollTo(0, 0)")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("(all) => +document.getElementById('readout').dataset.begin > all", arg=whole["begin"])
    page.locator("#all").click()
    assert readout(page) == whole
    # Keys are the charts' alone while these have the focus.
    page.locator("#in").click()
    before = readout(page)
    page.keyboard.press("ArrowRight")
    assert readout(page) == before
    page.locator("#charts").focus()
    page.keyboard.press("ArrowRight")
    assert readout(page)["begin"] > before["begin"]
    page.keyboard.press("Escape")
    assert readout(page) == whole


def check_link(page, uri, whole):
    """An address with cycles and a view shows these, and the address follows what is in sight."""
    first, last = whole["begin"], whole["end"]
    begin, end = first + (last - first) // 4, first + (last - first) // 2
    page.goto(f"{uri}#cycles={begin}..{end}&view=loops")
    page.wait_for_function("(n) => +document.getElementById('readout').dataset.end - +document.getElementById('readout').dataset.begin < n", arg=last - first)
    part = readout(page)
    assert part["begin"] <= begin < end <= part["end"] and part != whole, part
    page.wait_for_function("scrollY > 0")
    page.evaluate("scrollTo(0, 0)")
    page.locator("#left").click()
    page.wait_for_function("(begin) => { const found = /cycles=(\\d+)\\.\\./.exec(location.hash); return found && +found[1] < begin && location.hash.includes('view=loops'); }", arg=begin)
    page.goto(f"{uri}#cycles=9..3")
    page.wait_for_function("(n) => +document.getElementById('readout').dataset.end === n", arg=last)
    page.keyboard.press("Escape")
    page.wait_for_function("!location.hash.includes('cycles')")
    assert readout(page) == whole


def check(cp2, run, folder):
    account = report(cp2, "stats", run)
    first, last = account["begin"], account["end"]
    window = (first + (last - first) // 2, min(last, first + (last - first) // 2 + 60))
    path = folder / "run.html"
    subprocess.run([cp2, "report", run, "-o", path, "--cycles", f"{window[0]}..{window[1]}"], check=True)
    assert path.stat().st_size < 5_000_000, path.stat().st_size
    assert str(folder) not in path.read_text(), "the page tells the sender's folders"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for scheme in ["light", "dark"]:
            page = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme=scheme)
            # A browser that draws without a graphics card beside other work takes its time.
            page.set_default_timeout(300_000)
            wrong, asked = [], []
            page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("request", lambda request: asked.append(request.url))
            page.goto(path.resolve().as_uri())
            tile = page.locator("[data-key=cycles] b").inner_text()
            assert tile == f"{account['cycles']:,}", tile
            whole = readout(page)
            assert whole == expected(account), (whole, expected(account))
            page.screenshot(path=folder / f"page.{scheme}.png", full_page=True)
            check_moves(page, whole)
            check_link(page, path.resolve().as_uri(), whole)
            drag(page, 0.25, 0.5)
            part = readout(page)
            assert first <= part["begin"] < part["end"] <= last, part
            assert part["end"] - part["begin"] < (last - first) * 0.75, part
            page.keyboard.press("Escape")
            assert readout(page) == whole
            page.locator("[data-window]").first.click()
            single = readout(page)
            assert single["begin"] >= window[0] and single["end"] <= window[1], single
            causes = {}
            for cycle in range(single["begin"], single["end"]):
                cause = report(cp2, "why", run, "--cycle", str(cycle))["cause"] or "without_kernel"
                causes[cause] = causes.get(cause, 0) + 1
            for name, n in causes.items():
                assert single.get(name) == n, (name, n, single)
            page.screenshot(path=folder / f"cycles.{scheme}.png")
            for width in [380, 2560]:
                page.set_viewport_size({"width": width, "height": 800})
                # The charts are drawn anew in the frames that follow.
                page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
            assert not wrong, wrong
            assert all(url.startswith(("file:", "data:")) for url in asked), asked
        browser.close()
    print(f"{run}: {path.stat().st_size} bytes, cycles {first} to {last}, the same as cp2 stats and cp2 why")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        check(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else temporary))
