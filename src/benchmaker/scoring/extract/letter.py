# ruff: noqa: RUF001  the marks of other scripts
"""The option that a reply to a multiple-choice question chooses, by its letter or its text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from benchmaker.scoring.extract.claims import is_fragment
from benchmaker.scoring.extract.discourse import GIVEN_UP
from benchmaker.scoring.extract.marks import strip_marks
from benchmaker.scoring.extract.options import (
    LETTERS,
    SIGNS,
    find_signs,
    insert_signs,
    restore_options,
    whole_option,
)
from benchmaker.scoring.extract.phrases import (
    AND,
    CONCEDED,
    CONCEDING,
    CONCLUSION,
    CONTRAST,
    DENIED_AFTER,
    ELSE,
    HEARSAY,
    INSTEAD,
    NAMED_WRONG,
    NOT_A_DENIAL,
    OR,
    RUNNER_UP,
    STAND,
    is_negative,
)
from benchmaker.scoring.extract.reply import shorten_reply
from benchmaker.scoring.extract.sentences import Sentence, after_correction, sentences
from benchmaker.scoring.extract.ticks import crossed_options, ticked_options


@dataclass(frozen=True, slots=True)
class StatedChoice:
    """The options chosen by a reply (one letter, none, or several), with their place."""

    letters: tuple[str, ...]
    text: str

    @property
    def letter(self) -> str | None:
        """The single letter; None if there is none or more than one."""
        return self.letters[0] if len(self.letters) == 1 else None


NONE = StatedChoice((), "")


def stated_choice(
    reply: str, choices: Sequence[str] = (), *, is_anchored: bool = False
) -> StatedChoice:
    """The option that a reply chooses.

    >>> stated_choice("It is not A, it is C.", ("one", "two", "three")).letter
    'C'
    >>> stated_choice("Both A and B.", ("one", "two")).letters
    ('A', 'B')
    """
    reply = shorten_reply(reply)
    number = len(choices) or _UNKNOWN
    if letter := whole_option(reply, choices, number):
        return StatedChoice((letter,), reply.strip())
    text = after_correction(insert_signs(reply, choices, number))
    if letters := ticked_options(text):
        return StatedChoice(letters, restore_options(text, choices))
    found = [
        Sentence(strip_marks(it.text), it.line, it.is_item, it.is_alone) for it in sentences(text)
    ]
    stated, found = found, _without_list(found, number)
    if (letter := _option_called_right(stated, number)) and not any(map(_concludes, found)):
        return StatedChoice((letter,), restore_options(text, choices))
    if not found or (GIVEN_UP.search(found[-1].text) and not find_signs(found[0].text)):
        return NONE
    is_labelled = _opens_with_label(reply, number)
    for it in _rank_sentences(found, is_anchored=is_anchored, is_labelled=is_labelled):
        if letters := _options_of_sentence(it.text):
            return StatedChoice(letters, restore_options(it.text, choices))
    return StatedChoice(_remaining_option(found, number), restore_options(found[-1].text, choices))


_UNKNOWN = 10
"""The number of options where none are given."""


def _remaining_option(found: list[Sentence], number: int) -> tuple[str, ...]:
    """The one option that is left where all the others, two or more, are denied."""
    claims = [NOT_A_DENIAL.sub(" ", it.text) for it in found if not _is_question(it.text)]
    denied = {letter for text in claims for letter, _ in _denied_options(text)}
    left = [letter for letter in LETTERS[:number] if letter not in denied]
    return tuple(left) if len(left) == 1 and len(denied) > 1 else ()


def is_bare(reply: str, choices: Sequence[str]) -> bool:
    """True if a reply is only a letter or the text of an option."""
    return whole_option(reply, choices, len(choices) or _UNKNOWN) is not None


_Named = tuple[str, int]
"""The letter of an option and the place where it is named."""


def _without_list(found: list[Sentence], number: int) -> list[Sentence]:
    """Without a repeated list of options, each with its text or a remark: it chooses nothing."""
    heads: dict[int, str] = {}
    for index, it in enumerate(found):
        tokens = find_signs(it.text)
        if tokens and not it.text[: tokens[0][1]].strip(" -*•(["):
            heads[index] = tokens[0][0]
    runs: list[int] = []
    for index in sorted(heads):
        if runs and ord(heads[index]) == ord(heads[runs[-1]]) + 1:
            runs.append(index)
        elif heads[index] == "A":
            runs = [index]
        elif len(runs) < min(number, 3):
            runs = []
        if len(runs) == number:
            break
    if len(runs) < max(2, min(number, 3)) or len({found[i].line for i in runs}) < len(runs):
        return found
    last_line = found[runs[-1]].line
    return [
        it for index, it in enumerate(found) if not (found[runs[0]].line <= it.line <= last_line)
    ]


def _option_called_right(found: list[Sentence], number: int) -> str | None:
    """Return the option that its remark calls right if remarks call all others wrong, else None."""
    remarks = [said for it in found if (said := _REMARK.fullmatch(it.text))]
    right = {find_signs(said[0])[0][0] for said in remarks if said["right"]}
    wrong = {find_signs(said[0])[0][0] for said in remarks if not said["right"]}
    is_whole = len(right) == 1 and len(right | wrong) == number == len(wrong) + 1
    return right.pop() if is_whole and number >= _SEVERAL else None


_REMARK = re.compile(
    rf"[^\w{SIGNS}]*[{SIGNS}](?:[^{SIGNS}\n]{{0,80}}?[:(—–-]|\s+(?:is|ist|est|es))?[\s*_(:—–✅❌✔✓✗✘-]*"
    r"(?:(?P<right>correct|right|true|yes|richtig|wahr|ja|correcte?|vraie?|juste|oui|correcta?"
    r"|verdadera?|sí)"
    r"|incorrect|wrong|false|no|not (?:correct|right|true)|falsch|nein|incorrecte?|faux|fausse|non"
    r"|incorrecta?|fals[oa])[\s.!*_)✅❌✔✓✗✘]*",
    re.IGNORECASE,
)
"""An option or its text, followed by a remark that calls it right or wrong."""


def _concludes(it: Sentence) -> bool:
    return bool(CONCLUSION.match(it.text.strip(" *_")) and find_signs(it.text))


def _opens_with_label(reply: str, number: int) -> bool:
    """True if a reply begins with the label of an option and no other sentence does."""
    labels = [it[1] for it in _LABEL.finditer(reply)]
    opening = _LABEL.match(reply)
    return opening is not None and len(labels) == 1 and labels[0] in LETTERS[:number]


_LABEL = re.compile(r"(?:\A|(?<=\n)|(?<=[.!?]\s))[ \t>#*_(\[]*([A-Z])[.)]\s")


def _rank_sentences(
    found: list[Sentence], *, is_anchored: bool, is_labelled: bool
) -> list[Sentence]:
    if is_anchored:
        return found[:1]
    rest = list(reversed(found))
    for it in rest[:-1]:
        if CONCLUSION.match(it.text.strip(" *_")) and find_signs(it.text):
            return [it, *rest]
    is_last_bare = found[-1].is_alone and len(found) > 1 and _opens(found[-1].text)
    is_first = is_labelled or _opens(found[0].text) or _is_own_pick(found[0].text)
    if is_first and not is_last_bare and not _goes_through(found):
        return [found[0], *rest]
    return rest


def _is_own_pick(sentence: str) -> bool:
    """True if a sentence only names the speaker's choice: "My pick: (C).", "C it is."."""
    tokens = find_signs(sentence)
    if len(tokens) != 1:
        return False
    before, after = sentence[: tokens[0][1]], sentence[tokens[0][1] + 1 :]
    return bool(_OWN_PICK.fullmatch(before) and not after.strip(" .!*_\"'”)")) or bool(
        not before.strip(" *_(\"'“") and _IT_IS.match(after)
    )


_OWN_PICK = re.compile(
    rf"[\s*_]*(?:(?:my|our)\s+(?:final\s+|own\s+)?(?:pick|choice|selection|vote|guess|bet)|pick|choice)"
    rf"\s*(?:is|:|=)[\s*_\"'“(]*|[\s*_]*(?:i|we)(?:['’](?:m|d|ll)| would| will| am)?\s+(?:{STAND})"
    r"[\s*_\"'“(:]*",
    re.IGNORECASE,
)
_IT_IS = re.compile(r"[\s*_\"'”)]*(?:it is|wins|it shall be|it must be)\b", re.IGNORECASE)


def _goes_through(found: list[Sentence]) -> bool:
    """True if the sentences discuss the options one by one."""
    heads = {find_signs(it.text)[0][0] for it in found if _opens(it.text)}
    return len(heads) >= _SEVERAL


_SEVERAL, _AT_START, _MOST = 3, 2, 12


def _opens(sentence: str) -> bool:
    """True if a sentence is only an option, or calls one right."""
    tokens = find_signs(sentence)
    if not tokens:
        return False
    rest = sentence[tokens[0][1] + 1 :]
    before = sentence[: tokens[0][1]].strip(" \"'“*_`([")
    return not before and (
        is_fragment(sentence) or bool(_RIGHT.match(rest)) or rest[:1] in ".,:—–;"
    )


_RIGHT = re.compile(
    r"[\s\W]*(?:is|was|ist|est|es|would be|must be)\s+(?:\w+\s+)?(?:the\s+)?(?:right|correct"
    r"|true|best|answer|richtig|korrekt|juste|correcta?|bonne)\b",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"[\s\"'”’*_`)]*(?:(?:is|was|are|ist|est|es|can be|looks|seems)\s+(?:not\b|n['’]t)"
    r"|[\s:—–(-]*(?:(?:is|was|are|ist|est|es|can be|looks|seems)\s+)?(?:also\s+|clearly\s+"
    r"|definitely\s+)?"
    r"(?:wrong|incorrect|false|excluded|eliminated|ruled out|out\b|falsch|fausse?))",
    re.IGNORECASE,
)
_ELIMINATED = re.compile(
    r"\b(?:eliminat\w*|discard\w*|exclud\w*|rul(?:e|ing|ed) out|reject\w*|cross(?:ing|ed)? out"
    r"|dismiss\w*)\b(?:(?!\b(?:leav\w*|so|therefore|hence|thus|left|remain\w*|gives?|choose"
    r"|answer)\b|[.;→⇒]|[=-]>).)*",
    re.IGNORECASE,
)
_PAUSE = re.compile(rf",\s*|[;:—–(]|{INSTEAD}|\band\b")
_SPLIT = re.compile(
    rf"(?:[;:—–]|,)?\s*\b(?:{CONTRAST}|so|therefore|thus|hence)\b(?!\s+(?:than|of)\b)|;|而是|ではなく",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"(?<![\w'])(?:is|are|be|choose|pick|select|go with|going with|say|answer|leaves|leaving|option"
    r"|it['’]s|that['’]s|lautet|ist|est|es|also)\s*(?:\w+\s+){0,2}[:(\"'“*_`]*$|[:=→]\s*$",
    re.IGNORECASE,
)


_REASON = re.compile(
    r"\b(?:because|since|given that|weil|parce que|porque)\b",
    re.IGNORECASE,
)
_AMONG = re.compile(r"\W*(?:between|among|out of|of|zwischen|entre)\b[^,;.]*[,;]", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]{3,}\)")


def _without_asides(text: str) -> str:
    """Drop the list of options and bracketed text if another option is named."""
    among = _AMONG.match(text)
    if among and find_signs(text[among.end() :]):
        text = text[among.end() :]
    outside = _ASIDE.sub(" ", text)
    return outside if find_signs(outside) else text


def _tokens(text: str) -> list[_Named]:
    """The options that a sentence names; of very many the first and the last."""
    tokens = find_signs(text)
    return [*tokens[: _MOST // 2], *tokens[-_MOST // 2 :]] if len(tokens) > _MOST else tokens


def _options_of_sentence(sentence: str) -> tuple[str, ...]:
    """The options that a sentence chooses; none where it denies them all."""
    text = _without_asides(NOT_A_DENIAL.sub(" ", sentence))
    tokens = _tokens(text)
    if not tokens or _is_question(text):
        return ()
    denied = _denied_options(text)
    kept = [it for it in tokens if it not in denied]
    if not kept:
        return ()
    reason = _REASON.search(text, kept[0][1])
    kept = [(letter, at) for letter, at in kept if reason is None or at < reason.start()]
    parts = [0, *(it.end() for it in _SPLIT.finditer(text))]
    for start in reversed(parts):
        within = [(letter, at) for letter, at in kept if at >= start]
        if within and (start == 0 or _turns(text, start, kept)):
            kept = within
            break
    return _resolve_letters(text, kept)


def _is_question(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？"))


def _turns(text: str, start: int, kept: list[_Named]) -> bool:
    before, after = text[:start], text[start:]
    if re.search(r"\b(?:so|therefore|thus|hence)\b\W*$", before, re.IGNORECASE):
        return True
    if before.endswith(";") and kept[0][1] <= _AT_START:
        return any(at >= start and _RIGHT.match(text, at + 1) for _, at in kept)
    if not any(at < start for _, at in kept):
        return True
    if any(
        at < start and (_RIGHT.match(text, at + 1) or _LINK.search(text[:at])) for _, at in kept
    ):
        return bool(CONCEDED.search(before))
    return bool(
        CONCEDED.search(before)
        or re.search(r"\b(?:is|was|are|has|ist|est|es)\b", after, re.IGNORECASE)
    )


def _resolve_letters(text: str, kept: list[_Named]) -> tuple[str, ...]:
    letters = tuple(dict.fromkeys(letter for letter, _ in kept))
    if len(letters) == 1:
        return letters
    if _is_joined(text, kept):
        return letters
    right = [(letter, at) for letter, at in kept if _RIGHT.match(text, at + 1)]
    if right:
        return (right[-1][0],)
    linked = [(letter, at) for letter, at in kept if _LINK.search(text[:at])]
    if linked:
        return (linked[-1][0],)
    if kept[0][1] <= _AT_START:
        return (kept[0][0],)
    return (kept[-1][0],)


def _is_joined(text: str, kept: list[_Named]) -> bool:
    pairs = pairwise(kept)
    return any(
        one != other and bool(_JOINT.fullmatch(text, left + 1, right))
        for (one, left), (other, right) in pairs
    )


_JOINT = re.compile(
    rf"[\s,\"'*_`()]*(?:(?P<word>{OR}|{AND}|nor|noch|ni)\s+(?:maybe\s+|possibly\s+|perhaps\s+"
    r"|also\s+|even\s+|the\s+)?|[/&+,])?[\s\"'*_`(]*",
    re.IGNORECASE,
)


def _denied_options(text: str) -> list[_Named]:
    """The options that a sentence denies."""
    crosses, runs = crossed_options(text), _runs(text, _tokens(text))
    return [it for run in runs for it in run if it[0] in crosses or _is_denied(text, it[1], run)]


def _runs(text: str, tokens: list[_Named]) -> list[list[_Named]]:
    """The options one by one, or together where they are joined as in "A, C or D"."""
    runs: list[list[_Named]] = []
    for it in tokens:
        gap = text[runs[-1][-1][1] + 1 : it[1]] if runs else ""
        if gap.strip() and _JOINT.fullmatch(gap):
            runs[-1].append(it)
        else:
            runs.append([it])
    closed = ([run] if _is_closed(text, run) else [[it] for it in run] for run in runs)
    return list(chain.from_iterable(closed))


def _is_closed(text: str, run: list[_Named]) -> bool:
    """True if a word such as "or" precedes the last of a run."""
    last = _JOINT.fullmatch(text, run[-2][1] + 1, run[-1][1]) if len(run) > 1 else None
    return last is not None and last["word"] is not None


def _is_denied(text: str, at: int, run: list[_Named]) -> bool:
    """True if an option is denied, alone or together with its neighbours."""
    first, last = run[0][1], run[-1][1]
    return _is_denied_behind(text, last) or _is_denied_before(text[:first]) or _is_aside(text, at)


def _is_denied_behind(text: str, at: int) -> bool:
    return any(it.match(text, at + 1) for it in (DENIED_AFTER, _WRONG, RUNNER_UP, _NEAR_MISS))


_NEAR_MISS = re.compile(
    r"[\s\"'”’*_`)]*(?:is|was|comes?|came|would be|looks?|seems?)\s+"
    r"(?:(?:also|very|quite|rather|pretty|really|certainly)\s+)?(?:(?:a|an|my|the)\s+)?"
    r"(?:close(?! to the (?:right|correct))|tempting|near|back-?up|fall-?back|plan b)\b",
    re.IGNORECASE,
)
"""What says that the option before it was nearly chosen."""


def _is_denied_before(before: str) -> bool:
    clause = _PAUSE.split(before)[-1]
    is_other = NAMED_WRONG.search(before) or ELSE.search(before) or _NEXT_BEST.search(before)
    return is_negative(clause) or bool(is_other)


_NEXT_BEST = re.compile(
    r"\b(?:runner[- ]up|(?:second|next)[- ](?:best|choice))\b[^.;,]{0,20}(?:\bis|:)\s*\W*\Z",
    re.IGNORECASE,
)


def _is_aside(text: str, at: int) -> bool:
    """True if an option is only eliminated, conceded or attributed to others."""
    if any(it.start() < at < it.end() for it in _ELIMINATED.finditer(text)):
        return True
    before = text[:at]
    clause = _PAUSE.split(before)[-1]
    return bool(_CONCEDED.search(before) or HEARSAY.search(clause) or _CONSIDERED.search(clause))


_CONSIDERED = re.compile(
    r"\b(?:hesitat\w+|contemplat\w+|waver\w+|toy\w* with|was (?:torn|tempted)|nearly|almost"
    r"|first (?:draft|instinct|thought|guess|impulse))\b[^.;,]{0,40}\Z",
    re.IGNORECASE,
)
"""What was thought of before an option, and not chosen."""
_CONCEDED = re.compile(rf"\w.*{CONCEDING}", re.IGNORECASE)
