"""Reads the text of a judge's reply as one judgement, or as the reason why there is none.

The rungs: the provider's structured output, the reply as one JSON object, the last fenced block,
an object in other text that carries the nonce, an object that had to be repaired, a line
``score: 8`` or a plain choice. Otherwise nothing: a reply is unscored rather than guessed.

Only objects with the nonce count; two of them must agree. No member of the form may follow the
nonce: a judge that quotes an answer without escaping it can be made to close its own object early,
and the rest would be lost.

Without a nonce in the reply, a judgement counts only if all apparent judgements in the reply agree,
and at least one of them is not copied from the input.

Reasoning that opens a reply, between think-like tags or in a separate channel, is not part of it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchmaker.record import Verdict
from benchmaker.scoring.extract.reply import without_reasoning
from benchmaker.scoring.judge.categories import JudgeCategory
from benchmaker.scoring.judge.expect import Expect
from benchmaker.scoring.judge.invisible import without_invisible
from benchmaker.scoring.judge.judgement import claims_something, judgement
from benchmaker.scoring.judge.lines import (
    WordedJudgement,
    bare_judgement,
    find_judgements,
    find_later_judgements,
    judgements_outside,
)
from benchmaker.scoring.judge.objects import LocatedObject, find_objects, find_repaired_objects
from benchmaker.scoring.judge.repair import CUT_OFF
from benchmaker.scoring.judge.reply import JudgeReply, UnparsedReply

_LOOSE = re.compile(r"[\s\\*_`\"'“”‘’]+")  # noqa: RUF001


class PromptTexts:
    """The texts that a judge was shown, ready for looking up."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._raw = [text for text in texts if text]
        self._squeezed = [_squeeze(text) for text in self._raw]
        self._lines = {_squeeze(line) for text in self._raw for line in text.splitlines()}

    def holds(self, words: str) -> bool:
        """True if the words occur in the input, ignoring quotation marks and white space."""
        squeezed = _squeeze(words)
        return any(words in text for text in self._raw) or any(
            squeezed in text for text in self._squeezed
        )

    def holds_line(self, words: str) -> bool:
        """True if the words are one of the input's lines, or one of the texts."""
        squeezed = _squeeze(words)
        return squeezed in self._lines or squeezed in self._squeezed


def _squeeze(text: str) -> str:
    """Return a text without case, blanks, escapes, emphasis and quotation marks."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", without_invisible(text))
    return _LOOSE.sub("", text).casefold()


LONGEST = 400_000
"""Maximum number of characters of a reply that are read."""

_VALUED = r"(?:score|verdict|level|met)"
_MEMBER_AFTER = re.compile(
    rf"(?<!\\)[\"'“”](?:{_VALUED}|criteria|rationale|evidence|nonce|cannot_judge)[\"'“”]\s{{0,20}}:",
    re.IGNORECASE,
)
_VALUE = re.compile(rf"\b{_VALUED}[\"'“”]?\s{{0,20}}:\s{{0,20}}[^,}}\]\n]{{1,40}}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReplyObjects:
    """The objects of a reply: those with the nonce, or, without any, all."""

    carried: tuple[LocatedObject, ...] = ()
    others: tuple[LocatedObject, ...] = ()


def parse(
    text: str,
    *,
    nonce: str,
    expect: Expect,
    structured: bool = False,
    given: Sequence[str] | None = None,
) -> JudgeReply | UnparsedReply:
    """Return the judgement in a reply.

    Args:
        text: the reply, whole.
        nonce: the nonce to be repeated; empty if none was required (recorded replies).
        expect: the form of the judgement.
        structured: true if the provider guarantees JSON by the schema; then the nonce is required.
        given: the texts that the judge was shown (``Prompt.given``). A judgement without the nonce
            counts only if it is not among them; None means unknown, and then no judgement without
            the nonce counts (unless none was required).

    >>> eight = '{"rationale": "right, but terse", "score": 8, "nonce": "5f0c"}'
    >>> parse(eight, nonce="5f0c", expect=Expect()).unit
    0.8
    >>> parse("Score: 85/100", nonce="", expect=Expect()).reason
    "the scale is 0 to 10, but '85/100' is of 100"
    """
    said = without_reasoning(text)
    if said is None and not (nonce and nonce in text):
        return UnparsedReply("the reply ends within its reasoning")
    return _parse(text if said is None else said, nonce, expect, structured=structured, given=given)


def _parse(
    text: str, nonce: str, expect: Expect, *, structured: bool, given: Sequence[str] | None
) -> JudgeReply | UnparsedReply:
    """The judgement in a reply without its reasoning."""
    held = read_objects(text, nonce=nonce, structured=structured)
    if isinstance(held, UnparsedReply):
        return held
    shown = PromptTexts(given or ())
    if held.carried:
        return _judgement_with_nonce(text, held.carried, expect, shown)
    if nonce and (structured or given is None or _is_lost(text, nonce, held.others)):
        return _without_nonce(text, nonce, held.others)
    reply = _judgement_without_nonce(text, held.others, expect, shown)
    if isinstance(reply, UnparsedReply) or not nonce:
        return reply
    if CUT_OFF in reply.repairs:
        return UnparsedReply("the object is cut off before its nonce")
    return replace(reply, nonce_ok=False)


def read_objects(text: str, *, nonce: str, structured: bool) -> ReplyObjects | UnparsedReply:
    """Return the objects in a reply, valid ones before repaired ones."""
    if not text.strip("\ufeff \t\r\n"):
        return UnparsedReply("the reply is empty")
    if len(text) > LONGEST:
        return UnparsedReply(f"the reply is longer than {LONGEST:,} characters")
    sound = find_objects(text, structured=structured)
    if carried := _carriers(sound, nonce):
        return ReplyObjects(carried=carried)
    found = find_repaired_objects(text, sound)
    return ReplyObjects(carried=_carriers(found, nonce), others=tuple(found))


def _carriers(found: Sequence[LocatedObject], nonce: str) -> tuple[LocatedObject, ...]:
    """Return each object's members next to the nonce, which may be nested."""
    if not nonce:
        return ()
    inner = ((it, it.value.carrier(nonce)) for it in found)
    return tuple(replace(it, value=value) for it, value in inner if value is not None)


def _judgement_with_nonce(
    text: str, carried: tuple[LocatedObject, ...], expect: Expect, shown: PromptTexts
) -> JudgeReply | UnparsedReply:
    """The judgement on which all objects with the nonce agree."""
    last = carried[-1]
    if _MEMBER_AFTER.search(text, last.end):
        return UnparsedReply("further members follow behind the object that carries the nonce")
    reply = _common_judgement(
        [_judgement_of_object(it, expect) for it in carried], "objects that carry the nonce"
    )
    if isinstance(reply, UnparsedReply):
        return reply
    if CUT_OFF in last.repairs and any(map(shown.holds, _VALUE.findall(text, last.start))):
        return UnparsedReply("the object is cut off, and its value also stands in what was judged")
    return replace(reply, nonce_ok=True)


def _is_lost(text: str, nonce: str, others: Sequence[LocatedObject]) -> bool:
    """True if a nonce was returned in another object or in an unreadable one."""
    return any("nonce" in inner for it in others for inner in it.value.walk()) or (
        nonce in text and "{" in text
    )


def _without_nonce(text: str, nonce: str, others: Sequence[LocatedObject]) -> UnparsedReply:
    if nonce in text:
        return UnparsedReply("no object that carries the nonce can be read")
    if any("nonce" in inner for it in others for inner in it.value.walk()):
        return UnparsedReply("the nonce that came back is not the one given out")
    return UnparsedReply("the nonce did not come back")


def _judgement_without_nonce(
    text: str, found: Sequence[LocatedObject], expect: Expect, shown: PromptTexts
) -> JudgeReply | UnparsedReply:
    """The judgement on which everything agrees that looks like one."""
    pieces = list(_pieces(text, found, expect))
    if not pieces:
        return _bare_judgement(text, expect, shown)
    if all(shown.holds(words) for words, _ in pieces):
        return UnparsedReply("the only judgement in it is repeated from what was judged")
    readings = [reading for _, reading in pieces]
    return _common_judgement([*_later(text, found, expect, shown), *readings], "judgements")


def _later(
    text: str, found: Sequence[LocatedObject], expect: Expect, shown: PromptTexts
) -> Iterator[JudgeReply | UnparsedReply]:
    """Yield the judgements behind other words in a line; not those that quote what was judged."""
    spans = [(it.start, it.end) for it in found]
    spans += [(it.start, it.end) for it in find_judgements(text, expect)]
    for claim in judgements_outside(find_later_judgements(text, expect), spans):
        if not shown.holds(claim.text.strip()):
            yield _judgement_of_words(claim, expect)


def _pieces(
    text: str, found: Sequence[LocatedObject], expect: Expect
) -> Iterator[tuple[str, JudgeReply | UnparsedReply]]:
    """Yield apparent judgements, lines before objects, which contain more."""
    spans = [(it.start, it.end) for it in found]
    for claim in judgements_outside(find_judgements(text, expect), spans):
        yield claim.text, _judgement_of_words(claim, expect)
    for it in found:
        if any(map(claims_something, it.value.walk())):
            yield text[it.start : it.end], _judgement_of_object(it, expect)


def _bare_judgement(text: str, expect: Expect, shown: PromptTexts) -> JudgeReply | UnparsedReply:
    """The reply as nothing but a judgement: "8", "Output (a)"."""
    claim = bare_judgement(text, expect)
    if claim is None:
        return UnparsedReply("there is no judgement in it")
    if shown.holds_line(text):
        return UnparsedReply("the only judgement in it is repeated from what was judged")
    return _judgement_of_words(claim, expect)


def _judgement_of_object(found: LocatedObject, expect: Expect) -> JudgeReply | UnparsedReply:
    reply = judgement(found.value, expect)
    if isinstance(reply, UnparsedReply):
        return reply
    return replace(reply, rung=found.rung, repairs=found.repairs)


def _judgement_of_words(claim: WordedJudgement, expect: Expect) -> JudgeReply | UnparsedReply:
    match claim.value:
        case float() as score:
            return JudgeReply(score=score, unit=expect.scale.to_unit(score), rung="line")
        case Verdict() as verdict:
            return JudgeReply(verdict=verdict, rung="line")
        case JudgeCategory() as chosen:
            return JudgeReply(category=chosen.id, unit=chosen.unit, rung="line")
        case problem:
            return UnparsedReply(problem)


def _common_judgement(
    readings: Sequence[JudgeReply | UnparsedReply], what: str
) -> JudgeReply | UnparsedReply:
    """The last, where all are readable and say the same."""
    last = readings[-1]
    if len(readings) == 1 or isinstance(last, UnparsedReply):
        return last
    for reading in readings:
        if isinstance(reading, UnparsedReply) or reading.judgement != last.judgement:
            return UnparsedReply(f"it holds {len(readings)} {what} that disagree")
    return last
