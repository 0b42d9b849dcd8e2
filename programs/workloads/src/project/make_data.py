"""Writes data/x.npy, data/y.npy and data/expected.npy. Needs nothing but Python; with NumPy, np.save does as well."""
import pathlib
import struct

COUNT = 1024
A = 0.5


def save(name, values):
    """A float32 array of one dimension as a .npy file."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header = header.ljust((10 + len(header) + 1 + 63) // 64 * 64 - 11) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    path = pathlib.Path(__file__).parent / "data" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(head + struct.pack("<%df" % len(values), *values))


x = [(i * 37 % 101 - 50) / 8 for i in range(COUNT)]
y = [(i * 53 % 97 - 48) / 16 for i in range(COUNT)]
save("x.npy", x)
save("y.npy", y)
save("expected.npy", [A * u + v for u, v in zip(x, y)])
