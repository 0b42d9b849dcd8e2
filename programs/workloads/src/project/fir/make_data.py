"""Writes data/h.npy, data/x.npy and data/expected.npy. The expected results are computed here in double precision, without
the kernel."""
import random

from npy import save

TAPS = 16  # as in the source of the kernel
RESULTS = 128  # of a channel; a multiple of 8
CHANNELS = 4

numbers = random.Random(1)


def sample():
    """A complex number that single precision holds exactly; both parts are from -1 up to, but not, 1."""
    return complex(*(int(numbers.random() * 2048 - 1024) / 1024 for _ in range(2)))


h = [sample() for _ in range(TAPS)]
x = [[sample() for _ in range(RESULTS + TAPS - 1)] for _ in range(CHANNELS)]
y = [[sum(h[k] * row[i + k] for k in range(TAPS)) for i in range(RESULTS)] for row in x]
save("h", "<c8", [TAPS], h)
save("x", "<c8", [CHANNELS, RESULTS + TAPS - 1], sum(x, []))
save("expected", "<c8", [CHANNELS, RESULTS], sum(y, []))
