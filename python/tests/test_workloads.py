"""Workloads by name and from files: options, results, progress, Ctrl-C."""

import re
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import cp2


def test_the_list_names_kernels_and_procedures():
    table = cp2.kernels()
    assert {"fft64", "axpy", "mg"} <= set(table["name"])
    row = table[table["name"].index("fft64")]
    assert "vectors" in row["options"] and row["runs_on"] == "CP2 alone"


def test_a_kernel_on_arrays_of_ones_own():
    x = np.random.default_rng(1).normal(size=(8, 64)).astype(np.complex64)
    run = cp2.run("fft64", input=x)
    np.testing.assert_allclose(run["output"], np.fft.fft(x), atol=1e-4)
    assert run.is_right and run.microseconds is None and run.timeline is None
    inverse = cp2.run("fft64", input=run["output"], inverse=True, scale=True)
    np.testing.assert_allclose(inverse["output"], x, atol=1e-5)


def test_the_cycles_are_those_of_the_command():
    run = cp2.run("fft64")
    assert run.cycles == 3142 and run.report["cycles"] == 3142
    assert "97.8 %" in run.report.text
    assert run.report["runs"][0]["stats.cycles"] == 3142


def test_a_procedure_has_a_timeline():
    told = []
    run = cp2.run("fft256", machine="vm9", vectors=4, progress=lambda done, all: told.append((done, all)))
    assert run.is_right and run.microseconds > 0 and told
    spans = run.timeline.table
    assert set(spans["of"]) == {"cp2", "dma", "host"}
    assert max(spans["end"]) == run.cycles
    picture = run.timeline._repr_svg_()
    assert picture.startswith("<svg")
    light = dict(re.findall(r"\.(activity\d+)\{fill:(#\w+)\}", picture.split("@media")[0]))
    assert len(light) == len(set(spans["activity"]) - {"idle"}) == len(set(light.values()))


def test_a_sparse_matrix_goes_in(tmp_path):
    class Coo:
        shape, row, col = (8, 8), np.arange(8), np.arange(8)
        data = np.linspace(1, 2, 8)

        def tocoo(self):
            return self

    names = [row["name"] for row in cp2.kernels().rows() if "matrix" in row["options"]]
    assert cp2.run(names[0], matrix=Coo()).is_right
    file = tmp_path / "m.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 2.0\n")
    assert cp2.run(names[0], matrix=file).is_right
    with pytest.raises(TypeError, match="sparse matrix of SciPy"):
        cp2.run(names[0], matrix=3)


DOUBLE = (
    ".kernel double\n.arg n, g1, min=1\n.array x, in, float32, 4*n, layout=blocks, pack=both\n"
    ".array y, out, float32, 4*n, layout=blocks, pack=both\n"
    "seti a0, x\nseti a1, y\n.linear\n.disjoint r0, r1\n.loop g1, min=1\nlwo %x, (r0)+1\n"
    "psadd %x, %x, %x\nswo %x, (r1)+1\n.endloop\n.endlinear\nstopi 0\n.lmem all\nx: .zero 64\ny: .zero 64\n"
)


def checked(tmp_path, code):
    """Returns a workload file whose command runs a line of Python on the file of the result."""
    (tmp_path / "double.s").write_text(DOUBLE)
    np.save(tmp_path / "x.npy", np.arange(8, dtype=np.float32))
    (tmp_path / "check.py").write_text("import sys, numpy\ny = numpy.load(sys.argv[1])\n" + code)
    command = f'[{sys.executable!r}, "check.py", "{{y}}"]'
    file = tmp_path / "double.toml"
    file.write_text(
        'name = "double"\n[[variant]]\nsource = "double.s"\n[array.x]\nfile = "x.npy"\n'
        f"[check]\ncommand = {command}\n"
    )
    return file


def test_a_command_that_checks_results_starts_when_it_is_allowed(tmp_path):
    file = checked(tmp_path, "open('started', 'w')\nassert y.tolist() == [2.0 * k for k in range(8)]\n")
    run = cp2.run(file)
    assert run.is_right is None and not (tmp_path / "started").exists()
    run = cp2.run(file, allow_commands=True)
    assert run.is_right and (tmp_path / "started").exists()


def test_what_a_command_finds_wrong_is_an_exception(tmp_path):
    file = checked(tmp_path, "sys.exit('the third is wrong')\n")
    with pytest.raises(cp2.CheckError, match="the third is wrong") as told:
        cp2.run(file, allow_commands=True)
    assert told.value.run.is_right is False and told.value.run["y"][3] == 6
    study = cp2.whatif(file, set="core.load_latency=4", allow_commands=True)
    assert set(study.table["is_right"]) == {False}


def test_a_study_without_a_check_gives_a_warning(tmp_path):
    file = checked(tmp_path, "")
    with pytest.warns(UserWarning, match="starts only with allow_commands=True"):
        cp2.whatif(file, set="core.load_latency=4")
    file.write_text(file.read_text().split("[check]")[0])
    with pytest.warns(UserWarning, match="expects no results, so nothing checks them"):
        cp2.whatif(file, set="core.load_latency=4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="expects no results"):
            cp2.whatif(file, set="core.load_latency=4")


def test_a_result_that_is_not_there_is_told_with_those_that_are():
    run = cp2.run("fft64", vectors=4)
    with pytest.raises(KeyError, match="the run left no array `y`; there are: output"):
        run["y"]
    assert run["output"].flags.writeable and "<pre>" in run._repr_html_()


def test_a_workload_file_runs(tmp_path):
    (tmp_path / "double.s").write_text(DOUBLE)
    np.save(tmp_path / "x.npy", np.arange(8, dtype=np.float32))
    np.save(tmp_path / "y.npy", 2 * np.arange(8, dtype=np.float32))
    file = tmp_path / "double.toml"
    file.write_text(
        'name = "double"\n[[variant]]\nsource = "double.s"\n[array.x]\nfile = "x.npy"\n[array.y]\nexpected = "y.npy"\n'
    )
    run = cp2.run(file)
    assert run.is_right and run["y"].tolist() == [2.0 * k for k in range(8)]
    np.save(tmp_path / "y.npy", np.zeros(8, dtype=np.float32))
    with pytest.raises(cp2.CheckError) as told:
        cp2.run(str(file))
    assert told.value.run.is_right is False
    file.write_text("name = 3\n")
    with pytest.raises(cp2.AssemblyError, match="double.toml:1"):
        cp2.run(file)


WRONG = {
    "there is no kernel `nonsense`": lambda: cp2.run("nonsense"),
    "takes no option `speed`; it takes input": lambda: cp2.run("fft64", speed=3),
    "takes no option `output`": lambda: cp2.run("fft64", output="x.npy"),
    "x is complex64, and the array has complex128": lambda: cp2.run("fft64", input=np.ones((1, 64), complex)),
    "shape": lambda: cp2.run("fft64", input=np.ones((1, 65), np.complex64)),
    "vectors": lambda: cp2.run("fft64", vectors=0),
    "whole number": lambda: cp2.run("fft64", vectors="many"),
    "True or False": lambda: cp2.run("fft64", inverse="yes"),
    "there is no engine": lambda: cp2.run("fft64", engine="steam"),
    "missing.toml": lambda: cp2.run("missing.toml"),
    "needs a change": lambda: cp2.whatif("fft64"),
    "needs a machine": lambda: cp2.roofline(cp2.Machine()),
    "not a key of a machine": lambda: cp2.whatif("fft64", set={"core.nonsense": 1}),
    "neither a system nor a file": lambda: cp2.estimate("fft8192", system="vm10"),
    "there is no rate": lambda: cp2.estimate("fft8192", perf="best"),
    "is not a key of a sweep": lambda: cp2.sweep({"colour": "red"}),
    "not TOML": lambda: cp2.sweep("kernel = \n = 3\n"),
    "No such file": lambda: cp2.sweep("nowhere.toml"),
}


@pytest.mark.parametrize("told", WRONG)
def test_what_is_wrong_is_said(told):
    with pytest.raises((cp2.Error, TypeError), match=told):
        WRONG[told]()


def test_what_a_callback_raises_ends_the_work():
    def callback(done, all):
        raise ZeroDivisionError("from the callback")

    with pytest.raises(ZeroDivisionError, match="from the callback"):
        cp2.run("fft8192", machine="vm9", vectors=2, progress=callback)
    with pytest.raises(ZeroDivisionError):
        cp2.whatif("axpy", set="core.arithmetic_latency=4", progress=callback)
    with pytest.raises(TypeError):
        cp2.run("fft64", progress=3)


def test_control_c_ends_a_workload():
    alarm = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    start = time.monotonic()
    alarm.start()
    with pytest.raises(KeyboardInterrupt):
        cp2.run("mg", machine="vm9", **{"class": "A"})
    assert time.monotonic() - start < 10
    alarm.join()
