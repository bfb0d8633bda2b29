"""Answers with known scores: the bundled sets, and variants of their texts."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import cycle
from typing import Any, cast

from benchmaker.errors import SpecError
from benchmaker.record.calibration import Tier
from benchmaker.scoring.judge import NULL_BATTERY
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.documents.yaml import read_yaml

KINDS = ("rubric", "g_eval", "factuality", "answer_relevance", "faithfulness", "pairwise")
"""The scorers with a bundled set of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer to a question, with its known score from 0 to 1.

    ``injection`` is an instruction to the judge that follows the answer. ``author`` is the model
    that wrote it, ``ratings`` those of people, if known. ``parameters`` are those of the scorer,
    such as its rubric.
    """

    id: str
    kind: str
    question: str
    reference: str | None
    text: str
    expected: float
    tolerance: float
    injection: str = ""
    author: str = ""
    ratings: tuple[float | None, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """The answer as the judge sees it."""
        return f"{self.text}\n\n{self.injection}" if self.injection else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A variant of an answer: ``of`` names the sample, ``answer`` is the text for the judge."""

    of: Sample
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSet:
    """Samples with the variants judged alongside them.

    ``doubled`` are twins of twice the length, ``clean`` twins without their instruction, ``pairs``
    are judged in both orders, ``nulls`` are questions (by their first sample) that get the answers
    without content. ``scale`` is the lowest and highest score that people could give, None without
    human ratings. ``hash`` covers all texts.
    """

    tier: Tier
    samples: tuple[Sample, ...]
    doubled: tuple[Twin, ...] = ()
    clean: tuple[Twin, ...] = ()
    pairs: tuple[tuple[Sample, Sample], ...] = ()
    nulls: tuple[Sample, ...] = ()
    scale: tuple[float, float] | None = None

    @property
    def hash(self) -> str:
        """SHA-256 over everything that a judge is shown; 64 hex digits."""
        samples = [
            [it.id, it.question, it.reference, it.answer, it.expected, it.tolerance]
            + ([dict(it.parameters)] if it.parameters else [])
            for it in self.samples
        ]
        twins = [[it.of.id, it.answer] for it in (*self.doubled, *self.clean)]
        pairs = [[one.id, two.id] for one, two in self.pairs]
        nulls = [[it.id, null.text] for it in self.nulls for null in NULL_BATTERY]
        said = json.dumps([samples, twins, pairs, nulls], ensure_ascii=True)
        return hashlib.sha256(said.encode()).hexdigest()

    def replies(self, repeats: int, *, orders: int = 1) -> int:
        """Return the number of replies that a calibration takes; in pairs there are two orders."""
        twins = len(self.doubled) + len(self.clean)
        nulls = len(self.nulls) * len(NULL_BATTERY)
        return orders * (len(self.samples) * repeats + twins + nulls) + 2 * len(self.pairs)


@cache
def bundled_samples(tier: Tier) -> SampleSet:
    """The bundled set: ``quick`` holds 8 samples, ``standard`` 48."""
    return _sample_set(tier, _read_bundled(tier))


@cache
def samples_of_kind(scorer: str) -> SampleSet:
    """The bundled set of a judge kind: 14 to 20 answers, whose tier is ``standard``.

    Raises:
        SpecError: there is none for this scorer.
    """
    if scorer not in KINDS:
        near = did_you_mean(scorer, KINDS)
        known = ", ".join(KINDS)
        raise SpecError(
            f"no bundled answers for {scorer!r}.", hint=f"{near} Known: {known}.".strip()
        )
    return _sample_set("standard", _read_bundled(scorer))


def _read_bundled(stem: str) -> Mapping[str, Any]:
    name = f"{stem}.yaml"
    text = files("benchmaker").joinpath("resources", "calibration", name).read_text("utf-8")
    findings = Findings(1)
    data = read_yaml(text, name, limits=Limits(), findings=findings).data
    findings.raise_if_any()
    return cast("Mapping[str, Any]", data)


def double_text(text: str, padding: tuple[str, ...]) -> str:
    r"""Return the text followed by sentences without content, at least twice as long.

    >>> double_text("Paris", ("So it is.",))
    'Paris\n\nSo it is.'
    """
    added: list[str] = []
    for sentence in cycle(padding):
        if len(" ".join(added)) >= len(text):
            break
        added.append(sentence)
    return f"{text}\n\n{' '.join(added)}"


def _sample_set(tier: Tier, data: Mapping[str, Any]) -> SampleSet:
    samples = [it for question in data["questions"] for it in _samples(question)]
    padding = tuple(data["padding"])
    first = {it.question: it for it in reversed(samples)}
    return SampleSet(
        tier=tier,
        samples=tuple(samples),
        doubled=tuple(
            Twin(of=it, answer=double_text(it.answer, padding))
            for it in samples
            if it.kind in data["doubled"]
        ),
        clean=tuple(Twin(of=it, answer=it.text) for it in samples if it.injection),
        pairs=tuple(_pairs(samples, data.get("pairs", ()))),
        nulls=tuple(list(reversed(first.values()))[: data["nulls"]]),
    )


def _samples(question: Mapping[str, Any]) -> Iterator[Sample]:
    for answer in question["answers"]:
        yield Sample(
            id=f"{question['id']}-{answer['kind']}",
            kind=answer["kind"],
            question=question["question"],
            reference=question.get("reference"),
            text=answer["text"],
            expected=answer["expected"],
            tolerance=answer["tolerance"],
            injection=answer.get("injection", ""),
            parameters=_parameters(question.get("parameters", {})),
        )


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a scorer as its fields have them."""
    return {name: tuple(it) if isinstance(it, list) else it for name, it in given.items()}


def _pairs(samples: list[Sample], kinds: Any) -> Iterator[tuple[Sample, Sample]]:  # noqa: ANN401  from the file
    """Every two answers of these kinds to the same question."""
    for one, two in kinds:
        for first in samples:
            for second in samples:
                is_theirs = (first.kind, second.kind) == (one, two)
                if is_theirs and first.question == second.question:
                    yield first, second
