"""Notebooks are run, cell by cell, and what a cell shows is drawn."""

import ast
import json
import pathlib

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
DRAWINGS = ["_repr_html_", "_repr_svg_"]


def shown(source, names, where):
    """Runs a cell, and returns the value of its last expression, if it ends with one."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return eval(compile(ast.Expression(last.value), where, "eval"), names) if last else None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    for package in ["pandas", "scipy", "matplotlib", "duckdb"]:
        pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names, values = {"__name__": "__main__"}, 0
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            assert source
            continue
        assert cell["outputs"] == [], "notebooks are kept without outputs"
        value = shown(source, names, f"{path.name}, cell {number}")
        if value is not None:
            values += 1
            drawn = [getattr(value, way)() for way in DRAWINGS if hasattr(value, way)]
            assert drawn or isinstance(value, (dict, str)) or repr(value)
    assert values > 1


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["first_kernel", "section_addressing", "sweep"]
