#!/usr/bin/env python3
"""Draws specs/src/pictures/fft64.svg from a trace: which slot does what in every cycle.

    cp2 kernels source fft64 > fft64.s
    cp2 run fft64.s --init two-vectors.json --trace fft64.csv
    python3 specs/pictures.py fft64.csv > specs/src/pictures/fft64.svg
"""
import csv
import sys

ROWS = [
    ("butterflies", "#2b6cb0", lambda r: r["slot"] == "arithmetic"),
    ("loads", "#2f855a", lambda r: r["operation"].startswith("ld")),
    ("stores", "#c05621", lambda r: r["operation"].startswith("sd")),
    ("angles, loops", "#718096", lambda r: r["slot"] == "exchange" and r["operation"][:2] not in ("ld", "sd")),
]
LEFT, CELL, HEIGHT, GAP = 110, 2, 22, 8


def main(path):
    rows = list(csv.DictReader(open(path)))
    cycles = 1 + max(int(r["issue_cycle"]) for r in rows)
    width, height = LEFT + cycles * CELL + 10, len(ROWS) * (HEIGHT + GAP) + 34
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">')
    print(f'<rect width="{width}" height="{height}" fill="white"/>')
    for i, (name, colour, belongs) in enumerate(ROWS):
        y = 8 + i * (HEIGHT + GAP)
        print(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{name}</text>')
        print(f'<rect x="{LEFT}" y="{y}" width="{cycles * CELL}" height="{HEIGHT}" fill="#edf2f7"/>')
        start = previous = None
        for cycle in [int(r["issue_cycle"]) for r in rows if belongs(r)] + [-1]:
            if previous is not None and cycle != previous + 1:
                x, w = LEFT + start * CELL, (previous + 1 - start) * CELL
                print(f'<rect x="{x}" y="{y}" width="{w}" height="{HEIGHT}" fill="{colour}"/>')
                start = cycle
            start = cycle if start is None else start
            previous = cycle
    y = 8 + len(ROWS) * (HEIGHT + GAP)
    for cycle in range(0, cycles, 50):
        print(f'<text x="{LEFT + cycle * CELL}" y="{y + 10}" text-anchor="middle">{cycle}</text>')
    print(f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end">cycle</text>')
    print("</svg>")


main(sys.argv[1])
