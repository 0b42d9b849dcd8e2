"""Writes the arrays of fir/, polynomial/ and matvec/: inputs, and what is expected of the kernels.

Needs nothing but Python. Inputs are numbers that single precision holds exactly; results are computed in double
precision from the definitions, and have nothing to do with the kernels.
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
TYPES = {"<f4": "f", "<f8": "d", "<c8": "ff", "<c16": "dd"}


def save(path, descr, shape, values):
    """An array as a .npy file."""
    axes = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (descr, axes)
    header = header.ljust((10 + len(header) + 1 + 63) // 64 * 64 - 11) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    form = "<" + TYPES[descr]
    parts = [(z.real, z.imag) if "c" in descr else (z,) for z in values]
    (HERE / path).write_bytes(head + b"".join(struct.pack(form, *part) for part in parts))


def numbers(count, seed):
    """Multiples of 1/64 from -4 to 4."""
    state, all = seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        all.append((state // 65536 % 513 - 256) / 64)
    return all


def complex_numbers(count, seed):
    values = numbers(2 * count, seed)
    return [complex(re, im) for re, im in zip(values[::2], values[1::2])]


def fir(channels=4, taps=8, points=256):
    x = complex_numbers(channels * (points + taps - 1), 1)
    h = complex_numbers(taps, 2)
    rows = [x[c * (points + taps - 1):] for c in range(channels)]
    y = [sum(h[k] * row[i + taps - 1 - k] for k in range(taps)) for row in rows for i in range(points)]
    save("fir/x.npy", "<c8", (channels, points + taps - 1), x)
    save("fir/h.npy", "<c8", (taps,), h)
    save("fir/expected.npy", "<c16", (channels, points), y)


def polynomial(points=1024):
    c = [1.0, -0.5, 0.25, 0.125, -0.0625, 0.03125]
    x = [value / 2 for value in numbers(points, 3)]
    save("polynomial/c.npy", "<f4", (len(c),), c)
    save("polynomial/x.npy", "<f4", (points,), x)
    save("polynomial/expected.npy", "<f8", (points,), [sum(a * u**k for k, a in enumerate(c)) for u in x])


def matvec(rows=64, columns=128):
    a, x = numbers(rows * columns, 4), numbers(columns, 5)
    y = [sum(a[r * columns + k] * x[k] for k in range(columns)) for r in range(rows)]
    save("matvec/a.npy", "<f4", (rows, columns), a)
    save("matvec/x.npy", "<f4", (columns,), x)
    save("matvec/expected.npy", "<f8", (rows,), y)


fir()
polynomial()
matvec()
