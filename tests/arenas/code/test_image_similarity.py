import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmaker.arenas.code.image_similarity import likeness
from benchmaker.arenas.code.png import decode_png
from benchmaker.errors import ScorerError

pictures = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda size: arrays(np.uint8, (*size, 3))
)


def chunk(kind, body):
    return struct.pack(">I4s", len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


def encode(pixels, kinds=(0,), *, colour=2, extra=b""):
    """A PNG whose lines take turns with these filters, written the plain way."""
    height, width = pixels.shape[:2]
    flat = pixels.reshape(height, -1).astype(int)
    channels = flat.shape[1] // width
    lines, above = [], [0] * flat.shape[1]
    for y in range(height):
        kind, line = kinds[y % len(kinds)], list(flat[y])
        out = []
        for x, value in enumerate(line):
            left = line[x - channels] if x >= channels else 0
            corner = above[x - channels] if x >= channels else 0
            out.append((value - guess(kind, left, above[x], corner)) % 256)
        lines.append(bytes([kind, *out]))
        above = line
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    packed = zlib.compress(b"".join(lines))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra
        + chunk(b"IDAT", packed[:7]) + chunk(b"IDAT", packed[7:]) + chunk(b"IEND", b"")
    )  # fmt: skip


def guess(kind, left, up, corner):
    if kind == 4:
        base = left + up - corner
        return min((left, up, corner), key=lambda it: (abs(base - it),))
    return (0, left, up, (left + up) // 2)[kind]


@given(pictures, st.lists(st.integers(0, 4), min_size=1, max_size=5))
@settings(max_examples=60)
def test_every_filter_is_taken_back(pixels, kinds):
    assert (decode_png(encode(pixels, kinds)) == pixels).all()


def test_what_is_transparent_lies_on_white():
    pixels = np.array([[[0, 0, 0, 0], [0, 0, 0, 255], [10, 20, 30, 128]]], np.uint8)
    found = decode_png(encode(pixels, colour=6))
    assert found.tolist() == [[[255, 255, 255], [0, 0, 0], [132, 137, 142]]]


def test_palettes_and_grey_are_read():
    palette = chunk(b"PLTE", bytes([1, 2, 3, 4, 5, 6]))
    indexes = np.array([[[1], [0]]], np.uint8)
    assert decode_png(encode(indexes, colour=3, extra=palette)).tolist() == [[[4, 5, 6], [1, 2, 3]]]
    assert decode_png(encode(indexes, colour=0)).tolist() == [[[1, 1, 1], [0, 0, 0]]]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a",
        b"\x89PNG\r\n\x1a\n",
        encode(np.random.default_rng(0).integers(0, 255, (9, 9, 3), np.uint8))[:90],
    ],
)
def test_what_is_no_picture_is_refused(data):
    with pytest.raises(ScorerError):
        decode_png(data)


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked():
    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    with pytest.raises(ScorerError, match="pixels"):
        decode_png(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))


def drawn(seed=0, *, boxes=6, size=(240, 320), shift=0):
    random = np.random.default_rng(seed)
    picture = np.full((*size, 3), 250, np.uint8)
    for _ in range(boxes):
        y, x = random.integers(0, size[0] - 60), random.integers(0, size[1] - 60)
        picture[y : y + 40, x + shift : x + shift + 50] = random.integers(0, 255, 3)
    return encode(picture)


def test_a_picture_is_wholly_like_itself():
    found = likeness(drawn(), drawn())
    assert (found.blocks, found.colours) == (1, 1)
    assert found.ssim == pytest.approx(1)
    assert found.overall == pytest.approx(1)


def test_what_is_nearly_alike_is_liker_than_what_is_not():
    same, near, far = drawn(1), drawn(1, shift=3), drawn(9)
    assert likeness(same, near).overall > likeness(same, far).overall + 0.1


def test_likeness_does_not_depend_on_which_is_the_reference():
    one, other = likeness(drawn(1), drawn(2)), likeness(drawn(2), drawn(1))
    assert one.overall == pytest.approx(other.overall)
    assert one.reference != other.reference


def test_pictures_of_other_sizes_are_compared_at_one_width():
    small, large = drawn(3), encode(np.repeat(np.repeat(decode_png(drawn(3)), 2, 0), 2, 1))
    assert likeness(small, large).overall > 0.98


def test_structural_similarity_is_that_of_the_plain_formula():
    from benchmaker.arenas.code.image_similarity import _ssim  # noqa: PLC0415

    random = np.random.default_rng(4)
    a, b = random.uniform(0, 255, (16, 20)), random.uniform(0, 255, (16, 20))
    values = []
    for y in range(0, 9, 4):
        for x in range(0, 13, 4):
            p, q = a[y : y + 8, x : x + 8].ravel(), b[y : y + 8, x : x + 8].ravel()
            cov = np.mean((p - p.mean()) * (q - q.mean()))
            c1, c2 = 2.55**2, 7.65**2
            top = (2 * p.mean() * q.mean() + c1) * (2 * cov + c2)
            values.append(top / ((p.mean() ** 2 + q.mean() ** 2 + c1) * (p.var() + q.var() + c2)))
    assert _ssim(a, b) == pytest.approx(max(0.0, np.mean(values)))
