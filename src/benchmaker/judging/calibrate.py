"""Calibrating a judge: queries, storage, results."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, cast

from benchmaker import plugins
from benchmaker.analysis.judges.calibration import CalibrationResult, calibration_result
from benchmaker.engine.judges.judge_client import JudgeClient, ScorerAsk
from benchmaker.engine.judges.replies import JudgmentContext
from benchmaker.engine.requests.budget import Budget, refuse_unpriced
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.errors import SpecError
from benchmaker.judging.calibration_requests import CalibrationAsk
from benchmaker.judging.instructions import scorer_of
from benchmaker.judging.labelled_file import read_labels
from benchmaker.judging.samples import SampleSet, bundled_samples, samples_of_kind
from benchmaker.judging.session import RECORDED_MODEL, CalibrationReplies, OnJudged, judge_samples
from benchmaker.providers.base import Provider
from benchmaker.providers.recorded_judge import RecordedJudge
from benchmaker.record.calibration import Calibration, Tier
from benchmaker.scoring.judge import Scale
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.spec import Suite
from benchmaker.spec.documents.suggestions import nearest_name
from benchmaker.store import Store, Writer
from benchmaker.store.home import Home
from benchmaker.version import __version__

REPEATS = 3
"""Default number of requests per sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationSettings:
    """The settings of a judge's calibration.

    ``samples`` are judged by ``scorer``, each ``repeats`` times. No request is made that could
    exceed ``max_cost_usd``. ``clock`` and ``random`` give its date and name.
    """

    samples: SampleSet
    scorer: LLMJudge = field(default_factory=LLMJudge)
    repeats: int = REPEATS
    concurrency: int = 5
    max_cost_usd: float | None = None
    on_judged: OnJudged | None = None
    clock: Clock | None = None
    random: Random | None = None


def calibrate_judge(
    judge: str | None = None,
    *,
    tier: Tier = "standard",
    labels: str | Path | None = None,
    label_scale: tuple[float, float] = (0.0, 1.0),
    judge_scale: tuple[float, float] | None = None,
    tolerance: float = 0.1,
    suite: Suite | Mapping[str, Any] | str | Path | None = None,
    scorer: str | None = None,
    repeats: int = REPEATS,
    provider: Provider | None = None,
    recorded_judge: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    dotenv: str | Path | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    concurrency: int = 5,
    max_cost_usd: float | None = None,
    on_judged: OnJudged | None = None,
) -> CalibrationResult:
    """Calibrate a judge on answers with known scores.

    The judge is queried as in a run, and every reply is stored. An interrupted calibration resumes;
    a finished one is repeated, and the change is its ``drift``.

    Args:
        judge: the model; optional for recorded replies of a single judge.
        tier: ``quick`` (8 samples, which only screen), ``standard`` (48), or ``human``.
        labels: the file of rated answers for ``human``; see :func:`read_labels`.
        label_scale: the lowest and highest score that people could give.
        judge_scale: the lowest and highest score of the judge; by default the suite's, or 0 to 10.
        tolerance: permitted distance from people, as a share of that scale.
        suite: judge by this suite's instructions, scale and criteria, without a reference if its
            cases expect nothing; by default the bundled instructions.
        scorer: calibrate the judge for this kind of judgment, such as ``rubric``, on its own
            bundled answers.
        repeats: number of queries per sample; the result is based on the first reply.
        provider: the provider to query; by default the live model of that name.
        recorded_judge: a file of replies to look up instead, in which the answers are those of
            the model ``calibration`` and the cases are the ids of the samples.
        environ: the environment with the keys, for a live judge.
        dotenv: a file with further variables.
        home: the data folder.
        store: the address of the store, if it is not the file in that folder.
        concurrency: maximum number of requests in flight.
        max_cost_usd: budget in dollars, which no request may exceed; the result then is ``halted``.
        on_judged: called with the number of judged items and the total.

    Raises:
        SpecError: an invalid argument or file.
        PrerequisiteError: a key is missing, or a price that a budget needs.
    """
    if repeats < 1 or concurrency < 1:
        raise SpecError("repeats and concurrency must be at least 1.")
    if scorer is not None:
        _refuse_with_kind(
            {"suite": suite, "labels": labels, "judge_scale": judge_scale},
            is_tier=tier != "standard",
        )
        samples, judging = samples_of_kind(scorer), _kind_scorer(scorer)
    else:
        samples = samples_of(tier, labels, label_scale=label_scale, tolerance=tolerance)
        judging = _scorer(suite, judge_scale, has_labels=tier == "human")
    setting = CalibrationSettings(
        samples=samples,
        scorer=judging,
        repeats=repeats,
        concurrency=concurrency,
        max_cost_usd=max_cost_usd,
        on_judged=on_judged,
    )

    async def calibrate() -> CalibrationResult:
        async with _source(
            judge, provider, recorded_judge, environ=environ, dotenv=dotenv, home=home
        ) as (name, source):
            with Home.of(home, store).open_store() as opened:
                return await acalibrate_judge(name, source, opened, setting)

    return asyncio.run(calibrate())


async def acalibrate_judge(
    judge: str, source: Provider | RecordedJudge, store: Store, setting: CalibrationSettings
) -> CalibrationResult:
    """The same over an open provider and store; see :func:`calibrate_judge`.

    A calibration in which no sample was judged, or that was stopped early, is not stored.
    """
    budget = _budget(judge, source, setting.max_cost_usd)
    setting = _without_null_answers(setting, source)
    clock, samples = setting.clock or SystemClock(), setting.samples
    earlier = store.calibrations(judge=judge, samples_hash=samples.hash)
    with Writer(store, max_delay_s=0) as writer:
        client = JudgeClient(
            store, writer, source, concurrency=setting.concurrency, clock=clock, budget=budget
        )
        asking = CalibrationAsk(
            ScorerAsk(client, JudgmentContext(None, RECORDED_MODEL)),
            edition=len(earlier),
            is_recorded=isinstance(source, RecordedJudge),
        )
        try:
            found = await judge_samples(
                judge, samples, asking, repeats=setting.repeats, scorer=setting.scorer,
                at_once=4 * setting.concurrency, on_judged=setting.on_judged,
            )  # fmt: skip
        finally:
            await client.close()
    made = _make_calibration(judge, found, asking, setting, clock=clock, store=store)
    before = next((it for it in earlier if it.prompt_hash == made.prompt_hash), None)
    result = replace(calibration_result(made, before=before), halted=client.halt_reason)
    if result.summary.judged and not result.halted:
        store.add_calibration(made)
    return result


def _scorer(
    suite: Suite | Mapping[str, Any] | str | Path | None,
    scale: tuple[float, float] | None,
    *,
    has_labels: bool,
) -> LLMJudge:
    """The suite's, or the bundled one on this scale."""
    if suite is not None and scale is not None:
        raise SpecError(
            "the suite already sets the scale.", hint="Remove the suite or the scale of the judge."
        )
    if suite is not None:
        return scorer_of(suite, has_labels=has_labels)
    try:
        return LLMJudge(scale=Scale(*scale) if scale else Scale())
    except ValueError as exc:
        raise SpecError(f"{exc}.") from exc


def _refuse_with_kind(given: Mapping[str, object], *, is_tier: bool) -> None:
    """Raise SpecError for options that a kind with its own answers does not take."""
    if is_tier or any(value is not None for value in given.values()):
        raise SpecError(
            "a scorer's calibration uses its own answers and scale.",
            hint="Remove the tier, the labels, the suite and the scale of the judge.",
        )


def _kind_scorer(scorer: str) -> LLMJudge:
    """A scorer of a kind, whose parameters come with each sample."""
    return cast("LLMJudge", plugins.load("scorer", scorer)())


def samples_of(
    tier: Tier,
    labels: str | Path | None,
    *,
    label_scale: tuple[float, float] = (0.0, 1.0),
    tolerance: float = 0.1,
) -> SampleSet:
    """Return the samples of a tier; SpecError for a missing or superfluous file of ratings."""
    if tier == "human":
        if labels is None:
            raise SpecError(
                "the tier human needs rated answers.", hint="Add them with: --labels FILE"
            )
        return read_labels(labels, scale=label_scale, tolerance=tolerance)
    if labels is not None:
        raise SpecError(f"the tier {tier} uses built-in answers.", hint="Use --tier human.")
    return bundled_samples(tier)


def _without_null_answers(
    setting: CalibrationSettings, source: Provider | RecordedJudge
) -> CalibrationSettings:
    """Return the settings without answers that a file of recorded replies cannot contain."""
    if setting.samples.tier != "human" or not isinstance(source, RecordedJudge):
        return setting
    return replace(setting, samples=replace(setting.samples, nulls=()))


def _budget(
    judge: str, source: Provider | RecordedJudge, max_cost_usd: float | None
) -> Budget | None:
    if max_cost_usd is None:
        return None
    if isinstance(source, RecordedJudge):
        raise SpecError("recorded replies cost nothing.", hint="Remove the budget.")
    refuse_unpriced(source, [judge])
    return Budget(max_cost_usd)


def _make_calibration(
    judge: str,
    found: CalibrationReplies,
    asking: CalibrationAsk,
    setting: CalibrationSettings,
    *,
    clock: Clock,
    store: Store,
) -> Calibration:
    return Calibration(
        id=f"c-{new_run_id(clock, setting.random or SystemRandom())}",
        judge=judge,
        tier=setting.samples.tier,
        samples_hash=setting.samples.hash,
        prompt_hash=found.prompt_hash,
        repeats=setting.repeats,
        items=found.items,
        created_at=clock.now_utc(),
        judge_version=_version(asking, store),
        package_version=__version__,
        replies=asking.replies,
        cost_usd=asking.cost_usd,
        judge_scale=_judge_scale(setting.scorer),
        label_scale=setting.samples.scale,
    )


def _judge_scale(scorer: LLMJudge) -> tuple[float, float] | None:
    """The scale of a judge's replies; None for choices."""
    if scorer.categories or scorer.mode == "pairwise":
        return None
    return scorer.scale.minimum, scorer.scale.maximum


def _version(asking: CalibrationAsk, store: Store) -> str:
    """Return the provider's name of the model of the first reply."""
    known = store.judgment(asking.keys[0]) if asking.keys else None
    return (known.completion.model or "") if known and known.completion else ""


@asynccontextmanager
async def _source(
    judge: str | None,
    provider: Provider | None,
    recorded: str | Path | None,
    *,
    environ: Mapping[str, str] | None,
    dotenv: str | Path | None,
    home: str | Path | None,
) -> AsyncIterator[tuple[str, Provider | RecordedJudge]]:
    """The judge's name, and where its replies come from."""
    if recorded is not None and provider is not None:
        raise SpecError("both a file and a provider are given.", hint="Remove one of them.")
    if recorded is not None:
        opened = RecordedJudge.open(recorded)
        try:
            yield _choose_judge(judge, opened.judges), opened
        finally:
            opened.close()
        return
    if provider is not None:
        models = tuple(getattr(provider, "models", ()))
        yield (judge if judge and not models else _choose_judge(judge, models)), provider
        return
    if judge is None:
        raise SpecError("no judge given.", hint="Choose one, such as --judge openai/gpt-4o.")
    from benchmaker.providers.live import Live  # noqa: PLC0415  others need no network

    live = Live(
        [judge],
        environ=environ,
        dotenv=None if dotenv is None else Path(dotenv),
        home=None if home is None else Path(home),
        stream=False,
    )
    try:
        yield judge, live
    finally:
        closing = live.close()
        if inspect.isawaitable(closing):
            await closing


def _choose_judge(judge: str | None, known: tuple[str, ...]) -> str:
    if judge is None and len(known) == 1:
        return known[0]
    if judge in known and judge is not None:
        return judge
    if judge is None:
        raise SpecError("several judges.", hint=f"Choose one of {', '.join(known)}.")
    near = nearest_name(judge, known)
    hint = f"Did you mean {near!r}?" if near else f"Choose one of {', '.join(known)}."
    raise SpecError(f"unknown judge {judge!r}.", hint=hint)
