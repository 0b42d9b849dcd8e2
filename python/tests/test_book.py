"""The page of the book: its blocks of Python are run, in order, in the root of the repository."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def blocks(page):
    """Returns the blocks of Python of a page."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page, least", [("specs/src/python.md", 8), ("README.md", 1)])
def test_the_blocks_of_a_page_run(page, least, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT)
    found, names = blocks(page), {}
    assert len(found) >= least
    for number, block in enumerate(found):
        exec(compile(block, f"{page}, block {number}", "exec"), names)
