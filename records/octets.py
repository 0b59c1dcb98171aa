"""Numbers and strings of any length in a row of bytes."""

from __future__ import annotations


def put_number(out: bytearray, number: int) -> None:
    """Write a number from 0: seven bits a byte, the lowest first, the top bit where more follow."""
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def get_number(data: bytes, at: int) -> tuple[int, int]:
    """The number at a position, and where the next part begins."""
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
    return number | data[at] << shift, at + 1


def put_bytes(out: bytearray, part: bytes) -> None:
    """Write a string with its length before it."""
    put_number(out, len(part))
    out += part


def get_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    """The string at a position, and where the next part begins."""
    length, at = get_number(data, at)
    return data[at : at + length], at + length
