"""Baselines of a task: snapshots determined only by a set of submissions.

A snapshot is made of the task's eligible rows, sorted by (finished, id) regardless of input order;
its hash covers the rows, their figures and the prior used. Scores depend only on the submission,
the snapshot and the profile.
"""

import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import floor
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np

from benchmaker.analysis.composite.counting_figures import (
    RANKED_EVIDENCE,
    Counting,
    decide_counting_by_evidence,
    largest_doubling,
)
from benchmaker.analysis.composite.default_baseline import DEFAULT_BASELINE, DEFAULT_ENDS
from benchmaker.analysis.composite.snapshots import (
    PUBLISHED_WORDS,
    ClassicSnapshot,
    Ends,
    FigureSpread,
    Prior,
    RobustSnapshot,
    Snapshot,
)
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metrics import Metrics, TokensView
from benchmaker.record.submissions.scored_figures import FIGURES, Figure
from benchmaker.record.submissions.submission import EvidenceLevel, Status

__all__ = [
    "CLASSIC_LEAST",
    "HIGH",
    "LOW",
    "PRIOR_ROWS",
    "ROBUST_STEP",
    "ClassicSnapshot",
    "Ends",
    "FigureSpread",
    "Prior",
    "RobustSnapshot",
    "Snapshot",
    "category_of",
    "category_priors",
    "classic_snapshot",
    "classic_snapshots",
    "default_prior",
    "default_spread",
    "is_classic_eligible",
    "is_robust_eligible",
    "ln",
    "quantile",
    "robust_snapshot",
    "robust_snapshots",
    "rows_used",
]

CLASSIC_LEAST = 5
"""Number of eligible rows below which the classic snapshot is the default baseline."""

ROBUST_STEP = 20
"""Robust snapshots use the first 20, 40, 80 … rows; below 20 they lean on the prior."""

_PLAIN_FROM, _PLAIN_BELOW = 1e-4, 1e16
_json = msgspec.json.Encoder().encode

PRIOR_ROWS = 5.0
"""The weight of the prior as a number of rows."""

Read: TypeAlias = Callable[[Metrics, Figure], float | None]
"""Reads one figure of a row."""

LOW, HIGH = 0.1, 0.9
"""The quantiles between which robust scores run from 1 to 0."""


@dataclass(frozen=True, slots=True)
class Members:
    """Rows of a task sorted by (finished, id): their ids, finishing times and figures."""

    ids: Sequence[str]
    ends: Sequence[int]
    figures: Mapping[Figure, Sequence[float | None]]

    @classmethod
    def of(cls, rows: Sequence[Metrics], read: Read) -> "Members":
        """The members for rows that are sorted already."""
        return cls(
            ids=[row.submission_id for row in rows],
            ends=[row.order[0] for row in rows],
            figures={name: [read(row, name) for row in rows] for name in FIGURES},
        )

    def __len__(self) -> int:
        return len(self.ids)

    def baseline_rows(self, name: Figure) -> list[int]:
        """The places of the first 20, 40, 80 … rows that have one figure above 0."""
        having = [at for at, one in enumerate(self.figures[name]) if (one or 0) > 0]
        return having[: rows_used(len(having))]

    def heads(self) -> list[str]:
        """Return the start of each row's line: its id and its finish time."""
        return [f"{one!r}\t{end}" for one, end in zip(self.ids, self.ends, strict=True)]

    def lines(self) -> list[str]:
        """A line for each row, for the hash of a snapshot."""
        texts = [_texts(figures) for figures in self.figures.values()]
        return list(map("\t".join, zip(self.heads(), *texts, strict=True)))


def is_classic_eligible(row: Metrics) -> bool:
    """Not quarantined, no infrastructure failure, total tokens and tool calls known."""
    return (
        not row.quarantined
        and row.outcome is not Status.INFRA_ERROR
        and row.total_tokens is not None
        and row.tool_calls is not None
        and not row.faults
    )


def is_robust_eligible(row: Metrics) -> bool:
    """Successful, verified or attested, not quarantined, no infrastructure failure."""
    return (
        row.success is True
        and row.evidence_level in {EvidenceLevel.VERIFIED, EvidenceLevel.ATTESTED}
        and not row.quarantined
        and row.outcome is not Status.INFRA_ERROR
        and not row.faults
    )


def classic_snapshot(task_id: str, rows: Iterable[Metrics]) -> ClassicSnapshot:
    """Return the published baseline of a task's eligible rows, or the default below five.

    Times and costs count if above 0, missing iterations as 1.

    Args:
        task_id: of all the rows.
        rows: in any order; ineligible ones are skipped.

    Raises:
        SpecError: a row of another task, or two rows with one id.
    """
    members = _members(task_id, rows, is_classic_eligible)
    return classic_of(task_id, Members.of(members, _figure_reader("total")))


def classic_of(task_id: str, members: Members) -> ClassicSnapshot:
    """The classic snapshot of these eligible rows."""
    if len(members) < CLASSIC_LEAST:
        return _default_snapshot(task_id)
    digest = _digest(members.lines())
    return ClassicSnapshot(
        task_id=task_id,
        n=len(members),
        is_default=False,
        figures={name: _classic_spread(name, members.figures[name]) for name in FIGURES},
        members=digest,
        hash=_digest(["snapshot/1", "classic", task_id, digest]),
    )


def robust_snapshot(
    task_id: str,
    rows: Iterable[Metrics],
    *,
    priors: Mapping[Figure, Prior] | None = None,
    tokens: TokensView = "fresh",
    ranked: Collection[EvidenceLevel] | None = RANKED_EVIDENCE,
) -> RobustSnapshot:
    """Return the ends of every figure over the first 20, 40, 80 … eligible rows that have it.

    A figure of 0 has no logarithm and is excluded from the quantiles.

    Args:
        task_id: of all the rows.
        rows: in any order; ineligible ones are skipped.
        priors: of the task's category, see :func:`category_priors`; the default for the others.
        tokens: the token count to use.
        ranked: the evidence levels whose successes decide which figures count; None for the rules
            of robust/1, which ignore missing figures.

    Raises:
        SpecError: a row of another task, or two rows with one id.
    """
    listed = list(rows)
    eligible = _members(task_id, listed, is_robust_eligible)
    read = _figure_reader(tokens) if ranked is None else _valid_figure_reader(tokens)
    decided = None
    if ranked is not None:
        decided = CountingByEvidence(
            ranked, *decide_counting_by_evidence(listed, ranked=ranked, tokens=tokens)
        )
    return RobustParts.of(task_id, Members.of(eligible, read), tokens, decided).snapshot(priors)


class CountingByEvidence(NamedTuple):
    """The figures that count on a task, for rows of ranked evidence and for the others."""

    ranked: Collection[EvidenceLevel]
    own: Counting
    others: Counting


@dataclass(frozen=True, slots=True)
class RobustParts:
    """A robust snapshot before its priors are applied, with the figures of the ``n`` rows in it."""

    task_id: str
    n: int
    tokens: TokensView
    used: Mapping[Figure, Sequence[float | None]]
    digest: str
    decided: CountingByEvidence | None

    @classmethod
    def of(
        cls, task_id: str, eligible: Members, tokens: TokensView, decided: CountingByEvidence | None
    ) -> "RobustParts":
        """The first 20, 40, 80 … eligible rows of every figure."""
        used, lines, heads = dict[Figure, list[float | None]](), list[str](), eligible.heads()
        rows = set[int]()
        for name in FIGURES:
            places, figures = eligible.baseline_rows(name), eligible.figures[name]
            used[name] = [figures[at] for at in places]
            rows.update(places)
            texts = zip(places, _texts(used[name]), strict=True)
            lines += [f"{name}\t{heads[at]}\t{text}" for at, text in texts]
        return cls(task_id, len(rows), tokens, used, _digest(lines), decided)

    def snapshot(self, priors: Mapping[Figure, Prior] | None = None) -> RobustSnapshot:
        """The snapshot with the priors of its category, or the default prior where it has none."""
        ends = {name: _ends(name, own, priors or {}) for name, own in self.used.items()}
        leaning = [f"{name}\t{_prior_text(ends[name].prior)}" for name in FIGURES]
        parts = ["snapshot/1", "robust", self.tokens, self.task_id, self.digest, *leaning]
        made = RobustSnapshot(
            task_id=self.task_id,
            n=self.n,
            tokens=self.tokens,
            figures=ends,
            members=self.digest,
            hash=_digest(parts),
        )
        return made if self.decided is None else _with_counting(made, self.decided)


def _with_counting(made: RobustSnapshot, decided: CountingByEvidence) -> RobustSnapshot:
    """The snapshot with the figures that count on its task, which become part of its hash."""
    ranked, own, others = decided
    levels = tuple(level for level in EvidenceLevel if level in ranked)
    parts = ["snapshot/2", made.hash, *levels, own.line, others.line]
    return replace(made, hash=_digest(parts), ranked=levels, counting=own, unranked=others)


def category_priors(snapshots: Iterable[RobustSnapshot]) -> dict[Figure, Prior]:
    """Return the priors from the snapshots of one category's tasks, regardless of their own priors.

    Only tasks with 20 or more rows of the figure count; a figure without such a task uses the
    default.
    """
    settled = list(snapshots)
    found: dict[Figure, Prior] = {}
    for name in FIGURES:
        reached = [one.figures[name] for one in settled if one.figures[name].n >= ROBUST_STEP]
        if reached:
            found[name] = Prior(
                ln_q10=statistics.median(ends.ln_q10 for ends in reached),
                ln_q90=statistics.median(ends.ln_q90 for ends in reached),
                tasks=len(reached),
            )
    return found


def classic_snapshots(rows: Iterable[Metrics]) -> dict[str, ClassicSnapshot]:
    """Every task's classic snapshot, by task id."""
    return {task: classic_snapshot(task, own) for task, own in _by_task(rows).items()}


def robust_snapshots(
    rows: Iterable[Metrics],
    *,
    tokens: TokensView = "fresh",
    ranked: Collection[EvidenceLevel] | None = RANKED_EVIDENCE,
) -> dict[str, RobustSnapshot]:
    """Return every task's robust snapshot, by task id, with the priors of its category.

    A task belongs to the category that its rows name; to the first by name if they differ.
    """
    by_task = _by_task(rows)
    category = {task: category_of(own) for task, own in by_task.items()}

    def build(task: str, priors: Mapping[Figure, Prior] | None) -> RobustSnapshot:
        return robust_snapshot(task, by_task[task], priors=priors, tokens=tokens, ranked=ranked)

    return with_priors(category, build)


def with_priors(
    category: Mapping[str, str | None],
    made: Callable[[str, Mapping[Figure, Prior] | None], RobustSnapshot],
) -> dict[str, RobustSnapshot]:
    """Return snapshots of tasks with the priors of their categories, by task id.

    Args:
        category: category of every task.
        made: function that makes a task's snapshot with the given priors, or with the default.
    """
    alone = {task: made(task, None) for task in category}
    by_category: dict[str | None, list[RobustSnapshot]] = defaultdict(list)
    for task, name in category.items():
        if name is not None:
            by_category[name].append(alone[task])
    priors = {name: category_priors(own) for name, own in by_category.items()}
    return {
        task: one
        if _needs_no_prior(one, priors.get(category[task]))
        else made(task, priors.get(category[task]))
        for task, one in alone.items()
    }


def _needs_no_prior(alone: RobustSnapshot, priors: Mapping[Figure, Prior] | None) -> bool:
    """True if these priors have no effect: there are none, or every figure has enough rows."""
    return not priors or all(ends.prior is None for ends in alone.figures.values())


def category_of(rows: Iterable[Metrics]) -> str | None:
    """The category that a task's rows name; the first by name where they differ."""
    return min((row.category for row in rows if row.category is not None), default=None)


def rows_used(count: int) -> int:
    """Return the number of rows used by a robust snapshot: 20, 40, 80 …; all below 20.

    >>> [rows_used(n) for n in (0, 19, 20, 39, 40, 159)]
    [0, 19, 20, 20, 40, 80]
    """
    return largest_doubling(count, ROBUST_STEP) or count


def default_prior(name: Figure) -> Prior:
    """The default baseline's smallest and largest."""
    low, high = DEFAULT_ENDS[name]
    return Prior(ln_q10=ln(low), ln_q90=ln(high))


def ln(value: float) -> float:
    """The natural logarithm, computed by NumPy as for columns; -inf for 0."""
    return float(np.log(value)) if value else float("-inf")


def quantile(ordered: Sequence[float], share: float) -> float:
    """By linear interpolation between the order statistics (type 7) of at least one value."""
    place = (len(ordered) - 1) * share
    below = floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return low + (high - low) * (place - below)


def _members(
    task_id: str, rows: Iterable[Metrics], is_eligible: Callable[[Metrics], bool]
) -> list[Metrics]:
    listed = list(rows)
    for row in listed:
        if row.task_id != task_id:
            raise SpecError(
                f"Submission {row.submission_id!r} is for task {row.task_id!r}, not {task_id!r}."
            )
    members = sorted((row for row in listed if is_eligible(row)), key=lambda row: row.order)
    if len({row.submission_id for row in members}) < len(members):
        raise SpecError(f"Two submissions to task {task_id!r} have the same id.")
    return members


def _by_task(rows: Iterable[Metrics]) -> dict[str, list[Metrics]]:
    found: dict[str, list[Metrics]] = defaultdict(list)
    for row in rows:
        found[row.task_id].append(row)
    return {task: found[task] for task in sorted(found)}


def _default_snapshot(task_id: str) -> ClassicSnapshot:
    digest = _digest([])
    figures = {name: default_spread(name) for name in FIGURES}
    return ClassicSnapshot(
        task_id=task_id,
        n=0,
        is_default=True,
        figures=figures,
        members=digest,
        hash=_digest(["snapshot/1", "classic", task_id, digest]),
    )


def default_spread(name: Figure) -> FigureSpread:
    """The default baseline's figures, made of no row."""
    word = PUBLISHED_WORDS.get(name, name)
    median = DEFAULT_BASELINE[f"median_{word}"]
    low, high = (
        DEFAULT_ENDS[name]
        if name == "iterations"
        else (DEFAULT_BASELINE[f"min_{word}"], DEFAULT_BASELINE[f"max_{word}"])
    )
    return FigureSpread(n=0, minimum=low, q25=None, median=median, q75=None, maximum=high)


def _classic_spread(name: Figure, figures: Sequence[float | None]) -> FigureSpread:
    if name == "iterations":
        return FigureSpread.of(_sort_ascending([1.0 if one is None else one for one in figures]))
    must_be_positive = name in {"seconds", "cost"}
    known = [one for one in figures if one is not None and (one > 0 or not must_be_positive)]
    return FigureSpread.of(_sort_ascending(known)) if known else default_spread(name)


def _figure_reader(tokens: TokensView) -> Read:
    return lambda row, name: row.figure(name, tokens=tokens)


def _valid_figure_reader(tokens: TokensView) -> Read:
    return lambda row, name: row.valid_figure(name, tokens=tokens)


def _ends(name: Figure, used: Sequence[float | None], priors: Mapping[Figure, Prior]) -> Ends:
    figures = _sort_ascending([figure for figure in used if figure])
    own = (quantile(figures, LOW), quantile(figures, HIGH)) if figures else None
    n = len(figures)
    prior = None if n >= ROBUST_STEP else priors.get(name) or default_prior(name)
    ln_q10, ln_q90, weight = _shrink_to_prior(own, n, prior)
    return Ends(
        n=n,
        q10=None if own is None else own[0],
        q90=None if own is None else own[1],
        weight=weight,
        ln_q10=ln_q10,
        ln_q90=ln_q90,
        prior=prior,
        spread=FigureSpread.of(figures) if figures else None,
    )


def _shrink_to_prior(
    own: tuple[float, float] | None, n: int, prior: Prior | None
) -> tuple[float, float, float]:
    """Both ends, and the weight of the own ones."""
    if own is None:
        leant = prior or Prior(0.0, 0.0)
        return leant.ln_q10, leant.ln_q90, 0.0
    low, high = ln(own[0]), ln(own[1])
    if prior is None:
        return low, high, 1.0
    weight = n / (n + PRIOR_ROWS)
    rest = 1 - weight
    return weight * low + rest * prior.ln_q10, weight * high + rest * prior.ln_q90, weight


def _texts(figures: Sequence[float | None]) -> list[str]:
    """The repr of every figure as a float, empty for none.

    JSON writes the same digits as repr, several times as fast, between the sizes from which on
    either takes an exponent.
    """
    if not figures:
        return []
    column = np.array(figures, np.float64)
    texts = _json(column.tolist())[1:-1].replace(b"null", b"").decode().split(",")
    size = np.abs(column)
    with_exponent = (size < _PLAIN_FROM) & (size > 0) | (size >= _PLAIN_BELOW)
    for at in np.flatnonzero(with_exponent).tolist():
        texts[at] = repr(float(column[at]))
    return texts


def _sort_ascending(figures: Sequence[float]) -> list[float]:
    listed: list[float] = np.sort(np.array(figures, np.float64)).tolist()
    return listed


def _prior_text(prior: Prior | None) -> str:
    return "" if prior is None else f"{prior.ln_q10!r}\t{prior.ln_q90!r}\t{prior.tasks}"


def _digest(lines: Sequence[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()
