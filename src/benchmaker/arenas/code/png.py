"""PNG pictures as arrays of pixels, as written by browsers and screenshot tools."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import ScorerError

Pixels = NDArray[np.uint8]
"""Height × width × 3, red, green and blue from 0 to 255."""

MOST_PIXELS = 40_000_000
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_EIGHT_BITS = 8


def decode_png(data: bytes) -> Pixels:
    """Return the pixels of a picture; transparency is blended with white.

    Eight bits a channel, grey, colour or palette, with or without transparency, not interlaced
    (PNG specification, third edition, W3C 2025).

    Raises:
        ScorerError: another format, or more than 40 million pixels.
    """
    chunks = dict(_chunks(data))
    header = chunks.get(b"IHDR")
    if header is None:
        raise ScorerError("the picture is not a PNG.")
    width, height, bits, kind, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if bits != _EIGHT_BITS or kind not in _CHANNELS or interlaced:
        raise ScorerError("unsupported kind of PNG; use 8 bits without interlacing.")
    if not 0 < width * height <= MOST_PIXELS:
        raise ScorerError(f"the picture has {width} × {height} pixels, too many or none.")
    channels = _CHANNELS[kind]
    size = height * (1 + width * channels)
    raw = _inflate(chunks.get(b"IDAT", b""), size)
    flat = _unfilter(raw, height, width * channels, channels)
    return _rgb(flat.reshape(height, width, channels), kind, chunks)


def dominant_colour(pixels: Pixels) -> tuple[float, int]:
    """Return the share of the commonest colour, 0–1, and the number of colours.

    Colours count as equal if the upper five bits of each channel are.
    """
    bits = (pixels >> 3).astype(np.int16)
    bins = bits[..., 0] | bits[..., 1] << 5 | bits[..., 2] << 10
    counts = np.bincount(bins.ravel(), minlength=1 << 15)
    return int(counts.max()) / bins.size, int(np.count_nonzero(counts))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks by their kinds; the data of all IDAT joined."""
    if not data.startswith(_SIGNATURE):
        return
    at, joined = len(_SIGNATURE), []
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IDAT":
            joined.append(body)
        elif kind in (b"IHDR", b"PLTE", b"tRNS"):
            yield kind, body
        at += 12 + length
    yield b"IDAT", b"".join(joined)


def _inflate(packed: bytes, size: int) -> bytes:
    try:
        raw = zlib.decompressobj().decompress(packed, size)
    except zlib.error as exc:
        raise ScorerError("the picture is damaged.") from exc
    if len(raw) != size:
        raise ScorerError("the picture is truncated.")
    return raw


def _unfilter(raw: bytes, height: int, stride: int, channels: int) -> Pixels:
    """Take back the filter of each line (section 9 of the specification)."""
    lines = np.frombuffer(raw, np.uint8).reshape(height, stride + 1)
    done = np.zeros((height, stride), np.uint8)
    above = np.zeros(stride, np.uint8)
    for y in range(height):
        above = done[y] = _line(int(lines[y, 0]), lines[y, 1:], above, channels)
    return done


def _line(kind: int, line: Pixels, above: Pixels, channels: int) -> Pixels:
    if kind == 0:
        return line
    if kind == 1:
        pixels = line.reshape(-1, channels)
        return np.cumsum(pixels, axis=0, dtype=np.uint64).astype(np.uint8).reshape(-1)
    if kind == 2:  # noqa: PLR2004  the filter "up"
        return line + above
    if kind not in (3, 4):
        raise ScorerError("the picture is damaged.")
    return _unfilter_line_slowly(kind, line.tolist(), above.tolist(), channels)


def _unfilter_line_slowly(kind: int, line: list[int], above: list[int], channels: int) -> Pixels:
    """The filters "average" and "Paeth", in which each pixel needs the one before."""
    out = [0] * (len(line) + channels)
    for i, value in enumerate(line):
        left, up = out[i], above[i]
        if kind == 3:  # noqa: PLR2004  the filter "average"
            out[i + channels] = (value + (left + up) // 2) & 255
            continue
        corner = above[i - channels] if i >= channels else 0
        guess = left + up - corner
        by_left, by_up, by_corner = abs(guess - left), abs(guess - up), abs(guess - corner)
        nearest = left if by_left <= by_up and by_left <= by_corner else (
            up if by_up <= by_corner else corner
        )  # fmt: skip
        out[i + channels] = (value + nearest) & 255
    return np.array(out[channels:], np.uint8)


def _rgb(pixels: Pixels, kind: int, chunks: dict[bytes, bytes]) -> Pixels:
    if kind == 3:  # noqa: PLR2004  a palette
        palette = np.frombuffer(chunks.get(b"PLTE", b""), np.uint8).reshape(-1, 3)
        clear = np.frombuffer(chunks.get(b"tRNS", b""), np.uint8)
        indexes = pixels[:, :, 0]
        if indexes.size and int(indexes.max()) >= len(palette):
            raise ScorerError("the picture is damaged.")
        alpha = np.full(len(palette), 255, np.uint8)
        alpha[: len(clear)] = clear[: len(palette)]
        return _on_white(palette[indexes], alpha[indexes])
    has_alpha = kind in (4, 6)
    colours = pixels[:, :, :-1] if has_alpha else pixels
    if colours.shape[2] == 1:
        colours = np.repeat(colours, 3, axis=2)
    return _on_white(colours, pixels[:, :, -1]) if has_alpha else np.ascontiguousarray(colours)


def _on_white(colours: Pixels, alpha: Pixels) -> Pixels:
    share = alpha[:, :, None].astype(np.float64) / 255
    mixed: Pixels = np.rint(colours * share + 255 * (1 - share)).astype(np.uint8)
    return mixed
