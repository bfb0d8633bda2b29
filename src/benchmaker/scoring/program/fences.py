"""The program in an answer: a fenced block of Markdown, or the whole reply."""

import re
from textwrap import dedent
from typing import NamedTuple

from benchmaker.record import Extraction
from benchmaker.scoring.extract.reply import visible_part

_OPEN = re.compile(r"(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<label>[^\s`]*)[^`\n]*")


class Fence(NamedTuple):
    """A fenced block: its label in lower case, empty without one, and its content."""

    label: str
    text: str


def extract_program(answer: str, labels: frozenset[str]) -> Extraction:
    r"""Return the program of an answer, with the rule that found it.

    The rules are ``last_fence`` (the last block with one of the labels), ``only_fence`` (the only
    block) and ``whole`` (the whole reply). Reasoning before the answer is left out.

    >>> extract_program("Here:\n```py\nx = 1\n```\nUse it.", frozenset({"py"}))
    Extraction(rule='last_fence', text='x = 1\n')
    """
    text = answer if (visible := visible_part(answer)) is None else visible
    fences = fences_in(text)
    named = [fence for fence in fences if fence.label in labels]
    if named:
        return Extraction(rule="last_fence", text=named[-1].text)
    if len(fences) == 1:
        return Extraction(rule="only_fence", text=fences[0].text)
    return Extraction(rule="whole", text=text)


def fences_in(text: str) -> list[Fence]:
    """Return the fenced blocks of a text in order; one that is not closed goes to the end."""
    found: list[Fence] = []
    opened: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if opened is None:
            opened = _OPEN.fullmatch(line.rstrip("\r\n"))
            lines = []
        elif _closes(line, opened):
            found.append(_fence(opened, lines))
            opened = None
        else:
            lines.append(line)
    return [*found, _fence(opened, lines)] if opened is not None else found


def _closes(line: str, opened: re.Match[str]) -> bool:
    bare = line.strip(" \t\r\n>")
    fence = opened["fence"]
    return len(bare) >= len(fence) and not bare.strip(fence[0])


def _fence(opened: re.Match[str], lines: list[str]) -> Fence:
    label = opened["label"].strip("{}.").lower()
    return Fence(label, dedent("".join(lines)) if opened["indent"] else "".join(lines))
