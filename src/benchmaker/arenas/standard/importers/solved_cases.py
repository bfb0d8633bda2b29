"""Cases whose prompt solves them: the question with its key, as an example before the question."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from benchmaker.arenas.standard.importers.rereading import bare_keys
from benchmaker.spec import Case

_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SHORTEST = 12
"""Characters of a question; a shorter one may occur by chance."""


class _Prompt(NamedTuple):
    """The paragraphs and turns before a question, and the question, without upper case."""

    before: list[str]
    question: str


def solved_cases(cases: Iterable[Case]) -> frozenset[str]:
    """Return the ids of cases whose prompt has the question twice, first with its key behind it.

    The question is the last paragraph of the last message. A paragraph that other cases end with,
    too, such as "True or false?", identifies no question.
    """
    listed = list(cases)
    prompts = {case.id: _read(case) for case in listed}
    ends = Counter(prompt.question for prompt in prompts.values())
    return frozenset(
        case.id
        for case in listed
        if ends[prompts[case.id].question] == 1 and _is_solved(prompts[case.id], case)
    )


def _read(case: Case) -> _Prompt:
    turns = [turn.content for turn in case.messages] or [case.prompt or ""]
    parts = [_fold(part) for turn in turns for part in _BLANK_LINE.split(turn)]
    *before, question = [part for part in parts if part] or [""]
    return _Prompt(before, question)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_solved(prompt: _Prompt, case: Case) -> bool:
    if len(prompt.question) < _SHORTEST or not prompt.before:
        return False
    keys = [_fold(key) for key in bare_keys(case)]
    following = [*prompt.before[1:], ""]
    return any(
        _holds(part.partition(prompt.question)[2] or after, keys)
        for part, after in zip(prompt.before, following, strict=True)
        if prompt.question in part
    )


def _holds(text: str, keys: Iterable[str]) -> bool:
    return any(key and re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) for key in keys)
