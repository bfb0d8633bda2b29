"""The judges of a run's answers, and the source of their replies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmaker import plugins
from benchmaker.engine.trials.scoring import judging_spec
from benchmaker.errors import ProviderError, SpecError
from benchmaker.providers.base import Provider, Request, describe
from benchmaker.providers.recorded_judge import RecordedJudge
from benchmaker.record import Completion, Run
from benchmaker.scoring.base import is_asking
from benchmaker.scoring.build import build
from benchmaker.scoring.checks.nested import scorers_in
from benchmaker.spec import JudgeSpec, ScorerSpec, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.store import Store

if TYPE_CHECKING:
    from benchmaker.engine.judges.judge_client import JudgeClient
    from benchmaker.engine.requests.preparing import AnswerPreparer, Prepare

JUDGE = ScorerSpec(id="llm_judge")
"""The scorer of a suite without one, once a judge is named."""

EMBEDDINGS = "embeddings"
"""The key of the models of embeddings in a run's record of its judges."""

CONCURRENCY = 5
"""Default number of judge requests in flight."""

_BATCH = 64
"""Number of answers whose texts fill a request for embeddings."""

_NAME_ONE = "Set judge: in the suite, or add --judge MODEL (in Python judge=…)."
_OR_NONE = (
    " Without a judge: --no-judge of benchmaker code run, judge and improve "
    "(in Python judge={'models': []})."
)


@dataclass(frozen=True, slots=True)
class Judges:
    """The judges, the options chosen for the run, and the limit of concurrent questions.

    ``scorers`` are the judging scorers with their judges. ``calibrations`` are the calibrations by
    judge, ``uncalibrated`` the reasons for those without one, and ``weights`` the weights in a
    panel if all are calibrated. ``prepare`` prepares answers for judging, for scorers that need it.
    ``embedding_models`` are the models of embeddings, which ``embeddings`` provides.
    """

    provider: Provider | RecordedJudge
    chosen: JudgeSpec | None = None
    concurrency: int = CONCURRENCY
    scorers: tuple[ScorerSpec, ...] = ()
    calibrations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    uncalibrated: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    prepare: "Prepare | None" = None
    embeddings: Provider | None = None
    embedding_models: tuple[str, ...] = ()

    @property
    def workers(self) -> int:
        """The number of answers scored at once: with embeddings enough to fill a request."""
        return max(self.concurrency, _BATCH) if self.embedding_models else self.concurrency

    def to_record(self, models: tuple[str, ...]) -> dict[str, Any]:
        """Return the judges' description for a run's record."""
        return {
            **(self.chosen.parameters if self.chosen else {}),
            "asked": list(models),
            "scorers": [
                {"id": spec.id, "repeats": 1, **_asking_options(spec)} for spec in self.scorers
            ],
            "provider": describe(self.provider),
            "concurrency": self.concurrency,
            "calibrations": {judge: dict(it) for judge, it in self.calibrations.items()},
            "uncalibrated": dict(self.uncalibrated),
            "weights": dict(self.weights),
            **({"prepare": dict(self.prepare.options)} if self.prepare else {}),
            **({EMBEDDINGS: self._embeddings_record()} if self.embedding_models else {}),
        }

    def _embeddings_record(self) -> dict[str, Any]:
        models = list(self.embedding_models)
        return {"models": models, "provider": describe(self.embeddings)}

    @property
    def calibration_id(self) -> str | None:
        """The calibrations that the judges rest on, in a line; None where they rest on none."""
        return ", ".join(it["calibration_id"] for it in self.calibrations.values()) or None


def with_earlier_judges(judge: dict[str, Any], run: Run) -> dict[str, Any]:
    """Return a record of judges; if it has none, with the record of the run's last ones."""
    before = run.judge if run.judge.get("asked") else run.judge.get("earlier")
    return {**judge, "earlier": before} if before and not judge["asked"] else judge


def _asking_options(spec: ScorerSpec) -> dict[str, Any]:
    """Return the judging options of a scorer for a run's record."""
    return {name: spec.parameters[name] for name in ("mode", "repeats") if name in spec.parameters}


def asking_scorers(suite: Suite, chosen: JudgeSpec | None) -> list[ScorerSpec]:
    """Return the distinct judging scorers of a checked suite, with their judges."""
    return [spec for spec in _asking_scorers(suite, chosen) if not _embeds(spec)]


def embedding_models(suite: Suite) -> tuple[str, ...]:
    """Return the models of embeddings that the scorers of a checked suite use."""
    specs = (spec for spec in _asking_scorers(suite, None) if _embeds(spec))
    return tuple(dict.fromkeys(str(spec.parameters["model"]) for spec in specs))


def _embeds(spec: ScorerSpec) -> bool:
    """True if a scorer queries a model of embeddings, and no judge."""
    return bool(getattr(plugins.load("scorer", spec.id), "embeds", False))


def _asking_scorers(suite: Suite, chosen: JudgeSpec | None) -> list[ScorerSpec]:
    found = []
    profile = profile_named(suite.profile)
    inner = (one for spec in suite.named_scorers.values() for one in scorers_in(spec, profile))
    for spec in {repr(one): one for one in inner}.values():
        cls = plugins.load("scorer", spec.id)
        if is_asking(cls):
            found.append(judging_spec(spec, cls, suite=suite.judge, chosen=chosen))
    return found


def load_scorers(suite: Suite) -> Suite:
    """A suite from the store with every distinct scorer that it names; its cases are read."""
    suite.named_scorers.clear()
    for spec in (suite.fixed_scorer, *map(suite.scorer_of, suite.cases)):
        if spec is not None:
            suite.named_scorers.setdefault(repr(spec), spec)
    return suite


def is_judging(suite: Suite, chosen: JudgeSpec | None) -> bool:
    """True if a scorer of a stored suite uses a judge or embeddings; reads its cases."""
    return bool(_asking_scorers(load_scorers(suite), chosen))


class NoJudge:
    """A placeholder without judges, for scorers that can work without one."""

    kind = "none"

    def description(self) -> dict[str, str]:
        """Return the description for a run's record."""
        return {"kind": self.kind}

    async def complete(self, request: Request) -> Completion:
        """Refuses every question."""
        raise ProviderError(
            f"unexpected request to {request.model}: the run has no judge.", is_sent=False
        )


def prepare_of(specs: Iterable[ScorerSpec], options: Mapping[str, Any]) -> "Prepare | None":
    """Return the preparer of answers for these scorers; None if none needs it.

    Raises:
        SpecError: two scorers need different preparers, or an unknown option.
    """
    paths = {getattr(plugins.load("scorer", spec.id), "prepares", "") for spec in specs} - {""}
    if len(paths) > 1:
        raise SpecError(f"two scorers prepare answers differently: {', '.join(sorted(paths))}.")
    if not paths:
        return None
    made: Prepare = plugins.resolve(paths.pop())(**options)
    return made


def preparing_of(
    store: Store, suite: Suite, judges: Judges, client: "JudgeClient"
) -> "AnswerPreparer | None":
    """Return the preparer of a run's answers; None if none is needed."""
    if judges.prepare is None:
        return None
    from benchmaker.engine.requests.preparing import AnswerPreparer  # noqa: PLC0415  for few suites

    return AnswerPreparer(
        store,
        judges.prepare,
        source=suite.source,
        halted=lambda: "" if client.has_failed else client.halt_reason,
    )


def _does_without(scorer: object, chosen: JudgeSpec | None) -> bool:
    """True if judging is explicitly off, and the scorer works without it."""
    is_said = chosen is not None and "models" in chosen.model_fields_set and not chosen.models
    return is_said and bool(getattr(scorer, "may_lack_judges", False))


def judges_of(suite: Suite, chosen: JudgeSpec | None) -> tuple[str, ...]:
    """Return the judges of a checked suite's answers, without repeats; empty if none is needed.

    Raises:
        SpecError: a judging scorer without a judge, or a judge without a judging scorer.
    """
    models: dict[str, None] = {}
    specs = asking_scorers(suite, chosen)
    if chosen is not None and not specs:
        named = ", ".join(sorted({spec.id for spec in suite.named_scorers.values()})) or "none"
        raise SpecError(
            f"suite {suite.name!r} uses no judge (scorers: {named}).",
            where=suite.source or "",
            hint="Set scorer: llm_judge for the suite or for cases, or remove the judge.",
        )
    for spec in specs:
        scorer = build(spec, profile_named(suite.profile))
        own = [juror.model for juror in getattr(scorer, "models", ())]
        if not own and hasattr(scorer, "models") and not _does_without(scorer, chosen):
            without = _OR_NONE if getattr(scorer, "may_lack_judges", False) else ""
            message = f"{spec.id} needs a judge, but none is given."
            raise SpecError(message, hint=f"{_NAME_ONE}{without}")
        models |= dict.fromkeys(own)
    return tuple(models)


def chosen_for(run: Run) -> JudgeSpec | None:
    """Return the options chosen for the run's judges, from the run's record."""
    known = {name: it for name, it in run.judge.items() if name in JudgeSpec.model_fields}
    return JudgeSpec.model_validate(known) if known else None
