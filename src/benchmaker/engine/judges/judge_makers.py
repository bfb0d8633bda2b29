"""Who judges a run's answers, and where they are asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmaker import plugins
from benchmaker.engine.trials.scoring import judging_spec
from benchmaker.errors import ProviderError, SpecError
from benchmaker.providers.base import Provider, Request
from benchmaker.providers.recorded_judge import RecordedJudge
from benchmaker.record import Completion, Run
from benchmaker.scoring.base import is_asking
from benchmaker.scoring.build import build
from benchmaker.spec import JudgeSpec, ScorerSpec, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.store import Store

if TYPE_CHECKING:
    from benchmaker.engine.judges.judge_client import JudgeClient
    from benchmaker.engine.requests.preparing import AnswerPreparer, Prepare

JUDGE = ScorerSpec(id="llm_judge")
"""What scores the answers of a suite without a scorer, once a judge is named."""

CONCURRENCY = 5
"""Questions to judges in flight, unless told otherwise."""

_NAME_ONE = "Name one under judge: in the suite, or with --judge MODEL (from Python judge=…)."
_OR_NONE = " To go without: benchmaker code run --no-judge (from Python judge={'models': []})."


@dataclass(frozen=True, slots=True)
class Judges:
    """Who answers questions to judges, what was chosen for the run, and how many fly at once.

    ``scorers`` are those that ask, with who judges. ``calibrations`` are those that judges rest
    on, by judge, ``uncalibrated`` says of the others why they rest on none, and ``weights`` what
    judges count in a panel, where all are calibrated. ``prepare`` makes answers ready to be judged,
    for scorers that ask for it.
    """

    provider: Provider | RecordedJudge
    chosen: JudgeSpec | None = None
    concurrency: int = CONCURRENCY
    scorers: tuple[ScorerSpec, ...] = ()
    calibrations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    uncalibrated: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    prepare: "Prepare | None" = None

    def to_record(self, models: tuple[str, ...]) -> dict[str, Any]:
        """What a run records of them."""
        describe = getattr(self.provider, "description", None)
        kind = {"kind": type(self.provider).__qualname__}
        return {
            **(self.chosen.parameters if self.chosen else {}),
            "asked": list(models),
            "scorers": [
                {"id": spec.id, "repeats": 1, **_asking_options(spec)} for spec in self.scorers
            ],
            "provider": describe() if describe else kind,
            "concurrency": self.concurrency,
            "calibrations": {judge: dict(it) for judge, it in self.calibrations.items()},
            "uncalibrated": dict(self.uncalibrated),
            "weights": dict(self.weights),
            **({"prepare": dict(self.prepare.options)} if self.prepare else {}),
        }

    @property
    def calibration_id(self) -> str | None:
        """The calibrations that the judges rest on, in a line; None where they rest on none."""
        return ", ".join(it["calibration_id"] for it in self.calibrations.values()) or None


def _asking_options(spec: ScorerSpec) -> dict[str, Any]:
    """What a run records of how a scorer asks."""
    return {name: spec.parameters[name] for name in ("mode", "repeats") if name in spec.parameters}


def asking_scorers(suite: Suite, chosen: JudgeSpec | None) -> list[ScorerSpec]:
    """The distinct scorers of a checked suite that ask a judge, with who judges."""
    found = []
    for spec in suite.named_scorers.values():
        cls = plugins.load("scorer", spec.id)
        if is_asking(cls):
            found.append(judging_spec(spec, cls, suite=suite.judge, chosen=chosen))
    return found


def load_scorers(suite: Suite) -> Suite:
    """A suite from the store with every distinct scorer that it names; its cases are read."""
    suite.named_scorers.clear()
    for spec in (suite.scorer, *(case.scorer for case in suite.cases)):
        if spec is not None:
            suite.named_scorers.setdefault(repr(spec), spec)
    return suite


def is_judging(suite: Suite, chosen: JudgeSpec | None) -> bool:
    """True if a scorer of a suite from the store asks a judge; its cases are read."""
    return bool(asking_scorers(load_scorers(suite), chosen))


class NoJudge:
    """Stands in where nobody judges: scorers that can do without are asked all the same."""

    kind = "none"

    def description(self) -> dict[str, str]:
        """What a run records of it."""
        return {"kind": self.kind}

    async def complete(self, request: Request) -> Completion:
        """Refuses every question."""
        raise ProviderError(f"nobody judges, and {request.model} was asked.", is_sent=False)


def prepare_of(specs: Iterable[ScorerSpec], options: Mapping[str, Any]) -> "Prepare | None":
    """What makes answers ready for these scorers; None where none of them asks for it.

    Raises:
        SpecError: two scorers ask for different things, or there is no such option.
    """
    paths = {getattr(plugins.load("scorer", spec.id), "prepares", "") for spec in specs} - {""}
    if len(paths) > 1:
        raise SpecError(f"two scorers make answers ready differently: {', '.join(sorted(paths))}.")
    if not paths:
        return None
    made: Prepare = plugins.resolve(paths.pop())(**options)
    return made


def preparing_of(
    store: Store, suite: Suite, judges: Judges, desk: "JudgeClient"
) -> "AnswerPreparer | None":
    """How the answers of a run are made ready; None where that is not asked for."""
    if judges.prepare is None:
        return None
    from benchmaker.engine.requests.preparing import AnswerPreparer  # noqa: PLC0415  for few suites

    return AnswerPreparer(
        store, judges.prepare, source=suite.source, halted=lambda: desk.halt_reason
    )


def _does_without(scorer: object, chosen: JudgeSpec | None) -> bool:
    """True if it was said that nobody judges, and the scorer has something to say all the same."""
    is_said = chosen is not None and "models" in chosen.model_fields_set and not chosen.models
    return is_said and bool(getattr(scorer, "may_lack_judges", False))


def judges_of(suite: Suite, chosen: JudgeSpec | None) -> tuple[str, ...]:
    """The models that judge a checked suite's answers, each once; empty where none is asked.

    Raises:
        SpecError: a scorer asks a judge and none is named, or one is named and nothing asks it.
    """
    models: dict[str, None] = {}
    specs = asking_scorers(suite, chosen)
    if chosen is not None and not specs:
        named = ", ".join(sorted({spec.id for spec in suite.named_scorers.values()})) or "none"
        raise SpecError(
            f"nothing in suite {suite.name!r} asks a judge (scorers: {named}).",
            where=suite.source or "",
            hint="Set scorer: llm_judge, for the suite or for cases, or leave the judge out.",
        )
    for spec in specs:
        scorer = build(spec, profile_named(suite.profile))
        own = [juror.model for juror in getattr(scorer, "models", ())]
        if not own and hasattr(scorer, "models") and not _does_without(scorer, chosen):
            without = _OR_NONE if getattr(scorer, "may_lack_judges", False) else ""
            message = f"{spec.id} needs a judge, and none is named."
            raise SpecError(message, hint=f"{_NAME_ONE}{without}")
        models |= dict.fromkeys(own)
    return tuple(models)


def chosen_for(run: Run) -> JudgeSpec | None:
    """What was chosen for the run's judges, as the run records it."""
    known = {name: it for name, it in run.judge.items() if name in JudgeSpec.model_fields}
    return JudgeSpec.model_validate(known) if known else None
