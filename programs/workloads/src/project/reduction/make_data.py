"""Writes data/x.npy, data/y.npy and data/expected.npy. The expected result is computed here in double precision, without
the kernel."""
import random

from npy import save

COUNT = 2048  # a multiple of 64

numbers = random.Random(1)
# From 0 up to, but not, 1, and held exactly in single precision. No sum of such products loses digits by cancelling.
x = [int(numbers.random() * 1024) / 1024 for _ in range(COUNT)]
y = [int(numbers.random() * 1024) / 1024 for _ in range(COUNT)]
save("x", "<f4", [COUNT], x)
save("y", "<f4", [COUNT], y)
save("expected", "<f4", [1], [sum(u * v for u, v in zip(x, y))])
