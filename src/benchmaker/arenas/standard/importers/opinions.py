"""Second opinions on stored runs, imported or not: evidence from their rows."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, repeat
from typing import Any, Final

import msgspec

from benchmaker.analysis.opinion.evidence import (
    SAME,
    JudgeReply,
    OpinionEvidence,
    OpinionRow,
)
from benchmaker.analysis.opinion.opinion import OpinionHeadline, SecondOpinion, second_opinion
from benchmaker.arenas.standard.importers.evaluation import PrintedFigure
from benchmaker.arenas.standard.importers.group_figures import TaskEvidence, group_figures
from benchmaker.arenas.standard.importers.headline import (
    HeadlineFigure,
    headline,
    reducer_of,
    rounding_of,
)
from benchmaker.arenas.standard.importers.lm_eval_groups import GROUPS
from benchmaker.arenas.standard.importers.rereading import Rereading, make_rereading
from benchmaker.arenas.standard.importers.solved_cases import solved_cases
from benchmaker.arenas.standard.importers.stated_figures import (
    PASS_RATE,
    declared_rows,
    reducer_name,
    stated_stderrs,
    stated_value,
)
from benchmaker.errors import SpecError
from benchmaker.record import (
    INFRASTRUCTURE,
    NO_END,
    FinishReason,
    ImportedHeader,
    ImportedRecord,
    Judgment,
    Run,
    Setup,
    Trial,
)
from benchmaker.record.imports.imported import PROMPT_TEXTS
from benchmaker.spec import Case
from benchmaker.store import Store

OWN: Final = "benchmaker"
"""Stands for a tool where our scorers gave the scores."""

BY_CASE: Final = frozenset({"inspect", "helm", "pydantic_evals", OWN})
"""Tools that average the repeats of a case before cases."""

_READ_AGAIN = frozenset({"exact", "choice", "numeric"})
"""Our scorers that compare an answer with the key, and nothing else."""

_METRICS = ("accuracy", "mean", "value", PASS_RATE)
_CUT = frozenset({FinishReason.LENGTH, FinishReason.CONTEXT_OVERFLOW})
_CUT_WORDS = frozenset({"length", "max_tokens", "MAX_TOKENS"})
_GRADE = re.compile(r"GRADE\s*:\s*[CPIN]", re.IGNORECASE)
_NO_GRADE = re.compile(r"could not (extract|parse) |no output|failed to parse", re.IGNORECASE)
_LONGEST_GROUP = 80


@dataclass(frozen=True, slots=True)
class _Figure:
    """The figure of one setup of an evaluation, with the evidence for it."""

    evidence: OpinionEvidence
    headline: OpinionHeadline
    prompt: str | None
    part: TaskEvidence | None = None


def opinions(
    store: Store,
    run_ids: Sequence[str],
    *,
    model: str | None = None,
) -> tuple[SecondOpinion, ...]:
    """Return a second opinion on each task of stored runs, in the order of the runs.

    Groups of lm-eval whose figure is not the mean over their tasks' rows follow as further tasks.
    A run of a series that another tool made stands for all runs of it. An opinion is on the model
    with the highest figure, or on the named one; the others with the same prompt are its peers.

    Raises:
        SpecError: no run has the named model.
    """
    tasks: dict[str, list[_Figure]] = {}
    for members in _evaluations(store, run_ids):
        found = _figures(store, members)
        tasks.setdefault(members[0].suite_name, []).extend(found)
    for group in group_figures(one.part for them in tasks.values() for one in them if one.part):
        figure = _Figure(group.evidence, group.headline, None)
        tasks.setdefault(group.name, []).append(figure)
    known = sorted({one.evidence.model for them in tasks.values() for one in them})
    if model is not None and model not in known:
        raise SpecError(f"no answers of {model!r}.", hint=f"Models: {', '.join(known)}.")
    return tuple(
        _opinion(task, chosen, them)
        for task, them in tasks.items()
        if (chosen := _choose(them, model)) is not None
    )


def _evaluations(store: Store, run_ids: Sequence[str]) -> list[list[Run]]:
    found: dict[str, list[Run]] = {}
    for run_id in dict.fromkeys(run_ids):
        run = store.run(run_id)
        name = run.series_id or run.id
        if name not in found:
            found[name] = _evaluation_of(store, run)
        elif all(run.id != one.id for one in found[name]):
            found[name].append(run)
    return list(found.values())


def _evaluation_of(store: Store, run: Run) -> list[Run]:
    """The run with all others of its evaluation, if another tool made it; else alone."""
    if not is_on_whole_series(run):
        return [run]
    return sorted(store.runs(series_id=run.series_id), key=lambda one: (one.number, one.id))


def is_on_whole_series(run: Run) -> bool:
    """True if the opinion on a run is on all runs of its series, as the figure of its tool is."""
    return run.series_id is not None and _tool_of(run) != OWN


def _has_all_runs(store: Store, members: Sequence[Run]) -> bool:
    """True unless runs of an evaluation have been deleted: its stated figures include them."""
    series = members[0].series_id
    return series is None or len(members) >= store.series(series).runs


def _choose(figures: Sequence[_Figure], model: str | None) -> _Figure | None:
    wanted = [one for one in figures if model is None or one.evidence.model == model]
    return max(wanted, key=lambda one: one.evidence.mean or 0.0) if wanted else None


def _opinion(task: str, chosen: _Figure, them: Sequence[_Figure]) -> SecondOpinion:
    own = chosen.evidence
    same = [one for one in them if one is not chosen and one.prompt == chosen.prompt]
    peers = {one.evidence.model: one.evidence.rows for one in same}
    peers.pop(own.model, None)
    stderrs = {
        model: value for one in (*same, chosen) for model, value in one.evidence.stderrs.items()
    }
    made = replace(own, peers=peers, stderrs=stderrs)
    return second_opinion(made, chosen.headline, task=task)


def _figures(store: Store, members: Sequence[Run]) -> Iterator[_Figure]:
    """Yield the figure of each setup of an evaluation that has scores from 0 to 1."""
    first = members[0]
    tool = _tool_of(first)
    header = (
        store.imported_rows.header(first.id) if _has_all_runs(store, members) else ImportedHeader()
    )
    printed = msgspec.convert(header.figures, list[PrintedFigure])
    computed = headline(store, [run.id for run in members])
    scorers, rows = _rows(store, members, tool)
    for setup in map(first.setup, first.models):
        if not scorers.get(setup.name):
            continue
        names = ", ".join(scorers[setup.name])
        declared = declared_rows(tool, header.rest, printed, setup, is_only=len(rows) == 1)
        evidence = OpinionEvidence(
            tool=tool,
            model=setup.name,
            scorer=names,
            rows=rows[setup.name],
            by_case=tool in BY_CASE,
            counts_errors=tool == "promptfoo",
            declared=declared,
            stderrs=stated_stderrs(names, printed, setup),
            day=_day(first.started_at),
        )
        figure = _figure(evidence, setup, printed, computed, scorers=scorers[setup.name])
        yield replace(figure, part=_part_of(first, evidence, header.rest.get(GROUPS)))


def _part_of(run: Run, evidence: OpinionEvidence, groups: Any) -> TaskEvidence | None:  # noqa: ANN401  any JSON
    """The evidence as a part of groups of tasks; None if the task is in none."""
    if not groups:
        return None
    return TaskEvidence(
        task=str(run.provider.get("task", "")),
        evaluation=str(run.provider.get("evaluation", "")),
        evidence=evidence,
        groups=groups,
    )


def _tool_of(run: Run) -> str:
    """The tool that scored a run."""
    own = run.rescored_from is not None or not run.provider.get("tool")
    return OWN if own else str(run.provider["tool"])


def _figure(
    evidence: OpinionEvidence,
    setup: Setup,
    printed: Sequence[PrintedFigure],
    computed: Sequence[HeadlineFigure],
    *,
    scorers: Mapping[str, int],
) -> _Figure:
    own = [one for one in computed if (one.model, one.prompt) == (setup.model, setup.prompt_id)]
    chosen = next(
        (one for name in _METRICS for one in own if _is(one, evidence.scorer, name)), None
    )
    metric = chosen.metric if chosen else "mean"
    unit = 100.0 if metric == PASS_RATE else 1.0
    reducer = reducer_name(metric, evidence.scorer, printed)
    stated = stated_value(metric, evidence.scorer, printed, setup)
    computed_value = chosen.value if chosen else None
    evidence = replace(
        evidence,
        reduce=reducer_of(reducer) if reducer else None,
        rounding=0.0 if stated is None or metric == PASS_RATE else rounding_of(stated),
        recomputed=None if computed_value is None else computed_value / unit,
    )
    evidence = _with_printed(evidence, None if stated is None else stated / unit)
    value = stated if stated is not None else (computed_value if chosen else evidence.mean)
    counted = {one.row.case_id for one in evidence.in_mean}
    n = len(counted) if evidence.by_case else len(evidence.in_mean)
    n = n if evidence.rows else sum(scorers.values())
    if evidence.declared and evidence.differs:
        n = max(n, evidence.declared)
    return _Figure(
        evidence,
        OpinionHeadline(
            scorer=evidence.scorer,
            metric=metric,
            value=value,
            n=n,
            scorers=dict(scorers),
            computed=computed_value,
            reducer=reducer,
            figures=tuple(msgspec.to_builtins(one) for one in computed),
        ),
        setup.prompt_id,
    )


def _day(moment: str) -> date | None:
    """The day of a time in the ISO form; None if it is in another form."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None


def _is(figure: HeadlineFigure, scorer: str, metric: str) -> bool:
    return figure.scorer == scorer and figure.metric.partition("/")[0] == metric


def _with_printed(evidence: OpinionEvidence, printed: float | None) -> OpinionEvidence:
    """The evidence with the printed figure; if only errors as zeros explain it, they are zeros."""
    made = replace(evidence, printed=printed)
    if made.differs and any(row.is_error for row in made.rows):
        zeros = replace(made, counts_errors=not made.counts_errors)
        return made if zeros.differs else zeros
    return made


def _rows(
    store: Store, members: Sequence[Run], tool: str
) -> tuple[dict[str, dict[str, int]], dict[str, list[OpinionRow]]]:
    """The scorers of each setup with the number of their values, and its rows."""
    found: dict[str, list[tuple[Trial, ImportedRecord]]] = {}
    replies: dict[tuple[str, str, str], list[Judgment]] = {}
    for run in members:
        for trial, record in _with_records(store, run.id):
            found.setdefault(trial.model, []).append((trial, record))
        for judgment in store.each_judgment(run.id):
            place = (run.id, judgment.case_id, judgment.model)
            replies.setdefault(place, []).append(judgment)
    cases = {case.id: case for case in store.suite(members[0].suite_hash)}
    read = _Rows(
        tool,
        cases,
        replies,
        _reads_grades(tool, replies),
        solved_cases(cases.values()),
        make_rereading(cases.values(), tool),
    )
    scorers: dict[str, dict[str, int]] = {}
    rows: dict[str, list[OpinionRow]] = {}
    for name, trials in found.items():
        counts = _count_values(trials, by_case=tool in BY_CASE)
        theirs = _scorer_of_tool(trials, counts)
        scorers[name] = {theirs: counts[theirs]} if theirs else counts
        rows[name] = _rows_of(read, trials, theirs) if counts else []
    return scorers, rows


def _with_records(store: Store, run_id: str) -> Iterator[tuple[Trial, ImportedRecord]]:
    """Yield the trials of a run with the tool's records; an empty one where nothing is imported."""
    records = store.imported_rows.each_record([run_id])
    first = next(records, None)
    if first is None:
        return zip(store.trials(run_id), repeat(ImportedRecord(key=0)))
    return zip(store.trials(run_id), chain([first], records), strict=True)


def _rows_of(
    read: "_Rows", trials: Sequence[tuple[Trial, ImportedRecord]], scorer: str | None
) -> list[OpinionRow]:
    """The rows of a setup; empty if some scores are on another scale."""
    rows = [read.row(trial, record, scorer) for trial, record in trials]
    return rows if all(_is_share(row.value) for row in rows) else []


def _scorer_of_tool(
    trials: Sequence[tuple[Trial, ImportedRecord]], counts: Mapping[str, int]
) -> str | None:
    """The most common scorer, if it is the tool's; None if our scorers gave the scores."""
    common = next(iter(counts), "")
    return common if any(common in record.scores for _, record in trials) else None


def _count_values(
    trials: Sequence[tuple[Trial, ImportedRecord]], *, by_case: bool
) -> dict[str, int]:
    """The scorers, the most common first, each with the number of its values in a mean."""
    names: Counter[str] = Counter()
    places: dict[str, set[tuple[str, str]]] = {}
    for trial, record in trials:
        if trial.score is not None:
            name = trial.score.scorer
            names[name] += 1
            own = places.setdefault(name, set())
            if trial.score.score is not None or record.scores.get(name) is not None:
                own.add(("" if by_case else trial.run_id, trial.case_id))
    return {name: len(places[name]) for name, _ in names.most_common()}


def _is_share(value: float | None) -> bool:
    return value is None or -SAME <= value <= 1 + SAME


def _reads_grades(tool: str, replies: Mapping[tuple[str, str, str], Sequence[Judgment]]) -> bool:
    """True if the replies of Inspect's judges have the usual form of grades, mostly."""
    texts = [_text(one) for them in replies.values() for one in them]
    graded = sum(bool(_GRADE.search(one)) for one in texts)
    return tool == "inspect" and 2 * graded >= len(texts)


def _text(judgment: Judgment) -> str:
    return judgment.completion.text if judgment.completion else ""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Makes the rows of an opinion from trials and the tool's records."""

    tool: str
    cases: Mapping[str, Case]
    replies: Mapping[tuple[str, str, str], Sequence[Judgment]]
    reads_grades: bool
    solved: frozenset[str]
    rereading: Rereading

    def row(self, trial: Trial, record: ImportedRecord, scorer: str | None) -> OpinionRow:
        """The row of a trial, with the score of the tool's scorer, or ours if it is None."""
        case = self.cases[trial.case_id]
        ours = trial.score
        judged = self.replies.get((trial.run_id, trial.case_id, trial.model), ())
        is_failure = trial.outcome in INFRASTRUCTURE | NO_END
        return OpinionRow(
            case_id=trial.case_id,
            value=record.scores.get(scorer) if scorer else (ours.score if ours else None),
            is_error=is_failure or bool(self.tool == "inspect" and record.rest.get("error")),
            is_cut=_is_cut(trial, record.rest),
            is_empty=_is_empty(trial),
            shows_key=trial.case_id in self.solved,
            text=trial.text,
            question=_question(case),
            key=case.expectations,
            reread=self.rereading.read(case, trial, record.rest, scorer)
            if scorer or (ours and ours.scorer in _READ_AGAIN)
            else None,
            replies=tuple(JudgeReply(one.judge, self._is_readable(one)) for one in judged),
            others=record.scores,
            groups=_groups(case),
        )

    def _is_readable(self, judgment: Judgment) -> bool:
        text = _text(judgment)
        if judgment.error or not text.strip() or _NO_GRADE.match(text):
            return False
        return not self.reads_grades or bool(_GRADE.search(text))


def _is_cut(trial: Trial, rest: Mapping[str, Any]) -> bool:
    response = rest.get("response")
    reason = response.get("finishReason") if isinstance(response, dict) else None
    is_cut = trial.completion is not None and trial.completion.finish in _CUT
    return is_cut or reason in _CUT_WORDS


def _is_empty(trial: Trial) -> bool:
    done = trial.completion
    return done is not None and done.transcript is None and not done.text.strip()


def _question(case: Case) -> str:
    """The text of a question, with its options and variables."""
    said = "\n".join(turn.content for turn in case.messages) or case.prompt or ""
    known = {name: value for name, value in case.vars.items() if name != PROMPT_TEXTS}
    parts = [said, *case.choices]
    if known:
        parts.append(msgspec.json.encode(known, order="sorted").decode())
    return "\n".join(part for part in parts if part)


def _groups(case: Case) -> dict[str, str]:
    """The groupings of a case: its category and group, and short texts that describe it."""
    document = case.metadata.get("doc")
    known = {
        "category": case.category,
        "group": case.group,
        **case.metadata,
        **(document if isinstance(document, dict) else {}),
    }
    return {
        name: value
        for name, value in known.items()
        if isinstance(value, str) and 0 < len(value) <= _LONGEST_GROUP
    }
