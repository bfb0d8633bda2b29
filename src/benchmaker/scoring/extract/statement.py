# ruff: noqa: RUF001  the marks of other scripts
"""Whether a reply states an expected text as its answer, denies it, or only mentions it.

The reply is read in sentences. A sentence states the text where it stands in the place of a
complement ("The capital of Peru is Lima."), of a subject ("Lima is the capital.") or alone. It does
not where the text is denied, compared with, one of two candidates, conceded before a "but", or a
part of a longer name. Which sentence counts: a concluding one, a short answer that opens the reply,
or the last one that names an answer.
"""

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from benchmaker.scoring.extract.marks import bare, emphasised
from benchmaker.scoring.extract.phrases import (
    AND,
    CONCEDED,
    CONCESSION,
    CONCLUSION,
    CONTRAST,
    DENIED_AFTER,
    ELSE,
    GIVEN_UP,
    IS,
    NOT,
    NOT_A_DENIAL,
    OR,
    VERBS,
)
from benchmaker.scoring.extract.sentences import Sentence, after_correction, sentences
from benchmaker.scoring.words import is_boundary

SLOT = "\ue000"
"""Stands for the expected text where a sentence is read."""


class Claim(Enum):
    """How a sentence uses the expected text."""

    ANSWER = "answer"
    COMPLEMENT = "complement"
    SUBJECT = "subject"
    MENTION = "mention"
    DENIAL = "denial"
    CHOICE = "one of several"
    ABSENT = "absent"


_STATES = frozenset({Claim.ANSWER, Claim.COMPLEMENT, Claim.SUBJECT})
_FALSE = frozenset({Claim.DENIAL, Claim.CHOICE})


@dataclass(frozen=True, slots=True)
class Stated:
    """The verdict on a reply: whether it states the text, by which rule, and what it states."""

    is_stated: bool
    rule: str
    text: str
    why: str = ""


_JOINS_BEFORE = frozenset("-‐–/\\.@#~^+<>&_'’")
_JOINS_AFTER = frozenset("-‐–/\\@^+<>([{_'’=%")
_ARTICLE = (
    r"(?:the|an?|der|die|das|den|dem|ein|eine|le|la|les|un|une|el|los|il|lo|l['’]|o|os|as|de|het)"
)
_LEAD = re.compile(
    rf"[\s\W_]*(?:(?:so|thus|therefore|hence|then|and|well|also|yes|ok|okay|finally|overall|in short|in conclusion|to conclude"
    rf"|definitely|certainly|clearly|obviously|probably|simply|just|indeed|surely|it(?:['’]s| is| was| must be| has to be| would be| should be)|that(?:['’]s| is| was| would be)"
    rf"|this(?: is| was)|they are|these are|he is|she is|i (?:would say|['’]d say|say|believe|think|guess)|it['’]?s|my answer|answer|final answer|result|called"
    rf"|es ist|das ist|c['’]est|ce sont|es|son|è|é|je pense|ich denke|ich glaube|creo que|{_ARTICLE})[\s,:;.!—–*_\"'“”-]*)*",
    re.IGNORECASE,
)
_VERB_NEXT = re.compile(r"[\"'”’*_`)\s]*[a-zà-ÿ]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_CJK_BEFORE = frozenset("是为為はがも在叫于於即就选選で的の了到由被：、，。「“")
_TITLES = frozenset(
    "president king queen dr mr mrs ms sir professor prof captain author painter composer general emperor"
    " empress prince princess saint lord lady chancellor minister physicist chemist scientist poet writer novelist element city".split()
)
_FUNCTION = frozenset(
    "the a an it its in on at by to of for from with is are was were that this these so thus therefore hence and as"
    " called named known then because since since yes no if when i we he she they there here answer definitely certainly"
    " clearly obviously probably simply finally actually use try write choose pick say der die das ist war es in im le la"
    " les un une est c'est el los il lo è é los las de du des von vom zu zur une den dem nach mit per por para que correct right wird heißt".split()
)
_SEPARATOR = re.compile(r"[:;,—–(\[>=→⇒|…]|->|=>")
_CLAUSE = re.compile(
    rf"(?:[;:—–]|\s-\s|,)?\s*\b(?:{CONTRAST})\b(?!\s+(?:than|of)\b)|;|(?<=,)\s*(?=(?:it|that|this|he|she|they|es|das|c['’]est|il|elle)\b)",
    re.IGNORECASE,
)
_CJK_CLAUSE = re.compile(r"而是|ではなく|じゃなく|，|、(?=.*です)|；")
_EITHER_SIDE = re.compile(
    rf"(?:(?<![\w])(?:{OR})\s+(?:\w+\s+){{0,2}}[\"'“*_`(]*{SLOT})|(?:{SLOT}[\"'”*_`)]*\s*(?:\([^)]*\)\s*)?,?\s*(?:{OR})(?!\w))"
    rf"|{SLOT}\s*/\s*\w|\w\s*/\s*{SLOT}",
    re.IGNORECASE,
)
_CJK_OR = re.compile(
    rf"(?:或者?|还是|または|それとも|あるいは|又は|か)\s*{SLOT}|{SLOT}\s*(?:或者?|还是|または|それとも|あるいは|又は|か(?=\w))"
)
_NOT_THAT_OR = re.compile(
    rf"{SLOT}[^,]*,?\s*or (?:more (?:precisely|exactly|formally)|to be (?:precise|exact)|in other words|rather|simply|also known|as it is)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    rf"(?:(?<!\w)(?:{AND})\s+(?:{_ARTICLE}\s+)?[\"'“*_`]*{SLOT})|(?:{SLOT}[\"'”*_`]*,?\s+(?:{AND})\s+(?!(?:it|he|she|they|is|was|are|has|had|lies|the|this|that|i|we|not|which|es|il|elle|its|so|then|there|you|can|would|will|ist|est)\b))"
    rf"|{SLOT}\s*[与和と及]|[与和と及、]\s*{SLOT}|{SLOT}\s*、",
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"{SLOT}\s*,\s*[^,.;:]{{1,40}}(?:,\s*[^,.;:]{{1,40}})*,?\s+(?:and|or|und|oder|et|ou|y|o)\s+[^,.;:]{{1,40}}$|[^,.;:\s]\s*,\s*{SLOT}\s*,?\s+(?:and|or|und|oder|et|ou|y|o)\s",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:could|might|may|can) (?:also )?be\b|\b(?:maybe|perhaps|possibly)\b|\bpossible answers?\b|\bcomes? to mind\b|\bvielleicht\b|\bpeut-être\b|\bquizás?\b|かもしれ",
    re.IGNORECASE,
)
_ALIAS = re.compile(
    rf"\b(?:is|was|are)\s+(?:only|merely|just|simply|also|now|still|once|another|one of)\b",
    re.IGNORECASE,
)
_COPULA = re.compile(
    rf"(?<![\w'])(?:{IS}|called|named|becomes?|means?)(?![\w'])|['’]s\b|是|は|为|為", re.IGNORECASE
)


@lru_cache(maxsize=512)
def _finder(expected: str, *, ignores_case: bool) -> re.Pattern[str]:
    words = [re.escape(word) for word in expected.split()]
    return re.compile(r"\s+".join(words), re.IGNORECASE if ignores_case else 0)


def slotted(text: str, expected: str, *, ignores_case: bool = True) -> str:
    """The text with the slot in the place of the expected one, wherever it stands for itself.

    >>> slotted("New Lima, not Limassol", "Lima").replace(SLOT, "_")
    'New _, not Limassol'
    """
    return _finder(expected, ignores_case=ignores_case).sub(
        lambda found: SLOT if _is_itself(text, found.start(), found.end()) else found[0], text
    )


def _is_itself(text: str, start: int, end: int) -> bool:
    """Whether no part of a longer word, name or expression is cut out."""
    if not (is_boundary(text, start) and is_boundary(text, end)):
        return False
    before, after = text[start - 1 : start], text[end : end + 1]
    further = text[end + 1 : end + 2]
    if (
        before
        and before in _JOINS_BEFORE
        and (text[start - 2 : start - 1].isalnum() or before in "/\\.@#~_")
        and not _opens(text, start)
    ):
        return False
    if after and after in _JOINS_AFTER and (further.isalnum() or after in "([{%"):
        return False
    return not (
        after in {".", ",", ":"}
        and further.isalnum()
        and not further.isupper()
        and after != ":"
        and further.isascii()
    )


def _opens(text: str, start: int) -> bool:
    """Whether the mark before is one of emphasis or quotation."""
    return text[start - 1] in "_'’" and not text[start - 2 : start - 1].isalnum()


def is_alone(text: str, expected: str) -> bool:
    """Whether a text with the slot says nothing but the slot, with what may stand around it."""
    lead = _LEAD.match(text)
    rest = text[lead.end() if lead else 0 :].strip(" \"'“”’*_`")
    return rest.startswith(SLOT) and _ends(rest[1:])


_TAIL = re.compile(
    r"[\s\"'”’*_`]*(?:[.!。！…]*|[.,;:!—–(\[].*|-(?:\s.*)?|(?:because|since|as|for|which|who|where|that|with|in|on|at|from|and (?:it|its|is|the|he|she|they|has|was)|due|denn|weil|car|parce|porque|de|du|des|von|des)\b.*"
    r"|(?:です|だ|でした|だよ|である|입니다|이다|。).*)",
    re.IGNORECASE | re.DOTALL,
)


def _ends(rest: str) -> bool:
    return bool(_TAIL.fullmatch(rest))


def claim(sentence: str, *, is_symbolic: bool = False) -> Claim:
    """How a sentence uses the slot in it."""
    if SLOT not in sentence:
        return Claim.ABSENT
    text = _PARENTHESES.sub("", sentence) if SLOT in _PARENTHESES.sub("", sentence) else sentence
    text = NOT_A_DENIAL.sub(" ", bare(text)).strip()
    if text.rstrip("\"'”’*_) ").endswith(("?", "？")):
        return Claim.MENTION
    found = [_one(text, at, is_symbolic=is_symbolic) for at in _slots(text)]
    if Claim.CHOICE in found:
        return Claim.CHOICE
    stated = [it for it in found if it in _STATES]
    if found[-1] is Claim.DENIAL or (Claim.DENIAL in found and not stated):
        return Claim.DENIAL
    return stated[-1] if stated else found[-1]


_PARENTHESES = re.compile(r"\s*\([^()]*\)")


def _slots(text: str) -> list[int]:
    found = [at for at, it in enumerate(text) if it == SLOT]
    return found if len(found) <= _MOST else [*found[: _MOST // 2], *found[-_MOST // 2 :]]


_MOST = 6


def _one(text: str, at: int, *, is_symbolic: bool) -> Claim:
    clauses = [
        0,
        *(it.end() for it in _CLAUSE.finditer(text)),
        *(it.end() for it in _CJK_CLAUSE.finditer(text)),
    ]
    start = max(place for place in clauses if place <= at)
    ends = [it.start() for it in _CLAUSE.finditer(text) if it.start() >= at] + [
        it.start() for it in _CJK_CLAUSE.finditer(text) if it.start() >= at
    ]
    end = min(ends, default=len(text))
    clause, place = text[start:end], at - start
    before, after = clause[:place], clause[place + 1 :]
    if _is_choice(text, before, after):
        return Claim.CHOICE
    if _is_denied(before, clause, place):
        return Claim.DENIAL
    if (
        SLOT in _subordinate(text)
        and text.index(SLOT, at) < len(_subordinate(text))
        and text[len(_subordinate(text)) :].strip(" .!")
    ):
        return Claim.MENTION
    if re.search(rf"\b(?:{CONCESSION})\b[^,;.]*$", text[:at], re.IGNORECASE) and re.search(
        r"\w", re.split(rf"\b(?:{CONCESSION})\b", text[:at], flags=re.IGNORECASE)[0]
    ):
        return Claim.MENTION
    if _UNTIL.match(text, at + 1) or _NEXT.search(before):
        return Claim.MENTION
    if _ASKED.search(before) or (is_symbolic and _is_cut(before)):
        return Claim.MENTION
    if (
        _KIN.search(before)
        or ELSE.search(before)
        or (_WEAK.search(before) and len(_slots(text)) > 1)
    ):
        return Claim.MENTION
    rest = text[end:]
    if rest.strip(" .!") and CONCEDED.search(text[:end]) and _CLAUSE.match(rest):
        return Claim.MENTION
    kind = _position(before, after, is_symbolic=is_symbolic)
    if (
        kind is Claim.SUBJECT
        and re.match(rf"[;,—–]?\s*\b(?:{CONTRAST})\b", rest, re.IGNORECASE)
        and _COPULA.search(rest)
    ):
        return Claim.MENTION
    if (
        start
        and kind is Claim.SUBJECT
        and _COPULA.search(text[:start])
        and SLOT not in text[:start]
        and not NOT.search(text[:start])
        and not CONCEDED.search(text[:start])
    ):
        return Claim.MENTION
    return kind


_ASKED = re.compile(
    r"\b(?:whether|you(?:['’]re| are)? ask\w*|the question|wants? to know|wonder\w*|ob|si l[ae])\b",
    re.IGNORECASE,
)


_SUBORDINATE = re.compile(
    r"\W*(?:although|though|even though|even if|while|whereas|despite|obwohl|während|auch wenn|bien que|même si|alors que|aunque|mientras(?: que)?|sebbene|benché|embora)\b[^,]*,",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"[\s\"'”’*_`]*(?:until|till|before \d|bis|jusqu|hasta)\b", re.IGNORECASE)
_NEXT = re.compile(
    r"(?:,|\band|;)\s*(?:then|followed by|next|second(?:ly)?|dann|puis|luego)\s+(?:\w+\s+)?[\"'“*_`]*$|\bfollowed by\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_KIN = re.compile(
    r"\b(?:daughter|son|wife|husband|father|mother|brother|sister|student|pupil|friend|colleague|teacher|successor|predecessor|rival|north|south|east|west|suburb|outskirts"
    r"|opposite|capital|symbol|part|child|widow|assistant|version|kind|half)\s+of\s+(?:the\s+)?[\"'“*_`]*$",
    re.IGNORECASE,
)


def _subordinate(text: str) -> str:
    """The clause that opens a sentence and concedes something; empty without one."""
    found = _SUBORDINATE.match(text)
    return found[0] if found else ""


def _is_cut(before: str) -> bool:
    """Whether a symbol right before the slot may belong to the same expression."""
    last = before.rstrip()[-1:]
    return bool(last) and not last.isalnum() and last not in ":,.;!=\"'`“*_—–→"


def _is_choice(text: str, before: str, after: str) -> bool:
    joined = f"{before}{SLOT}{after}"
    if _NOT_THAT_OR.search(text):
        return False
    if _CJK_OR.search(text):
        return True
    if _EITHER_SIDE.search(text) and not re.search(rf"\bwhether\b[^,.]*{SLOT}|[?]", before + SLOT):
        return True
    if _TOGETHER.search(joined) or _LISTED.search(joined):
        return True
    return bool(
        re.search(
            r"\b(?:either|between|both|candidates?|possible answers?|options are|entweder|soit)\b",
            before,
            re.IGNORECASE,
        )
    )


def _is_denied(before: str, clause: str, place: int) -> bool:
    if DENIED_AFTER.match(clause, place + 1):
        return True
    last = _PAUSE.split(before)[-1]
    if re.search(r"\bno\s+(?:\w+\s+)?[\"'“*_`]*$", last, re.IGNORECASE):
        return True
    denials = list(NOT.finditer(last))
    return len(denials) % 2 == 1


_PAUSE = re.compile(
    r",\s*(?!as\b)|[;:—–()]|，|、|\bbut\b|\bsondern\b|\bmais\b|\bsino\b|而是|ではなく"
)


def _position(before: str, after: str, *, is_symbolic: bool) -> Claim:
    lead = _LEAD.match(before)
    head = before[lead.end() if lead else 0 :].strip(" \"'“”‘’*_`")
    if not head:
        if _ends(after) or not after.strip():
            return Claim.ANSWER
        nexts = after.lstrip(" \"'”’*_`")
        if is_symbolic or nexts[:1].isupper() or nexts[:1].isdigit() or not _VERB_SOON.match(nexts):
            return Claim.MENTION
        if re.fullmatch(
            r"\s*[^\s:—–]+(?:\s+[^\s:—–]+){0,2}\s*[:—–]\s*", before
        ) and not _LABELS.search(before):
            return Claim.MENTION
        return Claim.SUBJECT
    if head.endswith(",") and is_fragment(f"{before}{SLOT}{after}") and ":" in head:
        return Claim.MENTION
    if (
        re.fullmatch(r"[^\s:—–]+(?:\s+[^\s:—–]+){0,2}\s*[:—–]", head)
        and _VERB_SOON.match(after.lstrip())
        and not _ends(after)
    ):
        return Claim.MENTION
    if not _fits(before, after, is_symbolic=is_symbolic):
        return Claim.MENTION
    return Claim.COMPLEMENT


def _fits(before: str, after: str, *, is_symbolic: bool) -> bool:
    """Whether the words beside the slot do not belong to one name with it."""
    if _CJK.match(before[-1:]) and before[-1] not in _CJK_BEFORE:
        return False
    tail = before.rstrip(" \t\"'“”‘’*_`")
    nexts = after.lstrip(" \t\"'”’*_`")
    word = tail.split()[-1] if tail.split() else ""
    if (
        nexts[:1].isupper()
        and nexts[:2].strip()
        and not re.match(r"(?:I|In)\b", nexts)
        and after[:1] not in ".:;,!"
    ):
        return False
    if nexts[:1].isdigit() and after[:1] == " ":
        return False
    if is_symbolic:
        plain = word.rstrip(",:").casefold()
        return (
            plain in _FUNCTION or word.endswith((":", "=")) or bool(_LOWER.fullmatch(plain))
        ) and not re.match(r"\s*[^\w\s.,;:!)]", after)
    bare_word = word.strip("([{\"'“„«—–")
    if not bare_word or _SEPARATOR.search(bare_word[-1:]):
        return True
    first = bare_word[0]
    if not first.isupper() or not first.isascii() and not first.isalpha():
        return not (first.isdigit() and bare_word.isdigit())
    plain = bare_word.strip(".").casefold()
    if (
        plain in _TITLES
        or plain in _FUNCTION
        or plain.endswith("ly")
        or plain.endswith(("'s", "’s"))
    ):
        return True
    return False


_VERB_SOON = re.compile(
    rf"(?:\w+\s+){{0,2}}(?:(?:{IS}|has|have|had|does|do|did|will|can|could|would|should|may|might|must|hat|wird|a|ont|ha|\w+(?:ed|s)|{VERBS}|it|\w+te|\w+ó)(?![\w])|['’]s\b)|[是はがでだ。、，,.;:—–(]|-\s",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"\b(?:answer|note|fact|summary|conclusion|result|antwort|réponse|respuesta)\b", re.IGNORECASE
)
_LOWER = re.compile(r"[a-zà-ÿ'’]+")
_VERB = re.compile(
    rf"(?<![\w'])(?:{IS}|has|have|had|does|do|did|will|can|could|would|should|may|might|must|hat|haben|wird|a|ont|hay|ha)(?![\w'])|['’]s\b|\b\w+(?:ed|es|ates|izes)\b|\b(?:{VERBS})\b|是|です",
    re.IGNORECASE,
)


def is_fragment(sentence: str) -> bool:
    """Whether it is a bare answer: no verb, few words.

    >>> is_fragment("Jane Austen."), is_fragment("It is Jane Austen.")
    (True, False)
    """
    text = bare(sentence).strip()
    words = text.split()
    return len(words) <= 6 and not _VERB.search(text) and not text.endswith((":", "?"))  # noqa: PLR2004


def is_conclusion(sentence: str) -> bool:
    """Whether it begins as a conclusion does."""
    return bool(CONCLUSION.match(sentence.strip(" *_")))


def stated(reply: str, expected: str, *, ignores_case: bool = True) -> Stated:
    """Whether a reply that holds no mark of an answer states the expected text.

    >>> stated("The capital of Peru is Lima, not Cusco.", "Lima").is_stated
    True
    >>> stated("It is either Cusco or Lima.", "Lima").is_stated
    False
    """
    is_symbolic = not any(it.isalnum() for it in expected) or not (
        expected[0].isalnum() and expected[-1].isalnum() or any(it.isalpha() for it in expected)
    )
    reply = _NUMBERED.sub("", reply) if "\n" not in reply.strip() else reply
    text = after_correction(slotted(reply, expected, ignores_case=ignores_case))
    found = sentences(text)
    if not found:
        return Stated(False, "nothing", "", "nothing is stated")
    claims = [claim(it.text, is_symbolic=is_symbolic) for it in found]
    index, why = _deciding(found, claims)
    said = found[index].text.replace(SLOT, expected)
    if why:
        return Stated(False, "statement", said, why)
    is_right = claims[index] in _STATES
    return Stated(
        is_right,
        "statement",
        expected if is_right else said,
        "" if is_right else claims[index].value,
    )


_NUMBERED = re.compile(r"\A\s*\d{1,2}[.)]\s+(?=\S)")


def _deciding(found: list[Sentence], claims: list[Claim]) -> tuple[int, str]:
    """The sentence that decides, and why the reply states nothing where that is so."""
    last = len(found) - 1
    if GIVEN_UP.search(found[last].text) and claims[last] not in _STATES:
        return last, "it declines to answer"
    items = [index for index, it in enumerate(found) if it.is_item and is_fragment(it.text)]
    if (
        len(items) == len(found) > 1
        and len({it.text for it in found}) > 1
        and found[0].line != found[-1].line
    ):
        is_table = all(found[index].is_alone for index in items) and False
        if not is_table and claims[last] is not Claim.ANSWER:
            return last, "it names several"
        if sum(it is not Claim.ABSENT for it in claims) < len(found):
            return last, "it names several"
    if (
        any(
            re.match(r"\W*(?:or|oder|ou) ", it.text, re.IGNORECASE) and index
            for index, it in enumerate(found)
        )
        and Claim.ANSWER in claims
    ):
        return last, "it names several"
    if last == 0:
        return 0, ""
    lines = [it.line for it in found]
    if (
        all(it.is_alone and is_fragment(it.text) for it in found)
        and lines[-1] - lines[0] == last
        and not any(emphasised(it.text) for it in found)
        and Claim.ABSENT in claims
    ):
        return last, "it names several"
    for index in range(last, 0, -1):
        if is_conclusion(found[index].text) and (
            claims[index] is not Claim.ABSENT or _names_one(found[index].text)
        ):
            return index, ""
    if found[last].is_alone and not found[last].is_item and is_fragment(found[last].text):
        return last, ""
    if is_fragment(found[0].text) and not found[0].text.rstrip("*_ ").endswith(":"):
        later = [index for index in range(1, last + 1) if claims[index] in _FALSE]
        return (
            (later[-1], "it is taken back")
            if claims[0] in _STATES and later and claims[later[-1]] is Claim.DENIAL
            else (0, "")
        )
    return _by_statements(found, claims), ""


def _names_one(sentence: str) -> bool:
    """Whether a conclusion names an answer of its own."""
    return bool(emphasised(sentence) or _COPULA.search(sentence) or is_fragment(sentence))


def _by_statements(found: list[Sentence], claims: list[Claim]) -> int:
    last = len(found) - 1
    denied = [index for index, it in enumerate(claims) if it in _FALSE]
    if denied and not any(it in _STATES for it in claims[denied[-1] :]):
        return denied[-1]
    if claims[last] is Claim.COMPLEMENT or claims[last] is Claim.ANSWER:
        if not (
            _defines(found[0].text)
            and claims[0] is Claim.ABSENT
            and last > 0
            and not _defines_with_slot(found[last].text)
        ):
            return last
    if (
        claims[0] in {Claim.COMPLEMENT, Claim.ANSWER}
        and CONCEDED.search(found[0].text)
        and claims[last] is Claim.ABSENT
    ):
        return last
    if claims[0] in {Claim.COMPLEMENT, Claim.ANSWER}:
        contrary = [
            i
            for i in range(1, last + 1)
            if re.match(rf"\W*(?:{CONTRAST})\b", found[i].text, re.IGNORECASE)
            and _COPULA.search(found[i].text)
            and claims[i] is Claim.ABSENT
        ]
        bold = emphasised(found[last].text)
        if not contrary and not (
            bold and claims[last] is Claim.ABSENT and _defines(found[last].text)
        ):
            return 0
        return last
    if claims[last] is Claim.SUBJECT and not _defines(found[0].text):
        return last
    if claims[0] is Claim.SUBJECT and not any(
        _defines(it.text) for it, c in zip(found[1:], claims[1:], strict=True) if c is Claim.ABSENT
    ):
        return 0
    for index in (1, last - 1):
        if (
            index < last
            and claims[index] is Claim.COMPLEMENT
            and _defines_with_slot(found[index].text)
            and last <= 4
        ):  # noqa: PLR2004
            return index
    return last if claims[last] is Claim.ABSENT else 0


_DEFINES = re.compile(
    rf"\b(?:the|its|their|his|her|this|that|it|der|die|das|la|le|el|il)\b[^,;]{{0,80}}?(?<![\w'])(?:{IS}|called|named)(?![\w'])\s+(?:(?:the|a|an)\s+)?[\"“*_`]*[A-Z{SLOT}]",
    re.IGNORECASE,
)


def _defines(sentence: str) -> bool:
    """Whether it says what the thing asked for is: "The capital is …"."""
    found = re.search(
        rf"(?<![\w'])(?:{IS}|called|named)(?![\w'])\s+(?:(?:the|a|an|der|die|das|la|le|el)\s+)?[\"“*_`]*([^\W\d_]|{SLOT})(?P<rest>[^\s,.;]*[\"”*_`]*[.!]?$)?",
        bare(sentence), re.IGNORECASE,
    )  # fmt: skip
    return bool(found and (found[1].isupper() or found[1] == SLOT or found["rest"]))


def _defines_with_slot(sentence: str) -> bool:
    return bool(
        re.search(
            rf"(?<![\w'])(?:{IS}|called|named|['’]s)(?![\w'])\s+(?:\w+\s+){{0,3}}{SLOT}",
            bare(sentence),
            re.IGNORECASE,
        )
    )


def answer_holds(taken: str, expected: str, *, ignores_case: bool = True) -> bool:
    """Whether the text at an answer's mark is the expected one, with remarks around it at most.

    >>> answer_holds("Lima, which lies on the coast", "Lima"), answer_holds("New York", "York")
    (True, False)
    """
    text = slotted(taken, expected, ignores_case=ignores_case)
    if SLOT not in text:
        return False
    first = sentences(text)
    if not first:
        return False
    said = claim(first[0].text)
    if said is Claim.ANSWER:
        return True
    if said is Claim.COMPLEMENT:
        tail = bare(first[0].text).rpartition(SLOT)[2]
        return _ends(tail) and (len(first[0].text.split()) > 4 or _has_link(first[0].text))  # noqa: PLR2004
    return False


def _has_link(text: str) -> bool:
    head = bare(text).partition(SLOT)[0].rstrip(" \"'“*_`(")
    word = head.split()[-1].casefold().strip(",:") if head.split() else ""
    return word in _FUNCTION or head.endswith((":", "=", "—", "–")) or word in _TITLES


def closing(reply: str) -> str:
    """What a reply without the expected text states, as well as can be told without it."""
    found = sentences(after_correction(reply))
    if not found:
        return ""
    text = found[0].text if is_fragment(found[0].text) else found[-1].text
    bold = emphasised(text)
    if bold:
        return bold[-1]
    ends = [it.end() for it in _COPULA.finditer(text)]
    rest = text[ends[-1] :].strip() if ends else ""
    return rest if rest and len(rest) < 200 else text  # noqa: PLR2004
