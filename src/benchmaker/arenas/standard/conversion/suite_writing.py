"""A draft as the text of a suite's file, with a comment for each omission."""

import re
from collections.abc import Sequence
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import Anchor, DraftSuite, Omission
from benchmaker.spec.documents.yaml_text import block_of

_LISTS = ("models", "prompts", "cases")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff\u2028\u2029]")


def suite_text(draft: DraftSuite) -> str:
    """Return the YAML of a suite; each omission is a comment before the value it belongs to."""
    known = {(), *((key,) for key in (*draft.header, "cases"))}
    parts = [f"# Converted from {_plain(draft.source)} ({draft.tool}).\n"]
    parts += [_comment(one) for anchor, one in draft.omissions if _key(anchor) not in known]
    parts += _comments(draft, ())
    for key, value in (*draft.header.items(), ("cases", draft.cases)):
        parts += _comments(draft, (key,))
        if key in _LISTS and isinstance(value, list):
            parts += [f"{key}:\n", *_items(draft, key, value)]
        else:
            parts.append(block_of({key: value}))
    return "".join(parts)


def _items(draft: DraftSuite, key: str, items: Sequence[Any]) -> list[str]:
    parts: list[str] = []
    for place, item in enumerate(items):
        text = "".join((*_comments(draft, (key, place)), block_of([item])))
        parts.append("".join(f"  {line}" if line.strip() else line for line in _lines(text)))
    late = [
        _comment(one)
        for anchor, one in draft.omissions
        if anchor[:1] == (key,) and anchor[1:] and int(anchor[1]) >= len(items)
    ]
    return [*parts, *(f"  {line}" for text in late for line in _lines(text))]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _key(anchor: Anchor) -> Anchor:
    """The key of the suite that a place lies in."""
    return anchor[:1]


def _comments(draft: DraftSuite, anchor: Anchor) -> list[str]:
    return [_comment(one) for place, one in draft.omissions if place == anchor]


def _comment(one: Omission) -> str:
    head = f"# Not carried over, {_plain(one.where)}:{one.line}: {_plain(one.what)}"
    piece = [f"#   {_plain(it)}".rstrip() for it in one.text.split("\n")]
    return "\n".join((head, *piece)) + "\n"


def _plain(text: str) -> str:
    """The text without line breaks and without signs that YAML refuses."""
    return _CONTROL.sub("�", text.replace("\n", " "))
