"""One question to one judge: the judgment, or the reason why there is none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from benchmaker.errors import TrialError
from benchmaker.record import Verdict
from benchmaker.scoring.base import Ask, Picture, Question, Reply, repeats_unreadable
from benchmaker.scoring.excerpts import shorten
from benchmaker.scoring.judge import (
    Expect,
    JudgeReply,
    Prompt,
    UnparsedReply,
    fresh_nonce,
    parse,
    reply_schema,
    with_complaint,
)
from benchmaker.spec import Parameters

RETRIES = 2
"""Number of retries after an unusable reply, each with the error of the last reply."""

MOST_TRIES = 100
"""Maximum number of attempts at one question, including those of earlier runs."""

_SHOWN = 1_000
"""Characters of a judge's words that stand with the score; the reply is stored whole."""

Written = Callable[[str], Prompt]
"""Writes the prompt with a nonce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskContext:
    """The context shared by all questions of one scorer about one answer.

    ``beforehand`` collects the keys of texts that a judge wrote for the case before judging.
    """

    ask: Ask
    case_id: str
    parameters: Parameters
    texts: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()
    beforehand: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleJudgment:
    """One raw judgment; ``unit`` is from 0 to 1, for pairs 1 if the judged answer won.

    ``reply`` is None if it is unreadable, with the reason in ``failure``; ``kind`` is the name of
    the error. ``keys`` identify all replies to it.
    """

    judge: str
    repeat: int
    order: str = ""
    unit: float | None = None
    reply: JudgeReply | None = None
    keys: tuple[str, ...] = ()
    prompt_hash: str = ""
    notes: tuple[str, ...] = ()
    failure: str = ""
    kind: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a score's detail, without absent values."""
        data: dict[str, Any] = {
            "judge": self.judge,
            "repeat": self.repeat,
            "order": self.order,
            "unit": self.unit,
            "keys": list(self.keys),
            "notes": list(self.notes),
            "failure": self.failure,
            "kind": self.kind,
        }
        if self.reply is not None:
            data |= _reply_to_dict(self.reply)
        return {name: value for name, value in data.items() if value not in (None, "", [], ())}


class FreshReplyCounter:
    """Counts the replies that did not come from the store."""

    def __init__(self) -> None:
        self.replies = 0

    def note(self, reply: Reply) -> None:
        """A reply came."""
        self.replies += not reply.cached


def attempt_numbers(ask: Ask, fresh: FreshReplyCounter) -> Iterator[int]:
    """Yield the numbers of the attempts at one question.

    There are three. If the store holds unreadable replies and the judge is to be queried again,
    those do not count.
    """
    for attempt in count(1):
        is_over = attempt > 1 + RETRIES and not repeats_unreadable(ask)
        if is_over or fresh.replies > RETRIES or attempt > MOST_TRIES:
            return
        yield attempt


async def ask_judge(
    asking: AskContext,
    expect: Expect,
    written: Written,
    *,
    judge: str,
    repeat: int,
    order: str = "",
    purpose: str = "judge",
) -> SingleJudgment:
    """Query a judge once, and up to twice more with the fault of its last reply.

    A provider's failure is recorded as a failed judgment; errors that halt the run propagate.
    """
    made = SingleJudgment(judge=judge, repeat=repeat, order=order)
    problem: UnparsedReply | None = None
    for attempt in attempt_numbers(asking.ask, fresh := FreshReplyCounter()):
        prompt = written(fresh_nonce(avoid=asking.texts))
        made, notes = replace(made, prompt_hash=prompt.hash), prompt.notes
        if problem is not None:
            prompt = with_complaint(prompt, problem)
        question = Question(
            model=judge,
            messages=prompt.messages,
            nonce=prompt.nonce,
            parameters=asking.parameters,
            schema=reply_schema(expect),
            repeat=repeat,
            order=order,
            attempt=attempt,
            purpose=purpose,
            case_id=asking.case_id,
            pictures=asking.pictures,
            is_usable=partial(_judges, expect=expect, prompt=prompt),
        )
        try:
            reply = await asking.ask.ask(question)
        except TrialError as exc:
            return replace(made, failure=exc.message, kind=type(exc).__name__)
        fresh.note(reply)
        made = replace(made, keys=(*made.keys, reply.key))
        read = _parse_reply(reply, expect, prompt)
        if isinstance(read, JudgeReply):
            return _with_reply(replace(made, notes=notes), read)
        problem = read
        if not reply.nonce:
            break  # a recorded reply stays what it is
    reason = problem.reason if problem else ""
    failure = f"unreadable judgment in its reply: {reason}"
    return replace(made, failure=failure, kind="JudgeUnparsable")


def _with_reply(made: SingleJudgment, read: JudgeReply) -> SingleJudgment:
    """The judgment of a reply that was read, also if the judge declined."""
    declined = read.cannot_judge
    return replace(
        made,
        unit=_unit(read, made.order),
        reply=read,
        failure="the judge declined to judge" if declined else "",
        kind="JudgeRefused" if declined else "",
    )


def _parse_reply(reply: Reply, expect: Expect, prompt: Prompt) -> JudgeReply | UnparsedReply:
    return parse(
        reply.text,
        nonce=reply.nonce,
        expect=expect,
        structured=reply.structured,
        given=prompt.given,
    )


def _judges(reply: Reply, *, expect: Expect, prompt: Prompt) -> bool:
    """True if a reply holds a judgment."""
    read = _parse_reply(reply, expect, prompt)
    return isinstance(read, JudgeReply) and not read.cannot_judge


def _unit(reply: JudgeReply, order: str) -> float | None:
    """The judgment from 0 to 1; in the order ``ba`` the judged answer was shown second."""
    if reply.verdict is None:
        return reply.unit
    if reply.verdict is Verdict.TIE:
        return 0.5
    return float((reply.verdict is Verdict.A) == (order != "ba"))


def _reply_to_dict(reply: JudgeReply) -> dict[str, Any]:
    return {
        "raw": reply.score,
        "verdict": reply.verdict.value if reply.verdict else reply.category,
        "rung": reply.rung,
        "nonce_ok": reply.nonce_ok,
        "repairs": list(reply.repairs),
        "confidence": reply.confidence,
        "marks": {mark.id: mark.value for mark in reply.marks} or None,
        "rationale": shorten(reply.rationale, _SHOWN),
        "evidence": shorten(reply.evidence, _SHOWN),
    }
