"""The answer of a reply by kind: marked answers first, then statements in its sentences.

Each function takes the whole reply and returns the answer with the rule that matched. A correction
after a marked answer ("Answer: 5. Wait, that is wrong. It is 6.") replaces it.

The readers of each kind are imported on use: their patterns take 0.1 s to compile.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchmaker.record import Extraction
from benchmaker.scoring.extract.amount import Amount, amount_of_sentence, stated_amount
from benchmaker.scoring.extract.anchors import Anchor, Kind, find_anchor
from benchmaker.scoring.extract.reply import shorten_reply, strip_fence
from benchmaker.scoring.extract.rules import NOTHING, TextReading, answer_text
from benchmaker.scoring.extract.sentences import after_correction, split
from benchmaker.scoring.numbers import Number, read_number, stated_number

if TYPE_CHECKING:
    from benchmaker.scoring.extract.letter import StatedChoice
    from benchmaker.scoring.extract.verdict import StatedVerdict


class MarkedAnswer(NamedTuple):
    """A marked answer, or the correction that replaces it."""

    anchor: Anchor
    corrected: str | None


def read_marked(said: str, kind: Kind) -> MarkedAnswer | None:
    """Return a reply's marked answer, or its replacement if the reply retracts it."""
    found = find_anchor(said, kind)
    if found is None:
        return None
    if found.rule == "answer_is":
        kept = after_correction(shorten_reply(found.text), is_rest=kind == "boolean")
        if kept != found.text:
            return MarkedAnswer(found, f"{kept}{shorten_reply(found.rest)}")
    rest = shorten_reply(found.rest)
    kept = after_correction(rest, is_rest=True) if rest.strip() else rest
    return MarkedAnswer(found, kept if kept != rest else None)


def read_text(reply: str, expected: str, *, ignores_case: bool = True) -> TextReading:
    """Read a text answer, and compare it with the expected text.

    >>> read_text("So the answer is **Lima**, not Cusco.", "Lima")
    TextReading(is_right=True, extraction=Extraction(rule='answer_is', text='Lima'), why='')
    """
    from benchmaker.scoring.extract.statement import (  # noqa: PLC0415  as above
        answer_holds,
        closing_statement,
        gives_block,
        stated_text,
    )

    said = answer_text(reply)
    if said is None:
        return TextReading(False, NOTHING, "there is no answer")
    found = read_marked(said, "exact")
    if found is not None and found.corrected is None:
        text = strip_fence(found.anchor.text).strip()
        is_right = answer_holds(text, expected, ignores_case=ignores_case)
        return TextReading(
            is_right, Extraction(rule=found.anchor.rule, text=expected if is_right else text)
        )
    rest = said if found is None or found.corrected is None else found.corrected
    if "```" in rest and gives_block(shorten_reply(rest), expected, ignores_case=ignores_case):
        return TextReading(True, Extraction(rule="statement", text=expected))
    if expected.casefold() not in rest.casefold() and " " not in expected:
        return TextReading(
            False, Extraction(rule="statement", text=closing_statement(shorten_reply(rest)))
        )
    made = stated_text(shorten_reply(rest), expected, ignores_case=ignores_case)
    if not made.text:
        return TextReading(False, NOTHING, made.why)
    return TextReading(made.is_stated, Extraction(rule=made.rule, text=made.text), made.why)


def read_whole(reply: str) -> Extraction:
    """The marked answer of a reply, else all of it without its reasoning."""
    said = answer_text(reply)
    if said is None:
        return NOTHING
    found = read_marked(said, "exact")
    if found is None:
        return Extraction(rule="whole", text=said)
    if found.corrected is not None:
        return Extraction(rule="whole", text=found.corrected)
    return Extraction(rule=found.anchor.rule, text=found.anchor.text)


class NumberReading(NamedTuple):
    """The number found with its source; ``why`` gives the reason if there is none."""

    number: Number | None
    extraction: Extraction
    why: str = ""
    also: tuple[Number, ...] = ()

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The number, and the same quantity in another unit."""
        return (self.number, *self.also) if self.number else ()


def read_figure(reply: str) -> NumberReading:
    """Return the number that a reply states as its answer.

    >>> read_figure("14 x 3 = 42, so there are 42 rolls on 3 trays").number.value
    42
    """
    said = answer_text(reply)
    if said is None:
        return NumberReading(None, NOTHING, "there is no answer")
    found = read_marked(said, "numeric")
    if found is not None and found.corrected is not None:
        return _number_reading(stated_amount(found.corrected), "result")
    if found is not None:
        amount = figure_at(found.anchor.rule, found.anchor.text)
        if amount.number is not None or found.anchor.rule != "answer_is" or "several" in amount.why:
            taken = found.anchor.text if amount.number is None else _figure_text(found.anchor)
            return _number_reading(amount, found.anchor.rule, taken)
    if "```" in said and (figures := _figures_of_block(said)) is not None:
        return _number_reading(figure_at("result", figures), "result")
    return _number_reading(stated_amount(said), "result")


def _figures_of_block(said: str) -> str | None:
    """The only fenced block of a reply, if it is a number."""
    from benchmaker.scoring.extract.statement import answer_block  # noqa: PLC0415  as above

    block = answer_block(shorten_reply(said))
    return block.text if block is not None and _FIGURES.fullmatch(block.text) else None


_LONGEST = 1_000
_FIGURES = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d+)?\.?")


def figure_at(rule: str, text: str) -> Amount:
    """The number of a marked answer; a JSON field is read as a field."""
    if rule == "json":
        return Amount(stated_number(text), text)
    if _FIGURES.fullmatch(text):
        return Amount(read_number(text.removesuffix(".")), text)
    return amount_of_sentence(_first_sentence(text), is_anchored=True)


def _figure_text(anchor: Anchor) -> str:
    """The part of a marked answer that states its number."""
    is_whole = anchor.rule == "json" or _FIGURES.fullmatch(anchor.text)
    return anchor.text if is_whole else _first_sentence(anchor.text)


def _first_sentence(text: str) -> str:
    parts = split(strip_fence(text)[:_LONGEST])
    return parts[0] if parts else text[:_LONGEST]


def _number_reading(amount: Amount, rule: str, text: str = "") -> NumberReading:
    if amount.number is None and not (text or amount.text):
        return NumberReading(None, NOTHING, amount.why)
    extraction = Extraction(rule=rule, text=text or amount.text)
    return NumberReading(amount.number, extraction, amount.why, amount.also)


class VerdictReading(NamedTuple):
    """The verdict that was taken, and from where."""

    value: bool | None
    extraction: Extraction


def read_verdict(reply: str) -> VerdictReading:
    """Return the reply's yes or no; None if it states neither or both.

    >>> read_verdict("Yes, no even number greater than 2 is prime.").value
    True
    """
    from benchmaker.scoring.extract.verdict import stated_verdict  # noqa: PLC0415  as above

    said = answer_text(reply)
    if said is None:
        return VerdictReading(None, NOTHING)
    found = read_marked(said, "boolean")
    if found is not None and found.corrected is not None:
        return _verdict_reading(stated_verdict(found.corrected), "verdict")
    if found is not None:
        at = stated_verdict(found.anchor.text, is_anchored=True)
        if at.value is not None or at.text or found.anchor.rule != "answer_is":
            return _verdict_reading(at, found.anchor.rule, found.anchor.text)
    return _verdict_reading(stated_verdict(shorten_reply(said)), "verdict")


def _verdict_reading(verdict: "StatedVerdict", rule: str, text: str = "") -> VerdictReading:
    taken = text or verdict.text
    return VerdictReading(verdict.value, Extraction(rule=rule, text=taken) if taken else NOTHING)


class ChoiceReading(NamedTuple):
    """The options that were taken, and from where."""

    letters: tuple[str, ...]
    extraction: Extraction


def read_choice(reply: str, choices: Sequence[str]) -> ChoiceReading:
    """The option that a reply chooses, by its letter; none, or several.

    >>> read_choice("The correct answer is (B) Rome.", ("Paris", "Rome")).letters
    ('B',)
    """
    from benchmaker.scoring.extract.letter import is_bare, stated_choice  # noqa: PLC0415  as above

    said = answer_text(reply)
    if said is None:
        return ChoiceReading((), NOTHING)
    if is_bare(said, choices):
        return _choice_reading(stated_choice(said, choices), "whole")
    found = read_marked(said, "choice")
    if found is not None and found.corrected is not None:
        return _choice_reading(stated_choice(found.corrected, choices), "letter")
    if found is not None:
        at = stated_choice(found.anchor.text, choices, is_anchored=True)
        if at.letters or found.anchor.rule != "answer_is":
            return _choice_reading(at, found.anchor.rule, found.anchor.text)
    return _choice_reading(stated_choice(shorten_reply(said), choices), "letter")


def _choice_reading(at: "StatedChoice", rule: str, text: str = "") -> ChoiceReading:
    taken = text or at.text
    return ChoiceReading(at.letters, Extraction(rule=rule, text=taken) if taken else NOTHING)
