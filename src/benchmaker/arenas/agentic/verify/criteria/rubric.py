"""Criterion: a judge reads the named files by a rubric."""

from benchmaker.arenas.agentic.verify.criterion_context import GradingContext, Jury, Unreadable
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error_with,
    fail_with,
    one_line,
    skip_with,
)
from benchmaker.errors import BenchmakerError
from benchmaker.record import Completion, Outcome, Trial
from benchmaker.scoring.base import AskingHalted
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.spec import Case
from benchmaker.spec.suites.judge import Juror
from benchmaker.spec.tasks.criterion import LlmRubric

_CHARACTERS = 200_000
_FILES = 50


async def llm_rubric(criterion: LlmRubric, place: GradingContext) -> Finding:
    """The files are data between markers; the judge's score must reach the bound."""
    jury = place.jury
    models = (Juror(criterion.judge),) if criterion.judge else jury.spec.models if jury else ()
    if jury is None or not models:
        return skip_with("no judge given")
    found = [path for path in place.paths(criterion.paths) if place.size(path) is not None]
    if not found:
        return fail_with(f"no such files: {', '.join(criterion.paths)}")
    try:
        text = _files_text(place, found)
    except Unreadable as exc:
        return fail_with(str(exc))
    return await _judge(criterion, place, jury, models, text)


async def _judge(
    criterion: LlmRubric, place: GradingContext, jury: Jury, models: tuple[Juror, ...], text: str
) -> Finding:
    spec = jury.spec
    judge = LLMJudge(
        models=models,
        reference="none",
        repeats=spec.repeats,
        temperature=spec.temperature,
        max_tokens=spec.max_tokens,
        limit=_CHARACTERS,
        instructions=criterion.rubric,
    )
    case = Case(id=f"{place.spec.id}/{criterion.id}", prompt=place.spec.prompt)
    trial = Trial(
        run_id="verification",
        case_id=case.id,
        model="submission",
        position=0,
        outcome=Outcome.SCORED,
        completion=Completion(text=text),
    )
    try:
        score = await judge.score(case, trial, jury.ask)
    except AskingHalted as exc:
        return error_with(f"stopped querying the judge: {one_line(str(exc))}")
    except BenchmakerError as exc:
        return error_with(f"the judge failed: {exc}")
    if score.score is None:
        return error_with(f"the judge gave no score: {one_line(score.notes)}")
    said = f"{score.score:.2f}, at least {criterion.at_least:g} needed. {score.notes}"
    return Finding.of(is_met=score.score >= criterion.at_least, evidence=one_line(said, 1000))


def _files_text(place: GradingContext, found: list[str]) -> str:
    """The files with their names; more than a judge can read is refused, never cut."""
    if len(found) > _FILES:
        raise Unreadable(f"{len(found)} files exceed the limit for a judge ({_FILES})")
    text = "\n\n".join(f"File {path}:\n{place.text(path)}" for path in found)
    if len(text) > _CHARACTERS:
        raise Unreadable(f"the files exceed the limit for a judge ({_CHARACTERS:,} characters)")
    return text
