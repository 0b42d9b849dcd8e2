"""Writes data/x.npy and data/expected.npy, the image and the result, and data/block.npy and data/block_expected.npy, what the
kernel has of them in the first page. The expected results are computed here in double precision, without the kernel."""
import random

from npy import save

ROWS = 128  # a multiple of the rows of a page
WIDTH = 128  # as in the source of the kernel
BLOCK = 8  # rows of a section in a page
SECTIONS = 4

numbers = random.Random(1)

# Numbers that single precision holds exactly, sums included.
x = [[int(numbers.random() * 2048 - 1024) / 1024 for _ in range(WIDTH)] for _ in range(ROWS)]


def row(i):
    """The row i, or the nearest one there is."""
    return x[min(max(i, 0), ROWS - 1)]


y = [[a + 2 * b + c for a, b, c in zip(row(i - 1), row(i), row(i + 1))] for i in range(ROWS)]
blocks = [row(s * BLOCK + i) for s in range(SECTIONS) for i in range(-1, BLOCK + 1)]
save("x", "<f4", [ROWS, WIDTH], sum(x, []))
save("expected", "<f4", [ROWS, WIDTH], sum(y, []))
save("block", "<f4", [SECTIONS, BLOCK + 2, WIDTH], sum(blocks, []))
save("block_expected", "<f4", [SECTIONS, BLOCK, WIDTH], sum(y[: SECTIONS * BLOCK], []))
