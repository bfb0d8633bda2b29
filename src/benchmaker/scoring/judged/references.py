"""A judge's preparations for a case: a reference, a false one, a checklist.

Nothing in it depends on the answer, so that the question is the same for every answer to the case,
and is sent once for all runs, which keeps them comparable.
"""

from collections.abc import Callable
from typing import TypeVar

from benchmaker.errors import JudgeUnparsable
from benchmaker.scoring.base import Question, Reply
from benchmaker.scoring.judge import (
    JudgeCriterion,
    Prompt,
    UnparsedReply,
    checklist_making_prompt,
    checklist_schema,
    false_reference_prompt,
    fresh_nonce,
    parse_checklist,
    parse_reference,
    reference_prompt,
    with_complaint,
)
from benchmaker.scoring.judged.one_judgment import (
    AskContext,
    FreshReplyCounter,
    Written,
    attempt_numbers,
)

T = TypeVar("T")


async def own_reference(asking: AskContext, question: str, *, judge: str, limit: int) -> str:
    """The judge's own answer to the question."""

    def write_prompt(nonce: str) -> Prompt:
        return reference_prompt(question, nonce=nonce, limit=limit)

    return await _ask_for(asking, write_prompt, _reference, judge=judge, purpose="reference")


async def false_reference(
    asking: AskContext, question: str, *, judge: str, reference: str | None, limit: int
) -> str:
    """A plausible answer that is wrong."""

    def write_prompt(nonce: str) -> Prompt:
        return false_reference_prompt(question, nonce=nonce, reference=reference, limit=limit)

    return await _ask_for(asking, write_prompt, _reference, judge=judge, purpose="false_reference")


async def checklist(
    asking: AskContext, question: str, *, judge: str, reference: str | None, limit: int
) -> tuple[JudgeCriterion, ...]:
    """Questions to be answered by yes or no, made for the case."""

    def write_prompt(nonce: str) -> Prompt:
        return checklist_making_prompt(question, nonce=nonce, reference=reference, limit=limit)

    return await _ask_for(
        asking, write_prompt, _checklist, judge=judge, purpose="checklist", schema=True
    )


async def _ask_for(
    asking: AskContext,
    written: Written,
    read: Callable[[Reply], T | UnparsedReply],
    *,
    judge: str,
    purpose: str,
    schema: bool = False,
) -> T:
    """Return the judge's text.

    Raises:
        ProviderError: the judge is unavailable.
        JudgeUnparsable: its reply is unusable after two retries.
    """
    problem: UnparsedReply | None = None
    for attempt in attempt_numbers(asking.ask, fresh := FreshReplyCounter()):
        prompt = written(fresh_nonce(avoid=asking.texts))
        if problem is not None:
            prompt = with_complaint(prompt, problem)
        reply = await asking.ask.ask(
            Question(
                model=judge,
                messages=prompt.messages,
                nonce=prompt.nonce,
                parameters=asking.parameters,
                schema=checklist_schema() if schema else None,
                attempt=attempt,
                purpose=purpose,
                case_id=asking.case_id,
                is_usable=lambda reply: not isinstance(read(reply), UnparsedReply),
            )
        )
        fresh.note(reply)
        asking.beforehand.append(reply.key)
        made = read(reply)
        if not isinstance(made, UnparsedReply):
            return made
        problem = made
        if not reply.nonce:
            break
    reason = problem.reason if problem else ""
    raise JudgeUnparsable(f"the {purpose} of judge {judge} is unusable: {reason}.")


def _reference(reply: Reply) -> str | UnparsedReply:
    return parse_reference(reply.text)


def _checklist(reply: Reply) -> tuple[JudgeCriterion, ...] | UnparsedReply:
    return parse_checklist(reply.text, nonce=reply.nonce, structured=reply.structured)
