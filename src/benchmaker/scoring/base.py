"""What a scorer is, how it is registered, and how it is built from its name."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from benchmaker.record import Extraction, FinishReason, Score, Trial, Usage
from benchmaker.spec import Case, Message, Parameters


class Objection(NamedTuple):
    """What is wrong with a parameter of a scorer: its path, as ``("extract", 1)``, and why."""

    path: tuple[str | int, ...]
    message: str


@runtime_checkable
class Scorer(Protocol):
    """One method: how good is this answer to this case?

    A scorer is a frozen dataclass; its fields are its parameters, so it prints, compares and is
    recorded without further code. ``id`` and ``version`` are class variables set by
    :func:`benchmaker.plugins.scorer`. A field named ``family`` receives the profile's family.
    ``score`` raises what is natural; the caller attributes it. It may be ``async``.

    Three more methods are used where a scorer has them. ``faults() -> list[Objection]`` says what
    is wrong with its own parameters and takes time to find out, such as patterns that don't
    compile. ``check(case) -> list[str]`` says what is wrong with a case's expectation before
    anything is asked. ``explain(score) -> list[str]`` gives the lines of its arithmetic, from the
    score alone.

    Two class variables may tell more. ``check_needs`` names the parameters on which ``check``
    depends, so that it is asked in spite of faults in others; without it, on all. ``robust_only``
    names the parameters that the classic family does not read.

    A scorer that asks a model has the class variable ``asks = True`` and takes a third argument:
    ``async score(case, trial, ask)``, see :class:`Ask`.
    """

    id: ClassVar[str]
    version: ClassVar[str]

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """The score of ``trial.text`` for ``case``."""
        ...


class Picture(NamedTuple):
    """A picture that is sent along: the SHA-256 by which the store has it, and its media type."""

    sha256: str
    type: str = "image/png"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a judge.

    ``messages`` have the nonce written in; where the question is looked up among those asked
    before, a placeholder stands for it. ``schema`` is the JSON Schema of the reply, for endpoints
    that keep to one. ``repeat`` (from 1), ``order`` and ``attempt`` (from 1, higher after replies
    that could not be read) tell questions apart that are otherwise equal. ``purpose`` is
    ``judge``, ``reference``, ``false_reference``, ``checklist``, ``counterfactual`` or
    ``calibration``. ``pictures`` are sent with the last message, to models that see. ``is_usable``
    says whether something can be made of a reply: one of another run is used only where it can.
    """

    model: str
    messages: tuple[Message, ...]
    nonce: str = ""
    parameters: Parameters = Parameters(temperature=0.1)
    schema: dict[str, Any] | None = None
    repeat: int = 1
    order: str = ""
    attempt: int = 1
    purpose: str = "judge"
    case_id: str = ""
    pictures: tuple[Picture, ...] = ()
    is_usable: Callable[["Reply"], bool] | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge replied; it is durable.

    ``key`` finds it again. ``nonce`` is the one that it had to bring back: that of its own
    question, which for a reply from the cache was another, and empty for recorded replies, from
    which none can be asked. ``structured`` says that the endpoint promised JSON by the schema.
    ``cached`` replies were paid for before.
    """

    text: str
    key: str
    nonce: str = ""
    structured: bool = False
    finish: FinishReason = FinishReason.STOP
    cost_usd: float | None = None
    latency_s: float | None = None
    usage: Usage | None = None
    cached: bool = False
    attempts: int = 0


class AskingHalted(Exception):
    """No further question is put to judges in this sitting; the answer stays to be judged."""


@runtime_checkable
class Ask(Protocol):
    """How a scorer asks a model; one method.

    Where it also has ``async answer_of(model, case_id) -> str | None``, that is the answer of
    another model of the same run. Where it has ``async prepared(case, trial) -> Prepared``, that is
    what was made of the answer before it is judged, by what the scorer's class variable
    ``prepares`` names as ``package.module:Class``.
    """

    async def ask(self, question: Question) -> Reply:
        """The reply.

        Raises:
            ProviderError: there is none, after all requests that one retry layer allows.
            JudgeRefused: the judge would not judge.
            AskingHalted: the run is being stopped, or no money is left.
        """
        ...


def asks_anew(ask: Ask) -> bool:
    """True if a reply from the store that can't be read is no reason not to ask once more."""
    return bool(getattr(ask, "asks_anew", False))


def is_asking(scorer: object) -> bool:
    """True if a scorer, or the class of one, asks a model."""
    return bool(getattr(scorer, "asks", False))


def auto_pass() -> Score:
    """Full marks because the case expects nothing; counted by its flag ``auto_pass``."""
    return Score.of(
        1.0,
        confidence=1.0,
        notes="nothing is expected",
        detail={"rung": "auto_pass"},
        flags=("auto_pass",),
    )


def best_score(scores: Sequence[Score], expected: Sequence[str]) -> Score:
    """The best of the scores against several expected texts, with the text that counted."""
    if len(scores) == 1:
        return scores[0]
    at = max(range(len(scores)), key=lambda index: scores[index].score or 0.0)
    return replace(scores[at], expected=expected[at])


def no_answer_score(extraction: Extraction, *, confidence: float = 1.0) -> Score:
    """No marks because the rules found no answer in the reply; its flag says so."""
    return Score(
        score=0.0,
        confidence=confidence,
        notes="no answer was found in the reply",
        detail={"rung": "nothing_extracted"},
        extraction=extraction,
        flags=("nothing_extracted",),
    )
