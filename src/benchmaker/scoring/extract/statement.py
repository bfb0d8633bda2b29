"""Decides if a reply states an expected text as its answer, denies or only mentions it.

The reply is split into sentences. A sentence states the text if it is a complement ("The capital of
Peru is Lima."), of a subject ("Lima is the capital.") or alone. It does not if the text is denied,
compared with, one of two candidates, conceded before a "but", or a part of a longer name. The
deciding sentence is a conclusion, a short opening answer, or the last one that names an answer.
"""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.claims import (
    COPULA,
    FALSE,
    STATES,
    SlotUse,
    classify_slot,
    concedes,
    ends,
    is_fragment,
    is_link,
)
from benchmaker.scoring.extract.discourse import GIVEN_UP
from benchmaker.scoring.extract.marks import find_emphasised, strip_marks
from benchmaker.scoring.extract.phrases import (
    BESIDE,
    CONCLUSION,
    CONTRAST,
    IS,
    NAMED_WRONG,
    NOT,
    TURN,
)
from benchmaker.scoring.extract.reply import FencedBlock, only_block, shorten_reply
from benchmaker.scoring.extract.sentences import Sentence, after_correction, sentences
from benchmaker.scoring.extract.slots import SLOT, Shape, insert_slot

_NUMBERED = re.compile(r"\A\s*\d{1,2}[.)]\s+(?=\S)")
_ALTERNATIVE = re.compile(r"\W*(?:or|oder|ou) ", re.IGNORECASE)
_TURNS = re.compile(TURN, re.IGNORECASE)
_AGAINST = re.compile(rf"\W*(?:{CONTRAST})\b", re.IGNORECASE)
_DEFINES = re.compile(
    rf"(?<![\w'])(?:{IS}|called|named)(?![\w'])\s+(?:(?:the|a|an|der|die|das|la|le|el)\s+)?"
    rf"(?!(?:not|wrong|incorrect|false|falsch|faux)\b)[\"“*_`]*([^\W\d_]|{SLOT})(?P<rest>[^\s,.;]*[\"”*_`]*[.!]?$)?",
    re.IGNORECASE,
)
_DEFINES_SLOT = re.compile(
    rf"(?<![\w'])(?:{IS}|called|named|['’]s)(?![\w'])\s+(?:(?!(?:{BESIDE})\b)\w+\s+){{0,3}}{SLOT}",
    re.IGNORECASE,
)
_FIELD = re.compile(r"[\W_]*([^\W_][^:\n]{0,40}?)[*_\s]*:[*_\s]+(?=\S)")
_SEVERAL = "it names several answers"
_WORDS_OF_A_NAME = 4
_FEW = 5
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class StatedText:
    """The verdict on a reply: if it states the text, the rule, and the statement."""

    is_stated: bool
    rule: str
    text: str
    why: str = ""


def stated_text(reply: str, expected: str, *, ignores_case: bool = True) -> StatedText:
    """Decide if a reply without an answer mark states the expected text.

    >>> stated_text("The capital of Peru is Lima, not Cusco.", "Lima").is_stated
    True
    >>> stated_text("It is either Cusco or Lima.", "Lima").is_stated
    False
    """
    if "\n" not in reply.strip():
        reply = _NUMBERED.sub("", reply)
    found = sentences(after_correction(insert_slot(reply, expected, ignores_case=ignores_case)))
    if not found:
        return StatedText(is_stated=False, rule="nothing", text="", why="nothing is stated")
    shape = Shape.of(expected)
    claims = [classify_slot(it.text, shape=shape) for it in found]
    reading = _ReplyReading(found, claims)
    why = reading.why_none()
    index = reading.last_index if why else reading.deciding_index()
    if not why and claims[index] in STATES:
        return StatedText(is_stated=True, rule="statement", text=expected)
    said = found[index].text.replace(SLOT, expected)
    return StatedText(is_stated=False, rule="statement", text=said, why=why or claims[index].value)


@dataclass(frozen=True, slots=True)
class _ReplyReading:
    """The sentences of a reply and how each uses the expected text."""

    found: list[Sentence]
    claims: list[SlotUse]

    @property
    def last_index(self) -> int:
        """The place of the last sentence."""
        return len(self.found) - 1

    def why_none(self) -> str:
        """Return the reason why the whole reply states nothing; empty if it states something."""
        last = self.found[-1]
        if GIVEN_UP.search(last.text) and self.claims[-1] not in STATES:
            return "it declines to answer"
        if self._is_list() or self._offers_another():
            return _SEVERAL
        return ""

    def _is_list(self) -> bool:
        """True if the reply is a list of answers: items, or separate lines."""
        is_bare = all(it.is_alone and is_fragment(it.text) for it in self.found)
        if self.last_index == 0 or not is_bare or SlotUse.ABSENT not in self.claims:
            return False
        if all(it.is_item for it in self.found):
            return len({it.text for it in self.found}) > 1
        lines = [it.line for it in self.found]
        is_close = lines[-1] - lines[0] == self.last_index
        return is_close and not any(find_emphasised(it.text) for it in self.found)

    def _offers_another(self) -> bool:
        """True if a sentence continues a bare answer with "Or …"."""
        later = any(_ALTERNATIVE.match(it.text) for it in self.found[1:])
        return later and SlotUse.ANSWER in self.claims

    def deciding_index(self) -> int:
        """The place of the sentence that decides."""
        for index in range(self.last_index, 0, -1):
            if self._concludes(index):
                return index
        if self._is_record():
            return 0
        last = self.found[-1]
        if last.is_alone and not last.is_item and is_fragment(last.text):
            return self.last_index
        if self.last_index and is_fragment(self.found[0].text) and not _denies(self.found[0].text):
            return self._after_fragment()
        return self._by_statements()

    def _is_record(self) -> bool:
        """True if the reply is a record of fields, each a label and a value; the first decides."""
        fields = [_FIELD.match(it.text) for it in self.found]
        labels = {it[1].casefold() for it in fields if it}
        return all(it.is_alone for it in self.found) and len(fields) == len(labels) > 1

    def _concludes(self, index: int) -> bool:
        """True if a sentence begins as a conclusion does and names an answer."""
        text = self.found[index].text
        if not CONCLUSION.match(text.strip(" *_")):
            return False
        names_one = find_emphasised(text) or COPULA.search(text) or is_fragment(text)
        return self.claims[index] is not SlotUse.ABSENT or bool(names_one)

    def _after_fragment(self) -> int:
        """The short answer that opens the reply, unless a later sentence denies it."""
        later = [index for index in range(1, self.last_index + 1) if self.claims[index] in FALSE]
        is_denied = bool(later) and self.claims[later[-1]] is SlotUse.DENIAL
        return later[-1] if is_denied and self.claims[0] in STATES else 0

    def _by_statements(self) -> int:
        claims, last = self.claims, self.last_index
        denied = [index for index, it in enumerate(claims) if it in FALSE]
        if denied and not any(it in STATES for it in claims[denied[-1] :]):
            return denied[-1]
        if claims[last] in {SlotUse.COMPLEMENT, SlotUse.ANSWER} and not self._first_decides():
            return last
        if claims[0] in {SlotUse.COMPLEMENT, SlotUse.ANSWER}:
            return last if self._is_overruled() else 0
        return self._by_subjects()

    def _by_subjects(self) -> int:
        claims, last = self.claims, self.last_index
        if claims[last] is SlotUse.SUBJECT and not defines(self.found[0].text):
            return last
        others = [self.found[i].text for i in range(1, last + 1) if claims[i] is SlotUse.ABSENT]
        if claims[0] is SlotUse.SUBJECT and not any(map(defines, others)):
            return 0
        for index in (1, last - 1):
            is_complement = index < last < _FEW and claims[index] is SlotUse.COMPLEMENT
            if is_complement and _DEFINES_SLOT.search(strip_marks(self.found[index].text)):
                return index
        return last if claims[last] is SlotUse.ABSENT else 0

    def _first_decides(self) -> bool:
        """True if the first sentence makes a statement, and the last does not state the text."""
        if self.last_index == 0 or self.claims[0] is not SlotUse.ABSENT:
            return False
        is_said_last = _DEFINES_SLOT.search(strip_marks(self.found[-1].text))
        return defines(self.found[0].text) and not is_said_last

    def _is_overruled(self) -> bool:
        """True if the statement of the first sentence is rejected later."""
        is_last_absent = self.claims[-1] is SlotUse.ABSENT
        if is_last_absent and concedes(self.found[0].text):
            return True
        rest = zip(self.found[1:], self.claims[1:], strict=True)
        others = [it.text for it, use in rest if use is SlotUse.ABSENT]
        if any(_AGAINST.match(text) and COPULA.search(text) for text in others):
            return True
        last = self.found[-1].text
        return is_last_absent and bool(find_emphasised(last)) and defines(last)


def _denies(sentence: str) -> bool:
    """True if a short sentence states what the answer is not."""
    return bool(NOT.search(sentence) or NAMED_WRONG.search(sentence.rstrip(" .!*_")))


def defines(sentence: str) -> bool:
    """True if it defines the requested thing.

    >>> defines("The capital is Cusco."), defines("It lies on the coast.")
    (True, False)
    """
    found = _DEFINES.search(strip_marks(sentence))
    return bool(found and (found[1].isupper() or found[1] == SLOT or found["rest"]))


def answer_holds(taken: str, expected: str, *, ignores_case: bool = True) -> bool:
    """True if the marked answer is the expected text, apart from remarks around it.

    >>> answer_holds("Lima, which lies on the coast", "Lima"), answer_holds("New York", "York")
    (True, False)
    """
    text = insert_slot(taken, expected, ignores_case=ignores_case)
    first = sentences(text)[:1] if SLOT in text else []
    if not first:
        return False
    said = classify_slot(first[0].text)
    if said is SlotUse.SUBJECT and _is_beside_answer(first[0].text.partition(SLOT)[0]):
        return False
    if said is not SlotUse.COMPLEMENT:
        return said in {SlotUse.ANSWER, SlotUse.SUBJECT}
    head, _, tail = strip_marks(first[0].text).rpartition(SLOT)
    return ends(tail) and (len(first[0].text.split()) > _WORDS_OF_A_NAME or _leads(head))


def _is_beside_answer(head: str) -> bool:
    """True if another answer comes before the subject's clause: "Lima, but" before "Cusco"."""
    turn = _TURNS.search(head)
    answer = strip_marks(head[: turn.start()]).strip() if turn else ""
    return bool(answer) and is_fragment(answer) and not (NOT.search(answer) or concedes(answer))


def gives_block(reply: str, expected: str, *, ignores_case: bool = True) -> bool:
    r"""True if a reply gives the text in its only fenced block, followed only by explanations.

    >>> gives_block("Run:\n```\nls\n```\nIt lists the files.", "ls")
    True
    """
    block = answer_block(reply)
    if block is None or not answer_holds(block.text, expected, ignores_case=ignores_case):
        return False
    behind = sentences(insert_slot(block.after, expected, ignores_case=ignores_case))
    if behind and _AGAINST.match(behind[0].text):
        return False
    return not any(classify_slot(it.text) in FALSE for it in behind)


def answer_block(reply: str) -> FencedBlock | None:
    """Return the only fenced block if the reply leads to it and does not retract it."""
    block = only_block(reply)
    if block is None:
        return None
    before = block.before.strip(" \t\n*_")
    if before and (before[-1] not in ":\uff1a" or NOT.search(before) or concedes(before)):
        return None
    return None if _takes_back(block.after) else block


def _takes_back(after: str) -> bool:
    """True if the text after an answer replaces it: a correction, or another conclusion."""
    if after_correction(after, is_rest=True) != after:
        return True
    concluding = (it.text for it in sentences(after) if CONCLUSION.match(it.text.strip(" *_")))
    return any(defines(text) or any(map(str.isdigit, text)) for text in concluding)


def _leads(head: str) -> bool:
    """True if the text before a name leads to it."""
    head = head.rstrip(" \"'“*_`(")
    words = head.split()
    return head.endswith((":", "=", "—", "–")) or bool(
        words and is_link(words[-1].casefold().strip(",:"))
    )


def closing_statement(reply: str) -> str:
    """Return the probable statement of a reply without the expected text.

    >>> closing_statement("Peru lies in South America. Its capital is **Cusco**.")
    'Cusco'
    """
    found = sentences(after_correction(shorten_reply(reply)))
    if not found:
        return ""
    text = found[0].text if is_fragment(found[0].text) else found[-1].text
    if bold := find_emphasised(text):
        return bold[-1]
    copulas = [it.end() for it in COPULA.finditer(text)]
    rest = text[copulas[-1] :].strip() if copulas else ""
    return rest if rest and len(rest) < _SHOWN else text
