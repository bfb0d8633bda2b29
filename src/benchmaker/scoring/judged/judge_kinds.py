"""Scorers that let a model judge one property of an answer, in one request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from benchmaker.plugins import scorer
from benchmaker.scoring.base import Objection
from benchmaker.scoring.checks.values import Texts
from benchmaker.scoring.judge import JudgeCategory, Mode, OwnInstructions, Scale
from benchmaker.scoring.judged.judge_kind import JudgeKind, UnreferencedKind
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.spec import Case

Share = Annotated[float, Field(ge=0, le=1)]
Relation = Literal["equal", "immaterial", "superset", "subset", "disagree"]

_EMPTY = "the text is empty."
_MEANINGS: dict[Relation, str] = {
    "equal": "the answer states the same facts as the reference",
    "immaterial": "the answer and the reference differ, but not in the facts asked for",
    "superset": "the answer states all facts of the reference and more, without a contradiction",
    "subset": "the answer states some facts of the reference, without a contradiction",
    "disagree": "a fact of the answer contradicts the reference, or it states no fact asked for",
}
_RELATED: dict[Relation, float] = {
    "equal": 1.0,
    "immaterial": 1.0,
    "superset": 1.0,
    "subset": 1.0,
    "disagree": 0.0,
}

_OF_RUBRIC = Scale(
    anchors={
        10: "meets the rubric in full",
        "7-9": "meets it but for details",
        "4-6": "meets half of it",
        "1-3": "meets little of it",
        0: "does not meet it",
    }
)
_OF_CRITERIA = Scale(
    anchors={
        10: "fulfils the criteria in full",
        "7-9": "fulfils them with small faults",
        "4-6": "fulfils them in part",
        "1-3": "fulfils little of them",
        0: "does not fulfil them",
    }
)
_OF_RELEVANCE = Scale(
    anchors={
        10: "addresses the whole question, and nothing else",
        "7-9": "addresses it, with a small omission or digression",
        "4-6": "addresses half of it, or as much else",
        "1-3": "touches it in passing",
        0: "does not address it",
    }
)
_OF_CONTEXT = Scale(
    anchors={
        10: "the context supports every claim",
        "7-9": "it supports all but minor claims",
        "4-6": "it supports about half of the claims",
        "1-3": "it supports few claims",
        0: "it supports no claim, or contradicts what the answer mainly says",
    }
)


@scorer(id="rubric")
@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric(JudgeKind):
    """Scores how well an answer meets a rubric in words, by a judge model.

    ``value`` is the rubric. Without it the case's ``expected`` text is the rubric; with it, that
    text is shown to the judge as a reference, if there is one. The judge scores from 0 (not met) to
    10 (met in full). ``calibrate --scorer rubric`` applies to every rubric. Judges, repeats and
    panels as for ``llm_judge``.

    Example::

        scorer: {id: rubric, value: Names the cause and gives one example.}
        judge: {models: [openai/gpt-4o]}
    """

    prompt_name: ClassVar[str] = "rubric"
    value: str | None = None
    scale: Scale = field(default=_OF_RUBRIC, init=False, repr=False)

    def faults(self) -> list[Objection]:
        """Report an empty rubric."""
        is_empty = self.value is not None and not self.value.strip()
        return [Objection(("value",), _EMPTY)] if is_empty else []

    def check(self, case: Case) -> list[str]:
        """Report a case without a rubric."""
        return _missing_text("rubric", self.value, case)

    def prompt_values(self, case: Case | None) -> dict[str, str]:
        """The rubric."""
        return {"rubric": self.value or _expectation(case)}

    def reference_of(self, case: Case) -> str | None:
        """Return the expected answer, unless it is the rubric."""
        return None if self.value is None else LLMJudge.reference_of(self, case)


@scorer(id="g_eval")
@dataclass(frozen=True, slots=True, kw_only=True)
class GEval(JudgeKind):
    """Scores an answer by criteria in words, in steps that the judge takes in order.

    ``value`` states the criteria, ``steps`` are the steps of the evaluation. One of them is enough:
    without ``steps`` the judge derives steps from the criteria, and without both the case's
    ``expected`` text states the criteria. The judge scores from 0 to 10, once, in one request.
    Judges, repeats and panels as for ``llm_judge``.

    Source: Liu et al. 2023, G-Eval (arXiv:2303.16634). The score is the one that the judge gives,
    not weighted by the probabilities of its tokens; ``repeats`` measure its spread.

    Example::

        scorer:
          id: g_eval
          value: The answer is coherent.
          steps: [Read the answer., Look for sentences that contradict each other.]
        judge: {models: [openai/gpt-4o]}
    """

    prompt_name: ClassVar[str] = "g_eval"
    value: str | None = None
    steps: tuple[str, ...] = ()
    scale: Scale = field(default=_OF_CRITERIA, init=False, repr=False)

    def faults(self) -> list[Objection]:
        """Report empty criteria and empty steps."""
        is_empty = self.value is not None and not self.value.strip()
        steps = [
            Objection(("steps", at), _EMPTY)
            for at, step in enumerate(self.steps)
            if not step.strip()
        ]
        return [*([Objection(("value",), _EMPTY)] if is_empty else []), *steps]

    def check(self, case: Case) -> list[str]:
        """Report a case without criteria, where there are no steps either."""
        return [] if self.steps else _missing_text("g_eval", self.value, case)

    def prompt_values(self, case: Case | None) -> dict[str, str]:
        """The criteria and the steps."""
        criteria = self.value or ("" if self.steps else _expectation(case))
        return {"task": "\n\n".join(filter(None, (_criteria(criteria), _steps(self.steps))))}

    def reference_of(self, case: Case) -> str | None:
        """Return the expected answer, unless it states the criteria."""
        has_own = self.value is not None or bool(self.steps)
        return LLMJudge.reference_of(self, case) if has_own else None


@scorer(id="factuality")
@dataclass(frozen=True, slots=True, kw_only=True)
class Factuality(JudgeKind):
    """Compares the facts of an answer with those of the expected one, by a judge model.

    The judge chooses one of five verdicts: ``equal`` (the same facts), ``superset`` (all of them
    and more), ``subset`` (some of them), ``immaterial`` (the differences do not matter) and
    ``disagree`` (a contradiction, or no fact at all). ``scores`` maps verdicts to scores; by
    default ``disagree`` scores 0 and the others 1. The verdict is in ``detail``. Judges, repeats
    and panels as for ``llm_judge``.

    Source: the five categories of the factuality template of OpenAI Evals (``fact.yaml``).

    Example::

        scorer: {id: factuality, scores: {subset: 0.5}}
        judge: {models: [openai/gpt-4o]}
    """

    prompt_name: ClassVar[str] = "factuality"
    scores: Mapping[Relation, Share] = field(default_factory=dict)
    reference: Literal["expected", "own", "none"] = field(
        default="expected", init=False, repr=False
    )

    def check(self, case: Case) -> list[str]:
        """Report a case without an expected answer."""
        return _missing_expected("factuality", case)

    @property
    def categories(self) -> tuple[JudgeCategory, ...]:
        """The five verdicts with their scores."""
        scores = {**_RELATED, **self.scores}
        return tuple(JudgeCategory(name, it, scores[name]) for name, it in _MEANINGS.items())


@scorer(id="answer_relevance")
@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRelevance(UnreferencedKind):
    """Scores how relevant an answer is to its question, by a judge model.

    An answer is relevant as far as it addresses the question and nothing else, right or wrong. The
    judge scores from 0 to 10 and is shown no reference. Judges, repeats and panels as for
    ``llm_judge``.

    Example::

        scorer: answer_relevance
        judge: {models: [openai/gpt-4o]}
    """

    prompt_name: ClassVar[str] = "answer_relevance"
    scale: Scale = field(default=_OF_RELEVANCE, init=False, repr=False)


@scorer(id="faithfulness")
@dataclass(frozen=True, slots=True, kw_only=True)
class Faithfulness(UnreferencedKind):
    """Scores the share of an answer's claims that a given context supports, by a judge model.

    ``context`` is the text, or a list of texts, such as retrieved passages. Without it the variable
    ``context`` of the case is used. The judge's own knowledge does not count. The judge scores
    from 0 to 10 and is shown no reference. Judges, repeats and panels as for ``llm_judge``.

    Example::

        scorer: {id: faithfulness, context: "The library opens at nine, except on Mondays."}
        judge: {models: [openai/gpt-4o]}
    """

    prompt_name: ClassVar[str] = "faithfulness"
    shows_context: ClassVar[bool] = True
    context: Texts = ()
    scale: Scale = field(default=_OF_CONTEXT, init=False, repr=False)

    def faults(self) -> list[Objection]:
        """Report empty texts."""
        empty = (at for at, text in enumerate(self.context) if not text.strip())
        return [Objection(("context", at), _EMPTY) for at in empty]

    def check(self, case: Case) -> list[str]:
        """Report a case without a context."""
        if (self.context_of(case) or "").strip():
            return []
        hint = "Set context of the scorer, or the variable context of the case."
        return [f"faithfulness has no context. {hint}"]

    def context_of(self, case: Case) -> str | None:
        """Return the texts of the context, in their order."""
        return "\n\n".join(self.context or _texts(case.vars.get("context")))


@scorer(id="pairwise")
@dataclass(frozen=True, slots=True, kw_only=True)
class Pairwise(JudgeKind):
    """Compares an answer with the expected one in both orders, by a judge model.

    1 if the judge prefers the answer in both orders, 0 if it prefers the expected one in both, and
    0.5 for a tie or if the orders disagree, so that a preference for the first or the second place
    cancels out. Without ``ties`` the judge must choose. Each judgment takes two requests. Judges,
    repeats and panels as for ``llm_judge``, whose mode ``pairwise`` also compares with the answers
    of another model.

    Example::

        scorer: pairwise
        judge: {models: [openai/gpt-4o]}
    """

    mode: Mode = field(default="pairwise", init=False, repr=False)
    ties: bool = True
    reference: Literal["expected", "own", "none"] = field(
        default="expected", init=False, repr=False
    )

    def check(self, case: Case) -> list[str]:
        """Report a case without an expected answer."""
        return _missing_expected("pairwise", case)

    def judge_prompt(self, case: Case | None = None) -> OwnInstructions:  # noqa: ARG002  the same for all
        """Return None: the bundled instructions for pairs."""
        return None


def _missing_text(kind: str, value: str | None, case: Case) -> list[str]:
    if value is not None or (case.expected or "").strip():
        return []
    return [f"{kind} has nothing to judge by. Set its value, or expected of the case."]


def _missing_expected(kind: str, case: Case) -> list[str]:
    if (case.expected or "").strip():
        return []
    return [f"{kind} needs an expected answer."]


def _expectation(case: Case | None) -> str:
    return (case.expectation or "") if case is not None else ""


def _criteria(criteria: str) -> str:
    return f"The criteria:\n\n{criteria}" if criteria else ""


def _steps(steps: tuple[str, ...]) -> str:
    if not steps:
        return "Derive three to five steps from the criteria that lead to a score."
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    return f"The steps:\n\n{listed}"


def _texts(value: Any) -> tuple[str, ...]:  # noqa: ANN401  a variable of a case
    """A text or a list of texts; no other value is a context."""
    listed = value if isinstance(value, (list, tuple)) else (value,)
    return tuple(one for one in listed if isinstance(one, str))
