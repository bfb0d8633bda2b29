"""The similarity of two screenshots: drawn areas, colours, structure."""

import hashlib
import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmaker.arenas.code.png import Pixels, decode_png
from benchmaker.record.prepared_answer import VisualMatch

Plane = NDArray[np.float64]

_WIDTH: Final = 320
_CELL: Final = 8
_WINDOW: Final = 8
_STEP: Final = 4
_BINS: Final = 4
_INK: Final = 6.0
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def likeness(shot: bytes, reference: bytes) -> VisualMatch:
    """Return the similarity of two PNG pictures, each share from 0 to 1; scaled to one width.

    The part of one below the other's end is not compared.

    Raises:
        ScorerError: one of them is unreadable.
    """
    first, second = _resize(decode_png(shot)), _resize(decode_png(reference))
    height = min(len(first), len(second))
    first, second = first[:height], second[:height]
    blocks, colours = _blocks(first, second), _colours(first, second)
    alike = _ssim(_to_grey(first), _to_grey(second))
    return VisualMatch(
        blocks=blocks,
        colours=colours,
        ssim=alike,
        overall=math.fsum((blocks, colours, alike)) / 3,
        reference=hashlib.sha256(reference).hexdigest(),
    )


def _resize(pixels: Pixels) -> Plane:
    """Return the picture at the common width, each new pixel the mean of its source pixels."""
    height = max(_WINDOW, round(len(pixels) * _WIDTH / pixels.shape[1]))
    rows = _average_rows(pixels.astype(np.float64), height)
    return _average_rows(rows.transpose(1, 0, 2), _WIDTH).transpose(1, 0, 2)


def _average_rows(planes: Plane, size: int) -> Plane:
    """Return ``size`` rows, each the mean over its span of the old ones, by running sums."""
    edges = np.linspace(0, len(planes), size + 1)
    summed = np.concatenate([np.zeros_like(planes[:1]), np.cumsum(planes, axis=0)])
    low = np.floor(edges).astype(int)
    high = np.minimum(low + 1, len(planes))
    share = (edges - low)[:, None, None]
    at = summed[low] * (1 - share) + summed[high] * share
    averaged: Plane = np.diff(at, axis=0) / np.diff(edges)[:, None, None]
    return averaged


def _blocks(first: Plane, second: Plane) -> float:
    """Of the cells in which either draws something, the share in which both do (Jaccard)."""
    a, b = _ink_mask(first), _ink_mask(second)
    either = int((a | b).sum())
    return int((a & b).sum()) / either if either else 1.0


def _ink_mask(picture: Plane) -> NDArray[np.bool_]:
    """The cells that are not of one colour."""
    rows, columns = len(picture) // _CELL, _WIDTH // _CELL
    cut = picture[: rows * _CELL, : columns * _CELL]
    cells = cut.reshape(rows, _CELL, columns, _CELL, 3)
    inked: NDArray[np.bool_] = cells.std(axis=(1, 3)).max(axis=2) > _INK
    return inked


def _colours(first: Plane, second: Plane) -> float:
    """Return the intersection of both histograms, 64 colours each (Swain and Ballard 1991)."""
    return min(1.0, float(np.minimum(_histogram(first), _histogram(second)).sum()))


def _histogram(picture: Plane) -> Plane:
    levels = np.minimum(picture * _BINS / 256, _BINS - 1).astype(int)
    codes = (levels[:, :, 0] * _BINS + levels[:, :, 1]) * _BINS + levels[:, :, 2]
    counted: Plane = np.bincount(codes.ravel(), minlength=_BINS**3) / codes.size
    return counted


def _to_grey(picture: Plane) -> Plane:
    """Brightness by Rec. 601."""
    grey: Plane = picture @ np.array([0.299, 0.587, 0.114])
    return grey


def _ssim(first: Plane, second: Plane) -> float:
    """Structural similarity over windows of 8 × 8 (Wang, Bovik, Sheikh, Simoncelli 2004)."""
    a, b = _windows(first), _windows(second)
    mean_a, mean_b = a.mean(axis=(2, 3)), b.mean(axis=(2, 3))
    own_a, own_b = a.var(axis=(2, 3)), b.var(axis=(2, 3))
    both = (a * b).mean(axis=(2, 3)) - mean_a * mean_b
    light = (2 * mean_a * mean_b + _C1) / (mean_a**2 + mean_b**2 + _C1)
    shape = (2 * both + _C2) / (own_a + own_b + _C2)
    return min(1.0, max(0.0, float((light * shape).mean())))


def _windows(plane: Plane) -> Plane:
    windows: Plane = np.lib.stride_tricks.sliding_window_view(plane, (_WINDOW, _WINDOW))
    return windows[::_STEP, ::_STEP]
