"""The check by the similarity of embeddings."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from operator import mul
from typing import Annotated, Any, ClassVar

from pydantic import Field

from benchmaker.errors import ScorerError, TrialError
from benchmaker.plugins import scorer
from benchmaker.record import EMBEDDING_FAILED, Score, Trial
from benchmaker.scoring.base import Ask, EmbeddingQuery, Objection, Vector
from benchmaker.scoring.checks.values import Texts, require_length, texts_of
from benchmaker.scoring.excerpts import shorten
from benchmaker.spec import Case

SINGLE_PRECISION = 2.0**-22
"""The error of a cosine of numbers in single precision.

Each is off by at most 2⁻²⁴ of itself, which counts twice in the product and twice in the norms.
"""

_EMPTY = "an empty text has no embedding."


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of the angle between two vectors of equal length, from −1 to 1.

    Source: G. Salton and M. J. McGill, Introduction to Modern Information Retrieval (1983).

    Raises:
        ValueError: their lengths differ, or one of them has no direction.

    >>> cosine([3.0, 4.0], [4.0, 3.0])
    0.96
    """
    if len(one) != len(other):
        raise ValueError(f"vectors of {len(one)} and {len(other)} numbers can't be compared")
    norms = sqrt(_product(one, one)) * sqrt(_product(other, other))
    if not norms:
        raise ValueError("a vector of zeros has no direction")
    return max(-1.0, min(1.0, _product(one, other) / norms))


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return fsum(map(mul, one, other))


@scorer
@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """The similarity of the answer to the expected text, by embeddings of a model.

    The score is the cosine of the two embeddings (Salton and McGill 1983). Cosines below 0, of
    texts that point away from each other, score 0. A cosine passes a threshold that it misses by at
    most 2⁻²² (0.00000024), the rounding of embeddings in single precision. Of several texts the
    closest counts. The text is ``value``, or else the case's ``expected``. ``dimensions`` requests
    shorter embeddings from models that support it.

    ``model`` is named like a model under test. Its endpoint must have embeddings in the protocol of
    OpenAI. A function (``python:module:function``) takes a request and returns a list of numbers
    for each of its ``texts``. Each text is embedded once, for all runs. Without an embedding the
    answer has no score.

    Example:
        ``checks: [{type: similarity, model: openai/text-embedding-3-small, threshold: 0.8}]``
    """

    model: str
    value: Texts = ()
    dimensions: Annotated[int, Field(ge=1, le=100_000)] | None = None

    asks: ClassVar[bool] = True
    embeds: ClassVar[bool] = True
    check_needs: ClassVar = ("value",)
    default_threshold: ClassVar = 0.75
    rounding: ClassVar = SINGLE_PRECISION

    def faults(self) -> list[Objection]:
        """Report an empty model and empty texts."""
        unnamed = [] if self.model.strip() else [Objection(("model",), "the model has no name.")]
        empty = (at for at, text in enumerate(self.value) if not text)
        return [*unnamed, *(Objection(("value", at), _EMPTY) for at in empty)]

    def check(self, case: Case) -> list[str]:
        """Report a missing or empty expected text where ``value`` is not set."""
        if self.value:
            return []
        if not case.expectations:
            hint = "Set its value, or expected of the case."
            return [f"similarity has nothing to compare with. {hint}"]
        return [f"similarity: {_EMPTY}"] if "" in case.expectations else []

    async def score(self, case: Case, trial: Trial, ask: Ask) -> Score:
        """The cosine with the closest text, at least 0; ``detail`` has it before that.

        Raises:
            AskingHalted: no further requests are sent in this session.
        """
        texts = texts_of(self.value, case)
        try:
            require_length(trial.text)
            answer, *others = await _embed(ask, self, (trial.text, *texts))
        except TrialError as exc:
            reason = f"{exc.message} {exc.hint or ''}".strip()
            return Score.unscored(reason, flags=(EMBEDDING_FAILED,))
        found = [cosine(answer, one) for one in others]
        best = max(found)
        detail = {
            "cosine": best,
            "model": self.model,
            "dimensions": len(answer),
            "answer": shorten(trial.text),
            "text": shorten(texts[found.index(best)]),
        }
        return Score.of(max(0.0, best), confidence=1.0, notes=f"cosine {best:.3g}", detail=detail)

    def explain(self, score: Score) -> list[str]:
        """The model, the beginnings of both texts, and the cosine."""
        detail = score.detail
        if "cosine" not in detail:
            return [score.notes]
        return [
            f"embeddings of {detail['model']}, {detail['dimensions']:,} dimensions",
            f"answer  {detail['answer']!r}",
            f"against {detail['text']!r}",
            f"cosine {detail['cosine']:.6g}, score = {score.score:.6g}",
        ]


async def _embed(ask: Ask, of: Similarity, texts: tuple[str, ...]) -> tuple[Vector, ...]:
    embed: Any = getattr(ask, "embed", None)
    if embed is None:
        raise ScorerError("no embeddings can be requested here.")
    if "" in texts:
        raise ScorerError(_EMPTY)
    vectors: tuple[Vector, ...] = await embed(EmbeddingQuery(of.model, texts, of.dimensions))
    return vectors
