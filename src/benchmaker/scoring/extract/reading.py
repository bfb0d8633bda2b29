"""What a reply answers, by kind: the marks of an answer first, then what its sentences state.

Each function takes the whole reply and gives what it takes for the answer with the rule that hit.
A correction behind a marked answer ("Answer: 5. Wait, that is wrong. It is 6.") replaces it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from benchmaker.record import Extraction
from benchmaker.scoring.extract.amount import Amount, of_sentence, stated_amount
from benchmaker.scoring.extract.anchors import Anchor, Kind, anchor
from benchmaker.scoring.extract.letter import Chosen, chosen, is_bare
from benchmaker.scoring.extract.reply import shortened, unfenced
from benchmaker.scoring.extract.rules import NOTHING, answered
from benchmaker.scoring.extract.sentences import after_correction, split
from benchmaker.scoring.extract.statement import (
    answer_holds,
    closing,
    given_block,
    gives_block,
    stated,
)
from benchmaker.scoring.extract.verdict import Verdict, stated_verdict
from benchmaker.scoring.numbers import Number, read_number, stated_number


class Marked(NamedTuple):
    """A marked answer, or the correction that replaces it."""

    anchor: Anchor
    corrected: str | None


def marked(said: str, kind: Kind) -> Marked | None:
    """The marked answer of a reply, and what replaces it where the reply takes it back."""
    found = anchor(said, kind)
    if found is None:
        return None
    if found.rule == "answer_is":
        kept = after_correction(shortened(found.text), is_rest=kind == "boolean")
        if kept != found.text:
            return Marked(found, f"{kept}{shortened(found.rest)}")
    rest = shortened(found.rest)
    kept = after_correction(rest, is_rest=True) if rest.strip() else rest
    return Marked(found, kept if kept != rest else None)


class Text(NamedTuple):
    """What was taken for a text answer, and whether it is the expected one; ``why`` it is not."""

    is_right: bool
    extraction: Extraction
    why: str = ""


def read_text(reply: str, expected: str, *, ignores_case: bool = True) -> Text:
    """Whether a reply gives a text as its answer.

    >>> read_text("So the answer is **Lima**, not Cusco.", "Lima")
    Text(is_right=True, extraction=Extraction(rule='answer_is', text='Lima'), why='')
    """
    said = answered(reply)
    if said is None:
        return Text(False, NOTHING, "there is no answer")
    found = marked(said, "exact")
    if found is not None and found.corrected is None:
        text = unfenced(found.anchor.text).strip()
        is_right = answer_holds(text, expected, ignores_case=ignores_case)
        return Text(
            is_right, Extraction(rule=found.anchor.rule, text=expected if is_right else text)
        )
    rest = said if found is None or found.corrected is None else found.corrected
    if "```" in rest and gives_block(shortened(rest), expected, ignores_case=ignores_case):
        return Text(True, Extraction(rule="statement", text=expected))
    if expected.casefold() not in rest.casefold() and " " not in expected:
        return Text(False, Extraction(rule="statement", text=closing(shortened(rest))))
    made = stated(shortened(rest), expected, ignores_case=ignores_case)
    if not made.text:
        return Text(False, NOTHING, made.why)
    return Text(made.is_stated, Extraction(rule=made.rule, text=made.text), made.why)


def read_whole(reply: str) -> Extraction:
    """The marked answer of a reply, else all of it without its reasoning."""
    said = answered(reply)
    if said is None:
        return NOTHING
    found = marked(said, "exact")
    if found is None:
        return Extraction(rule="whole", text=said)
    if found.corrected is not None:
        return Extraction(rule="whole", text=found.corrected)
    return Extraction(rule=found.anchor.rule, text=found.anchor.text)


class Figure(NamedTuple):
    """The number that was taken, and from where; ``why`` there is none."""

    number: Number | None
    extraction: Extraction
    why: str = ""
    also: tuple[Number, ...] = ()

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The number, and the same quantity in another unit."""
        return (self.number, *self.also) if self.number else ()


def read_figure(reply: str) -> Figure:
    """The number that a reply gives as its answer.

    >>> read_figure("14 x 3 = 42, so there are 42 rolls on 3 trays").number.value
    42
    """
    said = answered(reply)
    if said is None:
        return Figure(None, NOTHING, "there is no answer")
    found = marked(said, "numeric")
    if found is not None and found.corrected is not None:
        return _figure(stated_amount(found.corrected), "result")
    if found is not None:
        amount = figure_at(found.anchor.rule, found.anchor.text)
        if amount.number is not None or found.anchor.rule != "answer_is" or "several" in amount.why:
            return _figure(amount, found.anchor.rule, found.anchor.text)
    block = given_block(shortened(said)) if "```" in said else None
    if block is not None and _FIGURES.fullmatch(block.text):
        return _figure(figure_at("result", block.text), "result")
    return _figure(stated_amount(said), "result")


_LONGEST = 1_000
_FIGURES = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d+)?\.?")


def figure_at(rule: str, text: str) -> Amount:
    """The number of a marked answer; a JSON field is read as a field."""
    if rule == "json":
        return Amount(stated_number(text), text)
    if _FIGURES.fullmatch(text):
        return Amount(read_number(text.removesuffix(".")), text)
    parts = split(unfenced(text)[:_LONGEST])
    return of_sentence(parts[0] if parts else text, is_anchored=True)


def _figure(amount: Amount, rule: str, text: str = "") -> Figure:
    if amount.number is None and not (text or amount.text):
        return Figure(None, NOTHING, amount.why)
    extraction = Extraction(rule=rule, text=text or amount.text)
    return Figure(amount.number, extraction, amount.why, amount.also)


class Said(NamedTuple):
    """The verdict that was taken, and from where."""

    value: bool | None
    extraction: Extraction


def read_verdict(reply: str) -> Said:
    """The yes or no that a reply gives as its answer; None where it gives neither or both.

    >>> read_verdict("Yes, no even number greater than 2 is prime.").value
    True
    """
    said = answered(reply)
    if said is None:
        return Said(None, NOTHING)
    found = marked(said, "boolean")
    if found is not None and found.corrected is not None:
        return _said(stated_verdict(found.corrected), "verdict")
    if found is not None:
        at = stated_verdict(found.anchor.text, is_anchored=True)
        if at.value is not None or at.text or found.anchor.rule != "answer_is":
            return _said(at, found.anchor.rule, found.anchor.text)
    return _said(stated_verdict(shortened(said)), "verdict")


def _said(verdict: Verdict, rule: str, text: str = "") -> Said:
    taken = text or verdict.text
    return Said(verdict.value, Extraction(rule=rule, text=taken) if taken else NOTHING)


class Picked(NamedTuple):
    """The options that were taken, and from where."""

    letters: tuple[str, ...]
    extraction: Extraction


def read_choice(reply: str, choices: Sequence[str]) -> Picked:
    """The option that a reply chooses, by its letter; none, or several.

    >>> read_choice("The correct answer is (B) Rome.", ("Paris", "Rome")).letters
    ('B',)
    """
    said = answered(reply)
    if said is None:
        return Picked((), NOTHING)
    if is_bare(said, choices):
        return _picked(chosen(said, choices), "whole")
    found = marked(said, "choice")
    if found is not None and found.corrected is not None:
        return _picked(chosen(found.corrected, choices), "letter")
    if found is not None:
        at = chosen(found.anchor.text, choices, is_anchored=True)
        if at.letters or found.anchor.rule != "answer_is":
            return _picked(at, found.anchor.rule, found.anchor.text)
    return _picked(chosen(shortened(said), choices), "letter")


def _picked(at: Chosen, rule: str, text: str = "") -> Picked:
    taken = text or at.text
    return Picked(at.letters, Extraction(rule=rule, text=taken) if taken else NOTHING)
