# ruff: noqa: RUF001  the marks of other scripts
r"""Places where a reply marks its answer.

In their order: the last JSON object with an answer, ``<answer>…</answer>``, the last ``\boxed{}``,
the last ``#### x``, and the text after the last "answer is" or "answer:" to the end of that line.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from benchmaker.scoring.extract.cues import AnyCase, Cue, CueGroup, whole_words
from benchmaker.scoring.extract.phrases import (
    ANSWER,
    ANSWER_WORDS,
    CONTRAST,
    HEARSAY,
    HOLDS,
    IS,
    NOT,
    NOT_A_DENIAL,
    REASON,
    RESULT,
    RESULT_WORDS,
    WRONG,
    is_negative,
)
from benchmaker.scoring.extract.reply import shorten_reply
from benchmaker.scoring.json_answer import json_answer

Kind = Literal["exact", "numeric", "boolean", "choice"]


class Anchor(NamedTuple):
    """The content of a marked answer: the rule, the text, and the rest of the reply."""

    rule: str
    text: str
    rest: str = ""


_TAG = re.compile(
    r"<\s*(answer|final[_ -]?answer|solution|result|response|output|final"
    r"|choice)\s*>(.*?)(?:</\s*\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_BOXED = re.compile(r"\\(?:f?boxed)\s*(?:\{|(?=[^\s{]))")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_HASHES = re.compile(r"(?<!#)####(?!#)[ \t]*([^\n]*)")
_HEADING = re.compile(
    r"\d{1,3}[.)]\s+\D|[^\W\d_]+ \d+\s*:|step\b|solution\b|explanation\b|answer\b", re.IGNORECASE
)
_WHOLE_KEYS = (
    "final_answer", "finalAnswer", "final answer", "Answer", "result", "response", "output",
    "value", "solution", "choice", "verdict", "label", "antwort", "réponse", "respuesta",
)  # fmt: skip

_M = r"[*_`\"']*"
_OTHERS = frozenset(
    (
        "wrong", "incorrect", "erroneous", "mistaken", "false", "bogus", "invalid", "inaccurate",
        "common", "popular", "typical", "usual", "first", "initial",
        "previous", "earlier", "obvious", "naive", "naïve", "intuitive", "long", "longer",
        "full", "detailed", "tempting", "possible", "another", "your", "other", "expected",
        "many", "plausible", "alternative", "one",
    )
)  # fmt: skip
"""Words before "answer" that make it another's answer, or not the last word."""

_IS = whole_words(IS, before=r"[^\W_]", after=r"\w")
_ANSWER_IS = AnyCase(
    rf"(?<![^\W_])(?:(?P<word>{ANSWER})s?(?:[ \t]*[*_]{{1,3}})?"
    rf"(?:(?P<colon>[ \t\u00a0]*{_M}[ \t\u00a0]*[:：]+)"
    rf"|(?P<between>[^.:：\n!?;]{{0,70}}?)(?:(?:{_IS}"
    rf"|(?<=answer)['’]s\b)[ \t\u00a0]*[:：]?"
    rf"|[ \t]+(?:[=→⇒]|->|=>)))"
    rf"|(?P<cjk>(?:答案|答え|答|回答|정답|답)(?:应该|應該)?(?:是|为|為|は|은|는|이|가)[:：]?))"
)
_LABEL_LINE = re.compile(
    rf"[ \t#>*_-]*(?:\d{{1,2}}\.\s*)?(?:the |my |your |final |correct |short |la |le |die "
    rf"|der |das |el )*"
    rf"(?:{ANSWER}|{RESULT})[*_\s]*",
    re.IGNORECASE,
)
_RESULT_LABEL = re.compile(
    rf"[ \t#>*_-]*(?:the |my |final |in )*(?:{RESULT}|output|solution"
    rf"|value)[*_\s]*[:：][ \t]*(?=\S)",
    re.IGNORECASE,
)
_ABBREVIATED = ("ans", "antw", "rép", "resp", "soln")
_SHORT_LABEL = Cue(
    (
        r"(?:\A|\n)[ \t*_>#(\"']*(?P<letter>A):"
        r"|(?P<asked>[?？])[\"'”*_)]*[ \t]+[*_]*A:(?!.{0,200}\bB[:)])"
        rf"|(?:\A|\n|(?<=[.!?？] ))[ \t*_>#(\"']*(?i:{'|'.join(_ABBREVIATED)})[.:][ \t:=-]*"
    ),
    ("a:", *(f"{word}{mark}" for word in _ABBREVIATED for mark in ".:")),
    flags=0,
)
"""Short labels of an answer; ``A:`` is one where a question stands before it."""
_AS_FOLLOWS = re.compile(
    r"as follows|below|the following|given by|found|obtained|easy|simple|clear|correct|right\b"
    r"|wrong|incorrect|unknown|korrekt|richtig|falsch|juste|faux|fausse|correcta?|incorrecta?",
    re.IGNORECASE,
)


_NULL = re.compile(r'"answer(?:_key)?"\s*:\s*null\b')


def find_anchor(text: str, kind: Kind) -> Anchor | None:
    """The first of the places that the reply has, in their order; of several the last."""
    if "{" in text and '"' in text:
        if (found := _json(text)) is not None:
            return found
        if _NULL.search(text) and text.lstrip().startswith("{"):
            return Anchor("json", "null")
    text = shorten_reply(text)
    if "<" in text and (found := find_tagged(text)) is not None:
        return found
    if "\\" in text and (found := find_boxed(text)) is not None:
        return found
    if "####" in text and (found := find_after_hashes(text, kind)) is not None:
        return found
    return find_answer_is(text, kind)


def _json(text: str) -> Anchor | None:
    if '"answer' in text and (value := json_answer(text)) is not None:
        return Anchor("json", value)
    return _other_json(text)


def _other_json(text: str) -> Anchor | None:
    """The value of a JSON object that is the whole reply, under a key that means the answer."""
    start, end = text.find("{"), text.rfind("}")
    if (
        start < 0
        or end < start
        or re.search(r"[A-Za-z]{12}|[.!?]", re.sub(r"```\w*", "", text[:start]))
    ):
        return None
    try:
        value = json.loads(text[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    keys = [key for key in _WHOLE_KEYS if key in value] or (list(value) if len(value) == 1 else [])
    if not keys or value[keys[0]] is None:
        return None
    found = value[keys[0]]
    return Anchor("json", found if isinstance(found, str) else str(found))


def find_tagged(text: str) -> Anchor | None:
    """The content of the last ``<answer>`` or tag of that kind."""
    found = list(_TAG.finditer(text))
    return Anchor("tags", found[-1][2].strip(), text[found[-1].end() :]) if found else None


def find_boxed(text: str) -> Anchor | None:
    r"""Return the content of the last ``\boxed{}``; of two adjacent ones, both."""
    openings = list(_BOXED.finditer(text))[-2:]
    if not openings:
        return None
    contents = [(it.start(), *_read_braces(text, it.end())) for it in openings]
    start, inner, end = contents[-1]
    if inner is None:
        return None
    if len(contents) > 1 and contents[-2][1] is not None:
        gap = text[contents[-2][2] : start]
        if re.fullmatch(r"[\s$\\(),\]\[]*(?:or|and|oder|ou|,)[\s$\\(),\]\[]*", gap):
            inner = f"{contents[-2][1]} or {inner}"
    return Anchor("boxed", inner, text[end:])


def _read_braces(text: str, start: int) -> tuple[str | None, int]:
    if text[start - 1 : start] != "{":
        return text[start : start + 1], start + 1
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : brace.start()] or None, brace.end()
    return None, len(text)


def find_after_hashes(text: str, kind: Kind) -> Anchor | None:
    """Return the text after the last ``####``, unless that is a heading."""
    for found in reversed(list(_HASHES.finditer(text))):
        taken = found[1].strip()
        is_last = not text[found.end() :].strip()
        has_digit = any(it.isdigit() for it in taken)
        if (
            taken
            and not _HEADING.match(taken)
            and (is_last or (kind == "numeric" and has_digit and not taken[0].isalpha()))
        ):
            return Anchor("hashes", taken, text[found.end() :])
    return None


def find_answer_is(text: str, kind: Kind) -> Anchor | None:
    """The text after the last "answer is", "answer:" or ``A:``, to the end of that line."""
    if kind in {"exact", "choice"} and (found := _WRONG_ONE.fullmatch(text)):
        return Anchor("answer_is", found["named"])
    for start, end in islice(_announcements(text, kind), _TRIES):
        taken, stop = _rest_of_line(text, start, end)
        if taken and not _is_empty(taken):
            return Anchor("answer_is", taken, text[stop:])
    return None


_WRONG_ONE = re.compile(
    rf"\W*the\s+(?:only\s+)?(?:{WRONG})\s+(?:answer|choice|option|statement|alternative|one)"
    r"(?:\s+is(?:\s*:)?|\s*:)\s+(?P<named>[^.!?;,:\n]{1,80})[\s.!]*",
    re.IGNORECASE,
)
"""A reply that says nothing else answers a question for the wrong one."""
_TRIES, _PLACES = 8, 64
_ANNOUNCED = 60


def _is_empty(taken: str) -> bool:
    """True if the answer is only announced: "the answer is as follows"."""
    is_short = len(taken) < _ANNOUNCED and not any(it.isdigit() for it in taken)
    return is_short and bool(_AS_FOLLOWS.match(taken.strip(" *_:.")))


def _announcements(text: str, kind: Kind) -> Iterator[tuple[int, int]]:
    """Yield start and end of phrases that announce an answer, last first."""
    letters = _short_labels(text, kind) if _SHORT_LABEL.may_hold_alone(text) else []
    paragraph = text.rstrip().rfind("\n\n")
    for at in islice(_labels(text), _PLACES):
        while letters and letters[-1][0] > at:
            yield letters.pop()
        if place := _phrase(text, at) or _line(text, at, paragraph):
            yield place
    yield from reversed(letters)


_Labels = Sequence[tuple[str, int]]


def _labels(text: str) -> Iterator[int]:
    """Yield the positions of words that may announce an answer, last first."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    words = _ASCII_LABELS if text.isascii() else _LABELS
    middle = max(len(text) - _CLOSING, 0)
    yield from _last_first(lowered, words, middle, len(text))
    if middle:
        yield from _last_first(lowered, words, 0, middle)


def _last_first(lowered: str, words: _Labels, start: int, end: int) -> Iterator[int]:
    """Yield the positions of the words between two places, last first."""
    while (at := _last_place(lowered, words, start, end)) >= 0:
        yield at
        end = at


def _last_place(lowered: str, words: _Labels, start: int, end: int) -> int:
    """Return the last place before ``end`` where one of the words begins; -1 if there is none."""
    last = -1
    for word, beyond in words:
        if (at := lowered.rfind(word, start, end + beyond)) >= 0:
            last = start = at
    return last


_CLOSING = 200
_LABELS = tuple(
    (word, len(word) - 1) for word in (*ANSWER_WORDS, *RESULT_WORDS, "output", "solution", "value")
)
"""The words, each with the number of characters that follow its first one."""
_ASCII_LABELS = tuple(label for label in _LABELS if label[0].isascii())


def _phrase(text: str, at: int) -> tuple[int, int] | None:
    """A phrase such as "answer is" that begins at a word; not where it names another's answer."""
    found = _ANSWER_IS.match(text, at)
    if found is None or _is_others(text, at) or _HEDGED.search(found["between"] or ""):
        return None
    before = text[max(at - _FAR, 0) : at]
    if not _LEADS.may_hold(before):
        return found.span()
    clause = _last_clause(before)
    is_only_guessed = _is_guess(clause) and _IS_TURNED.match(text, found.end())
    return None if _SOUGHT.fullmatch(clause) or is_only_guessed else found.span()


def _is_guess(clause: str) -> bool:
    """True if a clause reports the view of others or a first thought."""
    return bool(HEARSAY.search(clause) or _AT_FIRST.search(clause))


def _is_others(text: str, at: int) -> bool:
    """True if the preceding words refer to another's answer: "your answer", "not the answer"."""
    if _is_doubted(text[max(at - _FAR, 0) : at]):
        return True
    before = text[max(at - _REACH, 0) : at].lower().split()[-2:]
    if not before:
        return False
    is_denied = before[-1] == "the" and before[0].endswith(("not", "n't", "n’t"))
    return is_denied or before[-1].lstrip("*_") in _OTHERS


def _line(text: str, at: int, paragraph: int) -> tuple[int, int] | None:
    """A line that is a label, or in the last paragraph begins with one."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = len(text) if end < 0 else end
    if end - start < _ANNOUNCED and _LABEL_LINE.fullmatch(text, start, end):
        return None if _is_others(text, at) else (start, end)
    label = _RESULT_LABEL.match(text, start) if end > paragraph else None
    return label.span() if label else None


def _is_doubted(before: str) -> bool:
    """True if the clause before denies that the answer follows."""
    if not NOT.may_hold(before):
        return False
    clause = _last_clause(NOT_A_DENIAL.sub(" ", before))
    return bool(_HELD.search(clause)) and is_negative(clause)


def _last_clause(before: str) -> str:
    """Return the text after the last mark or word that ends a clause; read from the end."""
    found = _CLAUSE_END.match(before)
    return before[found.end() :] if found else before


_CLAUSE_END = re.compile(
    rf".*(?:[.!?,;:\n—–()]|\b(?:{CONTRAST}|{REASON}|and|so|therefore|thus|hence|then)\b)",
    re.IGNORECASE | re.DOTALL,
)
_HELD = re.compile(
    rf"\b(?:{HOLDS})\b[*_ ]*(?:to (?:say|think|claim|believe|assume)\b)?[*_ ]*"
    r"(?:(?:that|if|whether|how|dass|que)[*_ ]+)?"
    r"(?:(?:the|my|our|a|its|this|correct|right|final|best|true|die|das|der|richtige|la|le|el)"
    r"[*_ ]+){0,3}[*_\"']*\Z",
    re.IGNORECASE,
)
_REACH, _FAR = 30, 120
_SOUGHT = Cue(
    (r"[\W\d_]*(?:(?:first|now|next|here(?:['’]s| is| are)|this is|in order|(?:the |some |my )?"
    r"(?:steps?|way|approach|method|process|plan)(?: \d+)?)[\s*_]+)*"
    r"(?:(?:to|how to|let(?:['’]?s| us| me)|how (?:i|we|you|one)(?: can)?"
    r"|(?:i|we|you|one)(?:['’]ll| will| can| must| should|(?: will)? (?:need|want|have|try) to))"
    r"\s+(?:(?:first|now|then|\w+ly)\s+)?"
    r"(?:find(?: out)?|found|g[eo]t(?: to)?|reach(?:ed)?|obtain(?:ed)?|determine[ds]?|compute[ds]?"
    r"|calculated?|derived?|solved?(?: for)?|(?:work|figure)(?:ed|d)? out|arrived? at|see|check"
    r"|discover|deduce|infer|look for|search for|understand|explain|verify|come (?:to|up with))"
    r"|(?:finding|getting to|determining|computing|calculating|deriving|working out|figuring out)"
    r"|(?:pour|para|per)\s+(?:trouver|obtenir|calculer|déterminer|encontrar|hallar|obtener|calcular"
    r"|determinar|obter|trovare|ottenere|calcolare|determinare))"
    r"\s+(?:what\s+)?(?:(?:the|our|your|my|an|this|la|a)\s+)?(?:\w+\s+){0,2}[*_\"'“]*"),
    (
        "to", "let", "how", "ll", "can", "must", "should", "finding", "getting", "determining",
        "computing", "calculating", "deriving", "working", "figuring", "pour", "para", "per",
    ),
)  # fmt: skip
"""A clause that sets out for the answer: "To find the answer: …", "Let's work out the …"."""
_AT_FIRST = Cue(
    (r"\b(?:(?:might|may|could|can|would|will)\s+(?:\w+ly\s+|at first\s+|first\s+)?"
    r"(?:seem|look|appear|sound|think|say|guess|assume|suppose|expect|believe|conclude|answer"
    r"|be tempted)"
    r"|tempt(?:ed|ing) to|at first|initially|originally|first (?:thought|guess|instinct)"
    r"|would have (?:said|thought|guessed)|i (?:had )?(?:thought|assumed|guessed|expected))\b"),
    (
        "might", "may", "could", "can", "would", "will", "tempt", "first", "initial", "original",
        "thought", "assum", "guess", "expect",
    ),
)  # fmt: skip
_IS_TURNED = re.compile(
    rf"[^.!?\n]{{1,80}}?(?:[,;:.!—–]|\s-)[\s*_]*"
    rf"(?:{CONTRAST}|actually|in (?:fact|reality|truth))\b",
    re.IGNORECASE,
)
"""Behind an answer: a clause or sentence that turns against it."""
_HEDGED = Cue(
    (r"\b(?:people|many|some|not|n't|if|when|whether|depends?|that you"
        r"|you (?:gave|wrote|expected)|checked|seems?|might|could|may)\b"),
    (
        "people", "many", "some", "not", "n't", "if", "when", "whether", "depend", "you", "checked",
        "seem", "might", "could", "may",
    ),
)  # fmt: skip


_LEADS = CueGroup(_SOUGHT, HEARSAY, _AT_FIRST)


def _short_labels(text: str, kind: Kind) -> list[tuple[int, int]]:
    """The first and the last ``Ans.`` or ``A:`` that answers a question."""
    is_choice = kind == "choice"
    found = [it for it in _SHORT_LABEL.finditer(text) if not (is_choice and it[0].endswith("A:"))]
    return [it.span() for it in dict.fromkeys((*found[:1], *found[-1:])) if _answers(text, it)]


def _answers(text: str, it: re.Match[str]) -> bool:
    """True if an ``A:`` opens the reply, follows a question, or is in the last line."""
    if not it["letter"]:
        return True
    before = text[: it.start()]
    if not before.strip() or "\n" not in text[it.end() :].strip():
        return True
    return bool(_QUESTION.search(before))


_QUESTION = re.compile(r"(?:\A|\n)[ \t*_>#]*Q(?:uestion)?:")


def _rest_of_line(text: str, start: int, at: int) -> tuple[str, int]:
    """The rest of the line, or the next line that says anything, marks of emphasis in pairs."""
    line_start = text.rfind("\n", 0, start) + 1
    head = text[line_start:at]
    for _ in range(8):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        taken = text[at:end].strip()
        if taken.strip("*_:：.->=# \t`") or _is_symbols(taken):
            return _drop_unpaired_mark(head, taken), end
        head = head + taken
        if end == len(text):
            break
        at = end + 1
        if taken.strip("*_:： "):
            head = ""
        if text[at : at + 3] == "```":
            close = text.find("```", at + 3)
            close = len(text) if close < 0 else close + 3
            return text[at:close], close
    return "", at


def _is_symbols(taken: str) -> bool:
    return bool(taken.strip("*_:： "))


def _drop_unpaired_mark(head: str, taken: str) -> str:
    """The text after a phrase, without the end of emphasis that the phrase opened."""
    if "*" not in head and "_" not in head:
        return taken
    for mark in ("**", "__", "*", "_"):
        if head.count(mark) % 2 == 0 or taken.count(mark) % 2 == 0:
            continue
        before, _, after = taken.partition(mark)
        return before + after if before else after.lstrip(" :：")
    return taken


RULES: dict[str, Callable[[str, Kind], Anchor | None]] = {
    "json": lambda text, _kind: _json(text),
    "tags": lambda text, _kind: find_tagged(text),
    "boxed": lambda text, _kind: find_boxed(text),
    "hashes": find_after_hashes,
    "answer_is": find_answer_is,
}
"""The places by the names of their rules."""
