"""Judges of a run: given for the run or by its suite, recorded, or a Python provider."""

import inspect
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from benchmaker.arenas.standard.answers import Answers, provider_of
from benchmaker.arenas.standard.live import LiveOptions, open_live
from benchmaker.engine.judges.judge_makers import (
    CONCURRENCY,
    EMBEDDINGS,
    Judges,
    NoJudge,
    asking_scorers,
    embedding_models,
    judges_of,
    prepare_of,
)
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.trials.case_filters import select_cases
from benchmaker.errors import SpecError
from benchmaker.providers.base import Provider
from benchmaker.providers.recorded_judge import NAME_THE_RUN, RecordedJudge
from benchmaker.record import Run, Selection
from benchmaker.spec import JudgeNames, JudgeSpec, ScorerSpec, Suite

if TYPE_CHECKING:
    from benchmaker.engine.requests.preparing import Prepare
    from benchmaker.providers.function import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSelection:
    """The requested judges: ``judge`` names them, the rest is the source of their replies."""

    judge: JudgeNames | None = None
    recorded: str | Path | None = None
    provider: "Provider | Answer | None" = None
    concurrency: int | None = None
    prepare: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, options: RunOptions, provider: "Provider | Answer | None" = None) -> Self:
        """Return the judges requested by the options of a call."""
        return cls(
            judge=options.judge,
            recorded=options.recorded_judge,
            provider=provider,
            concurrency=options.judge_concurrency,
            prepare=options.prepare,
        )

    @property
    def is_named(self) -> bool:
        """True if a judge was given."""
        return any(it is not None for it in (self.judge, self.recorded, self.provider))

    @property
    def names_somebody(self) -> bool:
        """True if there are judges: False if judging is explicitly off."""
        if self.recorded is not None or self.provider is not None:
            return True
        chosen = spec_of(self.judge)
        is_nobody = chosen and "models" in chosen.model_fields_set and not chosen.models
        return chosen is not None and not is_nobody


@asynccontextmanager
async def open_judges(
    suite: Suite, wanted: JudgeSelection, live: LiveOptions
) -> AsyncIterator[tuple[Judges | None, tuple[str, ...]]]:
    """Open the judges of a checked suite, with their names; empty if no scorer needs one.

    Afterwards their resources are released.

    Raises:
        SpecError: a missing or superfluous judge, or an unreadable file of replies.
        PrerequisiteError: a judge's key is missing.
    """
    async with _source(wanted) as given:
        chosen = _choose_judges(suite, spec_of(wanted.judge), given)
        models, scorers = judges_of(suite, chosen), asking_scorers(suite, chosen)
        prepare = prepare_of(scorers, wanted.prepare or {})
        async with (
            _open_named(models, chosen, given, wanted, live, prepare=prepare) as (judges, jurors),
            _with_embeddings(judges, embedding_models(suite), chosen, wanted, live) as both,
        ):
            yield (replace(both, scorers=tuple(scorers)) if both else None), jurors


@asynccontextmanager
async def reopen_judges(
    run: Run,
    wanted: JudgeSelection,
    live: LiveOptions,
    *,
    embedded: tuple[str, ...] | None = None,
) -> AsyncIterator[tuple[Judges | None, tuple[str, ...]]]:
    """Open the judges that a run was started with, with overrides; empty without judges.

    ``embedded`` are the models of embeddings, if not those of the run.

    Raises:
        SpecError: its judges came from Python and were not passed again.
        PrerequisiteError: a judge's key is missing.
    """
    wanted = _recorded_with(run, wanted) if run.judge else JudgeSelection()
    models = tuple(run.judge.get("asked", ()))
    specs = [ScorerSpec(id=one["id"]) for one in run.judge.get("scorers", ())]
    prepare, chosen = prepare_of(specs, wanted.prepare or {}), spec_of(wanted.judge)
    if embedded is None:
        embedded = tuple(run.judge.get(EMBEDDINGS, {}).get("models", ()))
    async with (
        _source(wanted) as given,
        _open_named(models, chosen, given, wanted, live, prepare=prepare) as (judges, jurors),
        _with_embeddings(judges, embedded, chosen, wanted, live) as both,
    ):
        yield both, jurors


@asynccontextmanager
async def _source(wanted: JudgeSelection) -> AsyncIterator[Provider | RecordedJudge | None]:
    """Open the source of replies, unless judges are live."""
    if wanted.recorded is not None and wanted.provider is not None:
        raise SpecError(
            "both a file and a provider of judge replies are given.", hint="Remove one of them."
        )
    if wanted.recorded is None:
        yield None if wanted.provider is None else provider_of(wanted.provider)
        return
    recorded = RecordedJudge.open(wanted.recorded)
    try:
        yield recorded
    finally:
        recorded.close()


@asynccontextmanager
async def _open_named(
    models: tuple[str, ...],
    chosen: JudgeSpec | None,
    given: Provider | RecordedJudge | None,
    wanted: JudgeSelection,
    live: LiveOptions,
    *,
    prepare: "Prepare | None",
) -> AsyncIterator[tuple[Judges | None, tuple[str, ...]]]:
    if not models and prepare is None:
        yield None, ()
        return
    source = given or _open_source(models, live)
    concurrency = wanted.concurrency or CONCURRENCY
    try:
        yield Judges(source, chosen, concurrency, prepare=prepare), models
    finally:
        close = getattr(source, "close", None) if given is None else None
        closing = close() if close is not None else None
        if inspect.isawaitable(closing):
            await closing
        if prepare is not None:
            await prepare.close()


@asynccontextmanager
async def _with_embeddings(
    judges: Judges | None,
    models: tuple[str, ...],
    chosen: JudgeSpec | None,
    wanted: JudgeSelection,
    live: LiveOptions,
) -> AsyncIterator[Judges | None]:
    """Open the models of embeddings beside the judges, if there are any.

    Raises:
        SpecError: a model has no embeddings.
    """
    if not models:
        yield judges
        return
    concurrency = wanted.concurrency or CONCURRENCY
    source: Any = open_live(models, replace(live, skip_unavailable=False))
    try:
        _refuse_without_embeddings(source, models)
        judges = judges or Judges(NoJudge(), chosen, concurrency)
        yield replace(judges, embeddings=source, embedding_models=models)
    finally:
        await source.close()


def _refuse_without_embeddings(source: Any, models: tuple[str, ...]) -> None:  # noqa: ANN401  Live
    without = [model for model in models if not source.embeds(model)]
    if without:
        raise SpecError(
            f"{', '.join(without)} can't embed texts.",
            hint="Use a model of an endpoint with the protocol openai, such as "
            "openai/text-embedding-3-small or ollama/nomic-embed-text.",
        )


def _open_source(models: tuple[str, ...], live: LiveOptions) -> Provider:
    return open_live(models, replace(live, skip_unavailable=False)) if models else NoJudge()


def spec_of(judge: JudgeNames | None) -> JudgeSpec | None:
    """Return the given judges in the form of ``judge:`` in a suite.

    Raises:
        SpecError: none of the accepted forms.
    """
    if judge is None or isinstance(judge, JudgeSpec):
        return judge
    try:
        given = judge if isinstance(judge, (str, Mapping)) else list(judge)
        return JudgeSpec.model_validate(given)
    except ValidationError as exc:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors())
        raise SpecError(
            f"invalid judge: {faults}.",
            hint="Use a model, several models, or {'models': […], 'repeats': 3}.",
        ) from exc


def _choose_judges(
    suite: Suite, named: JudgeSpec | None, source: Provider | RecordedJudge | None
) -> JudgeSpec | None:
    """Return the given judges, completed by those of a file or a provider.

    If neither names judges, they are the source's own; the default number of repeats is that in the
    file.
    """
    below: dict[str, Any] = {}
    own = getattr(source, "judges", None) or getattr(source, "models", ())
    is_named = named is not None and named.models
    if own and not is_named and not (suite.judge is not None and suite.judge.models):
        below["models"] = list(own)
    if isinstance(source, RecordedJudge) and not _says_repeats(suite, named):
        below |= _recorded_repeats(source)
    if not below:
        return named
    found = JudgeSpec.model_validate(below)
    return named.with_fallback(found) if named is not None else found


def _says_repeats(suite: Suite, named: JudgeSpec | None) -> bool:
    """True if the number of repeats was given."""
    given = [it.parameters for it in (named, suite.judge, *asking_scorers(suite, None)) if it]
    return any("repeats" in parameters for parameters in given)


def _recorded_repeats(recorded: RecordedJudge) -> dict[str, int]:
    """Return the repeats of the judges in a file, if more than one.

    Raises:
        SpecError: judges with different numbers of replies.
    """
    numbers = recorded.repeats
    if len(set(numbers.values())) > 1:
        counts = ", ".join(f"{number} of {judge}" for judge, number in numbers.items())
        raise SpecError(
            f"the judges have different numbers of repeats: {counts}.",
            where=recorded.description()["path"],
            hint="Set the number: --judge-repeats N, or judge: {repeats: N} in the suite.",
        )
    number = max(numbers.values())
    return {"repeats": number} if number > 1 else {}


def refuse_shared_replies(
    suite: Suite, answers: Answers, judges: Judges | None, *, selection: Selection, runs: int
) -> None:
    """See to it that no recorded reply would serve differing recorded answers of several runs.

    Raises:
        SpecError: one would.
    """
    recorded, given = judges.provider if judges else None, answers.provider
    differ = getattr(given, "differs", None)
    if runs == 1 or differ is None or not isinstance(recorded, RecordedJudge):
        return
    shared = [
        (model, case.id)
        for _, case in select_cases(suite.cases, selection, suite.vars)
        for model in answers.models
        if recorded.are_shared(model, case.id) and differ(model, case.id, runs)
    ]
    if shared:
        model, case_id = shared[0]
        more = f"; {len(shared) - 1:,} more replies like this" if len(shared) > 1 else ""
        raise SpecError(
            f"the reply to the answer of {model!r} to case {case_id!r} has no run, but the answers "
            f"of the {runs} runs differ{more}.",
            where=recorded.description()["path"],
            hint=NAME_THE_RUN,
        )


def _recorded_with(run: Run, wanted: JudgeSelection) -> JudgeSelection:
    """Return the settings a run was started with, with overrides."""
    known = run.judge
    names = {name: it for name, it in known.items() if name in JudgeSpec.model_fields}
    kind = known.get("provider", {}).get("kind")
    path = known.get("provider", {}).get("path") if kind == RecordedJudge.kind else None
    if kind not in {RecordedJudge.kind, NoJudge.kind, "live"} and wanted.provider is None:
        raise SpecError(
            f"run {run.id} uses a judge given in Python ({kind}).",
            hint="Resume it in Python with: benchmaker.resume(run_id, judge_provider=…)",
        )
    return JudgeSelection(
        judge=names or None,
        recorded=wanted.recorded or (path if wanted.provider is None else None),
        provider=wanted.provider,
        concurrency=wanted.concurrency or known.get("concurrency"),
        prepare=known.get("prepare", {}) if wanted.prepare is None else wanted.prepare,
    )
