"""Measures what Python adds to a small run: the same program on the same arrays, called from Python and in Rust alone.

    python python/overhead.py [RUNS]
"""

import pathlib
import statistics
import sys
import time

import numpy as np

import cp2

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def seconds_in_python(program, load, runs):
    """Returns the seconds of each of some runs from Python."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        program.run(load)
        times.append(time.perf_counter() - begin)
    return times


def measure(runs):
    """Returns the seconds of runs from Python and of runs in Rust, taken in turns."""
    program = cp2.load(EXAMPLES / "matvec" / "matvec.s")
    a = (np.arange(16 * 32) % 7).reshape(16, 32).astype(np.float32)
    load = {"a": a, "x": np.ones(32, np.float32)}
    python, rust = [], []
    for _ in range(max(runs // 50, 1)):
        python += seconds_in_python(program, load, 50)
        rust += program._seconds_in_rust(load, 50)
    return python, rust


if __name__ == "__main__":
    times = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    python, rust = (1e6 * statistics.median(of) for of in times)
    print(f"a run of matvec (328 cycles, 545 words): {python:.1f} us from Python, {rust:.1f} us in Rust, {python - rust:.1f} us more")
