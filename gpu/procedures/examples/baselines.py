"""Times of the vendor's libraries and of a public CUDA version of NPB, a line of JSON for each, as `figures` prints them.

    python3 baselines.py [--date DATE] [--call N] [--runs N] WHAT..

WHAT is `ft:C`, transforms of the class by cuFFT; `products`, products by cuSPARSE with the matrix that `figures matrix:C` has
written into the current folder; `launches:N`, a graph of N launches that do nothing; or `npb:FOLDER:C`, the programs MG, CG and FT
of a copy of https://github.com/GMAP/NPB-GPU in a folder, which this builds with nvcc. Times are medians by events of the device,
those of NPB its own. CuPy has to be there.
"""

import argparse
import ctypes
import glob
import json
import os
import re
import site
import subprocess
import sys

import cupy
import numpy

CLASSES = {"S": (64, 64, 64), "A": (128, 256, 256), "B": (256, 256, 512), "C": (512, 512, 512)}
"""Points of FT along each axis, the last one in memory last."""


def device():
    """Returns the name of the device and the version of its driver."""
    query = "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader".split()
    name, driver = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0].split(", ")
    return name, driver


def median_ms(run, runs):
    """Returns the median of the milliseconds of a run on the device, behind one that does not count."""
    times = []
    for at in range(runs + 1):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        run()
        end.record()
        end.synchronize()
        if at:
            times.append(cupy.cuda.get_elapsed_time(begin, end))
    return float(numpy.median(times))


def transforms(letter, runs):
    """cuFFT out of place: a plan of three dimensions, forward and inverse."""
    from cupyx.scipy.fft import get_fft_plan

    shape = CLASSES[letter]
    random = cupy.random.default_rng(1)
    points = random.random(shape) + 1j * random.random(shape)
    found = cupy.empty_like(points)
    with get_fft_plan(points, axes=(0, 1, 2)) as plan:
        name = "x".join(str(count) for count in sorted(shape, reverse=True))
        for direction, sign in (("forward", -1), ("inverse", 1)):
            time = median_ms(lambda: plan.fft(points, found, sign), runs)
            yield f"cufft {name} {direction}", None, ("iteration", time, "ms", "a transform")
        back = cupy.empty_like(points)
        plan.fft(points, found, -1)
        plan.fft(found, back, 1)
    error = float(abs(back / points.size - points).max())
    if error > 1e-12:
        sys.exit(f"cuFFT: there and back again differs by {error}")


class Sparse:
    """cuSPARSE by its C interface, since CuPy has no sliced format and no choice of algorithm."""

    CSR = {"alg1": 2, "alg2": 3}
    SLICED = 5
    INT32, DOUBLE = 2, 1

    def __init__(self):
        places = [f"{base}/nvidia/*/lib/libcusparse.so*" for base in site.getsitepackages()]
        places += ["/usr/local/cuda*/lib64/libcusparse.so*", "/usr/local/cuda*/targets/*/lib/libcusparse.so*"]
        found = [path for place in places for path in sorted(glob.glob(place))]
        self.library = ctypes.CDLL(found[0] if found else "libcusparse.so")
        self.handle = ctypes.c_void_p()
        self.call("cusparseCreate", ctypes.byref(self.handle))

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            sys.exit(f"{name}: cuSPARSE ended with code {code}")

    def vector(self, array):
        descriptor = ctypes.c_void_p()
        self.call("cusparseCreateDnVec", ctypes.byref(descriptor), ctypes.c_int64(array.size),
                  ctypes.c_void_p(array.data.ptr), ctypes.c_int(self.DOUBLE))
        return descriptor

    def matrix(self, maker, sizes, arrays):
        """Returns the descriptor of a matrix; its indices are 32-bit integers from 0."""
        descriptor = ctypes.c_void_p()
        self.call(maker, ctypes.byref(descriptor), *(ctypes.c_int64(size) for size in sizes),
                  *(ctypes.c_void_p(array.data.ptr) for array in arrays),
                  *(ctypes.c_int(kind) for kind in (self.INT32, self.INT32, 0, self.DOUBLE)))
        return descriptor

    def product_ms(self, matrix, algorithm, x, y, runs):
        """Returns the median of the milliseconds of y = A x, prepared before."""
        one, zero, size = ctypes.c_double(1), ctypes.c_double(0), ctypes.c_size_t()
        dense = self.vector(x), self.vector(y)
        of_product = (self.handle, ctypes.c_int(0), ctypes.byref(one), matrix, dense[0], ctypes.byref(zero), dense[1],
                      ctypes.c_int(self.DOUBLE), ctypes.c_int(algorithm))
        self.call("cusparseSpMV_bufferSize", *of_product, ctypes.byref(size))
        room = cupy.empty(max(size.value, 1), dtype=cupy.uint8)
        buffer = ctypes.c_void_p(room.data.ptr)
        self.call("cusparseSpMV_preprocess", *of_product, buffer)
        return median_ms(lambda: self.call("cusparseSpMV", *of_product, buffer), runs)


def sliced(starts, columns, values, height):
    """Returns places of slices, columns and values of sliced ELLpack: slices of `height` rows, padded with column -1."""
    counts = numpy.diff(starts)
    slices = -(-len(counts) // height)
    widths = numpy.zeros(slices * height, dtype=numpy.int64)
    widths[:len(counts)] = counts
    places = numpy.concatenate([[0], numpy.cumsum(widths.reshape(slices, height).max(axis=1) * height)])
    row = numpy.repeat(numpy.arange(len(counts)), counts)
    at = places[row // height] + (numpy.arange(len(values)) - starts[row]) * height + row % height
    packed_columns = numpy.full(places[-1], -1, dtype=numpy.int32)
    packed_values = numpy.zeros(places[-1])
    packed_columns[at], packed_values[at] = columns, values
    return [cupy.asarray(array) for array in (places.astype(numpy.int32), packed_columns, packed_values)]


def products(runs):
    """cuSPARSE's products with the matrix in the current folder, in CSR and sliced ELLpack."""
    starts, columns, values = (numpy.load(f"{name}.npy").astype(kind) for name, kind in
                               (("starts", numpy.int32), ("columns", numpy.int32), ("values", numpy.float64)))
    rows, nonzeros = len(starts) - 1, len(values)
    host_x = numpy.random.default_rng(1).random(rows)
    expected = numpy.add.reduceat(values * host_x[columns], starts[:-1])
    x, y = cupy.asarray(host_x), cupy.zeros(rows)
    library = Sparse()

    def row(name, matrix, algorithm):
        y.fill(0)
        time = 1e3 * library.product_ms(matrix, algorithm, x, y, runs)
        is_right = bool(numpy.allclose(y.get(), expected, rtol=1e-10, atol=0))
        return f"cusparse {name}", is_right, ("product", time, "us", "product with the matrix of CG")

    arrays = [cupy.asarray(array) for array in (starts, columns, values)]
    csr = library.matrix("cusparseCreateCsr", (rows, rows, nonzeros), arrays)
    for name, algorithm in Sparse.CSR.items():
        yield row(f"csr {name}", csr, algorithm)
    for height in (2, 4, 8, 16, 32, 64):
        arrays = sliced(starts, columns, values, height)
        sizes = (rows, rows, nonzeros, len(arrays[2]), height)
        yield row(f"sliced ell {height}", library.matrix("cusparseCreateSlicedEll", sizes, arrays), Sparse.SLICED)


def launches(count, runs):
    """Launches of a kernel that does nothing, from a graph, which spares the host's part."""
    nothing = cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        nothing((640,), (256,), ())
        stream.begin_capture()
        for _ in range(count):
            nothing((640,), (256,), ())
        graph = stream.end_capture()
        time = median_ms(lambda: graph.launch(stream), runs)
    yield f"cuda graph of {count} launches", None, ("launch", 1e3 * time / count, "us", "a launch of nothing")


def benchmarks(folder, letter):
    """MG, CG and FT of NPB-GPU, built for the device; MG and FT give their own seconds."""
    cuda = os.path.join(folder, "CUDA")
    path = os.path.join(cuda, "config", "make.def")
    capability = cupy.cuda.Device().compute_capability
    with open(path) as file:
        text = file.read()
    target = f"COMPUTE_CAPABILITY = -gencode arch=compute_{capability},code=sm_{capability}"
    with open(path, "w") as file:
        file.write(re.sub(r"(?m)^COMPUTE_CAPABILITY.*$", target, text))
    os.makedirs(os.path.join(cuda, "bin"), exist_ok=True)
    for name in ("mg", "cg", "ft"):
        build = ["make", "-C", os.path.join(cuda, name.upper()), f"CLASS={letter}"]
        built = subprocess.run(build, capture_output=True, text=True)
        if built.returncode:
            print(f"npb-gpu {name}: {built.stdout[-2000:]}{built.stderr[-2000:]}", file=sys.stderr)
            continue
        run = [os.path.join(".", "bin", f"{name}.{letter}")]
        found = subprocess.run(run, cwd=cuda, capture_output=True, text=True).stdout
        seconds = re.search(r"Time in seconds\s*=\s*([0-9.]+)", found)
        is_verified = re.search(r"Verification\s*=\s*SUCCESSFUL", found) is not None
        if seconds:
            what = "its own count, NPB-GPU in CUDA"
            yield f"npb-gpu {name} {letter}", is_verified, ("seconds", float(seconds[1]), "s", what)
        else:
            print(f"npb-gpu {name}: {found[-2000:]}", file=sys.stderr)


def rows(subject, runs):
    """Returns the rows of a subject."""
    what, *words = subject.split(":")
    if what == "ft":
        return transforms(words[0], runs)
    if what == "products":
        return products(runs)
    if what == "launches":
        return launches(int(words[0]), runs)
    if what == "npb":
        return benchmarks(*words)
    sys.exit(f"{subject}: nothing of this name is measured")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date")
    parser.add_argument("--call", type=int)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("subjects", nargs="+", metavar="WHAT")
    given = parser.parse_args()
    name, driver = device()
    command = "baselines.py " + " ".join(sys.argv[1:])
    for subject in given.subjects:
        for found, is_verified, (figure, value, unit, what) in rows(subject, given.runs):
            print(json.dumps({
                "date": given.date, "call": given.call, "command": command, "subject": found, "devices": [name],
                "driver": driver, "verified": is_verified, "notes": [],
                "figures": [{"name": figure, "value": value, "unit": unit, "what": what}],
            }), flush=True)


if __name__ == "__main__":
    main()
