"""Writes data/index.npy, data/table.npy, data/y.npy and data/expected.npy. The expected results are computed here in double
precision, without the kernel; they are sums of numbers that single precision adds exactly."""
import random

from npy import save

COUNT = 256  # of indices; a multiple of 16
ROWS = 128  # of the table
COLUMNS = 8

numbers = random.Random(1)


def row():
    """A row of numbers from -1 up to, but not, 1, multiples of 1/1024."""
    return [int(numbers.random() * 2048 - 1024) / 1024 for _ in range(COLUMNS)]


def blocks(rows):
    """The elements of rows, a block of two columns after the other, as sections have them."""
    return [x for block in range(0, COLUMNS, 2) for row in rows for x in row[block : block + 2]]


index = [int(numbers.random() * ROWS) for _ in range(COUNT)]
table = [row() for _ in range(ROWS)]
y = [row() for _ in range(COUNT)]
expected = [[a + b for a, b in zip(y[i], table[index[i]])] for i in range(COUNT)]
save("index", "<i4", [COUNT], index)
save("table", "<f4", [4, ROWS, 2], blocks(table))
save("y", "<f4", [4, COUNT, 2], blocks(y))
save("expected", "<f4", [4, COUNT, 2], blocks(expected))
