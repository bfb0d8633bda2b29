"""The contract of every scorer, as a class of tests to inherit."""

import asyncio
import dataclasses
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, ClassVar

import msgspec

from benchmaker.errors import TrialError
from benchmaker.plugins import as_class
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Ask, Scorer
from benchmaker.scoring.build import build, plain_model
from benchmaker.scoring.checks.values import UNSET
from benchmaker.scoring.score import apply
from benchmaker.spec import Case, Family, Profile, ScorerSpec, profile
from benchmaker.structs import resolve_type
from benchmaker.testing.builders import a_case, a_trial
from benchmaker.testing.demand import demand

HOSTILE = {
    "white space": " \t\r\n\u00a0\u2028",
    "nul": "\x00" * 50,
    "escape sequences": "\x1b]0;title\x07\x1b[2J42",
    "right to left": "\u202e24\u202c\u200f",
    "lone surrogate": "42\ud800",
    "combining marks": "4" + "\u0301" * 5_000,
    "open brackets": "[" * 20_000,
    "open braces": '{"answer": ' * 5_000,
    "nested LaTeX": "\\boxed{" * 5_000,
    "many digits": "9" * 100_000,
    "many numbers": "1,234.5e6 / 7 " * 5_000,
    "many marks": "#### " * 20_000,
    "long line": "the answer is " * 20_000,
    "long word": "a" * 500_000,
    "many lines": "\n" * 200_000,
    "a megabyte and more": "lorem ipsum " * 100_000,
}
"""Answers that break careless scorers, by their fault."""


@dataclass(frozen=True, slots=True)
class Example:
    """An answer with its required score; ``score`` None means unscored."""

    answer: str
    score: float | None
    expected: str | None = None

    @property
    def case(self) -> Case:
        """Return the case that expects ``expected``."""
        return a_case(expected=self.expected)

    @property
    def trial(self) -> Trial:
        """Return the trial with ``answer``."""
        return a_trial(text=self.answer)


class ScorerContract:
    """Inherit, name the class ``Test…``, and set two attributes; pytest does the rest.

    ``scorer`` creates the scorer when called without arguments: its class, or a ``partial`` of it.
    It may also be a function marked with ``@scorer``, whose parameters have their defaults.
    ``examples`` are answers with their required scores, at least one. ``limit_s`` bounds the time
    of one hostile answer. ``ask`` answers the queries of a scorer that uses a model.

    Example::

        class TestContains(ScorerContract):
            scorer = Contains
            examples = (
                Example("It is 42.", expected="42", score=1.0),
                Example("I don't know.", expected="42", score=0.0),
            )
    """

    scorer: ClassVar[Callable[[], Scorer]]
    examples: ClassVar[Sequence[Example]]
    limit_s: ClassVar[float] = 5.0
    ask: ClassVar[Ask | None] = None

    def test_it_has_an_id_and_a_version(self) -> None:
        """Has the attributes set by ``@scorer``."""
        for mark in ("id", "version"):
            value = getattr(self._class(), mark, None)
            demand(isinstance(value, str) and value, f"no {mark}: mark the class with @scorer")

    def test_it_is_a_frozen_dataclass(self) -> None:
        """Keep parameters as fields, which cannot change during a run."""
        parameters = getattr(self._class(), "__dataclass_params__", None)
        demand(parameters and parameters.frozen, "make the class a @dataclass(frozen=True)")
        demand(self._make() == self._make(), "two scorers with equal parameters must be equal")

    def test_its_docstring_has_a_sentence_and_an_example(self) -> None:
        """Lists and reference pages are built from it."""
        text = inspect.cleandoc(self._class().__doc__ or "")
        demand(text.partition("\n")[0].endswith("."), "the docstring's first line is no sentence")
        demand("Example" in text or ">>>" in text, "the docstring has no example")

    def test_its_parameters_round_trip(self) -> None:
        """Parameters written to a suite and read back give the same scorer."""
        made = self._make()
        again = build(ScorerSpec(id=_path(type(made)), **_parameters(made)), _profile(made))
        demand(again == made, f"built from its parameters it is {again!r}, not {made!r}")

    def test_the_examples_get_their_scores(self) -> None:
        """Give the examples their required scores."""
        demand(self.examples, "give at least one example")
        for example in self.examples:
            got = self._score(example).score
            same = got is example.score or (
                None not in (got, example.score) and abs(got - example.score) < 1e-9  # type: ignore[operator]  # noqa: PLR2004  both are numbers
            )
            demand(same, f"{example!r} gets {got!r}")

    def test_a_score_lies_in_0_to_1_or_has_a_reason(self) -> None:
        """Return a score that can be averaged and shown, or a reason."""
        for example, score in self._all_scores():
            demand(isinstance(score, Score), f"{score!r} is no Score")
            if score.score is None:
                demand(score.notes, f"unscored without a reason: {_describe(example)}")
            else:
                demand(0.0 <= score.score <= 1.0, f"{score.score!r} is not in 0 to 1")
            if score.confidence is not None:
                demand(0.0 <= score.confidence <= 1.0, f"confidence {score.confidence!r}")

    def test_the_same_answer_gets_the_same_digits(self) -> None:
        """Scoring again must reproduce the record."""
        for example in self.examples:
            first, second = self._score(example), self._score(example)
            demand(first == second, f"{first!r} first, {second!r} then")

    def test_a_score_survives_being_written_down(self) -> None:
        """A score is stored as JSON and must come back equal."""
        for example in self.examples:
            score = self._score(example)
            again = msgspec.json.decode(msgspec.json.encode(score), type=resolve_type(Score))
            demand(again == score, f"{score!r} comes back as {again!r}")

    def test_an_empty_answer_is_survived(self) -> None:
        """Handle empty answers, which models sometimes give."""
        for example in self.examples:
            self._score(dataclasses.replace(example, answer="", score=None))

    def test_hostile_answers_are_bounded(self) -> None:
        """Each gives a score or a typed error within the time limit."""
        for name, answer in HOSTILE.items():
            started = monotonic()
            try:
                self._score(dataclasses.replace(self.examples[0], answer=answer))
            except TrialError:
                pass  # typed: the engine records it
            except Exception as exc:
                raise AssertionError(f"{name}: {type(exc).__name__}: {exc}") from exc
            took = monotonic() - started
            demand(took <= self.limit_s, f"{name}: took {took:.1f} s, at most {self.limit_s:g} s")

    def test_explain_returns_lines(self) -> None:
        """Return lines of text from ``explain``, if there is one, for any score."""
        explain = getattr(self._make(), "explain", None)
        if explain is None:
            return
        for example, score in self._all_scores():
            lines = explain(score)
            fine = isinstance(lines, list) and lines and all(isinstance(it, str) for it in lines)
            demand(fine, f"explain returned {lines!r} for {_describe(example)}")

    def _make(self) -> Scorer:
        make: Any = type(self).scorer
        if getattr(make, "kind", None) == "scorer":
            make = as_class("scorer", make)
        made: Scorer = make()
        return made

    def _class(self) -> type:
        return type(self._make())

    def _all_scores(self) -> Iterator[tuple[Example, Score]]:
        for example in self.examples:
            for answer in (example.answer, "", f"{example.answer} 17", "\x00"):
                changed = dataclasses.replace(example, answer=answer)
                yield changed, self._score(changed)

    def _score(self, example: Example) -> Score:
        return asyncio.run(apply(self._make(), example.case, example.trial, self.ask))


def _path(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _parameters(scorer: Scorer) -> dict[str, Any]:
    """Return its fields as in a suite; the family comes from the profile."""
    fields = dataclasses.fields(scorer)  # type: ignore[arg-type]  # a dataclass, as tested
    names = [field.name for field in fields if field.init and field.name != "family"]
    given = {name: it for name in names if (it := getattr(scorer, name)) is not UNSET}
    values = {name: msgspec.to_builtins(it, enc_hook=plain_model) for name, it in given.items()}
    return {name: list(it) if isinstance(it, tuple) else it for name, it in values.items()}


def _profile(scorer: Scorer) -> Profile:
    return profile(str(getattr(scorer, "family", Family.CLASSIC)))


def _describe(example: Example) -> str:
    return f"answer {example.answer[:80]!r}, expected {example.expected!r}"
