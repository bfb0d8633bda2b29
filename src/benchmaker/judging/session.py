"""A judge before its samples: every answer is judged by the scorer that judges in runs."""

import asyncio
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from benchmaker.judging.samples import SampleSet, Twin
from benchmaker.record import Completion, Outcome, Score, Trial
from benchmaker.record.calibration import CalibrationItem, Role
from benchmaker.scoring.base import Ask, AskingHalted
from benchmaker.scoring.judge import NULL_BATTERY, Mode
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.scoring.judged.opinions import combine_orders
from benchmaker.spec import Case
from benchmaker.spec.suites.judge import Juror

RECORDED_MODEL = "calibration"
"""The model named for the samples in files of recorded replies."""

OnJudged = Callable[[int, int], object]
"""Called with the number of judged items, and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationQuestion:
    """One item, and the question to the judge about it."""

    item: CalibrationItem
    question: str
    answer: str
    reference: str | None
    repeats: int = 1
    mode: Mode = "absolute"
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CalibrationReplies:
    """The items with the judge's scores, and the hash of the samples' prompt."""

    items: tuple[CalibrationItem, ...]
    prompt_hash: str


async def judge_samples(
    judge: str,
    samples: SampleSet,
    ask: Ask,
    *,
    repeats: int,
    scorer: LLMJudge | None = None,
    at_once: int = 20,
    on_judged: OnJudged | None = None,
) -> CalibrationReplies:
    """Judge every item; items without a judgment have a reason.

    Args:
        judge: the model.
        samples: the set.
        ask: the way to query the judge.
        repeats: number of queries per sample; twins, pairs and nulls are judged once.
        scorer: the judging scorer; None for the bundled instructions, which pairs always use.
        at_once: number of items judged in parallel.
        on_judged: called with the progress.
    """
    questions = list(plan_questions(samples, repeats=repeats))
    room = asyncio.Semaphore(at_once)
    done = 0

    async def one(it: CalibrationQuestion) -> tuple[CalibrationItem, str]:
        nonlocal done
        async with room:
            found = await _judge_item(judge, it, ask, scorer or LLMJudge())
        done += 1
        if on_judged is not None:
            on_judged(done, len(questions))
        return found

    ended = await asyncio.gather(*map(one, questions))
    hashes = (said for item, said in ended if item.role == "sample" and said)
    return CalibrationReplies(tuple(item for item, _ in ended), next(hashes, ""))


def plan_questions(samples: SampleSet, *, repeats: int) -> Iterator[CalibrationQuestion]:
    """Yield the questions, samples first."""
    for it in samples.samples:
        item = CalibrationItem(
            id=it.id, kind=it.kind, expected=it.expected, tolerance=it.tolerance,
            author=it.author, ratings=it.ratings,
        )  # fmt: skip
        yield CalibrationQuestion(
            item=item, question=it.question, answer=it.answer, reference=it.reference,
            repeats=repeats, parameters=it.parameters,
        )  # fmt: skip
    yield from (_twin(twin, "doubled") for twin in samples.doubled)
    yield from (_twin(twin, "clean") for twin in samples.clean)
    for first, second in samples.pairs:
        name = f"{first.id}+{second.id}"
        item = CalibrationItem(id=name, role="pair", of=first.id)
        yield CalibrationQuestion(
            item=item, question=first.question, answer=first.answer, reference=second.answer,
            mode="pairwise",
        )  # fmt: skip
    for at in samples.nulls:
        for null in NULL_BATTERY:
            item = CalibrationItem(
                id=f"{at.id.partition('-')[0]}-null-{null.id}", kind=null.kind, role="null"
            )
            yield CalibrationQuestion(
                item=item, question=at.question, answer=null.text, reference=at.reference,
                parameters=at.parameters,
            )  # fmt: skip


def _twin(twin: Twin, role: Role) -> CalibrationQuestion:
    of = twin.of
    item = CalibrationItem(id=f"{of.id}-{role}", kind=of.kind, role=role, of=of.id)
    return CalibrationQuestion(
        item=item, question=of.question, answer=twin.answer, reference=of.reference,
        parameters=of.parameters,
    )  # fmt: skip


async def _judge_item(
    judge: str, it: CalibrationQuestion, ask: Ask, template: LLMJudge
) -> tuple[CalibrationItem, str]:
    template = LLMJudge(mode="pairwise") if it.mode == "pairwise" else template
    scorer = dataclasses.replace(
        template, models=(Juror(judge),), repeats=it.repeats, **it.parameters
    )
    case = Case(id=it.item.id, prompt=it.question or "(no question)", expected=it.reference)
    try:
        score = await scorer.score(case, _trial(it), ask)
    except AskingHalted as exc:
        return _failed_item(it, str(exc)), ""
    return _read_replies(it, score), score.detail.get("prompt_hash", "")


def _read_replies(it: CalibrationQuestion, score: Score) -> CalibrationItem:
    """Read one value for each requested reply, in its place."""
    singles: list[dict[str, Any]] = score.detail.get("singles", [])
    if not singles:
        return _failed_item(it, score.notes)
    ordered = sorted(singles, key=lambda one: (one["repeat"], one.get("order", "")))
    if it.mode == "absolute" and ordered[0].get("order"):
        ordered = [_both_orders(one, two) for one, two in zip(*[iter(ordered)] * 2, strict=True)]
    return replace(
        it.item,
        units=tuple(one.get("unit") for one in ordered),
        failures=_failures([one.get("failure", "") for one in ordered]),
    )


def _both_orders(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    """One judgment out of both orders of a sample that is judged in pairs."""
    combined = combine_orders([one.get("unit"), two.get("unit")])
    if combined is not None:
        return {"unit": combined[0]}
    return {"failure": one.get("failure") or two.get("failure") or "one order is missing"}


def _failed_item(it: CalibrationQuestion, reason: str) -> CalibrationItem:
    replies = it.repeats if it.mode == "absolute" else 2
    return replace(it.item, units=(None,) * replies, failures=(reason,) * replies)


def _failures(reasons: list[str]) -> tuple[str, ...]:
    return tuple(reasons) if any(reasons) else ()


def _trial(it: CalibrationQuestion) -> Trial:
    return Trial(
        run_id="",
        case_id=it.item.id,
        model=RECORDED_MODEL,
        position=0,
        outcome=Outcome.SCORED,
        completion=Completion(text=it.answer),
    )
