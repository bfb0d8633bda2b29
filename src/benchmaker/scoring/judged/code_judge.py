"""Web pages judged by behaviour: measured by the probe, and by a judge model if named."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Protocol, cast

from pydantic import Field

from benchmaker.errors import RenderError, ScorerError, SpecError, TrialError
from benchmaker.plugins import scorer
from benchmaker.record import (
    JUDGE_FAILED,
    NO_CODE,
    WITHOUT_JUDGE,
    WITHOUT_MEASURE,
    Outcome,
    ProbeReport,
    Score,
    Shot,
    Trial,
)
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.scoring.base import Ask, Picture
from benchmaker.scoring.code import checks_passed, cited_facts, evidence_of, score_probe, total
from benchmaker.scoring.code.claim_check import CitedFacts
from benchmaker.scoring.code.criteria import WEIGHTS, CriterionRating
from benchmaker.scoring.code.evidence import Evidence
from benchmaker.scoring.code.explanation import explanation_lines
from benchmaker.scoring.code.probe_score import ProbeScore
from benchmaker.scoring.code.prompt import (
    EXPECT,
    QUICK,
    CodeExcerpt,
    PictureList,
    code_prompt,
    excerpt_code,
)
from benchmaker.scoring.judge import CriterionMark, Prompt, find_suspicions, transcript
from benchmaker.scoring.judge.nonce import LIMIT
from benchmaker.scoring.judged.one_judgment import AskContext, SingleJudgment, ask_judge
from benchmaker.scoring.judged.panel import Opinion, panel
from benchmaker.spec import Case, Parameters
from benchmaker.spec.suites.judge import Juror, Jurors, Repeats

NOT_RENDERED = "not_rendered"
NO_VISION = "no_vision"
JUDGE_CONTRADICTION = "judge_contradiction"
JUDGE_UNCITED = "judge_uncited"
QUICK_CUT = "quick_cut"
PANEL_INCOMPLETE = "panel_incomplete"
SUSPICIOUS = "suspicious_answer"

MOST_FRAMES = 12
"""The pictures of steps that a judge is sent beside the screenshots."""

_HALF = 0.5
_NO_CODE_WORDS = "The answer has no code."
_WORDS = {
    Outcome.EMPTY: "The answer is empty.",
    Outcome.REFUSED: "The model refused to answer.",
    Outcome.FILTERED: "The answer was filtered.",
    Outcome.TRUNCATED: "The answer was cut off.",
    Outcome.CONTEXT_OVERFLOW: "The prompt is longer than the model's context.",
}
_Written = Callable[[str], Prompt]


class PreparingAsk(Protocol):
    """An :class:`~benchmaker.scoring.base.Ask` that also returns the prepared answer."""

    async def prepared_answer(self, case: Case, trial: Trial) -> PreparedAnswer:
        """Return the code of the answer, and the observed behaviour of its page."""


@scorer(id="code_judge")
@dataclass(frozen=True, slots=True, kw_only=True)
class CodeJudge:
    """Scores a web page on evidence: rendered, exercised, measured, and judged for looks and code.

    Visual accuracy counts 40, code quality 30, functionality 20 and responsiveness 10, each from 0
    to 100; the program sums, never the judge. Functionality is measured by the case's checks (the
    main part), dead controls and errors; responsiveness by the probe alone. A judge gives visual
    accuracy and code quality: it is shown the prompt, the code, the report and, with ``vision``,
    screenshots at all widths and pictures of the checks' steps. Cited facts that contradict the
    report are removed and counted, and a level based only on such facts is not used. If the case
    has a ``reference`` screenshot, the similarity is half of visual accuracy.

    After an error on load functionality is at most 60; a page that hangs or stays blank has 0, and
    at most 5 for its looks. An answer without code has 0 and passes no check. The share of the
    case's checks that the page passes is kept with the total. Without a judge there is no total:
    that share is the score, with a flag. Without a judge and checks, no answer has a score, not
    even one without code.

    ``quick`` shows the judge only the first 5,000 characters of the code, with a flag. Each judge
    is queried ``repeats`` times; the median counts. Several ``models`` form a panel.

    Example::

        scorer: {id: code_judge, repeats: 3}
        judge: {models: [openai/gpt-4o]}
    """

    asks: ClassVar[bool] = True
    prepares: ClassVar[str] = "benchmaker.arenas.code.prepare:Pages"
    may_lack_judges: ClassVar[bool] = True
    default_threshold: ClassVar[float] = 0.5

    models: Jurors = ()
    repeats: Repeats = 1
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.3
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, Field(ge=1)] = 2048
    quick: bool = False
    vision: bool = False
    limit: Annotated[int, Field(ge=100)] = LIMIT
    instructions: str | None = None
    weights_from: Literal["as given", "calibrated"] = "as given"

    def __post_init__(self) -> None:
        names = [juror.model for juror in self.models]
        if len(set(names)) < len(names):
            raise SpecError("duplicate judge.", hint="To query a judge repeatedly, use repeats.")
        weights = [juror.weight for juror in self.models if juror.weight is not None]
        if weights and (len(weights) < len(self.models) or sum(weights) <= 0):
            raise SpecError(
                "invalid weights of the judges.", hint="Set the weights of all judges or of none."
            )

    async def score(self, case: Case, trial: Trial, ask: Ask) -> Score:
        """Return the score of the page in an answer.

        Raises:
            ScorerError: no browser is available to render pages.
            AskingHalted: this session renders and queries nothing more.
        """
        if not callable(getattr(ask, "prepared_answer", None)):
            raise ScorerError(
                "this command does not render pages.", hint="Use: benchmaker code run"
            )
        try:
            prepared = await cast("PreparingAsk", ask).prepared_answer(case, trial)
        except RenderError as exc:
            return Score.unscored(exc.message, flags=(NOT_RENDERED, JUDGE_FAILED))
        artifact, report = prepared.artifact, prepared.report
        if report is None:
            kept = {"kind": artifact.kind.value, "reason": artifact.reason}
            return self._without_page(case, artifact.reason or _NO_CODE_WORDS, (NO_CODE,), kept)
        found = score_probe(prepared, case.page)
        if not self.models:
            return _score_checks(_detail(prepared, found, case), found.flags)
        judging = _PageJudging(self, case, trial, ask, prepared, found, evidence_of(report))
        return await judging.score()

    def zero_score(self, case: Case, outcome: Outcome, reason: str) -> Score:
        """Return the 0 of an answer that the suite's policy does not score: no check passes.

        It has no score where no page could have one: without a judge and without checks.
        """
        flags = () if outcome is Outcome.TRUNCATED else (NO_CODE,)
        has_score = self.models or checks_passed(None, case.page)
        words = reason if has_score else _WORDS.get(outcome, f"{outcome}.")
        return self._without_page(case, words, flags, {})

    def _without_page(
        self, case: Case, reason: str, flags: tuple[str, ...], kept: dict[str, Any]
    ) -> Score:
        """The score without a page, which needs no reply of a judge: 0, and no check passes.

        Where no page could have a score, this answer has none either: a mean over such zeros would
        be a mean over failures alone.
        """
        found = checks_passed(None, case.page)
        detail = {**kept, "checks": None if found is None else found.to_dict()}
        if not self.models and found is None:
            why = f"{reason} It has no score: no judge, and no checks of the case"
            return Score(score=None, notes=why, detail=detail, flags=(*flags, WITHOUT_MEASURE))
        flags = flags if self.models else (*flags, WITHOUT_JUDGE)
        return Score.of(0.0, notes=reason, detail=detail, flags=flags)

    def prompt_hash(self, *, with_reference: bool) -> str | None:  # noqa: ARG002  as other judges
        """Return the hash of its prompt, which does not depend on the case."""
        return code_prompt(
            "",
            CodeExcerpt("", 0),
            {},
            nonce="0" * 16,
            limit=self.limit,
            judge_prompt=self.instructions,
        ).hash

    def explain(self, score: Score) -> list[str]:
        """Each figure of each criterion, the caps, the judgments, and both totals."""
        return explanation_lines(score)


@dataclass(frozen=True, slots=True)
class _PageJudging:
    """One page before its judges."""

    judge: CodeJudge
    case: Case
    trial: Trial
    ask: Ask
    prepared: PreparedAnswer
    measured: ProbeScore
    evidence: Evidence

    async def score(self) -> Score:
        """Combine the judges' marks and the probe's facts."""
        code = excerpt_code(self.prepared.artifact, limit=self.limit)
        pictures, listed = self.pictures()
        singles = await self.singles(code, pictures, listed)
        claims = [_claims(it, self.evidence) for it in singles]
        flags = (*self.measured.flags, *self.flags(code, pictures, singles, claims))
        judged = {name: self.judges_value(name, singles) for name in ("visual", "code")}
        detail = _detail(self.prepared, self.measured, self.case)
        detail["singles"] = [
            _judgment_to_dict(one, cited) for one, cited in zip(singles, claims, strict=True)
        ]
        detail["contradictions"] = sum(len(it.contradicting) for it in claims)
        if code.left_out:
            detail["cut"] = {"shown": len(code.text), "left_out": code.left_out}
        if None in judged.values():
            return Score(
                score=None,
                notes=_failure_reason(singles),
                detail=detail,
                flags=(*flags, JUDGE_FAILED),
            )
        rated = {name: self.rate(name, 100 * cast("float", it)) for name, it in judged.items()}
        rated = {name: rated.get(name, it) for name, it in self.measured.rated.items()}
        return _make_score(rated, detail, flags)

    @property
    def limit(self) -> int:
        """Maximum number of characters of the code shown."""
        return min(QUICK, self.judge.limit) if self.judge.quick else self.judge.limit

    def pictures(self) -> tuple[list[Picture], PictureList]:
        """Return the pictures sent along, and the list of them.

        These are the screenshots, then the film strip: the steps after which the page looked
        different, at most :data:`MOST_FRAMES`.
        """
        report = self.prepared.report
        if not self.judge.vision or report is None:
            return [], PictureList()
        shots = sorted(report.screenshots, key=lambda it: it.viewport)
        film = _frames(report)
        sent = [Picture(it.sha256, it.type) for it in (*shots, *(shot for _, _, shot in film))]
        steps = tuple((check, step) for check, step, _ in film)
        return sent, PictureList(tuple(it.viewport for it in shots), steps)

    async def singles(
        self, code: CodeExcerpt, pictures: Sequence[Picture], listed: PictureList
    ) -> list[SingleJudgment]:
        """Query every judge, with all repeats."""
        asking = AskContext(
            ask=self.ask,
            case_id=self.case.id,
            parameters=Parameters.of_record(
                {
                    "temperature": self.judge.temperature,
                    "top_p": self.judge.top_p,
                    "max_tokens": self.judge.max_tokens,
                }
            ),
            texts=(
                transcript(self.case.conversation()),
                code.text,
                "\n".join(self.evidence.values()),
            ),
            pictures=tuple(pictures),
        )
        written = partial(self.prompt, code=code, pictures=listed)
        coming: list[Awaitable[SingleJudgment]] = [
            ask_judge(asking, EXPECT, written, judge=juror.model, repeat=repeat)
            for juror in self.judge.models
            for repeat in range(1, self.judge.repeats + 1)
        ]
        ended = await asyncio.gather(*coming, return_exceptions=True)
        for one in ended:
            if isinstance(one, BaseException) and not isinstance(one, TrialError):
                raise one
        return [one for one in ended if isinstance(one, SingleJudgment)]

    def prompt(self, nonce: str, *, code: CodeExcerpt, pictures: PictureList) -> Prompt:
        """The messages to one judge."""
        return code_prompt(
            transcript(self.case.conversation()), code, self.evidence, nonce=nonce,
            limit=self.judge.limit, judge_prompt=self.judge.instructions, pictures=pictures,
        )  # fmt: skip

    def judges_value(self, name: str, singles: Sequence[SingleJudgment]) -> float | None:
        """Return the judges' mark for a criterion, 0 to 100: the weighted mean of their medians.

        A level that rests on nothing true is not used; None where none is left.
        """
        opinions = list(_opinions(name, self.judge.models, singles, self.evidence))
        weighted = [juror.weight for juror in self.judge.models if juror.weight is not None]
        if not opinions or (weighted and not self._weighs(opinions)):
            return None
        return panel(opinions, self.judge.models, weights_from=self.judge.weights_from).unit

    def _weighs(self, opinions: Sequence[Opinion]) -> bool:
        weights = {juror.model: juror.weight for juror in self.judge.models}
        return any(weights[it.judge] != 0 for it in opinions)

    def rate(self, name: str, value: float) -> CriterionRating:
        """Return the judged criterion under the measured caps; the similarity is half of it."""
        before = self.measured.rated[name]
        match = next((part for part in before.parts if part.name == "match"), None)
        if match is None:
            return CriterionRating(name, value, (), before.caps)
        return CriterionRating(
            name, _HALF * value + _HALF * 100 * match.share, (match,), before.caps
        )

    def flags(
        self,
        code: CodeExcerpt,
        pictures: Sequence[Picture],
        singles: Sequence[SingleJudgment],
        claims: Sequence[CitedFacts],
    ) -> Iterator[str]:
        """Yield flags on the judgments."""
        if not pictures:
            yield NO_VISION
        if code.left_out and self.judge.quick:
            yield QUICK_CUT
        if any(it.contradicting for it in claims):
            yield JUDGE_CONTRADICTION
        if any(it.reply for it in singles) and not any(
            it.held or it.rejected_facts for it in claims
        ):
            yield JUDGE_UNCITED
        if any(it.reply is None for it in singles) and any(it.reply for it in singles):
            yield PANEL_INCOMPLETE
        if find_suspicions(self.trial.text):
            yield SUSPICIOUS


def _frames(report: ProbeReport) -> list[tuple[int, int, Shot]]:
    """Return the pictures of steps, without those that look like an earlier picture."""
    known = {it.sha256 for it in report.screenshots}
    frames = []
    for check, step, shot in report.film_strip:
        if shot.sha256 not in known:
            known.add(shot.sha256)
            frames.append((check.index, step.index, shot))
    return frames[:MOST_FRAMES]


def _failure_reason(singles: Sequence[SingleJudgment]) -> str:
    """Return the reason why there is no usable judgment."""
    reasons = dict.fromkeys(f"{it.judge}: {it.failure}" for it in singles if it.failure)
    return "; ".join(reasons) or "every level rests on facts that the report does not hold"


def _opinions(
    name: str, jurors: Sequence[Juror], singles: Sequence[SingleJudgment], evidence: Evidence
) -> Iterator[Opinion]:
    for juror in jurors:
        own = (it for it in singles if it.judge == juror.model)
        marks = (mark for one in own if (mark := _mark(one, name)) is not None)
        units = tuple(it.unit for it in marks if _stands(it, evidence))
        if units:
            yield Opinion(juror.model, units)


def _mark(one: SingleJudgment, name: str) -> CriterionMark | None:
    if one.reply is None or one.reply.cannot_judge:
        return None
    return next((mark for mark in one.reply.marks if mark.id == name), None)


def _stands(mark: CriterionMark, evidence: Evidence) -> bool:
    """True if a level may be used: False if all facts it cites are wrong."""
    return not cited_facts(mark.evidence, evidence).rests_on_nothing


def _claims(one: SingleJudgment, evidence: Evidence) -> CitedFacts:
    """Return a judge's citations for all criteria."""
    if one.reply is None:
        return CitedFacts((), (), ())
    words = [mark.evidence for mark in one.reply.marks]
    return cited_facts("\n".join([*words, one.reply.evidence, one.reply.rationale]), evidence)


def _judgment_to_dict(one: SingleJudgment, claims: CitedFacts) -> dict[str, Any]:
    """Return a judgment as plain data, with its citations."""
    data = one.to_dict()
    if claims.held:
        data["cited"] = [it.key for it in claims.held]
    if claims.rejected_facts:
        data["lost"] = [[it.key, it.said, it.actual] for it in claims.rejected_facts]
    return data


def _score_checks(detail: dict[str, Any], flags: tuple[str, ...]) -> Score:
    """The score without any judge: the share of the checks that pass."""
    found = detail["checks"]
    if found is None:
        why = "not judged: there is no judge, and the case has no checks that could be tried"
        return Score(score=None, notes=why, detail=detail, flags=(*flags, WITHOUT_MEASURE))
    note = f"{found['passed']} of {found['of']} checks pass; not judged"
    return Score.of(found["share"], notes=note, detail=detail, flags=(*flags, WITHOUT_JUDGE))


def _detail(prepared: PreparedAnswer, found: ProbeScore, case: Case) -> dict[str, Any]:
    report = prepared.report
    return {
        "kind": prepared.artifact.kind.value,
        "outcome": report.outcome.value if report else "",
        "report": prepared.rendering.key if prepared.rendering else "",
        "probe": {name: it.to_dict() for name, it in found.rated.items()},
        **_checks(prepared, case),
    }


def _checks(prepared: PreparedAnswer, case: Case) -> dict[str, Any]:
    found = checks_passed(prepared.report, case.page)
    return {"checks": None if found is None else found.to_dict()}


def _complete_total(values: dict[str, float | None]) -> float | None:
    """The total; None where a criterion is not known."""
    return None if None in values.values() else total(values)


def _make_score(
    rated: dict[str, CriterionRating], detail: dict[str, Any], flags: tuple[str, ...]
) -> Score:
    """Sum the judged criteria; one unknown criterion leaves the page without a score."""
    values = {name: it.value for name, it in rated.items()}
    summed = _complete_total(values)
    detail["criteria"] = {
        name: {**rated[name].to_dict(), "weight": WEIGHTS[name]} for name in WEIGHTS
    }
    detail["total"] = summed
    if summed is None:
        unknown = ", ".join(name for name, value in values.items() if value is None)
        return Score(score=None, notes=f"nothing is known of {unknown}", detail=detail, flags=flags)
    return Score(score=summed / 100, raw_score=summed, max_score=100.0, detail=detail, flags=flags)
