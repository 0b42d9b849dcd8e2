"""Writes data/u.npy and data/expected.npy. The expected results are computed here in double precision from the whole grid,
which the kernel never sees at once."""
import random

from npy import save

SECTIONS = 4
ROWS = 16  # of the block of a section; even
COLUMNS = 32  # as in the source of the kernel
CENTRE, VERTICAL, HORIZONTAL = 0.5, 0.125, 0.125

numbers = random.Random(1)
# The whole grid with a border: a row above and below, two columns left and right, of which the inner one is read.
grid = [
    [int(numbers.random() * 2048 - 1024) / 1024 for _ in range(COLUMNS + 4)]
    for _ in range(SECTIONS * ROWS + 2)
]


def point(i, j):
    """The result at row i and column j, both counted with the border."""
    vertical = grid[i - 1][j] + grid[i + 1][j]
    horizontal = grid[i][j - 1] + grid[i][j + 1]
    return CENTRE * grid[i][j] + VERTICAL * vertical + HORIZONTAL * horizontal


# A block has the rows of its section, and one more above and below.
blocks = [grid[s * ROWS:(s + 1) * ROWS + 2] for s in range(SECTIONS)]
u = [value for block in blocks for row in block for value in row]
w = [point(i + 1, j + 2) for i in range(SECTIONS * ROWS) for j in range(COLUMNS)]
save("u", "<f4", [SECTIONS, ROWS + 2, COLUMNS + 4], u)
save("expected", "<f4", [SECTIONS, ROWS, COLUMNS], w)
