"""Writes .npy files with nothing but Python; with NumPy, np.save does as well."""
import pathlib
import struct

FORMATS = {"<f4": "f", "<i4": "i", "<c8": "f"}


def save(name, kind, shape, values):
    """Writes an array into data/ under a name: single precision ("<f4"), whole numbers ("<i4"), complex numbers ("<c8")."""
    if kind == "<c8":
        values = [part for value in values for part in (value.real, value.imag)]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, tuple(shape))
    header = header.ljust((10 + len(header) + 1 + 63) // 64 * 64 - 11) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    path = pathlib.Path(__file__).parent / "data" / (name + ".npy")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(head + struct.pack("<%d%s" % (len(values), FORMATS[kind]), *values))
