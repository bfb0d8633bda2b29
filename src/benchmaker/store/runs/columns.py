"""Scores of many trials as columns, straight from the rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, and_, or_, select

from benchmaker.errors import NotComparable
from benchmaker.record import Attempt, Score
from benchmaker.record.score_columns import OUTCOMES, ScoreColumns, metric_columns
from benchmaker.record.trial import known_cost_of, tokens_of
from benchmaker.spec.suites.check_spec import CHECKS
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import (
    attempts,
    completions,
    scores,
    suite_cases,
    suites,
    trials,
)
from benchmaker.store.runs.costs import COST
from benchmaker.store.runs.runs import RunNumber, load_run, run_number

_CHUNK = 1_000
_OUTCOME_CODES = {outcome.value: code for code, outcome in enumerate(OUTCOMES)}

_JOINED = trials.outerjoin(completions, completions.c.trial_seq == trials.c.seq).outerjoin(
    scores, and_(scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version)
)
_NUMBERS = (
    scores.c.score,
    trials.c.weight,
    COST,
    completions.c.latency_s,
    completions.c.reasoning_tokens,
    completions.c.input_tokens,
    completions.c.output_tokens,
)
_COST_ROW = 2
_FLAGS = (trials.c.flags, completions.c.flags, completions.c.usage_flags, scores.c.flags)


@dataclass(frozen=True, slots=True)
class _Chunk:
    run: NDArray[np.int32]
    rank: NDArray[np.int32]
    model: NDArray[np.int32]
    position: NDArray[np.int32]
    outcome: NDArray[np.int8]
    group: NDArray[np.int32]
    flag_set: NDArray[np.int32]
    numbers: NDArray[np.float64]


def read_columns(database: Database, run_ids: Sequence[str]) -> ScoreColumns:
    """Return the latest scores of the runs as columns, in the order of runs, cases, models.

    The runs share one suite, so that a position means one case. Models are numbered in the order of
    the first run, then of the next. Tokens, like dollars, are those of all requests of a trial;
    ``input_tokens`` are the uncached ones, as in ``Usage``.

    Raises:
        StoreError: an unknown run.
        NotComparable: the runs are of different suites.
    """
    with database.read() as connection:
        runs = [run_number(connection, database, run_id) for run_id in run_ids]
        _refuse_mixed(run_ids, runs)
        models = tuple(dict.fromkeys(model for run in runs for model in run.models))
        groups: dict[str, int] = {}
        flag_sets = {frozenset[str](): 0}
        chunks = [
            chunk
            for code, numbered in enumerate(runs)
            for chunk in _chunks(
                connection, code, numbered, models=models, groups=groups, flag_sets=flag_sets
            )
        ]
        position = _concatenate([chunk.position for chunk in chunks], np.int32)
        metrics = _metrics(connection, runs, chunks)
        case_ids = _case_ids(connection, runs, position)
        repeat_runs = _repeat_runs(connection, database, run_ids)
    numbers = (
        np.concatenate([chunk.numbers for chunk in chunks], axis=1)
        if chunks
        else np.empty((len(_NUMBERS) + 1, 0))
    )
    score, weight, cost_usd, latency_s, thought, tokens_in, out, known_cost_usd = numbers
    run = _concatenate([chunk.run for chunk in chunks], np.int32)
    repeated = [code for code, run_id in enumerate(run_ids) if run_id in repeat_runs]
    return ScoreColumns(
        run_ids=tuple(run_ids),
        models=models,
        case_ids=case_ids,
        run=run,
        model=_concatenate([chunk.model for chunk in chunks], np.int32),
        position=position,
        outcome=_concatenate([chunk.outcome for chunk in chunks], np.int8),
        score=score,
        weight=np.where(np.isin(run, repeated), 0.0, weight),
        cost_usd=cost_usd,
        known_cost_usd=known_cost_usd,
        latency_s=latency_s,
        input_tokens=tokens_in,
        output_tokens=out,
        reasoning_tokens=thought,
        group=_concatenate([chunk.group for chunk in chunks], np.int32),
        flag_set=_concatenate([chunk.flag_set for chunk in chunks], np.int32),
        flag_sets=tuple(flag_sets),
        metrics=metrics,
        repeat_runs=repeat_runs,
    )


def _repeat_runs(
    connection: Connection, database: Database, run_ids: Sequence[str]
) -> frozenset[str]:
    """Return the runs that repeat uncertain cases only; none where no other run is given."""
    found = {it for it in run_ids if load_run(connection, database, it).is_partial_repeat}
    return frozenset(found) if len(found) < len(set(run_ids)) else frozenset()


def _refuse_mixed(run_ids: Sequence[str], runs: Sequence[RunNumber]) -> None:
    for run_id, run in zip(run_ids, runs, strict=True):
        if run.suite_seq != runs[0].suite_seq:
            raise NotComparable(
                f"runs {run_ids[0]} and {run_id} use different suites.",
                hint="Choose runs of one suite. List runs with: benchmaker runs",
            )


def _chunks(
    connection: Connection,
    code: int,
    run: RunNumber,
    *,
    models: Sequence[str],
    groups: dict[str, int],
    flag_sets: dict[frozenset[str], int],
) -> Iterator[_Chunk]:
    wanted = (
        select(
            trials.c.model_rank,
            trials.c.position,
            trials.c.outcome,
            trials.c.case_group,
            *_NUMBERS,
        )
        .select_from(_JOINED)
        .where(trials.c.run_seq == run.seq)
        .order_by(trials.c.position, trials.c.model_rank)
    )
    codes = np.array([models.index(model) for model in run.models], dtype=np.int32)
    retried = _sums_of_retried(connection, run)
    flagged = _flag_codes(connection, run, flag_sets)
    streamed = connection.execution_options(yield_per=_CHUNK)
    for rows in streamed.execute(wanted).partitions():
        ranks, positions, outcomes, names, *numbers = zip(*rows, strict=True)
        places = list(zip(ranks, positions, strict=True))
        sums = [retried.get(place) for place in places]
        yield _Chunk(
            run=np.full(len(rows), code, dtype=np.int32),
            rank=np.array(ranks, dtype=np.int32),
            model=codes[np.array(ranks, dtype=np.intp)],
            position=np.array(positions, dtype=np.int32),
            outcome=np.array([_OUTCOME_CODES[name] for name in outcomes], dtype=np.int8),
            group=_group_codes(names, groups),
            flag_set=_codes_at(flagged, places),
            numbers=_with_sums(np.array(numbers, dtype=np.float64), sums),
        )


_Place = tuple[int, int]
"""The rank of a trial's model in its run, and the position of its case."""

_Sums = tuple[int | None, int | None, float | None]
"""The input and output tokens of a trial's requests, and their known cost."""


def _sums_of_retried(connection: Connection, run: RunNumber) -> Mapping[_Place, _Sums]:
    """Return, by rank and position, the sums of trials with several requests."""
    other = attempts.alias()
    retried = select(other.c.trial_seq).where(other.c.number > 1, other.c.trial_seq == trials.c.seq)
    wanted = (
        select(trials.c.model_rank, trials.c.position, attempts.c.body)
        .select_from(
            trials.join(attempts, attempts.c.trial_seq == trials.c.seq).outerjoin(
                completions, completions.c.trial_seq == trials.c.seq
            )
        )
        .where(trials.c.run_seq == run.seq)
        .where(or_(completions.c.trial_seq.is_(None), retried.exists()))
    )
    found: dict[_Place, list[Attempt]] = {}
    for rank, position, body in connection.execute(wanted):
        found.setdefault((rank, position), []).append(decode(body, Attempt))
    return {place: (*tokens_of(made), known_cost_of(made)) for place, made in found.items()}


def _with_sums(numbers: NDArray[np.float64], sums: Sequence[_Sums | None]) -> NDArray[np.float64]:
    """Return the rows of figures, with the known cost as the last.

    Tokens, the last two before it, are replaced for trials with several requests.
    """
    rows = np.vstack([numbers, numbers[_COST_ROW]])
    for at, known in enumerate(sums):
        if known is not None:
            rows[-3:, at] = [np.nan if figure is None else figure for figure in known]
    return rows


def _group_codes(names: Iterable[str | None], groups: dict[str, int]) -> NDArray[np.int32]:
    codes = (-1 if name is None else groups.setdefault(name, len(groups)) for name in names)
    return np.fromiter(codes, dtype=np.int32)


def _concatenate(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:  # noqa: ANN401  any dtype
    return np.concatenate(parts) if parts else np.empty(0, dtype=kind)


def _case_ids(
    connection: Connection, runs: Sequence[RunNumber], position: NDArray[np.int32]
) -> Mapping[int, str]:
    if not len(position):
        return {}
    first = int(position.min())
    wanted = (
        select(suite_cases.c.case_id)
        .where(
            suite_cases.c.suite_seq == runs[0].suite_seq,
            suite_cases.c.position.between(first, int(position.max())),
        )
        .order_by(suite_cases.c.position)
    )
    pages = connection.execution_options(yield_per=_CHUNK).scalars(wanted).partitions()
    return _CaseIds(first, ["\0".join(page) for page in pages])


class _CaseIds(Mapping[int, str]):
    """Ids of neighbouring cases by position; unpacked only on access, which is rare.

    Each page is the stored ids, which contain no NUL, separated by NUL.
    """

    def __init__(self, first: int, pages: list[str]) -> None:
        self._first = first
        self._pages = pages

    @cached_property
    def _ids(self) -> dict[int, str]:
        ids = (unescape(name) for page in self._pages for name in page.split("\0"))
        return dict(enumerate(ids, self._first))

    def __getitem__(self, position: int) -> str:
        return self._ids[position]

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def _flag_codes(
    connection: Connection, run: RunNumber, flag_sets: dict[frozenset[str], int]
) -> Mapping[_Place, int]:
    """Return the codes of the flagged trials: flags of the trial, its answer, usage or score."""
    wanted = (
        select(trials.c.model_rank, trials.c.position, *_FLAGS)
        .select_from(_JOINED)
        .where(trials.c.run_seq == run.seq)
        .where(or_(*(flags.is_not(None) & (flags != "[]") for flags in _FLAGS)))
    )
    of_lists: dict[tuple[str | None, ...], int] = {}
    found: dict[_Place, int] = {}
    for rank, position, *lists in connection.execute(wanted):
        texts = tuple(lists)
        if texts not in of_lists:
            of_lists[texts] = flag_sets.setdefault(_flags(texts), len(flag_sets))
        found[rank, position] = of_lists[texts]
    return found


def _metrics(
    connection: Connection, runs: Sequence[RunNumber], chunks: Sequence[_Chunk]
) -> dict[str, NDArray[np.float64]]:
    """Return the named metrics of the checks by trial; empty for suites without any."""
    if not runs or not _may_have_metrics(connection, runs[0]):
        return {}
    found = [_metrics_of_run(connection, run) for run in runs]
    rows = [
        found[code].get((rank, position), {})
        for chunk in chunks
        for code, rank, position in zip(
            chunk.run.tolist(), chunk.rank.tolist(), chunk.position.tolist(), strict=True
        )
    ]
    return metric_columns(rows)


def _may_have_metrics(connection: Connection, run: RunNumber) -> bool:
    """True if the suite, or a case of it, names a metric or has a threshold.

    Another key of such a name counts, too.
    """
    header = select(suites.c.seq).where(suites.c.seq == run.suite_seq)
    own = select(suite_cases.c.position).where(suite_cases.c.suite_seq == run.suite_seq)
    return any(
        connection.execute(query.limit(1)).first() is not None
        for key in ('%"metric":%', '%"threshold":%')
        for query in (
            header.where(suites.c.header.like(key)),
            own.where(suite_cases.c.body.like(key)),
        )
    )


def _metrics_of_run(
    connection: Connection, run: RunNumber
) -> Mapping[_Place, Mapping[str, float | None]]:
    wanted = (
        select(trials.c.model_rank, trials.c.position, scores.c.body)
        .select_from(_JOINED)
        .where(trials.c.run_seq == run.seq, scores.c.scorer == CHECKS)
    )
    streamed = connection.execution_options(yield_per=_CHUNK)
    return {
        (rank, position): decode(body, Score).metrics
        for rank, position, body in streamed.execute(wanted)
    }


def _flags(texts: Iterable[str | None]) -> frozenset[str]:
    return frozenset(name for text in texts if text for name in decode(text, tuple[str, ...]))


def _codes_at(codes: Mapping[_Place, int], places: Sequence[_Place]) -> NDArray[np.int32]:
    """Return the code of each trial's flags; 0 for none."""
    if not codes:
        return np.zeros(len(places), dtype=np.int32)
    return np.fromiter((codes.get(place, 0) for place in places), np.int32, len(places))
