r"""Extraction of the answer from a reply, by the first rule that matches.

The robust ladder, in order:

=============== =============================================================================
``json``         the last JSON object with ``answer`` or ``answer_key``, cut off or not
``boxed``        the content of the last ``\boxed{…}``
``hashes``       what follows the last ``####``
``answer_is``    what follows the last "answer is", "answer:" or ``A:``, to the end of that line
``last_number``  numeric only: the last number
``last_verdict`` boolean only: the last true, false, yes or no
``whole``        the reply as it is: the last rung for exact texts
=============== =============================================================================

``auto`` is that ladder for a kind of answer, ``none`` is ``whole``, and ``/pattern/flags`` takes
the first group that took part in the first match (the whole match without groups).

Details, each motivated by real replies:

- ``####`` is also a Markdown heading. For numbers it counts if a number follows immediately and is
    not the number of a heading (``#### 2. Multiply``); for texts, on the last non-empty line.
- ``A:`` counts at the start of a line or a sentence: "Let's evaluate A: A = True" names a part.
- ``answer_is`` needs an answer of the kind: "the answer is as follows" holds no number, so an
  earlier anchor of the kind or the next rule is taken. If the line ends immediately, as under
  "Answer:", the next non-empty line is taken. Surrounding emphasis is dropped.
- A list or an object from ``json`` is returned in Python syntax (``['a', 1]``, ``True``): the
  published harness of the data sets with JSON answers compares ``str`` of the decoded value, and
  only this makes scores comparable with the published ones.
- The named places (``json``, ``boxed``) apply even if they hold no number: a model that answers
    "cannot be determined" has answered, and its reasoning is not searched for a guess.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Annotated, Literal

from pydantic import AfterValidator

from benchmaker.errors import SpecError, TrialError
from benchmaker.record import Extraction, Score
from benchmaker.scoring.base import Objection
from benchmaker.scoring.json_answer import json_answer
from benchmaker.scoring.numbers import Number, last_number, read_number
from benchmaker.scoring.pattern import Pattern
from benchmaker.spec.documents.suggestions import did_you_mean

Kind = Literal["numeric", "boolean", "exact"]
Rule = Callable[[str, Kind], str | None]


def _check_rule(name: str) -> str:
    """The rule's name; SpecError where there is no such rule."""
    for _rung in _step(name, "exact"):
        pass
    return name


RuleName = Annotated[str, AfterValidator(_check_rule)]
Rules = RuleName | tuple[RuleName, ...]

ANCHORS = ("json", "boxed", "hashes", "answer_is")
"""The rules that find an answer where the model says that it is one."""

LADDERS: dict[Kind, tuple[str, ...]] = {
    "numeric": (*ANCHORS, "last_number"),
    "boolean": (*ANCHORS, "last_verdict"),
    "exact": (*ANCHORS, "whole"),
}
"""The rules of ``auto``, by kind of answer."""

NOTHING = Extraction(rule="nothing", text="")
_TRIES = 8
_SHOWN = 200
_CLUE = re.compile(r"[wW:#\\]")  # each anchor has one of them: "answer", "A:", "####", "\\boxed"
_BOXED = re.compile(r"\\boxed\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_TEXT_ALONE = re.compile(r"\s*\\(?:text|textbf|mathrm|mathbf|mbox)\{([^{}]*)\}\s*")
_NUMBER_AT_ONCE = re.compile(r"[^\w.]*[-+]?[.]?[0-9½⅓¼¾⅔](?![0-9]*[.)][ ]+[^\W0-9])")
_ANSWER = re.compile(r"answer(?:[ \t\u00a0]+is\b|[*_]{0,3}[ \t]?:)", re.IGNORECASE)
_BEGINS = re.compile(r"(?:\A|[\n.!?;:)])[ \t*_>#(\"']*\Z")
_MARKS = " \t\r*_`~#>=:"
_EMPHASIS_END = re.compile(r"\s*(?:\*+|_{2,})\s*(\.?)\s*\Z")
_VERDICTS = frozenset({"true", "false", "yes", "no"})
_VERDICT = re.compile(r"\b(?:true|false|yes|no)\b", re.IGNORECASE)


def extract(text: str, rules: str | Sequence[str] = "auto", *, kind: Kind = "exact") -> Extraction:
    """Return the extraction by the first rule that matches.

    If none matches, the rule is ``nothing`` and the text empty.

    Raises:
        SpecError: an unknown rule, or an invalid pattern.
        ScorerTimeout: a pattern takes longer than a second.

    >>> extract("16 - 7 = 9. So the answer is **9 eggs**.", kind="numeric")
    Extraction(rule='answer_is', text='9 eggs.')
    """
    named = rules if isinstance(rules, str) else tuple(rules)
    for name, rule in (steps if _CLUE.search(text) else _steps_without_clue)(named, kind):
        taken = rule(text, kind)
        if taken is not None:
            return Extraction(rule=name, text=taken)
    return NOTHING


@lru_cache(maxsize=256)
def steps(rules: Rules, kind: Kind) -> tuple[tuple[str, Rule], ...]:
    """The rules by name and function, ``auto`` and ``none`` written out.

    Raises:
        SpecError: a rule that does not exist, or a pattern that can't be one.
    """
    named = (rules,) if isinstance(rules, str) else rules
    return tuple(step for name in named for step in _step(name, kind))


@lru_cache(maxsize=256)
def _steps_without_clue(rules: Rules, kind: Kind) -> tuple[tuple[str, Rule], ...]:
    """The rules that may find something where no sign of an anchor is."""
    return tuple(step for step in steps(rules, kind) if step[0] not in ANCHORS)


@lru_cache(maxsize=256)
def has_pattern(rules: Rules) -> bool:
    """True if a rule is itself a pattern, whose search takes time."""
    return any(rule.startswith("/") for rule in ((rules,) if isinstance(rules, str) else rules))


def pattern_faults(**rules: Rules) -> list[Objection]:
    """Return faults of the patterns among the rules of parameters, compiled with a time limit."""
    return [
        Objection(path, message)
        for name, given in rules.items()
        for path, rule in _rules_with_paths(name, given)
        if rule.startswith("/") and (message := compile_error(rule))
    ]


def _rules_with_paths(name: str, rules: Rules) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(rules, str):
        yield (name,), rules
    else:
        yield from (((name, index), rule) for index, rule in enumerate(rules))


@lru_cache(maxsize=256)
def compile_error(pattern: str) -> str:
    """Return the reason why a pattern does not compile in the timed worker; empty if it does."""
    try:
        Pattern.parse(pattern).check()
    except (SpecError, TrialError) as exc:
        return str(exc)
    return ""


def as_rules(scorer: object, *fields: str) -> None:
    """Turn lists of rules in a frozen scorer's fields into tuples, as its construction ends."""
    for name in fields:
        rules = getattr(scorer, name)
        if not isinstance(rules, str):
            object.__setattr__(scorer, name, tuple(rules))


def is_verdict(text: str) -> bool:
    """True if the text is true, false, yes or no, and nothing else."""
    return text.strip(" .").casefold() in _VERDICTS


def find_verdict(text: str, *, last: bool = True) -> bool | None:
    """The last (or first) true, false, yes or no of the text; None without any.

    >>> find_verdict("Yes. No, wait: it is true")
    True
    """
    word = _verdict_word(text, last=last)
    return None if word is None else word.casefold() in {"true", "yes"}


def _verdict_word(text: str, *, last: bool = True) -> str | None:
    found = _VERDICT.search(text)
    if found is not None and last:
        found = deque(_VERDICT.finditer(text, found.start()), maxlen=1)[0]
    return None if found is None else found[0]


def _step(name: str, kind: Kind) -> Iterator[tuple[str, Rule]]:
    if name == "auto":
        yield from ((rung, _RULES[rung]) for rung in LADDERS[kind])
    elif name == "none":
        yield "whole", _take_all
    elif name.startswith("/"):
        yield name, partial(_by_pattern, Pattern.parse(name))
    elif name in _RULES:
        yield name, _RULES[name]
    else:
        known = ", ".join(("auto", "none", *_RULES))
        hint = f"{did_you_mean(name, _RULES)} Use one of {known}, or /pattern/flags."
        raise SpecError(f"unknown rule {name!r} in extract.", hint=hint.strip())


def _json(text: str, _kind: Kind) -> str | None:
    return json_answer(text) if '"answer' in text else None


def _find_boxed(text: str, _kind: Kind) -> str | None:
    if "\\boxed" not in text:
        return None
    opening = _BOXED.match(text, text.rfind("\\boxed"))
    if opening is None:
        return None
    depth = 1
    for brace in _BRACE.finditer(text, opening.end()):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            inner = text[opening.end() : brace.start()]
            alone = _TEXT_ALONE.fullmatch(inner)
            return (alone[1] if alone else inner) or None
    return None


def _hashes(text: str, kind: Kind) -> str | None:
    if "####" not in text:
        return None
    start = text.rfind("####")
    if text[max(start - 1, 0) : start] == "#":
        return None
    line, rest = _line(text, start + 4)
    taken = line.strip()
    if kind == "numeric":
        return taken if _NUMBER_AT_ONCE.match(taken) else None
    return taken if taken and not text[rest:].strip() else None


def _answer_is(text: str, kind: Kind) -> str | None:
    lower = text.lower() if text.isascii() else "".join(map(_lower_case, text))
    if "answer" not in lower and "A:" not in text:
        return None
    for end in islice(_anchors(text, lower), _TRIES):
        taken = _rest_of_line(text, end)
        if taken and _is_of_kind(taken, kind):
            return taken
    return None


def _anchors(text: str, lower: str) -> Iterator[int]:
    """Yield the ends of the anchors, last first."""
    word, letter = lower.rfind("answer"), text.rfind("A:")
    while word >= 0 or letter >= 0:
        if letter > word:
            if _BEGINS.search(text, max(letter - 8, 0), letter):
                yield letter + 2
            letter = text.rfind("A:", 0, letter)
        else:
            anchor = _ANSWER.match(text, word)
            if anchor is not None:
                yield anchor.end()
            word = lower.rfind("answer", 0, word)


def _lower_case(character: str) -> str:
    """Lower case of the same length, so that places stay."""
    lower = character.lower()
    return lower if len(lower) == 1 else character


def _rest_of_line(text: str, at: int) -> str:
    """The rest of the line, or the next line that says anything, without marks of emphasis."""
    for _ in range(_TRIES):
        line, at = _line(text, at)
        taken = line.lstrip(_MARKS).rstrip()
        if taken:
            break
    else:
        return ""
    if taken.endswith(("*", "*.", "_", "_.")) and "*" not in taken.rstrip("*_. "):
        taken = _EMPHASIS_END.sub(r"\1", taken)
    return taken


def _line(text: str, at: int) -> tuple[str, int]:
    """From ``at`` to the end of its line, and where the next begins."""
    end = text.find("\n", at)
    return (text[at:], len(text)) if end < 0 else (text[at:end], end + 1)


def _is_of_kind(taken: str, kind: Kind) -> bool:
    if kind == "exact":
        return True
    return (
        find_verdict(taken) is not None if kind == "boolean" else answer_number(taken) is not None
    )


def answer_number(text: str) -> Number | None:
    """As :func:`~benchmaker.scoring.numbers.read_number`; short answers are read once.

    They are looked at when they are extracted and again when they are scored, and models agree.
    """
    return _short_answer(text) if len(text) <= _SHOWN else read_number(text)


_short_answer = lru_cache(maxsize=512)(read_number)


def _last_number(text: str, _kind: Kind) -> str | None:
    number = last_number(text)
    return None if number is None else number.text


def _last_verdict(text: str, _kind: Kind) -> str | None:
    return _verdict_word(text)


def _take_all(text: str, _kind: Kind) -> str | None:
    return text


def _by_pattern(pattern: Pattern, text: str, _kind: Kind) -> str | None:
    found = pattern.search(text)
    if found is None:
        return None
    return next((group for group in found.groups if group is not None), found.text)


_RULES: dict[str, Rule] = {
    "json": _json,
    "boxed": _find_boxed,
    "hashes": _hashes,
    "answer_is": _answer_is,
    "last_number": _last_number,
    "last_verdict": _last_verdict,
    "whole": _take_all,
}
RULES = tuple(_RULES)
"""The names of all rules."""


def extraction_line(score: Score) -> str:
    """Return the line that shows the scored text in explanations."""
    extraction = score.extraction
    if extraction is None:
        return "scored: the whole answer, without surrounding white space"
    if extraction.rule == "nothing":
        return "scored: nothing, because no extraction rule found an answer"
    text = extraction.text
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f"scored: {shown!r}, extracted by {extraction.rule}"
