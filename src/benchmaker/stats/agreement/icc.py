"""Intraclass correlations: the six forms of Shrout and Fleiss."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Floats, check_level, finite_column

Form: TypeAlias = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
Scores: TypeAlias = Sequence[Sequence[float]] | NDArray[np.float64]

_TWO = 2
_FEW = 20
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Intraclass:
    """The similarity of several ratings of one target, with its interval.

    ``form`` names the model (1: other raters for every target, 2: these raters drawn from many, 3:
    these raters and no others) and the rated quantity: ``1`` one rating, ``k`` the mean of k.
    ``value`` is None if it is undefined for the data, ``low`` and ``high`` if there is no interval,
    each with a ``reason``. ``f`` tests that the targets do not differ. ``within_sd`` is the
    standard deviation of the ratings of one target, in their unit.
    """

    form: str
    value: float | None
    low: float | None
    high: float | None
    f: float | None
    df1: int
    df2: int
    p_value: float | None
    within_sd: float
    n: int
    n_eff: float
    raters: int
    clusters: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class _Squares:
    """Mean squares of a two-way table, n targets × k raters."""

    n: int
    k: int
    targets: float
    within: float
    raters: float
    error: float


def icc(rows: Scores, form: Form = "2,1", *, level: float = 0.95) -> Intraclass:
    """Return an intraclass correlation with its F-based interval.

    Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428, and McGraw & Wong 1996 for the
    interval of the two-way random form, whose degrees of freedom are Satterthwaite's. The interval
    is not clipped; an estimate below 0 is returned unchanged.

    Args:
        rows: targets × raters, complete; drop targets with gaps and report their number.
        form: one of ``1,1 2,1 3,1 1,k 2,k 3,k``.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than two targets or two raters.
        SpecError: a gap or a value that is not a number, named by its row.

    >>> table = [[9, 2, 5], [6, 1, 3], [8, 4, 6], [7, 1, 2], [10, 5, 6], [6, 2, 4]]
    >>> round(icc(table, "3,k").value, 4)
    0.9179
    """
    if form not in get_args(Form):
        raise SpecError(f"Unknown form {form!r}; take one of {', '.join(get_args(Form))}.")
    return _make_intraclass(_squares(_table(rows)), form, check_level(level))


def icc_forms(rows: Scores, *, level: float = 0.95) -> tuple[Intraclass, ...]:
    """All six forms, of one rating first; see ``icc``.

    >>> [form.form for form in icc_forms([[1, 2], [3, 3], [5, 4]])]
    ['1,1', '2,1', '3,1', '1,k', '2,k', '3,k']
    """
    squares = _squares(_table(rows))
    return tuple(_make_intraclass(squares, form, check_level(level)) for form in get_args(Form))


def _table(rows: Scores) -> Floats:
    if not len(rows):
        raise NotEnoughData("There is no target.", needed=_TWO, got=0)
    width = len(rows[0])
    for target, row in enumerate(rows):
        if len(row) != width:
            message = f"Row {target + 1} has {len(row)} ratings, the first {width}"
            raise SpecError(f"{message}; leave out targets with a gap.")
    if width < _TWO:
        raise NotEnoughData("An intraclass correlation needs two raters.", needed=_TWO, got=width)
    if len(rows) < _TWO:
        raise NotEnoughData("An intraclass correlation needs two targets.", needed=_TWO, got=1)
    table = np.column_stack(
        [finite_column([row[k] for row in rows], "rating") for k in range(width)]
    )
    shifted: Floats = table - table.mean()
    return shifted


def _squares(table: Floats) -> _Squares:
    n, k = table.shape
    rows, cols = table.mean(axis=1), table.mean(axis=0)
    grand = math.fsum(table.ravel()) / table.size
    between = k * math.fsum((rows - grand) ** 2)
    raters = n * math.fsum((cols - grand) ** 2)
    within = math.fsum(((table - rows[:, None]) ** 2).ravel())
    rest = math.fsum(((table - rows[:, None] - cols[None, :] + grand) ** 2).ravel())
    return _Squares(
        n=n,
        k=k,
        targets=between / (n - 1),
        within=within / (n * (k - 1)),
        raters=raters / (k - 1),
        error=rest / ((n - 1) * (k - 1)),
    )


def _make_intraclass(sq: _Squares, form: Form, level: float) -> Intraclass:
    is_one_way, is_single = form[0] == "1", form[-1] == "1"
    noise = sq.within if is_one_way else sq.error
    df1, df2 = sq.n - 1, (sq.n * (sq.k - 1) if is_one_way else (sq.n - 1) * (sq.k - 1))
    tiny = _ROUNDING * (sq.targets + sq.within)
    is_flat, is_exact = sq.targets <= tiny and sq.within <= tiny, noise <= tiny
    single, reason = _value(sq, form, is_flat=is_flat)
    f = None if is_exact else sq.targets / noise
    ends = _ends(sq, form, single, level) if f is not None and single is not None else None
    value, low, high = (
        _step_up(part, sq.k, is_single=is_single) for part in (single, *(ends or (None, None)))
    )
    if not reason and (low is None or high is None):
        reason = _why_no_ends(is_exact=is_exact, has_value=value is not None)
    return Intraclass(
        form=form,
        value=value,
        low=low,
        high=high,
        f=f,
        df1=df1,
        df2=df2,
        p_value=None if f is None else _f_tail(f, df1, df2),
        within_sd=math.sqrt(sq.within),
        n=sq.n,
        n_eff=float(sq.n),
        raters=sq.k,
        clusters=None,
        level=level,
        method=f"ICC({form}), {'one' if is_one_way else 'two'}-way analysis of variance, F",
        reason=reason,
        warnings=(f"only {sq.n} targets",) if sq.n < _FEW else (),
    )


def _value(sq: _Squares, form: Form, *, is_flat: bool) -> tuple[float | None, str]:
    """The correlation of single ratings, or why there is none."""
    noise = sq.within if form[0] == "1" else sq.error
    spread = sq.k * (sq.raters - sq.error) / sq.n if form[0] == "2" else 0.0
    below = sq.targets + (sq.k - 1) * noise + spread
    if is_flat:
        return None, "all ratings are equal"
    if below <= 0.0:
        return None, "neither targets nor errors vary"
    return (sq.targets - noise) / below, ""


def _why_no_ends(*, is_exact: bool, has_value: bool) -> str:
    if is_exact:
        return "the raters do not differ beyond a constant, so that there is no error to weigh"
    if not has_value:
        return "the targets do not differ, so that their means have no correlation"
    return "the targets differ too little for an interval of this form"


def _ends(sq: _Squares, form: Form, single: float, level: float) -> tuple[float, float] | None:
    """Both ends for single ratings; those of means follow by Spearman and Brown's formula."""
    n, k = sq.n, sq.k
    if form[0] == "2":
        return _random_ends(sq, single, level)
    noise, df2 = (sq.within, n * (k - 1)) if form[0] == "1" else (sq.error, (n - 1) * (k - 1))
    f = sq.targets / noise
    low = f / _f_quantile(n - 1, df2, level)
    high = f * _f_quantile(df2, n - 1, level)
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _random_ends(sq: _Squares, single: float, level: float) -> tuple[float, float] | None:
    n, k = sq.n, sq.k
    a = k * single * sq.raters / sq.error
    b = n * (1 + (k - 1) * single) - k * single
    below = (n - 1) * a * a + b * b
    if below <= 0.0:
        return None
    df = (k - 1) * (n - 1) * (a + b) ** 2 / below
    if df <= 0.0:
        return None
    rest = k * sq.raters + (k * n - k - n) * sq.error
    over, under = _f_quantile(n - 1, df, level), _f_quantile(df, n - 1, level)
    low = n * (sq.targets / over - sq.error) / (rest + n * sq.targets / over)
    high = n * (under * sq.targets - sq.error) / (rest + n * under * sq.targets)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _step_up(single: float | None, k: int, *, is_single: bool) -> float | None:
    """The same for the mean of k ratings, k·r / (1 + (k - 1)·r)."""
    if single is None or is_single:
        return single
    below = 1 + (k - 1) * single
    return k * single / below if below > _ROUNDING else None


def _f_quantile(df1: float, df2: float, level: float) -> float:
    """Fisher's F at the upper end of a two-sided interval."""
    from scipy.special import fdtri  # noqa: PLC0415  loads for a third of a second

    return float(fdtri(df1, df2, 0.5 + level / 2))


def _f_tail(f: float, df1: float, df2: float) -> float:
    """The chance of an F at least as large."""
    from scipy.special import fdtrc  # noqa: PLC0415  loads for a third of a second

    return float(fdtrc(df1, df2, f))
