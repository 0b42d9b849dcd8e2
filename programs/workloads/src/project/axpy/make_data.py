"""Writes data/x.npy, data/y.npy and data/expected.npy."""
from npy import save

COUNT = 1024
A = 0.5

x = [(i * 37 % 101 - 50) / 8 for i in range(COUNT)]
y = [(i * 53 % 97 - 48) / 16 for i in range(COUNT)]
save("x", "<f4", [COUNT], x)
save("y", "<f4", [COUNT], y)
save("expected", "<f4", [COUNT], [A * u + v for u, v in zip(x, y)])
