"""Computes what the workloads of this folder compute, in double precision, and compares: check.py KIND IN.npy ... OUT.npy.

Pure Python: nothing has to be installed.
"""

import ast
import cmath
import struct
import sys


def read(path):
    """Returns the shape and the elements of a .npy file of float32, complex64 or int32, in C order."""
    data = open(path, "rb").read()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    kind = {"f4": "f", "c8": "f", "i4": "i"}[header["descr"][1:]]
    body = data[10 + length :]
    numbers = struct.unpack(header["descr"][0] + str(len(body) // 4) + kind, body)
    if header["descr"][1:] == "c8":
        numbers = [complex(*pair) for pair in zip(numbers[::2], numbers[1::2])]
    return header["shape"], list(numbers)


def fft(x):
    """Returns the Fourier transform of a vector whose length is a power of two."""
    n = len(x)
    if n == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    turned = [cmath.exp(-2j * cmath.pi * k / n) * odd[k] for k in range(n // 2)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def transforms(shape, x):
    n = shape[1]
    return [y for k in range(0, len(x), n) for y in fft(x[k : k + n])]


def resid(shape, u, v):
    """Returns v - A u on a periodic grid: -8/3 for a point, 1/6 for its edges, 1/12 for its corners, 0 for its sides."""
    n, m, k = shape
    weights = [-8 / 3, 0.0, 1 / 6, 1 / 12]
    result = list(v)
    around = [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
    for a, b, c in around:
        weight = weights[abs(a) + abs(b) + abs(c)]
        if weight == 0:
            continue
        for z in range(n):
            for y in range(m):
                row = ((z + a) % n * m + (y + b) % m) * k
                shifted = u[row : row + k]
                shifted = shifted[c:] + shifted[:c]
                at = (z * m + y) * k
                for x in range(k):
                    result[at + x] -= weight * shifted[x]
    return result


def fir(shape, x, h, results):
    n = results[1]
    taps = h[::-1]
    rows = [x[c * shape[1] : (c + 1) * shape[1]] for c in range(shape[0])]
    return [sum(t * s for t, s in zip(taps, row[i : i + len(taps)])) for row in rows for i in range(n)]


def matvec(shape, a, x):
    n = shape[1]
    return [sum(p * q for p, q in zip(a[k : k + n], x)) for k in range(0, len(a), n)]


def gather(shape, table, index):
    width = shape[1]
    return [t for k in index for t in table[k * width : (k + 1) * width]]


def main():
    kind, *paths = sys.argv[1:]
    arrays = [read(path) for path in paths]
    (shape, first), (result_shape, found) = arrays[0], arrays[-1]
    others = [values for _, values in arrays[1:-1]]
    expected = {
        "fft": lambda: transforms(shape, first),
        "resid": lambda: resid(shape, first, others[0]),
        "fir": lambda: fir(shape, first, others[0], result_shape),
        "matvec": lambda: matvec(shape, first, others[0]),
        "gather": lambda: gather(shape, first, others[0]),
    }[kind]()
    size = max(abs(value) for value in expected)
    worst = max(abs(a - b) for a, b in zip(found, expected))
    if len(found) != len(expected) or not worst <= 1e-5 * size:
        sys.exit(f"{len(found)} elements, {worst:.2e} from the expected {len(expected)} up to {size:.2e}")


main()
