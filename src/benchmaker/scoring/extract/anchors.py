# ruff: noqa: RUF001  the marks of other scripts
r"""Places where a reply says that this is its answer.

In their order: the last JSON object with an answer, ``<answer>…</answer>``, the last ``\boxed{}``,
the last ``#### x``, and the text after the last "answer is" or "answer:" to the end of that line.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Literal, NamedTuple

from benchmaker.scoring.extract.phrases import ANSWER, IS, RESULT
from benchmaker.scoring.extract.reply import shortened
from benchmaker.scoring.json_answer import json_answer

Kind = Literal["exact", "numeric", "boolean", "choice"]

CLUE = re.compile(
    rf"[{{<\\#]|A:|(?:{ANSWER})|^[ \t#>*_-]*+(?:final |the )?(?:{RESULT})\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A sign that one of the places may be there."""


class Anchor(NamedTuple):
    """What stands at such a place: the rule, the text, and the rest of the reply behind it."""

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
_NOT_ONE = re.compile(
    r"(?:wrong|incorrect|common|popular|typical|usual|first|initial|previous|earlier|obvious"
    r"|naive|na\u00efve|intuitive|long|longer|full|detailed"
    r"|tempting|possible|another|your|other|expected|many|plausible|n[o']t the|alternative"
    r"|one) (?:possible )?$",
    re.IGNORECASE,
)
_ANSWER_IS = re.compile(
    rf"(?<![^\W_])(?:(?P<word>{ANSWER})s?(?:[ \t]*[*_]{{1,3}})?"
    rf"(?:(?P<colon>[ \t\u00a0]*{_M}[ \t\u00a0]*[:：]+)"
    rf"|(?P<between>[^.:：\n!?;]{{0,70}}?)(?:(?:(?<![^\W_])(?:{IS})(?![\w])"
    rf"|(?<=answer)['’]s\b)[ \t\u00a0]*[:：]?"
    rf"|[ \t]+(?:[=→⇒]|->|=>)))"
    rf"|(?P<cjk>(?:答案|答え|答|回答|정답|답)(?:应该|應該)?(?:是|为|為|は|은|는|이|가)[:：]?))",
    re.IGNORECASE,
)
_LABEL_LINE = re.compile(
    rf"^[ \t#>*_-]*(?:\d{{1,2}}\.\s*)?(?:the |my |your |final |correct |short |la |le |die "
    rf"|der |das |el )*"
    rf"(?:{ANSWER}|{RESULT})[*_\s]*$",
    re.IGNORECASE | re.MULTILINE,
)
_RESULT_LABEL = re.compile(
    rf"^[ \t#>*_-]*(?:the |my |final |in )*(?:{RESULT}|output|solution"
    rf"|value)[*_\s]*[:：][ \t]*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_LETTER_A = re.compile(r"(?:\A|\n)[ \t*_>#(\"']*A:")
_AS_FOLLOWS = re.compile(
    r"as follows|below|the following|given by|found|obtained|easy|simple|clear|correct|right\b"
    r"|wrong|incorrect|unknown",
    re.IGNORECASE,
)


def anchor(text: str, kind: Kind) -> Anchor | None:
    """The first of the places that the reply has, in their order; of several the last."""
    if "{" in text and '"' in text and (found := _json(text)) is not None:
        return found
    text = shortened(text)
    if not CLUE.search(text):
        return None
    if "<" in text and (found := tagged(text)) is not None:
        return found
    if "\\" in text and (found := boxed(text)) is not None:
        return found
    if "####" in text and (found := hashes(text, kind)) is not None:
        return found
    return answer_is(text, kind)


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


def tagged(text: str) -> Anchor | None:
    """The content of the last ``<answer>`` or tag of that kind."""
    found = list(_TAG.finditer(text))
    return Anchor("tags", found[-1][2].strip(), text[found[-1].end() :]) if found else None


def boxed(text: str) -> Anchor | None:
    r"""The content of the last ``\boxed{}``; of two side by side, both, as they stand."""
    openings = list(_BOXED.finditer(text))[-2:]
    if not openings:
        return None
    contents = [(it.start(), *_braced(text, it.end())) for it in openings]
    start, inner, end = contents[-1]
    if inner is None:
        return None
    if len(contents) > 1 and contents[-2][1] is not None:
        gap = text[contents[-2][2] : start]
        if re.fullmatch(r"[\s$\\(),\]\[]*(?:or|and|oder|ou|,)[\s$\\(),\]\[]*", gap):
            inner = f"{contents[-2][1]} or {inner}"
    return Anchor("boxed", inner, text[end:])


def _braced(text: str, start: int) -> tuple[str | None, int]:
    if text[start - 1 : start] != "{":
        return text[start : start + 1], start + 1
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : brace.start()] or None, brace.end()
    return None, len(text)


def hashes(text: str, kind: Kind) -> Anchor | None:
    """What follows the last ``####``, unless that is a heading."""
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


def answer_is(text: str, kind: Kind) -> Anchor | None:
    """The text after the last "answer is", "answer:" or ``A:``, to the end of that line."""
    for place in islice(_phrases(text, kind), _TRIES):
        taken, stop = _said(text, place.start(), place.end())
        if taken and not _is_empty(taken):
            return Anchor("answer_is", taken, text[stop:])
    return None


_TRIES = 8


def _is_empty(taken: str) -> bool:
    """Whether nothing is said, only announced: "the answer is as follows"."""
    return (
        bool(_AS_FOLLOWS.match(taken.strip(" *_:.")))
        and len(taken) < 60
        and not any(it.isdigit() for it in taken)
    )


def _phrases(text: str, kind: Kind) -> Iterator[re.Match[str]]:
    """The phrases that announce an answer, the last first."""
    last = text.rstrip().rfind("\n\n")
    found = [*_ANSWER_IS.finditer(text), *_LABEL_LINE.finditer(text)]
    found += [it for it in _RESULT_LABEL.finditer(text) if it.end() > last]
    if kind != "choice":
        found += list(_LETTER_A.finditer(text))[:1] + list(_LETTER_A.finditer(text))[-1:]
    for it in sorted(found, key=lambda it: (it.end(), it.start()), reverse=True):
        is_letter = it.re is _LETTER_A
        if (is_letter and _answers(text, it)) or not (is_letter or _is_none(text, it)):
            yield it


def _is_none(text: str, it: re.Match[str]) -> bool:
    """Whether a phrase names another's answer, or a part of a working."""
    before = text[max(it.start() - 30, 0) : it.start()]
    between = it["between"] or "" if it.re is _ANSWER_IS else ""
    return bool(_NOT_ONE.search(before)) or bool(
        re.search(
            r"\b(?:people|many|some|not|n't|if|when|whether|depends?|that you|you (?:gave"
            r"|wrote|expected)|checked|seems?|might|could|may)\b",
            between,
            re.IGNORECASE,
        )
    )


def _answers(text: str, it: re.Match[str]) -> bool:
    before = text[: it.start()]
    if not before.strip():
        return True
    return (
        bool(re.search(r"(?:\A|\n)[ \t*_>#]*Q(?:uestion)?:", before))
        or "\n" not in text[it.end() :].strip()
    )


def _said(text: str, start: int, at: int) -> tuple[str, int]:
    """The rest of the line, or the next line that says anything, marks of emphasis in pairs."""
    line_start = text.rfind("\n", 0, start) + 1
    head = text[line_start:at]
    for _ in range(8):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        taken = text[at:end].strip()
        if taken.strip("*_:：.->=# \t`") or _is_symbols(taken):
            return _paired(head, taken), end
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
    return bool(taken) and not taken.strip("*_:： ") == ""


def _paired(head: str, taken: str) -> str:
    """The text after a phrase; a mark that the phrase opened is closed"
    " in it or right before it."""
    for mark in ("**", "__", "*", "_"):
        opened = len(
            re.findall(
                rf"(?<![{re.escape(mark[0])}\w]){re.escape(mark)}(?!{re.escape(mark[0])})", head
            )
        )
        closed = (
            len(
                re.findall(
                    rf"(?<!{re.escape(mark[0])}){re.escape(mark)}(?![{re.escape(mark[0])}\w])", head
                )
            )
            if opened
            else 0
        )
        if opened <= closed and head.count(mark) % 2 == 0:
            continue
        if head.count(mark) % 2 == 0:
            continue
        if taken.startswith(mark) and taken.count(mark) % 2 == 1:
            return taken[len(mark) :].lstrip(" :：")
        at = taken.find(mark)
        if at > 0 and taken.count(mark) % 2 == 1:
            return taken[:at] + taken[at + len(mark) :]
    return taken


RULES: dict[str, Callable[[str, Kind], Anchor | None]] = {
    "json": lambda text, _kind: _json(text),
    "tags": lambda text, _kind: tagged(text),
    "boxed": lambda text, _kind: boxed(text),
    "hashes": hashes,
    "answer_is": answer_is,
}
"""The places by the names of their rules."""
