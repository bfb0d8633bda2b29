"""A model as the judge of answers."""

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from benchmaker.errors import JudgeUnparsable, ScorerError, SpecError, TrialError
from benchmaker.plugins import scorer
from benchmaker.record import BASELINE_ITSELF, JUDGE_FAILED, Score, Trial
from benchmaker.scoring.base import Ask
from benchmaker.scoring.judge import (
    Expect,
    JudgeCategory,
    JudgeCriterion,
    Mode,
    OwnInstructions,
    Prompt,
    Scale,
    Suspicion,
    absolute_prompt,
    find_suspicions,
    pairwise_prompt,
    transcript,
)
from benchmaker.scoring.judge.nonce import LIMIT
from benchmaker.scoring.judged.judgment_lines import HALF, judgment_lines
from benchmaker.scoring.judged.one_judgment import AskContext, SingleJudgment, ask_judge
from benchmaker.scoring.judged.opinions import keep_last_judge, opinions_of
from benchmaker.scoring.judged.panel import Opinion, Panel, panel
from benchmaker.scoring.judged.references import checklist, false_reference, own_reference
from benchmaker.spec import Case, Parameters
from benchmaker.spec.suites.judge import Juror, Jurors, Repeats

Share = Annotated[float, Field(ge=0, le=1)]

JUDGE_ABSTAINED = "judge_abstained"
"""The flag of an answer without a score because its judgments differ too much."""

ORDER_DISAGREEMENT = "order_disagreement"
PANEL_INCOMPLETE = "panel_incomplete"
ESCALATED = "escalated"
SUSPICIOUS = "suspicious_answer"
ATTACK = "accepted_under_false_reference"

_AT_ODDS = 0.2
"""Repeats of one judge that lie further apart are a disagreement for the cascade."""


@scorer(id="llm_judge")
@dataclass(frozen=True, slots=True, kw_only=True)
class LLMJudge:
    """Scores by a judge model: on a scale with anchors, against another answer, or by a checklist.

    ``absolute`` scores from 0 to 10 with the published anchors unless another ``scale`` is
    declared; with ``criteria``, the program sums their marks by weight. ``pairwise`` compares with
    the expected answer, or with the answer of the model ``baseline``, in both orders; disagreement
    is a tie. ``checklist`` uses the criteria as yes/no questions, or a list that the judge writes
    once per case.

    ``reference`` is the reference shown to the judge with the answer: the ``expected`` one if there
    is one, its ``own``, written once for each case without an expectation, or ``none``. Each judge
    is queried ``repeats`` times; the median counts. Several ``models`` form a panel, weighted if
    all have weights. With ``cascade`` they are queried in order, the next one only if the one
    before disagrees with itself. ``abstain`` is the maximum difference of judgments (0 to 1),
    beyond which there is no score. With ``counterfactual``, an answer that seems to address its
    judge is also judged against a false reference. ``weights_from`` is the basis of a panel's
    weights; a run sets it if all judges are calibrated.

    A failing judge never gives zero: the answer stays without a score, with the reason.

    Example::

        scorer: {id: llm_judge, criteria: [{id: correct, weight: 3}, {id: brief}]}
        judge: {models: [openai/gpt-4o], repeats: 3}
    """

    asks: ClassVar[bool] = True
    default_threshold: ClassVar[float] = 0.5

    models: Jurors = ()
    mode: Mode = "absolute"
    scale: Scale = field(default_factory=Scale)
    criteria: tuple[JudgeCriterion, ...] = ()
    reference: Literal["expected", "own", "none"] = "expected"
    baseline: str | None = None
    ties: bool = True
    repeats: Repeats = 1
    cascade: bool = False
    abstain: Share | None = None
    counterfactual: bool = False
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.1
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, Field(ge=1)] = 2048
    limit: Annotated[int, Field(ge=100)] = LIMIT
    instructions: str | None = None
    weights_from: Literal["as given", "calibrated"] = "as given"

    shows_context: ClassVar[bool] = False

    def __post_init__(self) -> None:
        names = [juror.model for juror in self.models]
        if len(set(names)) < len(names):
            raise SpecError("duplicate judge.", hint="To query a judge repeatedly, use repeats.")
        weighted = [juror.weight is not None for juror in self.models]
        if any(weighted) and not all(weighted):
            raise SpecError(
                "some judges have a weight, others have none.",
                hint="Set the weights of all judges or of none.",
            )
        if all(weighted) and sum(juror.weight or 0.0 for juror in self.models) <= 0 and weighted:
            raise SpecError(
                "the weights of all judges are 0.", hint="Give at least one judge a weight above 0."
            )
        if self.baseline is not None and self.mode != "pairwise":
            raise SpecError(
                "a baseline needs pairwise mode.",
                hint="Set mode: pairwise, or remove the baseline.",
            )
        try:
            self.expected_reply  # noqa: B018  it raises
        except ValueError as exc:
            raise SpecError(f"{exc}.") from exc

    def check(self, case: Case) -> list[str]:
        """A pair needs something to compare with."""
        if self.mode == "pairwise" and self.baseline is None and case.expected is None:
            return ["a pairwise judge needs an expected answer or a baseline model."]
        return []

    async def score(self, case: Case, trial: Trial, ask: Ask) -> Score:
        """Return the judges' score of the answer.

        Raises:
            ScorerError: no judge is configured.
            AskingHalted: no further questions are sent to judges in this session.
        """
        if not self.models:
            raise ScorerError(
                "no judge given.", hint="Set judge: in the suite, or add --judge MODEL."
            )
        if self.mode == "pairwise" and trial.model == self.baseline:
            return Score.of(HALF, notes="the baseline itself", flags=(BASELINE_ITSELF,))
        try:
            judging = await self._prepare(case, trial, ask)
        except TrialError as exc:
            return _missing_score(exc.message, JUDGE_FAILED, {"kind": type(exc).__name__})
        return await judging.score()

    def prompt_hash(self, *, with_reference: bool) -> str | None:
        """Return the hash of its prompt; None if each case has its own checklist.

        Args:
            with_reference: whether the case has an expected answer.
        """
        if self.mode == "checklist" and not self.criteria:
            return None
        expect, nonce, own = self.expected_reply, "0" * 16, self.judge_prompt()
        is_pair = self.mode == "pairwise"
        is_shown = with_reference and self.reference == "expected" and not is_pair
        reference = "" if is_shown or self.reference == "own" else None
        if is_pair:
            return pairwise_prompt(
                "", "", "", nonce=nonce, expect=expect, reference=reference, judge_prompt=own
            ).hash
        return absolute_prompt(
            "", "", nonce=nonce, expect=expect, reference=reference, judge_prompt=own,
            context="" if self.shows_context else None,
        ).hash  # fmt: skip

    def judge_prompt(self, case: Case | None = None) -> OwnInstructions:  # noqa: ARG002  for kinds
        """Return the instructions for a case, or for any; None for the bundled ones of the mode."""
        return self.instructions

    def reference_of(self, case: Case) -> str | None:
        """Return the case's reference to show; None if there is none."""
        return None if self.reference == "none" else case.expected

    def context_of(self, case: Case) -> str | None:  # noqa: ARG002  for kinds
        """Return the material on which an answer must rest; None if none is shown."""
        return None

    def reason_of(self, singles: Sequence[dict[str, Any]]) -> str:  # noqa: ARG002  for kinds
        """Return the note of a score, out of its judgments; ``explain`` shows each of them."""
        return ""

    @property
    def categories(self) -> tuple[JudgeCategory, ...]:
        """The categories to choose from; none for a score."""
        return ()

    @property
    def expected_reply(self) -> Expect:
        """The form of reply requested; one criterion represents a list written for a case."""
        return self._expect(self.criteria or (JudgeCriterion("made", "made for each case"),))

    def explain(self, score: Score) -> list[str]:
        """Return each single judgment, and the program's arithmetic."""
        return list(judgment_lines(score))

    async def _prepare(self, case: Case, trial: Trial, ask: Ask) -> "_AnswerJudging":
        """Collect everything needed before the answer can be judged."""
        question = transcript(case.conversation())
        rival = await self._rival(case, ask) if self.mode == "pairwise" else None
        context = self.context_of(case)
        texts = (question, trial.text, case.expected or "", rival or "", context or "")
        asking = AskContext(
            ask=ask,
            case_id=case.id,
            parameters=Parameters.of_record(
                {
                    "temperature": self.temperature,
                    "top_p": self.top_p,
                    "max_tokens": self.max_tokens,
                }
            ),
            texts=texts,
        )
        first = self.models[0].model
        reference = None if rival is not None else self.reference_of(case)
        if self.reference == "own" and reference is None:
            reference = await own_reference(asking, question, judge=first, limit=self.limit)
        criteria = self.criteria
        if self.mode == "checklist" and not criteria:
            criteria = await checklist(
                asking, question, judge=first, reference=reference, limit=self.limit
            )
        return _AnswerJudging(
            judge=self,
            asking=asking,
            expect=self._expect(criteria),
            question=question,
            answer=trial.text,
            rival=rival,
            reference=reference,
            context=context,
            instructions=self.judge_prompt(case),
            signs=find_suspicions(trial.text),
        )

    async def _rival(self, case: Case, ask: Ask) -> str:
        """The answer to compare with."""
        if self.baseline is None:
            if case.expected is None:
                raise JudgeUnparsable("there is nothing to compare the answer with.")
            return case.expected
        answer_of = getattr(ask, "answer_of", None)
        found = await answer_of(self.baseline, case.id) if answer_of else None
        if found is None:
            raise JudgeUnparsable(f"the baseline {self.baseline} has no answer to this case.")
        return str(found)

    def _expect(self, criteria: tuple[JudgeCriterion, ...]) -> Expect:
        kept = criteria if self.mode == "checklist" or self.criteria else ()
        return Expect(
            mode=self.mode, scale=self.scale, criteria=kept, ties=self.ties,
            categories=self.categories,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnswerJudging:
    """One answer before its judges."""

    judge: LLMJudge
    asking: AskContext
    expect: Expect
    question: str
    answer: str
    rival: str | None
    reference: str | None
    context: str | None
    instructions: OwnInstructions
    signs: tuple[Suspicion, ...]

    async def score(self) -> Score:
        singles = await self._singles()
        opinions = list(opinions_of(singles, pairs=self.rival is not None))
        detail = self._detail(singles)
        flags = [*self._flags(singles, opinions)]
        if not opinions:
            return _failed_score(singles, detail, flags)
        if not self._have_weight(opinions):
            return _missing_score(
                "only judges without a weight gave a judgment", JUDGE_FAILED, detail
            )
        made = panel(opinions, self.judge.models, weights_from=self.judge.weights_from)
        detail |= made.to_dict()
        if self.judge.abstain is not None and self._disagreement(made) > self.judge.abstain:
            reason = f"the judgments lie {self._disagreement(made):.2f} apart"
            return _missing_score(reason, JUDGE_ABSTAINED, detail, flags)
        if self.judge.counterfactual and SUSPICIOUS in flags:
            flags += await self._counterfactual(made.unit, detail)
        return self._make_score(made, detail, flags)

    def _make_score(self, made: Panel, detail: dict[str, Any], flags: Sequence[str]) -> Score:
        scale = self.judge.scale
        has_raw = self.judge.mode == "absolute" and not self.judge.categories
        return Score(
            score=made.unit,
            confidence=made.agreement,
            notes=_count_note(detail["singles"]) or self.judge.reason_of(detail["singles"]),
            raw_score=scale.from_unit(made.unit) if has_raw else None,
            max_score=scale.maximum if has_raw else None,
            detail=detail,
            flags=tuple(flags),
        )

    def _have_weight(self, opinions: Sequence[Opinion]) -> bool:
        """True if one of the judges with an opinion has weight."""
        weights = {juror.model: juror.weight for juror in self.judge.models}
        return any(weights[it.judge] != 0 for it in opinions)

    async def _singles(self) -> list[SingleJudgment]:
        """Every judgment; in a cascade judge by judge, until one agrees with itself."""
        if not self.judge.cascade:
            return await _gather(it for juror in self.judge.models for it in self._requests(juror))
        singles: list[SingleJudgment] = []
        last: list[SingleJudgment] = []
        for juror in self.judge.models:
            last = await _gather(self._requests(juror))
            singles += last
            if not self._is_at_odds(last):
                return last if len(singles) == len(last) else keep_last_judge(singles, last)
        return keep_last_judge(singles, last)

    def _requests(self, juror: Juror) -> Iterator[Awaitable[SingleJudgment]]:
        orders = ("",) if self.rival is None else ("ab", "ba")
        for repeat in range(1, self.judge.repeats + 1):
            for order in orders:
                yield ask_judge(
                    self.asking,
                    self.expect,
                    partial(self._prompt, order=order, reference=self.reference),
                    judge=juror.model,
                    repeat=repeat,
                    order=order,
                )

    def _prompt(self, nonce: str, *, order: str, reference: str | None) -> Prompt:
        own, limit = self.instructions, self.judge.limit
        if self.rival is None:
            return absolute_prompt(
                self.question, self.answer, nonce=nonce, expect=self.expect,
                reference=reference, context=self.context, judge_prompt=own, limit=limit,
            )  # fmt: skip
        first, second = self.answer, self.rival
        if order == "ba":
            first, second = second, first
        return pairwise_prompt(
            self.question, first, second, nonce=nonce, expect=self.expect,
            reference=reference, judge_prompt=own, limit=limit,
        )  # fmt: skip

    def _is_at_odds(self, singles: Sequence[SingleJudgment]) -> bool:
        """True if a judge's own judgments disagree, or it has none."""
        opinions = list(opinions_of(singles, pairs=self.rival is not None))
        return not opinions or any(it.disagrees or it.spread > _AT_ODDS for it in opinions)

    def _disagreement(self, made: Panel) -> float:
        """Return the spread of the judgments; both orders of a pair count separately."""
        if any(it.disagrees for it in made.opinions):
            return 1.0
        return made.spread

    def _flags(
        self, singles: Sequence[SingleJudgment], opinions: Sequence[Opinion]
    ) -> Iterator[str]:
        if any(it.disagrees for it in opinions):
            yield ORDER_DISAGREEMENT
        if opinions and any(it.failure for it in singles):
            yield PANEL_INCOMPLETE
        if self.judge.cascade and any(it.judge != self.judge.models[0].model for it in singles):
            yield ESCALATED
        if self.signs:
            yield SUSPICIOUS

    def _detail(self, singles: Sequence[SingleJudgment]) -> dict[str, Any]:
        detail: dict[str, Any] = {
            "mode": self.judge.mode,
            "reference": self._reference_text(),
            "prompt_hash": next((it.prompt_hash for it in singles if it.prompt_hash), ""),
            "singles": [it.to_dict() for it in singles],
        }
        if self.asking.beforehand:
            detail["beforehand"] = [*self.asking.beforehand]
        if self.signs:
            detail["suspicions"] = [[it.kind, it.start, it.excerpt] for it in self.signs]
        return detail

    def _reference_text(self) -> str:
        if self.rival is not None:
            return self.judge.baseline or "expected"
        if self.reference is None:
            return "none"
        return "own" if self.judge.reference == "own" else "expected"

    async def _counterfactual(self, unit: float, detail: dict[str, Any]) -> tuple[str, ...]:
        """The answer judged against a false reference: right under both is right by neither."""
        judge = self.judge.models[0].model
        try:
            wrong = await false_reference(
                self.asking, self.question, judge=judge, reference=self.reference,
                limit=self.judge.limit,
            )  # fmt: skip
        except TrialError as exc:
            detail["counterfactual"] = {"failure": exc.message}
            return ()
        detail["beforehand"] = [*self.asking.beforehand]
        order = "" if self.rival is None else "ab"
        again = await ask_judge(
            self.asking,
            self.expect,
            partial(self._prompt, order=order, reference=wrong),
            judge=judge,
            repeat=1,
            order=order,
            purpose="counterfactual",
        )
        detail["counterfactual"] = again.to_dict()
        accepted = again.unit is not None and min(unit, again.unit) >= HALF
        return (ATTACK,) if accepted else ()


async def _gather(coming: Iterator[Awaitable[SingleJudgment]]) -> list[SingleJudgment]:
    """All of them side by side; each is waited for before what stops one is raised on."""
    ended = await asyncio.gather(*coming, return_exceptions=True)
    for one in ended:
        if isinstance(one, BaseException):
            raise one
    return [one for one in ended if isinstance(one, SingleJudgment)]


def _failed_score(
    singles: Sequence[SingleJudgment], detail: dict[str, Any], flags: Sequence[str]
) -> Score:
    reasons = dict.fromkeys(f"{it.judge}: {it.failure}" for it in singles if it.failure) or {
        "one order of the pair is missing": None
    }
    return _missing_score("; ".join(reasons), JUDGE_FAILED, detail, flags)


def _missing_score(
    reason: str, flag: str, detail: dict[str, Any], flags: Sequence[str] = ()
) -> Score:
    return Score(score=None, notes=reason, detail=detail, flags=(*flags, flag))


def _count_note(singles: Sequence[dict[str, Any]]) -> str:
    """Return the number of judgments out of those requested; empty if complete."""
    given = sum("failure" not in one for one in singles)
    return f"{given} of {len(singles)} judgments" if given < len(singles) else ""
