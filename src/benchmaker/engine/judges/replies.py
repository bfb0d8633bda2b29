"""Stored replies of judges: their reuse."""

from typing import NamedTuple

from msgspec.structs import replace

from benchmaker.errors import JudgeRefused
from benchmaker.providers.recorded_judge import JudgedAnswer
from benchmaker.record import NO_JUDGMENT, Completion, FinishReason, Judgment
from benchmaker.record.judgment import CACHE_HIT
from benchmaker.scoring.base import Question, Reply

_REFUSALS = (FinishReason.REFUSAL, FinishReason.FILTER)


class JudgmentContext(NamedTuple):
    """The judged answer and its run; ``judged`` finds its recorded replies."""

    run_id: str | None = None
    model: str = ""
    judged: JudgedAnswer = JudgedAnswer()


def take_over(known: Judgment, about: JudgmentContext, question: Question, now: str) -> Judgment:
    """Return a reply paid for by another run, as one of this run."""
    completion = replace(known.completion or Completion(text=""), cost_usd=0.0)
    return replace(
        known,
        run_id=about.run_id,
        model=about.model,
        case_id=question.case_id,
        purpose=question.purpose,
        completion=completion,
        attempts=(),
        flags=(*(flag for flag in known.flags if flag != CACHE_HIT), CACHE_HIT),
        created_at=now,
    )


def reply_of(judgment: Judgment, *, was_there: bool) -> Reply:
    """A stored judgment as a reply; JudgeRefused where the judge would not judge."""
    completion = judgment.completion or Completion(text="")
    if is_refusal(judgment):
        raise JudgeRefused(f"{judgment.judge} refused to judge ({completion.finish}).")
    return Reply(
        text=completion.text,
        key=judgment.key,
        nonce=judgment.nonce,
        structured=judgment.is_structured,
        finish=completion.finish,
        cost_usd=0.0 if was_there else judgment.cost_usd,
        latency_s=completion.latency_s,
        usage=completion.usage,
        cached=was_there,
        attempts=len(judgment.attempts),
    )


def is_usable(judgment: Judgment, question: Question) -> bool:
    """True if a stored reply answers the question: readable, and not a refusal."""
    if is_refusal(judgment):
        return False
    return question.is_usable is None or question.is_usable(reply_of(judgment, was_there=True))


def is_refusal(judgment: Judgment) -> bool:
    """True if the judge's provider withheld the reply."""
    return judgment.completion is not None and judgment.completion.finish in _REFUSALS


def flag_unusable(judgment: Judgment, question: Question) -> Judgment:
    """The judgment, flagged where its reply does not answer the question."""
    if judgment.completion is None or is_usable(judgment, question):
        return judgment
    return replace(judgment, flags=(*judgment.flags, NO_JUDGMENT))
