"""Estimates of a run's tokens and cost from Python, before anything is sent."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from benchmaker.arenas.standard.arguments import validated_call
from benchmaker.arenas.standard.call_options import refuse_wrong_options
from benchmaker.arenas.standard.judges import spec_of
from benchmaker.arenas.standard.request import (
    parameters_of,
    requested_setups,
    runnable_suite,
    selection_of,
)
from benchmaker.engine.judges.judge_makers import asking_scorers, embedding_models, judges_of
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.estimate import (
    Estimate,
    ModelEstimate,
    RequestShape,
    estimate_of,
    estimate_setups,
    with_least_runs,
)
from benchmaker.engine.runs.uncertain_cases import refuse_too_few_runs
from benchmaker.engine.trials.case_filters import filters_of
from benchmaker.engine.trials.plan import count_selected, select_cases
from benchmaker.errors import SpecError
from benchmaker.providers.prices.rates import RateCard
from benchmaker.record import JudgeTotals, Selection, Setup
from benchmaker.record.run import FULL_RUNS
from benchmaker.spec import Case, JudgeNames, Parameters, Suite, effective_parameters
from benchmaker.spec.suites.parameters import MOST_OUTPUT_TOKENS
from benchmaker.store.home import Home

if TYPE_CHECKING:
    from benchmaker.engine.runs.judge_estimate import JudgingPlan

OutputLimit = Callable[[Parameters], int | None]
"""Returns the limit of output tokens that is sent with some parameters; None without one."""

_NO_PRICE = "a program or function has no listed price"
_NO_LISTED_PRICE = "a registered provider has no listed price"


@validated_call
def estimate(
    suite: Suite | Mapping[str, Any] | str | Path,
    *,
    models: Sequence[str] | str = (),
    prompts: Sequence[str] | str = (),
    efforts: Sequence[str] | str = (),
    runs: int = 1,
    limit: int | None = None,
    categories: Sequence[str] | str = (),
    tags: Sequence[str] | str = (),
    profile: str | None = None,
    parameters: Parameters | Mapping[str, Any] | None = None,
    benchmark_mode: bool | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    sample: int | None = None,
    judge: JudgeNames | None = None,
    options: RunOptions | None = None,
) -> Estimate:
    """Estimate the tokens and cost of the selected cases with live models, without sending.

    No key is needed. The ends of each range are answers as short as the expected ones, and answers
    that use all of ``max_tokens``. Tokens are estimated from the texts, since every model has its
    own tokenizer. A model with unknown prices has no cost, with the reason.

    Args:
        suite: a suite, its content as a mapping, or the path of its file.
        models: the models to query, named as in :func:`benchmaker.run`; by default the suite's.
        prompts: the ids of the suite's prompts to use; by default all.
        efforts: the reasoning efforts, instead of the suite's.
        runs: number of runs.
        limit: only the first ``limit`` cases of those that pass ``categories`` and ``tags``.
        categories: only cases of one of these categories.
        tags: only cases with one of these tags.
        profile: the scoring profile, instead of the suite's.
        parameters: overrides of the suite's parameters; ``max_tokens`` limits the answers, and
            a reasoning effort or thinking budget adds to it.
        benchmark_mode: as in :func:`benchmaker.run`.
        home: the data folder, with ``prices.yaml`` and ``endpoints.yaml``, if any.
        store: the URL of the store, for the lengths of judges' replies.
        sample: number of cases to read and extrapolate from.
        judge: the judges, as in :func:`benchmaker.run`; by default the suite's.
        options: the options of the run, such as ``cases``, ``filter`` and ``failed_of``; arguments
            take precedence.

    Raises:
        SpecError: an invalid suite, model or argument.

    >>> from benchmaker import Case, ScorerSpec, Suite
    >>> sums = Suite(
    ...     "sums", [Case(id="a", prompt="40 + 2?", expected="42")], scorer=ScorerSpec(id="exact")
    ... )
    >>> made = estimate(sums, models="openai/gpt-4o-mini", parameters={"max_tokens": 1000})
    >>> made.models[0].output_tokens
    Span(low=1.0, high=1000.0)
    >>> estimate(sums, models="ollama/llama3.2").models[0].reason
    'no price is listed for ollama/llama3.2'
    """
    options = (options or RunOptions()).with_overrides(
        RunOptions(
            prompts=prompts,
            efforts=efforts,
            runs=None if runs == 1 else runs,
            limit=limit,
            categories=categories,
            tags=tags,
            profile=profile,
            parameters=parameters,
            benchmark_mode=benchmark_mode,
            judge=judge,
        )
    )
    refuse_wrong_options("estimate", options)
    refuse_too_few_runs(options, options.runs or 1)
    runnable = runnable_suite(suite, profile=options.profile, judged=options.judge is not None)
    sent = parameters_of(runnable, options.parameters, benchmark_mode=options.benchmark_mode)
    place = Home.of(home, store)
    names = [models] if isinstance(models, str) else list(models)
    names = names or [one.name for one in runnable.models]
    if not names:
        raise SpecError(
            "no model given.", hint="Add --model (in Python: models), or models to the suite."
        )
    setups = requested_setups(runnable, names, options)
    priced = prices_of([one.model for one in setups] or names, place.home)
    found = estimate_cases(
        runnable,
        selection_of(runnable, options, place.open_store),
        _by_setup(priced.cards, setups),
        parameters=effective_parameters(sent),
        runs=options.runs or 1,
        sample=sample,
        reasons=_by_setup(priced.reasons, setups),
        judged=judged_of(runnable, options.judge, place),
        setups=setups,
        limits=_by_setup(priced.limits, setups),
        repeat_where=options.repeat_where,
    )
    return replace(found, price_version=priced.version)


def estimate_cases(
    suite: Suite,
    selection: Selection,
    cards: Mapping[str, RateCard | None],
    *,
    parameters: Parameters,
    runs: int,
    sample: int | None = None,
    reasons: Mapping[str, str] | None = None,
    judged: "JudgingPlan | None" = None,
    setups: Sequence[Setup] = (),
    limits: Mapping[str, OutputLimit] = MappingProxyType({}),
    repeat_where: str | None = None,
) -> Estimate:
    """Estimate the selected cases for models, or setups, with these rates.

    ``limits`` give the token limit that each is sent for some parameters. With filters every case
    is read, and ``sample`` saves no time. With ``repeat_where`` the lower ends are those of the
    runs in which every case runs.
    """
    found = _estimate_all_runs(
        suite,
        selection,
        cards,
        parameters=parameters,
        runs=runs,
        sample=sample,
        reasons=reasons,
        judged=judged,
        setups=setups,
        limits=limits,
    )
    return with_least_runs(found, FULL_RUNS) if repeat_where and runs > FULL_RUNS else found


def _estimate_all_runs(
    suite: Suite,
    selection: Selection,
    cards: Mapping[str, RateCard | None],
    *,
    parameters: Parameters,
    runs: int,
    sample: int | None,
    reasons: Mapping[str, str] | None,
    judged: "JudgingPlan | None",
    setups: Sequence[Setup],
    limits: Mapping[str, OutputLimit],
) -> Estimate:
    is_filtered = bool(filters_of(selection))
    number = None if is_filtered or sample is None else count_selected(suite.cases, selection)
    chosen = (case for _, case in select_cases(suite.cases, selection, suite.vars))
    if shapes := _shapes(cards, parameters, setups, limits):
        found = estimate_setups(
            chosen,
            cards,
            shapes,
            suite=suite,
            runs=runs,
            number=number,
            sample=sample,
            reasons=reasons,
        )
    else:
        found = estimate_of(
            chosen,
            cards,
            max_tokens=_output_bound(parameters, None),
            system_prompt=suite.system_prompt,
            suite=suite,
            runs=runs,
            number=number,
            sample=sample,
            reasons=reasons,
        )
    if judged is None:
        return replace(found, suite=suite.name)
    parts = judging_parts(
        judged,
        lambda: (case for _, case in select_cases(suite.cases, selection, suite.vars)),
        models=max(1, len(cards)),
        runs=runs,
        max_tokens=found.max_tokens,
        number=number,
        sample=sample,
    )
    judges = tuple(one for one in parts if not one.embeds)
    embedded = tuple(one for one in parts if one.embeds)
    return replace(found, suite=suite.name, judges=judges, embeddings=embedded)


def judging_parts(
    judged: "JudgingPlan",
    cases: Callable[[], Iterable[Case]],
    *,
    models: int,
    runs: int,
    max_tokens: int,
    number: int | None = None,
    sample: int | None = None,
) -> tuple[ModelEstimate, ...]:
    """Return the parts of judges, then those of embedding models; ``cases`` are read for each."""
    from benchmaker.engine.runs.embedding_estimate import embeddings_estimate  # noqa: PLC0415  for judges alone
    from benchmaker.engine.runs.judge_estimate import judges_estimate  # noqa: PLC0415

    made = [
        part(
            judged,
            cases() if cards else (),
            models=models,
            runs=runs,
            max_tokens=max_tokens,
            number=number,
            sample=sample,
        )
        for part, cards in (
            (judges_estimate, judged.cards), (embeddings_estimate, judged.embeddings),
        )
    ]  # fmt: skip
    return tuple(chain.from_iterable(made))


T = TypeVar("T")


def _by_setup(known: Mapping[str, T], setups: Sequence[Setup]) -> Mapping[str, T]:
    """Values of models by the names of setups, where there are setups."""
    if not setups:
        return known
    return {one.name: known[one.model] for one in setups if one.model in known}


def _shapes(
    cards: Iterable[str],
    parameters: Parameters,
    setups: Sequence[Setup],
    limits: Mapping[str, OutputLimit],
) -> dict[str, RequestShape]:
    """The prompt and the bound of the output of each setup, or else of each model."""
    own = {one.name: (one.prompt_id, Parameters.of_record(one.parameters)) for one in setups}
    known = {name: own.get(name, (None, parameters)) for name in cards}
    return {
        name: RequestShape(prompt_id, _output_bound(sent, limits.get(name)))
        for name, (prompt_id, sent) in known.items()
    }


def _output_bound(parameters: Parameters, limit: OutputLimit | None) -> int:
    """The maximum number of output tokens, which is that of the request where one is sent."""
    sent = limit(parameters) if limit else parameters.output_bound
    return sent or MOST_OUTPUT_TOKENS


def judged_of(
    suite: Suite, judge: JudgeNames | None, place: Home, *, recorded: bool = False
) -> "JudgingPlan | None":
    """Return the judges and embedding models, with rates and usage; None without any.

    Judges with ``recorded`` replies cost nothing.

    Raises:
        SpecError: an invalid judge's name, or a judge without a judging scorer.
    """
    chosen = spec_of(judge)
    is_known = (chosen is not None or _names_judges(suite)) and not recorded
    names = judges_of(suite, chosen) if is_known else ()
    embedded = embedding_models(suite)
    if not names and not embedded:
        return None
    from benchmaker.engine.runs.judge_estimate import JudgingPlan  # noqa: PLC0415  for judges alone

    priced = prices_of((*names, *embedded), place.home)
    return JudgingPlan(
        suite=suite,
        chosen=chosen,
        cards={name: priced.cards[name] for name in names},
        reasons=priced.reasons,
        stored=_stored_totals(place, names),
        embeddings={name: priced.cards[name] for name in embedded},
    )


def _names_judges(suite: Suite) -> bool:
    """True if every judging scorer has a judge without one being given."""
    asking = asking_scorers(suite, None)
    return bool(asking) and all(spec.parameters.get("models") for spec in asking)


def _stored_totals(place: Home, judges: Iterable[str]) -> dict[str, JudgeTotals]:
    """Return the stored usage of the judges; no store is created for it."""
    if not place.is_there():
        return {}
    with place.open_store() as opened:
        found = {judge: opened.stored_replies(judge) for judge in judges}
    return {judge: totals for judge, totals in found.items() if totals is not None}


class Priced(NamedTuple):
    """The rates of models by their strings, why some have none, and where prices come from.

    ``limits`` give the token limit that each model is sent; programs and functions have none.
    """

    cards: dict[str, RateCard | None]
    reasons: dict[str, str]
    version: str
    limits: dict[str, OutputLimit]


def prices_of(models: Iterable[str], home: Path) -> Priced:
    """Return the prices of models; no key is needed.

    Raises:
        SpecError: an invalid model name or user file.
    """
    from benchmaker.providers.endpoints.endpoint_file import endpoints_of  # noqa: PLC0415  recorded answers
    from benchmaker.providers.endpoints.endpoints import resolve_model  # noqa: PLC0415  need none of it
    from benchmaker.providers.live import FUNCTION  # noqa: PLC0415
    from benchmaker.providers.prices.costs import Prices  # noqa: PLC0415
    from benchmaker.providers.registered import is_registered  # noqa: PLC0415
    from benchmaker.providers.routes import COMMAND  # noqa: PLC0415

    known, prices = endpoints_of(home), Prices(home)
    cards: dict[str, RateCard | None] = {}
    reasons: dict[str, str] = {}
    limits: dict[str, OutputLimit] = {}
    for model in dict.fromkeys(models):
        cards[model] = None
        is_local = model.startswith((COMMAND, FUNCTION))
        if is_local or is_registered(model, known):
            cards[model] = prices.own_card(model)
            if cards[model] is None:
                reasons[model] = _NO_PRICE if is_local else _NO_LISTED_PRICE
            continue
        endpoint, name = resolve_model(model, known)
        limits[model] = endpoint.quirks_of(name).output_limit
        cards[model] = prices.tariff(endpoint, name, requested=model).card()
        if cards[model] is None:
            reasons[model] = f"no price is listed for {model}"
    prices.release()
    return Priced(cards, reasons, prices.version, limits)
