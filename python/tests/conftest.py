"""What all tests share: the examples of the repository, and a kernel with arrays."""

import pathlib
import signal

import numpy as np
import pytest

import cp2

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"

DOUBLE = """
        .kernel double
        .arg    n, g1, min=1
        .array  x, inout, float32, 4*n, layout=blocks, pack=both
        seti    a0, x
        .linear
        .loop   g1, min=1
        lwo     %x, (r0)
        psadd   %x, %x, %x
        swo     %x, (r0)+1
        .endloop
        .endlinear
        stopi   0
        .lmem   all
x:      .zero   64
"""

ENDLESS = ".kernel k\nagain: jumpi again\n nop\n stopi 0\n"


@pytest.fixture(scope="session", autouse=True)
def interrupts():
    """Ctrl-C raises, also where the tests run behind a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def examples():
    return EXAMPLES


@pytest.fixture(scope="session")
def double():
    return cp2.assemble(DOUBLE)


@pytest.fixture(scope="session")
def endless():
    return cp2.assemble(ENDLESS)


@pytest.fixture(scope="session")
def matvec():
    return cp2.load(EXAMPLES / "matvec" / "matvec.s")


@pytest.fixture
def numbers():
    """A matrix of (16, 32) and a vector of 32, float32."""
    a = (np.arange(16 * 32) % 7).reshape(16, 32).astype(np.float32)
    return a, np.linspace(-1, 1, 32, dtype=np.float32)
