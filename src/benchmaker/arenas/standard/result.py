"""The result of a run: the summary, and access to all stored data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from benchmaker.engine.trials.case_filters import select_cases
from benchmaker.errors import NotComparable, SpecError
from benchmaker.record import (
    INFRASTRUCTURE,
    EmbeddingTotals,
    Outcome,
    Run,
    RunState,
    Trial,
    failure_words,
)
from benchmaker.record.counts import count
from benchmaker.record.label import Label
from benchmaker.store import Store
from benchmaker.store.home import Home
from benchmaker.store.runs.failure_causes import EXPLAINED
from benchmaker.tabular import Tabular

if TYPE_CHECKING:  # numbers load when there are some, not before the first answer
    from benchmaker.analysis import ModelSummary, Summary
    from benchmaker.analysis.judges.correction import CorrectedMeans
    from benchmaker.analysis.judges.judging import JudgingSummary
    from benchmaker.analysis.summary.repeats import Repeats
    from benchmaker.engine.runs.suite_versions import JoinedRuns
    from benchmaker.record.score_columns import ScoreColumns

_WIDTH = 300


@dataclass(frozen=True, slots=True, repr=False)
class RunResult(Tabular):
    """One run, or the runs of a series, as stored.

    ``summary`` holds each model's mean with its interval; scores are from 0 to 1. ``series_id`` is
    None for a single run. For the execution that just ended, ``stopped`` lists the incomplete
    models with the reasons, ``interrupted`` is true if it was stopped by the user, and ``halted``
    is the reason if it stopped itself (its budget does not cover another request). ``failures``
    holds the first error of each model whose requests all failed. ``undecided`` counts the answers
    that a rescoring got no judgment on, so that they keep the score of an earlier judgment, and
    ``unsent`` those that were not sent to the judge, because it stopped early. Trials
    are read from the store on demand; columns are those of the summary.
    """

    run_ids: tuple[str, ...]
    series_id: str | None
    summary: "Summary"
    place: Home
    stopped: Mapping[str, str] = field(default_factory=dict)
    interrupted: bool = False
    halted: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    undecided: int = 0
    unsent: int = 0
    _columns: "ScoreColumns | None" = field(default=None, compare=False)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records of the runs."""
        return self.summary.runs

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order of the run."""
        return self.runs[0].models

    @property
    def is_finished(self) -> bool:
        """True if every run has finished; stopped models do not count as open."""
        return all(run.state is RunState.FINISHED for run in self.runs)

    @property
    def is_to_resume(self) -> bool:
        """True if ``resume`` would run more trials: of an open run, or of a stopped model."""
        if not self.is_finished:
            return True
        done = sum(row.n_done for row in self.summary.models)
        return self.runs[0].imported_from is None and done < sum(run.planned for run in self.runs)

    @property
    def rescoring_notes(self) -> tuple[str, ...]:
        """Why judging stopped early, and how many answers keep their earlier scores."""
        notes = []
        if self.halted:
            notes.append(f"Judging stopped early: {self.halted}. Other scores are kept.")
        if self.undecided:
            keeps = (
                "keeps its earlier score" if self.undecided == 1 else "keep their earlier scores"
            )
            number = count(self.undecided, "answer")
            notes.append(f"The judge decided nothing on {number}, which {keeps}.")
        if self.unsent:
            more, verb = " more" * bool(self.undecided), "was" if self.unsent == 1 else "were"
            noun = "answer" if self.unsent == 1 else "answers"
            notes.append(f"{self.unsent:,}{more} {noun} {verb} not sent to the judge.")
        return tuple(notes)

    def mean(self, model: str) -> float | None:
        """Return the model's mean score; None without scores.

        Raises:
            SpecError: not a model of the run.
        """
        return self._row(model).mean

    def repeats(self, model: str) -> "Repeats | None":
        """Return pass@k, pass^k, majority and flaky cases of a model; None for a single run.

        Raises:
            SpecError: not a model of the run.
        """
        return self._row(model).repeats

    def _row(self, model: str) -> "ModelSummary":
        for row in self.summary.models:
            if row.model == model:
                return row
        names = ", ".join(self.models)
        raise SpecError(f"no model {model!r} in the run.", hint=f"Models of the run: {names}.")

    def columns(self) -> "ScoreColumns":
        """The scores as columns, one row a trial; of the moment at which the summary was made."""
        if self._columns is not None:
            return self._columns
        with self.place.open_store() as store:
            return store.columns(self.run_ids)

    def case_digests(self) -> Mapping[str, bytes]:
        """Return a digest of each case of the suite's version, by id, to compare versions."""
        from benchmaker.engine.runs.suite_versions import case_digests  # noqa: PLC0415  loads numpy

        with self.place.open_store() as store:
            return case_digests(store.suite(self.runs[0].suite_hash))

    def joined_with(self, others: "Sequence[RunResult]") -> "JoinedRuns":
        """Return all runs joined over the cases that are equal in every version of their suite.

        Raises:
            NotComparable: different stores, different suites, or no common case.
        """
        from benchmaker.engine.runs.suite_versions import read_together  # noqa: PLC0415  loads numpy

        if any(one.place != self.place for one in others):
            raise NotComparable(
                "These runs use different versions of a suite and are in different stores.",
                hint="Import them into one store.",
            )
        ids = [run_id for one in (self, *others) for run_id in one.run_ids]
        with self.place.open_store() as store:
            return read_together(store, list(dict.fromkeys(ids)))

    def trials(self) -> Iterator[Trial]:
        """Every trial, run by run, in the order of cases, then models."""
        with self.place.open_store() as store:
            for run_id in self.run_ids:
                yield from store.trials(run_id)

    def labels(self) -> tuple[Label, ...]:
        """Return human labels of the answers; see :func:`benchmaker.corrected_means`."""
        with self.place.open_store() as store:
            return store.labels(self.run_ids)

    def __repr__(self) -> str:
        name = self.series_id or self.run_ids[0]
        run = self.runs[0]
        lines = [f"<RunResult {name}: {run.suite_name}, {run.profile}{self._state_text()}>"]
        lines += [
            f"  {row.model}: {_row_text(row)}{self._failure(row)}" for row in self.summary.models
        ]
        return "\n".join(lines)

    def _failure(self, row: "ModelSummary") -> str:
        error = " ".join(self.failures.get(row.model, "").split())
        return f"; every request failed, the first with {error:.{_WIDTH}}" if error else ""

    def _state_text(self) -> str:
        runs = f", {len(self.run_ids)} runs" if len(self.run_ids) > 1 else ""
        return runs if self.is_finished else f"{runs}, interrupted"


def run_result(
    store: Store,
    run_ids: Sequence[str],
    place: Home,
    *,
    stopped: Mapping[str, str] | None = None,
    interrupted: bool = False,
    halted: str = "",
) -> RunResult:
    """Return the result of related runs from the store.

    Raises:
        SpecError: a series without stored runs.
    """
    if not run_ids:
        raise SpecError("the series has no run yet.", hint="Start it again.")
    runs = tuple(store.run(run_id) for run_id in run_ids)
    columns = store.columns(run_ids)
    summary = summary_of(store, runs, columns)
    return RunResult(
        run_ids=tuple(run_ids),
        series_id=runs[0].series_id,
        summary=summary,
        place=place,
        stopped=dict(stopped or {}),
        interrupted=interrupted,
        halted=halted,
        failures=dict(_failures(store, run_ids, summary)),
        _columns=columns,
    )


def _failures(
    store: Store, run_ids: Sequence[str], summary: "Summary"
) -> Iterator[tuple[str, str]]:
    """Each model whose requests all failed, with its first error."""
    for row in summary.models:
        failed = sum(row.outcomes.get(str(outcome), 0) for outcome in INFRASTRUCTURE)
        if row.n_trials and failed == row.n_trials:
            trials = (one for run_id in run_ids for one in store.trials(run_id, model=row.model))
            first = next((one for one in trials if one.error), None)
            if first is not None:
                yield row.model, str(first.error)


def summary_of(store: Store, runs: Sequence[Run], columns: "ScoreColumns") -> "Summary":
    """Return the summary of runs from their columns, with judges and labels."""
    from benchmaker.analysis import summarise  # noqa: PLC0415  see above
    from benchmaker.analysis.summary.gate import gate_of  # noqa: PLC0415

    made, gate = summarise(columns, runs), gate_of(runs[0]) if runs else None
    missing = _trials_not_run(store, runs, columns)
    return replace(
        made,
        **_reasons(store, runs, made),
        judging=_judging_summary(store, runs, columns),
        embedding_totals=_embedding_totals(store, runs),
        corrected=_corrected_means(store, [run.id for run in runs], columns),
        gate=gate.decide(made, lambda: columns) if gate else None,
        not_run=tuple(missing),
        not_run_by_setup=_by_setup(missing),
    )


def _reasons(store: Store, runs: Sequence[Run], made: "Summary") -> dict[str, Any]:
    """Return the reasons of stopped models, failed requests and tools, and missing scores.

    Nothing is read for runs without any.
    """
    found: dict[str, Any] = {}
    kinds = {Outcome(kind) for model in made.models for kind in model.counted_outcomes}
    if not kinds.isdisjoint(EXPLAINED):
        causes = store.failure_causes([run.id for run in runs])
        found |= {"failed": causes.failed, "unscored": causes.unscored}
    if any(model.is_given_up for model in made.models):
        stopped = store.stopped_models(runs)
        found["stopped"] = {it.model: failure_words(it.error_type, it.error) for it in stopped}
    if tools := _tools_of(store, runs):
        found["failed_tools"] = tuple(store.failed_tools([run.id for run in runs], tools))
    return found


def _tools_of(store: Store, runs: Sequence[Run]) -> list[str]:
    """The names of the tools in the suites of runs, each once."""
    hashes = dict.fromkeys(run.suite_hash for run in runs)
    return list(dict.fromkeys(tool.name for one in hashes for tool in store.suite(one).tools))


def not_run(store: Store, runs: Sequence[Run]) -> Iterator[str]:
    """Yield the cases of a corrected suite without an answer so far."""
    for run in runs:
        if run.not_run:
            run_cases = {trial.case_id for trial in store.trials(run.id)}
            yield from (name for name in run.not_run if name not in run_cases)


def _trials_not_run(
    store: Store, runs: Sequence[Run], columns: "ScoreColumns"
) -> dict[str, tuple[str, ...]]:
    """Return each case without a trial of some setup, with these setups.

    They are cases of corrected suites, and those of stopped setups. Setups with an edited or added
    prompt have no answers until the corrected run is resumed.
    """
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for case_id in not_run(store, [run]):
            found.setdefault(case_id, {}).update(dict.fromkeys(run.models))
    for run in runs:
        is_corrected = run.rescored_from is not None and run.state is RunState.INTERRUPTED
        if run.imported_from is not None or run.not_run:
            continue
        if run.state is RunState.FINISHED or is_corrected:
            for case_id, setups in _trials_of_stopped_setups(store, run, columns):
                found.setdefault(case_id, {}).update(dict.fromkeys(setups))
    return {case_id: tuple(setups) for case_id, setups in found.items()}


def _trials_of_stopped_setups(
    store: Store, run: Run, columns: "ScoreColumns"
) -> Iterator[tuple[str, list[str]]]:
    """Yield each case that some setups of a run have no trial of, with these setups."""
    own = columns.run == columns.run_ids.index(run.id) if run.id in columns.run_ids else slice(0)
    positions, codes = columns.position[own].tolist(), columns.model[own].tolist()
    if len(positions) >= run.planned:
        return
    stored = set(zip(positions, codes, strict=True))
    code_of = {name: code for code, name in enumerate(columns.models)}
    suite = store.suite(run.suite_hash)
    for position, case in select_cases(suite.cases, run.selection, suite.vars):
        lacking = [
            name
            for name in run.models
            if (position, code_of.get(name)) not in stored and run.selection.includes(name, case.id)
        ]
        if lacking:
            yield case.id, lacking


def _by_setup(missing: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the cases of each setup, from the setups of each case."""
    found: dict[str, list[str]] = {}
    for case_id, setups in missing.items():
        for name in setups:
            found.setdefault(name, []).append(case_id)
    return {name: tuple(cases) for name, cases in found.items()}


def _judging_summary(
    store: Store, runs: Sequence[Run], columns: "ScoreColumns"
) -> "JudgingSummary | None":
    """Return the summary of judges; nothing is read without judges."""
    if not any(run.judge for run in runs):
        return None
    from benchmaker.analysis.judges.judging import asking_scorers_of, summarise_judging  # noqa: PLC0415  see above
    from benchmaker.engine.runs.judge_states import judge_statuses  # noqa: PLC0415

    run_ids = [run.id for run in runs]
    scorings = store.judge_scorings(run_ids)
    return summarise_judging(
        runs,
        columns,
        scorings.counting,
        earlier=scorings.earlier,
        judged=store.count_judged(run_ids, asking_scorers_of(runs)),
        scores=store.scores.newest(run_ids),
        standings=judge_statuses(store, runs[0], store.judge_versions(run_ids)),
    )


def _embedding_totals(store: Store, runs: Sequence[Run]) -> tuple[EmbeddingTotals, ...]:
    """Return the requests for embeddings; nothing is read without judges or embeddings."""
    return store.embedding_totals([it.id for it in runs]) if any(it.judge for it in runs) else ()


def _corrected_means(
    store: Store, run_ids: Sequence[str], columns: "ScoreColumns"
) -> "CorrectedMeans | None":
    """The means that labels lead to; nothing is computed where there are none."""
    labels = store.labels(run_ids)
    if not labels:
        return None
    from benchmaker.analysis.judges.correction import means_of  # noqa: PLC0415  see above

    return means_of(columns, labels)


def _row_text(row: "ModelSummary") -> str:
    mean = "no score" if row.mean is None else f"{row.mean:.3f}"
    return f"{mean} (n={row.n_scored})"
