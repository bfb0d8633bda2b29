"""The scorer protocol, its registration, and construction by name."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from benchmaker.record import Extraction, FinishReason, Score, Trial, Usage
from benchmaker.spec import Case, Message, Parameters


class Objection(NamedTuple):
    """A fault in a scorer's parameter: its path, as ``("extract", 1)``, and the reason."""

    path: tuple[str | int, ...]
    message: str


@runtime_checkable
class Scorer(Protocol):
    """The scorer protocol: one method that scores an answer to a case.

    A scorer is a frozen dataclass; its fields are its parameters, so it prints, compares and is
    recorded without further code. ``id`` and ``version`` are class variables set by
    :func:`benchmaker.plugins.scorer`. A field named ``family`` receives the profile's family.
    ``score`` raises natural exceptions, which the caller attributes. It may be ``async``.

    Five more methods are optional. ``faults() -> list[Objection]`` returns faults of its own
    parameters that take time to find, such as patterns that don't compile. ``check(case) ->
    list[str]`` returns faults of a case's expectation before any request. ``notes(case) ->
    list[Objection]`` returns notes for ``validate`` that are no faults; a note on the expectation
    has an empty path. ``explain(score) -> list[str]`` returns the lines of its arithmetic, from the
    score alone. ``zero_score(case, outcome, reason) -> Score`` returns the 0 of an answer that the
    suite's policy does not score, for scorers whose details or flags are read by others; it is
    unscored if no answer to the case can have a score.

    Five class variables are optional. ``default_threshold`` is the score from which an answer
    passes as a check; the default is full marks. ``check_needs`` names the parameters that
    ``check`` depends on, so that it runs despite faults in others; the default is all.
    ``robust_only`` names the parameters that the classic family ignores, ``without_effect``
    parameters that are accepted without being fields, for those of a later version.
    ``explains_unscored = True`` means that ``explain`` also explains missing scores.

    ``logprobs`` is an optional property: ``required`` or ``preferred`` for a scorer that reads the
    log probabilities of an answer's tokens, which are then requested; the default is ``unused``.

    ``scores_refusals`` is an optional property: true for a scorer that scores an answer by whether
    it was refused, filtered or left empty, so that no policy of the suite scores such an answer.

    A scorer that queries a model has the class variable ``asks = True`` and takes a third argument:
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

    ``messages`` contain the nonce; for cache lookups, a placeholder replaces it. ``schema`` is the
    JSON Schema of the reply, for endpoints that support one. ``repeat`` (from 1), ``order`` and
    ``attempt`` (from 1, incremented after unreadable replies) distinguish otherwise equal
    questions. ``purpose`` is ``judge``, ``reference``, ``false_reference``, ``checklist``,
    ``counterfactual`` or ``calibration``. ``pictures`` are sent with the last message, to models
    with vision. ``is_usable`` checks if a reply is usable: a reply of another run is reused only if
    it is.
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
    """A judge's reply, already durable.

    ``key`` identifies it. ``nonce`` is the nonce that it must contain: the one of its own question,
    which differs for a reply from the cache; empty for recorded replies, which have none.
    ``structured`` is true if the endpoint guarantees JSON by the schema. ``cached`` replies were
    paid for earlier.
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


class EmbeddingQuery(NamedTuple):
    """Texts to be embedded by a model, with ``dimensions`` numbers each, or the model's own."""

    model: str
    texts: tuple[str, ...]
    dimensions: int | None = None


Vector = Sequence[float]
"""An embedding: finite numbers, not all of them 0."""


class AskingHalted(Exception):
    """No further questions are sent to judges in this session; the answer remains to be judged."""


@runtime_checkable
class Ask(Protocol):
    """The way a scorer queries a model; one method.

    An optional ``async embed(query: EmbeddingQuery) -> tuple[Vector, ...]`` returns the embeddings
    of texts, in order and of equal length, and raises as ``ask`` does.
    An optional ``async answer_of(model, case_id) -> str | None`` returns the answer of another
    model of the same run. An optional ``async prepared(case, trial) -> Prepared`` returns the
    answer prepared for judging, by the class that the scorer's class variable ``prepares`` names as
    ``package.module:Class``.
    """

    async def ask(self, question: Question) -> Reply:
        """Return the reply.

        Raises:
            ProviderError: all requests and retries failed.
            JudgeRefused: the judge refused to judge.
            AskingHalted: the run is being stopped, or the budget is reached.
        """
        ...


def repeats_unreadable(ask: Ask) -> bool:
    """True if an unreadable stored reply does not prevent another request."""
    return bool(getattr(ask, "repeats_unreadable", False))


def is_asking(scorer: object) -> bool:
    """True if a scorer, or its class, queries a model; false for a class that may or may not."""
    return getattr(scorer, "asks", False) is True


def scores_refusals(scorer: object) -> bool:
    """True if a scorer scores refused, filtered and empty answers, instead of a policy."""
    return getattr(scorer, "scores_refusals", False) is True


def auto_pass() -> Score:
    """Return full marks for a case without an expectation, with the flag ``auto_pass``."""
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
    """Return a score of 0 for a reply without an answer, with its flag."""
    return Score(
        score=0.0,
        confidence=confidence,
        notes="no answer was found in the reply",
        detail={"rung": "nothing_extracted"},
        extraction=extraction,
        flags=("nothing_extracted",),
    )
