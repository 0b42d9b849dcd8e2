"""Drives the page of `cp2 explore` in headless Chromium: typing, links of lines, keys, cycles, registers, other machines, the file with two
editors at once, a server that is killed in the middle, the shared page. Numbers are compared with those of `cp2 run`, `cp2 sched` and `cp2 why`.

Usage: page.py CP2 [FOLDER]; CP2 is a build with the feature `explore`, pictures go to FOLDER.
"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]
SIZES = [(380, 800), (1280, 720), (1920, 1080), (2560, 1440)]
PLAIN = "        .kernel k\n        seti    a0, 8\n        | lwo   f1, (r0)+1\n        stopi   5\n"


class Explorer:
    """A running `cp2 explore`, with the address of its page."""

    def __init__(self, cp2, *arguments):
        self.process = subprocess.Popen([cp2, "explore", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", self.address), (self.address, self.process.stderr.read())

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait()


def report(cp2, *arguments):
    return json.loads(subprocess.run([cp2, *arguments, "--json"], check=True, capture_output=True).stdout)


def opened(browser, address, size=(1280, 720), scheme="light", wrong=None):
    page = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme).new_page()
    # A browser that draws without a graphics card beside other work takes its time.
    page.set_default_timeout(120_000)
    if wrong is not None:
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    return page


def settled(page):
    """Waits until the page is up to date; returns what it says."""
    page.wait_for_function("() => /^(up to date|\\d+ error|one file)/.test(document.getElementById('state-text').textContent) && !document.querySelector('.panel.stale')")
    return page.locator("#state-text").inner_text()


def tile(page, name):
    return page.locator(f"#tiles div:has(dt:text-is('{name}')) dd").inner_text()


def write(page, text):
    """Types a text in place of the one that is there, as one act of a person."""
    page.locator("#text").focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def view(page, name):
    page.locator(f"[role=tab][data-view={name}]").click()


CONTRAST = """() => {
  const parse = (text) => { const found = text.match(/[\\d.]+/g).map(Number); return text.startsWith('color(') ? [...found.slice(0, 3).map((x) => 255 * x), found[3] ?? 1] : [found[0], found[1], found[2], found[3] ?? 1]; };
  const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const over = (top, under) => [0, 1, 2].map((k) => top[k] * top[3] + under[k] * (1 - top[3]));
  const ground = (element) => {
    const all = [];
    for (let at = element; at; at = at.parentElement) all.push(parse(getComputedStyle(at).backgroundColor));
    return all.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    const box = element.getBoundingClientRect();
    if (!node.textContent.trim() || !box.width || !box.height || element.closest('textarea, script, style, dialog:not([open]), .unseen, .skip, :disabled, noscript')) continue;
    const style = getComputedStyle(element);
    if (style.visibility === 'hidden') continue;
    const under = ground(element), text = over(parse(style.color), under);
    const [a, b] = [light(under), light(text)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${element.className || element.tagName}: ${node.textContent.trim().slice(0, 30)}`);
  }
  return [...new Set(found)];
}"""
UNNAMED = """() => [...document.querySelectorAll('button, input, select, textarea, [role=tab], [role=option], [role=separator]')]
  .filter((element) => element.offsetParent && !(element.getAttribute('aria-label') || element.getAttribute('aria-labelledby') || element.labels?.length || element.textContent.trim()))
  .map((element) => element.outerHTML.slice(0, 80))"""


def looks(browser, address, folder):
    """Every view at every size, light and dark: nothing wider than the window, contrast, names."""
    for scheme in ["light", "dark"]:
        for size in SIZES:
            wrong = []
            page = opened(browser, address, size, scheme, wrong)
            settled(page)
            for name in ["schedule", "bundles", "cycles", "registers", "machine"]:
                tab = page.locator(f"[role=tab][data-view={name}]")
                if not tab.is_visible():
                    continue
                tab.click()
                if name == "cycles":
                    page.locator("[data-cycle='4']").click()
                    page.locator("#story .slots").wait_for()
                if name == "machine" and not page.locator("tbody th:has-text('word-access')").count():
                    page.locator("label:has-text('word-access') input").check()
                    page.locator("tbody th:has-text('word-access')").wait_for()
                    settled(page)
                wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
                assert wide[0] <= wide[1], (size, name, wide)
                low = page.evaluate(CONTRAST)
                assert not low, (scheme, size, name, low)
                unnamed = page.evaluate(UNNAMED)
                assert not unnamed, (size, name, unnamed)
                page.screenshot(path=folder / f"{name}.{scheme}.{size[0]}.png", full_page=size[0] < 880)
            assert not wrong, wrong
            page.context.close()


def numbers(browser, cp2, address):
    """The page says what the commands say."""
    page = opened(browser, address)
    settled(page)
    cycles = report(cp2, "run", "examples/axpy.s")["stats"]["cycles"]["value"]
    assert tile(page, "cycles") == f"{cycles:,}", tile(page, "cycles")
    blocks = report(cp2, "sched", "examples/axpy.s")["regions"][0]["blocks"]
    loop = next(block for block in blocks if block["ii"] is not None)
    assert tile(page, "interval").startswith(f"{loop['ii']}"), tile(page, "interval")
    view(page, "cycles")
    page.locator("[data-cycle='9']").click()
    page.locator("#story .slots").wait_for()
    why = report(cp2, "why", "examples/axpy.s", "--cycle", "9")
    told = page.locator("#story").inner_text()
    for slot in why["slots"]:
        operation = (slot["issued"] or slot["next"] or {"operation": ""})["operation"]
        assert operation in told, (operation, told)
    page.context.close()


def links(browser, address):
    """Lines are linked with their bundles in both directions, by pointer and by keys."""
    page = opened(browser, address)
    settled(page)
    view(page, "bundles")
    page.locator("#text").focus()
    page.evaluate("() => editor.go(12)")
    lit = page.locator(".panel[data-view=bundles] td.linked")
    lit.first.wait_for()
    assert all("ldo" in text for text in lit.all_inner_texts()), lit.all_inner_texts()
    page.keyboard.press("Control+Enter")
    assert page.evaluate("() => document.activeElement.classList.contains('bundle')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "text"
    page.keyboard.press("F6")
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "tab"
    page.keyboard.press("ArrowRight")
    assert page.locator("#panel-cycles").is_visible()
    page.keyboard.press("F6")
    page.keyboard.press("ArrowRight")
    page.locator("#story .slots").wait_for()
    page.keyboard.press("F1")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.locator("#splitter").focus()
    before = page.locator("#source-pane").bounding_box()["width"]
    page.keyboard.press("ArrowRight")
    assert page.locator("#source-pane").bounding_box()["width"] > before
    page.context.close()


def typing(browser, address):
    """The right side follows what is typed; what is wrong is marked; undo works; a long run is left for a newer text."""
    page = opened(browser, address)
    settled(page)
    write(page, PLAIN)
    page.wait_for_function("() => document.querySelector('#tiles dd').textContent === '3'")
    assert settled(page).startswith("up to date")
    page.keyboard.press("Control+End")
    page.keyboard.type("        psmad f1, f2, f3\n")
    page.locator("#findings li.error").wait_for()
    assert "line 5" in page.locator("#findings").inner_text()
    assert settled(page) == "1 error"
    page.keyboard.press("F8")
    assert page.locator("#caret").inner_text().startswith("line 5")
    page.locator(".squiggle-error").wait_for()
    # An endless run, and a short one before it can end.
    write(page, "        .kernel k\nagain:  nop\n        | jumpi again\n        nop\n        stopi 0\n")
    page.wait_for_timeout(300)
    write(page, PLAIN.replace("stopi   5", "stopi   6"))
    view(page, "cycles")
    page.locator("#panel-cycles h3:has-text('stopped with code 6')").wait_for()
    page.keyboard.press("Control+Z")
    page.context.close()


def file(browser, cp2, folder):
    """The file is written when asked; two editors at once, a vanished file and a reload lose nothing."""
    path = folder / "kernel.s"
    path.write_text(PLAIN)
    explorer = Explorer(cp2, str(path))
    try:
        one, two = opened(browser, explorer.address), opened(browser, explorer.address)
        settled(one), settled(two)
        mine = PLAIN.replace("stopi   5", "stopi   7")
        write(one, mine)
        assert path.read_text() == PLAIN
        one.locator("#dirty").wait_for()
        one.keyboard.press("Control+S")
        one.wait_for_function("() => document.getElementById('dirty').hidden")
        assert path.read_text() == mine
        # The other window had changed nothing, and follows the file.
        two.wait_for_function("() => editor.value().includes('stopi   7')")
        # Both change it: the second one is asked.
        write(two, PLAIN.replace("stopi   5", "stopi   8"))
        write(one, PLAIN.replace("stopi   5", "stopi   9"))
        one.locator("#save").click()
        one.wait_for_function("() => document.getElementById('dirty').hidden")
        two.locator("#banner-file").wait_for()
        assert "changed by another" in two.locator("#banner-file").inner_text()
        assert "stopi   8" in two.evaluate("() => editor.value()")
        assert "stopi   9" in path.read_text()
        two.locator("#banner-file button:has-text('Keep mine')").click()
        two.locator("#save").click()
        two.wait_for_function("() => document.getElementById('dirty').hidden")
        assert "stopi   8" in path.read_text()
        # A page that is left with a text that was not saved has it again.
        write(one, PLAIN.replace("stopi   5", "stopi   10"))
        one.on("dialog", lambda dialog: dialog.accept())
        one.reload()
        one.locator("#banner-kept").wait_for()
        assert "stopi   10" in one.evaluate("() => editor.value()")
        # Ends of lines stay what they were.
        path.write_bytes(PLAIN.replace("\n", "\r\n").encode())
        two.wait_for_function("() => editor.value().includes('stopi   5')")
        assert two.evaluate("() => [isDirty(), editor.value().split('\\r\\n').length]") == [False, 5]
        two.locator("#text").focus()
        two.keyboard.press("Control+Home")
        two.keyboard.type("; first")
        two.keyboard.press("Enter")
        two.keyboard.press("Control+S")
        two.wait_for_function("() => document.getElementById('dirty').hidden")
        assert path.read_bytes() == ("; first\n" + PLAIN).replace("\n", "\r\n").encode(), path.read_bytes()
        write(two, PLAIN.replace("stopi   5", "stopi   8"))
        two.keyboard.press("Control+S")
        two.wait_for_function("() => document.getElementById('dirty').hidden")
        # The file goes.
        path.unlink()
        two.locator("#banner-file:has-text('not there any more')").wait_for()
        two.locator("#banner-file button:has-text('Save')").click()
        two.wait_for_function("() => document.getElementById('dirty').hidden")
        assert "stopi   8" in path.read_text()
        # The explorer goes: the text stays, and can be taken away.
        write(two, PLAIN.replace("stopi   5", "stopi   11"))
        explorer.kill()
        two.locator("#banner-offline").wait_for()
        with two.expect_download() as download:
            two.locator("#banner-offline button:has-text('Download')").click()
        assert "stopi   11" in pathlib.Path(download.value.path()).read_text()
        # Another explorer at the same port has another token.
        port = explorer.address.split(":")[2].split("/")[0]
        explorer = Explorer(cp2, str(path), "--port", port)
        two.locator("#banner-offline button:has-text('Try again')").click()
        two.wait_for_function("() => document.getElementById('state-text').textContent === 'no explorer'")
        assert "stopi   11" in two.evaluate("() => editor.value()")
        used = subprocess.run([cp2, "explore", "--port", port], capture_output=True, text=True)
        assert used.returncode == 2 and "is in use" in used.stderr, used
    finally:
        explorer.kill(signal.SIGINT)
    one.context.close(), two.context.close()


def nameless(browser, cp2):
    """Without a file there is an example, and nothing to save to."""
    explorer, wrong = Explorer(cp2), []
    try:
        page = opened(browser, explorer.address, wrong=wrong)
        settled(page)
        assert not page.locator("#save").is_visible() and "axpy" in page.evaluate("() => editor.value()")
        write(page, PLAIN)
        settled(page)
        page.wait_for_timeout(3500)
        assert not page.locator(".banner").count() and not wrong, wrong
        page.context.close()
    finally:
        explorer.kill(signal.SIGINT)


def strangers(address):
    """Requests that are not those of the page are refused, each with a sentence."""
    def asked(url, **headers):
        request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            return urllib.request.urlopen(request).status, ""
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    assert asked(address)[0] == 200
    token = address.split("/")[3]
    for url, headers, part in [
        (address.replace(token, "0" * 32), {}, "The token"),
        (address, {"Host": "evil.example"}, "127.0.0.1 and localhost only"),
        (address + "file", {"Origin": "http://evil.example"}, "its own page only"),
    ]:
        status, told = asked(url, **headers)
        assert status == 403 and part in told, (url, headers, status, told)


def shared(browser, cp2, address, folder):
    """The shared page is one file, which opens without the explorer and asks for nothing."""
    page = opened(browser, address)
    settled(page)
    with page.expect_download() as download:
        page.locator("#share").click()
    path = folder / "shared.html"
    download.value.save_as(path)
    page.context.close()
    direct = folder / "direct.html"
    subprocess.run([cp2, "explore", "examples/axpy.s", "-o", direct], check=True)
    assert path.read_text() == direct.read_text()
    assert path.stat().st_size < 1_000_000, path.stat().st_size
    asked, wrong = [], []
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.resolve().as_uri())
    settled(page)
    assert page.locator("#panel-schedule h3").first.inner_text().startswith("Interval")
    view(page, "cycles")
    page.locator("[data-cycle='3']").click()
    assert "Cycle 3" in page.locator("#story").inner_text()
    page.screenshot(path=folder / "shared.png")
    assert not wrong and all(url.startswith(("file:", "data:")) for url in asked), (wrong, asked)
    page.close()


def check(cp2, folder):
    explorer = Explorer(cp2, "examples/axpy.s")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            strangers(explorer.address)
            numbers(browser, cp2, explorer.address)
            links(browser, explorer.address)
            typing(browser, explorer.address)
            looks(browser, explorer.address, folder)
            shared(browser, cp2, explorer.address, folder)
            nameless(browser, cp2)
            file(browser, cp2, folder)
            browser.close()
    finally:
        explorer.kill(signal.SIGINT)
    print("the explorer: links, keys, typing, cycles, machines, the file, strangers, the shared page")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        target.mkdir(parents=True, exist_ok=True)
        check(sys.argv[1], target)
