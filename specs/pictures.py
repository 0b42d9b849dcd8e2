#!/usr/bin/env python3
"""Draws the pictures of specs/src/pictures from CSV files; the columns say which picture.

fft64.svg, from a trace: which slot does what in every cycle.

    cp2 kernels source fft64 > fft64.s
    cp2 run fft64.s --init two-vectors.json --trace fft64.csv
    python3 specs/pictures.py fft64.csv > specs/src/pictures/fft64.svg

dma-vm7.svg, dma-vm9.svg: DMA rates over the length and the pitch of rows.

    cargo run --release -p cp2-emu --example memory_fit sweep > sweep.csv
    python3 specs/pictures.py sweep.csv vm7 > specs/src/pictures/dma-vm7.svg
"""
import csv
import math
import sys

ROWS = [
    ("butterflies", "#2b6cb0", lambda r: r["slot"] == "arithmetic"),
    ("loads", "#2f855a", lambda r: r["operation"].startswith("ld")),
    ("stores", "#c05621", lambda r: r["operation"].startswith("sd")),
    ("angles, loops", "#718096", lambda r: r["slot"] == "exchange" and r["operation"][:2] not in ("ld", "sd")),
]
LEFT, CELL, HEIGHT, GAP = 110, 2, 22, 8


# [D] table B.3: length, pitch (0: rows without gaps), MB/s.
MEASURED = {
    ("vm7", "get"): [(128, 0, 2203), (128, 256, 2191), (64, 256, 2156), (32, 256, 2089)],
    ("vm7", "put"): [(128, 0, 2361), (128, 256, 2352), (64, 256, 2348), (32, 256, 2343)],
    ("vm9", "get"): [(128, 0, 6867), (128, 256, 6655), (64, 256, 6661), (32, 256, 6129)],
    ("vm9", "put"): [(128, 0, 6604), (128, 256, 6241), (64, 256, 5883), (32, 256, 4873)],
}
COLOURS = {0: "#1a202c", 128: "#718096", 256: "#2b6cb0", 512: "#2f855a", 1024: "#c05621", 4096: "#b83280"}
PLOT_WIDTH, PLOT_HEIGHT, MARGIN = 300, 220, 50


def sweep(rows, machine):
    rows = [r for r in rows if r["machine"] == machine]
    step = 500 if machine == "vm7" else 2000
    top = step * math.ceil(max(float(r["mb_per_s"]) for r in rows) / step)
    width, height = 2 * (PLOT_WIDTH + MARGIN) + 120, PLOT_HEIGHT + 70
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">')
    print(f'<rect width="{width}" height="{height}" fill="white"/>')
    for k, direction in enumerate(["get", "put"]):
        left = MARGIN + k * (PLOT_WIDTH + MARGIN)
        x = lambda length: left + PLOT_WIDTH * math.log2(length / 2) / 7
        y = lambda rate: 30 + PLOT_HEIGHT * (1 - rate / top)
        print(f'<text x="{left + PLOT_WIDTH / 2}" y="18" text-anchor="middle">{machine} {direction}, MB/s</text>')
        for rate in range(0, top + 1, step):
            print(f'<line x1="{left}" y1="{y(rate):.1f}" x2="{left + PLOT_WIDTH}" y2="{y(rate):.1f}" stroke="#edf2f7"/>')
            if k == 0:
                print(f'<text x="{left - 6}" y="{y(rate) + 4:.1f}" text-anchor="end">{rate}</text>')
        for n in range(1, 9):
            print(f'<text x="{x(2 ** n):.1f}" y="{PLOT_HEIGHT + 46}" text-anchor="middle">{2 ** n}</text>')
        print(f'<text x="{left + PLOT_WIDTH / 2}" y="{PLOT_HEIGHT + 62}" text-anchor="middle">row length, elements of 8 bytes</text>')
        for pitch, colour in COLOURS.items():
            points = [(int(r["length"]), float(r["mb_per_s"])) for r in rows if r["direction"] == direction and int(r["pitch"]) == pitch]
            line = " ".join(f"{x(l):.1f},{y(m):.1f}" for l, m in points)
            print(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        for length, pitch, rate in MEASURED[machine, direction]:
            print(f'<circle cx="{x(length):.1f}" cy="{y(rate):.1f}" r="4" fill="none" stroke="{COLOURS[pitch]}" stroke-width="1.5"/>')
    left = 2 * (PLOT_WIDTH + MARGIN) + 10
    for k, (pitch, colour) in enumerate(COLOURS.items()):
        print(f'<line x1="{left}" y1="{40 + 18 * k}" x2="{left + 18}" y2="{40 + 18 * k}" stroke="{colour}" stroke-width="2"/>')
        print(f'<text x="{left + 24}" y="{44 + 18 * k}">{f"pitch {pitch}" if pitch else "no gaps"}</text>')
    y = 40 + 18 * len(COLOURS)
    print(f'<circle cx="{left + 9}" cy="{y}" r="4" fill="none" stroke="#1a202c" stroke-width="1.5"/>')
    print(f'<text x="{left + 24}" y="{y + 4}">measured</text>')
    print("</svg>")


def slots(rows):
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


def main(path, *machine):
    rows = list(csv.DictReader(open(path)))
    sweep(rows, *machine) if machine else slots(rows)


main(*sys.argv[1:])
