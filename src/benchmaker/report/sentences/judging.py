"""Notes on a run's judges, in sentences."""

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from benchmaker.analysis.judges.judge_parts import JudgePart, JudgeShare
from benchmaker.analysis.judges.judging import JudgingSummary
from benchmaker.record import JudgeTotals, Run
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.scoring.judged.panel import CALIBRATED

if TYPE_CHECKING:
    from benchmaker.analysis.judges.run_calibrations import NewerCalibration, RunCalibration
    from benchmaker.stats.agreement import Coefficient

_SEVERAL = 2


def judging_notes(
    judging: JudgingSummary | None, run: Run | None = None, *, with_command: bool = True
) -> list[str]:
    """Return the judges, their calibration and cost, and their agreement.

    ``run`` is one of the judged runs; without it the command for missing judgments names the
    latest. A page omits the command and has a button instead.
    """
    if judging is None:
        return []
    sentences = [
        judging_warning(judging, run) if with_command else incomplete_words(judging),
        mixed_judges_note(judging),
        *(_of_judges(judging) if judging.models else ()),
        *(_superseded_line(one, judging.models) for one in judging.earlier),
    ]
    return [sentence for sentence in sentences if sentence]


def judges_line(judging: JudgingSummary | None) -> str:
    """The judges, how often each judged, and their calibration; empty without judges."""
    return _judges_line(judging) if judging and judging.models else ""


def mixed_judges_note(judging: JudgingSummary | None) -> str:
    """Return the number of answers by each set of judges, if not all have the same; else empty."""
    return mixed_judges_words(judging.shares) if judging else ""


def mixed_judges_words(shares: Collection[JudgeShare], noun: str = "answer") -> str:
    """Return the number of answers that each set of judges scored; empty for a single set."""
    if len(shares) < _SEVERAL:
        return ""
    each = ", ".join(
        f"{' with '.join(map(_name, one.judges))} {count(one.answers, noun)}" for one in shares
    )
    return f"The mean combines scores by different judges: {each}."


def judging_warning(judging: JudgingSummary | None, run: Run | None = None) -> str:
    """The answers without a judgment, with the command that judges them; empty for none."""
    named = (run.series_id or run.id) if run else "latest"
    return _incomplete_note(judging, named) if judging else ""


def _of_judges(judging: JudgingSummary) -> Iterator[str]:
    """Yield the judges, their calibrations, their coverage, and their agreement."""
    yield _judges_line(judging)
    yield from _calibrations(judging)
    yield _judgments_line(judging)
    yield _coverage(judging)
    yield _missing_judgments(judging.parts)
    yield from _agreements(judging)


def judge_calibration_lines(run: Run, judges: Collection[str]) -> list[str]:
    """A line for each of these judges of a run: the calibration it rests on, or why on none."""
    return [
        _judge_calibration_line(run.judge, name)
        for name in run.judge.get("asked", ())
        if name in judges
    ]


def _judge_calibration_line(judge: Mapping[str, Any], name: str) -> str:
    from benchmaker.analysis.judges.run_calibrations import RunCalibration  # noqa: PLC0415  agreement, for judges alone

    recorded = judge.get("calibrations", {}).get(name)
    if recorded is not None:
        return f"{_name(name)}: calibration {_figures(RunCalibration.read(recorded))}"
    reason = judge.get("uncalibrated", {}).get(name, "")
    return f"{_name(name)}: uncalibrated{f', {sanitise(reason)}' if reason else ''}"


def judging_command(run: Run) -> str:
    """Return the command that scores answers that wait for judges, embeddings or renders.

    This is ``resume`` if the run has either, unless a recording would have to answer new cases.
    """
    name, judges = run.series_id or run.id, run.judge.get("asked", ())
    is_answered = not (run.not_run and run.provider.get("kind") == "recorded")
    if (judges or needs_embeddings_alone(run) or needs_renders_alone(run)) and is_answered:
        return f"benchmaker resume {name}"
    if needs_renders_alone(run):
        return f"benchmaker rescore {name} --no-judge"
    if needs_embeddings_alone(run):
        return f"benchmaker rescore {name} --profile {run.profile}"
    provider = run.judge.get("provider", {})
    if provider.get("kind") == "recorded_judge":
        return f"benchmaker rescore {name} --recorded-judge FILE"
    named = " ".join(f"--judge {sanitise(judge)}" for judge in judges) or "--judge MODEL"
    return f"benchmaker rescore {name} {named}"


def needs_embeddings_alone(run: Run) -> bool:
    """True if answers of a run wait for embeddings, and not for judges."""
    return bool(run.judge.get("embeddings")) and not run.judge.get("asked")


def needs_renders_alone(run: Run) -> bool:
    """True if answers of a run wait to be rendered, in a run that has no judge."""
    return "prepare" in run.judge and not run.judge.get("asked")


def incomplete_words(judging: JudgingSummary | None) -> str:
    """Return the number of answers without a judgment, if more than a few; otherwise empty."""
    if judging is None or not judging.is_incomplete:
        return ""
    share = numbers.share(judging.failed_share)
    return (
        f"Incomplete: {judging.failed:,} of {count(judging.judged, 'answer')} to be judged "
        f"({share}) have no judgment."
    )


def _incomplete_note(judging: JudgingSummary, run: str) -> str:
    words = incomplete_words(judging)
    again = f"Judge them again: benchmaker resume {run} --retry-failed"
    return f"{words} {again}" if words else ""


def _judges_line(judging: JudgingSummary) -> str:
    names = ", ".join(_name(name) for name in judging.models)
    repeats = " or ".join(map(str, judging.repeats)) or "1"
    noun = "Judge" if len(judging.models) == 1 else "Judges"
    return f"{noun}: {names} ({repeats} × each; {_calibration_text(judging)}{_weights(judging)})."


def _calibration_text(judging: JudgingSummary) -> str:
    if judging.calibration_id and not judging.standings:
        return f"calibration {sanitise(judging.calibration_id)}"
    without = judging.uncalibrated
    if not without:
        ids = ", ".join(one.basis.calibration_id for one in judging.standings if one.basis)
        return f"calibration {sanitise(ids)}"
    if len(without) == len(judging.models):
        return "uncalibrated, so the reliability of the scores is unknown"
    names = ", ".join(map(_name, without))
    whose = "its reliability" if len(without) == 1 else "their reliability"
    return f"{names} uncalibrated, so {whose} is unknown"


def _weights(judging: JudgingSummary) -> str:
    if not judging.weighting:
        return ""
    shares = {one.judge: one.share for one in judging.standings if one.share is not None}
    told = ", ".join(f"{_name(judge)} {share:.2f}" for judge, share in shares.items())
    is_calibrated = judging.weighting == CALIBRATED
    return f"; weights {judging.weighting}{f': {told}' if told and is_calibrated else ''}"


def _calibrations(judging: JudgingSummary) -> Iterator[str]:
    """Yield each judge's calibration, or the reason for lacking one; then later changes."""
    several = len(judging.models) > 1
    for one in judging.standings:
        of = f" of {_name(one.judge)}" if several else ""
        if one.basis is None:
            yield f"No calibration{of}: {sanitise(one.reason)}."
            continue
        yield f"Calibration{of}: {_figures(one.basis)}."
        if one.is_other_version:
            yield (
                f"{sanitise(one.replied_as)} replied, but the calibration is of "
                f"{sanitise(one.basis.judge_version)}: the reliability of this version is unknown."
            )
        if one.newer is not None:
            yield _newer_calibration_note(one.newer, of)


def _figures(basis: "RunCalibration") -> str:
    rating = basis.rating
    if basis.supported != rating:
        rating = f"{rating}, supported {basis.supported}"
    mae = basis.mean_absolute_error
    error = "" if mae is None else f", mean absolute error {numbers.score(mae)} of 100"
    bias = "" if basis.bias is None else f", bias {numbers.difference(basis.bias)}"
    samples = count(basis.samples, "sample")
    return (
        f"{sanitise(basis.calibration_id)} of {sanitise(basis.created_at[:10])}, {rating}; "
        f"{basis.pass_rate:.0%} of {samples} passed ({sanitise(basis.tier)})"
        f"{error}{bias}"
    )


def _newer_calibration_note(newer: "NewerCalibration", of: str) -> str:
    told = f"A newer calibration{of}, {_figures(newer.basis)}"
    drift = newer.drift
    if drift is None:
        return f"{told}: uses other samples, so drift can't be measured."
    if drift.has_drifted:
        change = f"scores have moved by {numbers.difference(drift.bias.mean)} points"
        return f"{told}: the judge has drifted, {change}."
    return f"{told}: no significant drift."


def _name(name: str) -> str:
    return truncate(sanitise(name), 120)


def _judgments_line(judging: JudgingSummary) -> str:
    cached = f", {judging.cached:,} of them reused from other runs" if judging.cached else ""
    vain = f"; {told}" if (told := _in_vain(judging.totals)) else ""
    cost = _cost(judging.totals, judging.usd_per_1000)
    return f"Judgments: {judging.judgments:,}{cached}{vain}; {cost}."


def _in_vain(totals: Collection[JudgeTotals]) -> str:
    """Return the numbers of replies without a judgment, and of requests without a reply."""
    unusable, failed = sum(one.unusable for one in totals), sum(one.failed for one in totals)
    replies = f"{unusable:,} {'reply' if unusable == 1 else 'replies'} without a judgment"
    requests = f"{count(failed, 'request')} without a reply"
    return ", ".join([replies] * bool(unusable) + [requests] * bool(failed))


def _cost(totals: Collection[JudgeTotals], each: float | None) -> str:
    per_1000 = f", {dollars(each)} per 1,000" if each is not None else ""
    known, unknown = sum(it.cost_usd for it in totals), sum(it.costs_unknown for it in totals)
    if not unknown:
        return f"cost {dollars(known)}{per_1000}"
    return f"cost at least {dollars(known)}{per_1000}" if known else "cost unknown"


def _missing_judgments(parts: Collection[JudgePart]) -> str:
    """Return the missing judgments of each judge."""
    told = [
        f"{_name(one.judge)} {one.missing_judgments:,} of {one.requested:,} "
        f"({_missing_reasons(one)})"
        for one in parts
        if one.missing_judgments
    ]
    return f"Missing judgments: {'; '.join(told)}." if told else ""


def _missing_reasons(part: JudgePart) -> str:
    kinds = {"unreadable": part.unreadable, "refused": part.refused, "without reply": part.failed}
    return ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)


def _superseded_line(totals: JudgeTotals, models: Collection[str]) -> str:
    """Return the line on judgments that no score is based on; ``models`` are the judges."""
    vain = _in_vain((totals,))
    if not totals.judgments and vain and totals.judge in models:
        return f"Further requests to {_name(totals.judge)}: {vain}; {_cost((totals,), None)}."
    if not totals.judgments and vain:
        return f"No judgment of {_name(totals.judge)} counts: {vain}; {_cost((totals,), None)}."
    judged = count(totals.judgments, "judgment")
    cost = _cost((totals,), None)
    changed = _parameter_changes(totals)
    return f"No longer counted: {judged} of {_name(totals.judge)}{changed}; {cost}."


def _parameter_changes(totals: JudgeTotals) -> str:
    """Return the different parameters of an earlier scoring, in parentheses; empty if unknown."""
    told = (
        f"default {name}" if value is None else f"{name} {truncate(sanitise(str(value)), 60)}"
        for name, value in totals.parameters.items()
    )
    words = ", ".join(told)
    return f" ({words})" if words else ""


def _coverage(judging: JudgingSummary) -> str:
    told = {
        "without a judgment": judging.failed,
        "with judges in disagreement": judging.abstained,
        "waiting for a judgment": judging.awaiting,
        "with a different verdict in the other order": judging.disagreements,
        "that seem to address the judge": judging.suspicious,
    }
    parts = [f"{number:,} {what}" for what, number in told.items() if number]
    if not parts:
        return ""
    coverage = judging.coverage
    share = f" (coverage {coverage:.1%})" if coverage is not None and coverage < 1 else ""
    judged = count(judging.judged, "answer")
    return f"Of {judged} to be judged{share}: {', '.join(parts)}."


def _agreements(judging: JudgingSummary) -> Iterator[str]:
    """A sentence on the agreement of a panel; with several judged checks, one on each."""
    if len(judging.models) == 1:
        return
    if len(judging.checks) < _SEVERAL:
        yield _agreement("", judging.alpha, judging.alpha_reason)
    for one in judging.checks if len(judging.checks) >= _SEVERAL else ():
        yield _agreement(f" on {_name(one.check)}", one.alpha, one.alpha_reason)


def _agreement(about: str, alpha: "Coefficient | None", reason: str) -> str:
    if alpha is None or alpha.value is None:
        return f"Agreement between judges{about}: unknown ({reason or 'no data'})."
    ends = alpha.interval
    low, high = (numbers.limit(end, 2) for end in ends) if ends else ("", "")
    interval = f" (95% CI {low} to {high})" if ends else ""
    shares_cases = alpha.clusters is not None and alpha.clusters < alpha.n
    together = ", clustered by case" if shares_cases else ""
    value = numbers.fixed_point(alpha.value, 2)
    return (
        f"Agreement between judges{about}: Krippendorff's alpha {value}{interval} over "
        f"{count(alpha.n, 'answer')}{together}."
    )
