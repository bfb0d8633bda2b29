"""The place of the extracted text in a reply."""

import re
from typing import Final, NamedTuple

from benchmaker.record import Extraction
from benchmaker.scoring.extract.anchors import Kind, find_anchor
from benchmaker.scoring.extract.reply import visible_part

_KINDS: Final[dict[str, Kind]] = {
    "exact": "exact",
    "numeric": "numeric",
    "boolean": "boolean",
    "choice": "choice",
}


class ReplySpan(NamedTuple):
    """A stretch of a text, from ``start`` up to ``end``."""

    start: int
    end: int


def extraction_span(reply: str, extraction: Extraction, scorer: str = "") -> ReplySpan | None:
    """Return the place of the extracted text in the reply.

    It is None if the whole reply was taken, or if the text is not in the reply as it stands. An
    answer that the reply marks is looked for at its mark; any other at its last place behind the
    reasoning. The case of letters is ignored, since a right answer is recorded as expected.

    Args:
        reply: the reply.
        extraction: the rule and the text that it took.
        scorer: the id of the scorer, which determines the marks that count.

    >>> extraction_span("6 x 7 = 42. The answer is 42, or 42.0.", Extraction(rule="r", text="42"))
    ReplySpan(start=26, end=28)
    """
    taken = extraction.text.strip()
    if not taken or taken == reply.strip():
        return None
    pattern = _pattern(taken)
    marked = _marked_place(reply, extraction.rule, _KINDS.get(scorer, "exact"))
    if marked is not None and (found := pattern.search(reply, *marked)):
        return ReplySpan(*found.span())
    visible = visible_part(reply)
    start = max(0, reply.rfind(visible)) if visible else 0
    end = start + len(visible) if visible else len(reply)
    places = [found.span() for found in pattern.finditer(reply, start, end)]
    return ReplySpan(*places[-1]) if places else None


def _marked_place(reply: str, rule: str, kind: Kind) -> ReplySpan | None:
    """The place of the marked answer that the rule takes."""
    found = find_anchor(reply, kind)
    if found is None or found.rule != rule:
        return None
    is_followed = bool(found.rest) and reply.endswith(found.rest)
    end = len(reply) - len(found.rest) if is_followed else len(reply)
    start = reply.rfind(found.text, 0, end)
    return None if start < 0 else ReplySpan(start, end)


def _pattern(taken: str) -> re.Pattern[str]:
    """The text, not as a part of a longer word or number."""
    before = r"(?<![\w.])" if taken[0].isalnum() else ""
    after = r"(?!\w|[.,]\d)" if taken[-1].isalnum() else ""
    return re.compile(f"{before}{re.escape(taken)}{after}", re.IGNORECASE)
