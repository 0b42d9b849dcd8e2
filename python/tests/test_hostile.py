"""Calls of everything with what nobody should give: exceptions with sentences, never a panic, an abort or a hang."""

import inspect
import math
import random

import numpy as np
import pytest

import cp2

STRANGE = [
    None,
    True,
    0,
    -1,
    1,
    7,
    2**31,
    2**63 - 1,
    -(2**63),
    2**70,
    0.5,
    math.nan,
    math.inf,
    1j,
    "",
    "x",
    "n",
    "\0",
    "\ud800",
    "a" * 5000,
    "fft64:",
    "../..",
    "core.load_latency=4",
    "word-access",
    b"",
    b"\xff",
    (),
    [],
    [1, "x"],
    ["x", "y"],
    {},
    {"x": 1},
    {"x": [1.0, 2.0, 3.0, 4.0]},
    {1: 2},
    {"kernel": "axpy", "set": {"core.load_latency": "many"}},
    set(),
    object(),
    int,
    len,
    np.zeros(0),
    np.zeros(4, np.float32),
    np.zeros((2, 2), np.complex64),
    np.array(["text"]),
    np.array(None),
]


def called(item, rng):
    """Calls something with strange values, as many as it needs and some more; returns the exception, if there was one."""
    given, named = [], {}
    for name, parameter in inspect.signature(item).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            named[rng.choice(["vectors", "input", "matrix", "seed", "nonsense"])] = rng.choice(STRANGE)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            if rng.random() < 0.4 or parameter.default is parameter.empty:
                named[name] = rng.choice(STRANGE)
        elif parameter.default is parameter.empty or rng.random() < 0.6:
            given.append(rng.choice(STRANGE))
        else:
            break
    try:
        result = item(*given, **named)
        if inspect.isgenerator(result) or hasattr(result, "__enter__"):
            with result:
                pass
        repr(result)
    except Exception as error:  # noqa: BLE001
        return error
    return None


def functions():
    """Returns the functions and classes of the package that can be called."""
    skipped = {"Value", "Half", "Pair", "Diagnostic", "Argument", "Condition", "LocalArray"}
    names = [name for name in cp2.__all__ if name not in skipped]
    return [name for name in names if callable(getattr(cp2, name)) and not name.endswith("Error")]


CALLABLE = [n for n in functions() if not inspect.isclass(getattr(cp2, n)) or n in ("Machine", "Recording", "Kernel")]


@pytest.mark.parametrize("name", CALLABLE)
def test_functions_called_with_what_nobody_should_give(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng, errors = random.Random(name), []
    for _ in range(40 if name in ("kernels", "switches") else 300):
        errors.append(called(getattr(cp2, name), rng))
    told = [error for error in errors if error is not None]
    assert not [e for e in told if isinstance(e, cp2.InternalError)]
    assert all(str(e).strip() for e in told)
    assert told or name in ("kernels", "switches")


def objects(tmp_path):
    """Returns an object of each class."""
    program = cp2.assemble(".kernel k\n seti g1, 3\n.linear\n.loop 20\n lwo %x, (r0)+1\n swo %x, (r1)+1\n.endloop\n.endlinear\n stopi 0\n")
    run = program.run(record=tmp_path / "r.cp2rec")
    kernel = cp2.Kernel("k")
    array = kernel.array("x", "inout", "float32", 64, words=64)
    study = cp2.whatif("axpy", set="core.load_latency=4")
    fft = cp2.run("fft64", vectors=4)
    made = [program, run, program.schedule(), program.schedule().blocks, cp2.Machine("vm9"), kernel, array]
    return [*made, study, fft, cp2.Recording(tmp_path / "r.cp2rec")]


def test_methods_called_with_what_nobody_should_give(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng, calls = random.Random("methods"), 0
    for item in objects(tmp_path):
        names = [name for name in dir(item) if not name.startswith("_")] + ["__getitem__"]
        methods = [getattr(item, name) for name in names if callable(getattr(item, name, None))]
        for method in methods:
            for _ in range(25):
                calls += 1
                error = called(method, rng)
                assert not isinstance(error, cp2.InternalError), (method, error)
                assert error is None or str(error).strip(), method
    assert calls > 3000
