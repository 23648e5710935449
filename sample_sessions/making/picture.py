"""Tiny PNG pictures, made without a compressor so that their bytes never change."""

from __future__ import annotations

import base64
import struct
import zlib

FONT = {
    " ": "000 000 000 000 000", "-": "000 000 111 000 000", ".": "000 000 000 000 010",
    "/": "001 001 010 100 100", "0": "111 101 101 101 111", "1": "010 110 010 010 111",
    "2": "111 001 111 100 111", "3": "111 001 111 001 111", "4": "101 101 111 001 001",
    "5": "111 100 111 001 111", "6": "111 100 111 101 111", "7": "111 001 010 010 010",
    "8": "111 101 111 101 111", "9": "111 101 111 001 111", ">": "100 010 001 010 100",
    "A": "010 101 111 101 101", "B": "110 101 110 101 110", "C": "111 100 100 100 111",
    "D": "110 101 101 101 110", "E": "111 100 110 100 111", "F": "111 100 110 100 100",
    "G": "111 100 101 101 111", "H": "101 101 111 101 101", "I": "111 010 010 010 111",
    "L": "100 100 100 100 111", "M": "101 111 111 101 101", "N": "111 101 101 101 101",
    "O": "111 101 101 101 111", "P": "111 101 111 100 100", "R": "110 101 110 101 101",
    "S": "111 100 111 001 111", "T": "111 010 010 010 010", "U": "101 101 101 101 111",
    "V": "101 101 101 101 010", "W": "101 101 111 111 101", "X": "101 101 010 101 101",
    "Y": "101 101 010 010 010",
}  # fmt: skip


def picture(rows: list[str], scale: int = 3, margin: int = 6) -> tuple[str, int, int, int]:
    """Lines of capital letters as a black and white PNG: base64 text, width, height, size in bytes."""
    columns = max(map(len, rows)) * 4
    width = columns * scale + 2 * margin
    height = len(rows) * 7 * scale + 2 * margin
    dots = [[0] * width for _ in range(height)]
    for line, row in enumerate(rows):
        for place, sign in enumerate(row):
            for y, bits in enumerate(FONT[sign].split()):
                for x, bit in enumerate(bits):
                    if bit == "1":
                        _square(
                            dots, margin + (place * 4 + x) * scale, margin + (line * 7 + y) * scale, scale
                        )
    data = _png(width, height, dots)
    return base64.b64encode(data).decode(), width, height, len(data)


def _square(dots: list[list[int]], left: int, top: int, size: int) -> None:
    for y in range(top, top + size):
        dots[y][left : left + size] = [1] * size


def _png(width: int, height: int, dots: list[list[int]]) -> bytes:
    lines = bytearray()
    for row in dots:
        lines.append(0)  # no filter
        bits = "".join("0" if dot else "1" for dot in row).ljust(-(-width // 8) * 8, "0")
        lines += int(bits, 2).to_bytes(len(bits) // 8, "big")
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", _stored(bytes(lines)))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _stored(data: bytes) -> bytes:
    """A zlib stream that holds `data` as it is: compressors differ between machines, this does not."""
    blocks = [data[at : at + 0xFFFF] for at in range(0, len(data), 0xFFFF)]
    out = bytearray(b"\x78\x01")
    for n, block in enumerate(blocks):
        out += struct.pack("<BHH", n == len(blocks) - 1, len(block), len(block) ^ 0xFFFF) + block
    return bytes(out) + struct.pack(">I", zlib.adler32(data))
