r"""The extraction rules by name, as accepted by the parameter ``extract``.

================ =============================================================================
``json``         the last JSON object with an answer, cut off or not
``tags``         the content of ``<answer>…</answer>``
``boxed``        the content of the last ``\boxed{…}``
``hashes``       what follows the last ``####``
``answer_is``    what follows the last "answer is", "answer:" or ``A:``, to the end of that line
``statement``    exact: the complement of the statement that decides
``result``       numeric: the number that is stated as the result
``verdict``      boolean: the yes or no that opens or closes the reply
``letter``       choice: the option that is chosen
``last_number``  the last number
``last_verdict`` the last true, false, yes or no
``whole``        the reply as it is
================ =============================================================================

``auto`` removes reasoning, channels and fences, then applies the first of the first five rules that
matches, then the rules for the kind of answer. ``none`` is ``whole``. ``/pattern/flags`` returns
the first participating group of the first match, or the whole match without groups. A list of rules
is tried in its order.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Annotated, NamedTuple

from pydantic import AfterValidator

from benchmaker.errors import SpecError, TrialError
from benchmaker.record import Extraction, Score
from benchmaker.scoring.base import Objection
from benchmaker.scoring.extract import anchors
from benchmaker.scoring.extract.anchors import Kind
from benchmaker.scoring.extract.reply import strip_fence, visible_part
from benchmaker.scoring.numbers import last_number
from benchmaker.scoring.pattern import Pattern
from benchmaker.spec.documents.suggestions import did_you_mean

Rule = Callable[[str, Kind], str | None]


def _check_rule(name: str) -> str:
    """The rule's name; SpecError where there is no such rule."""
    for _rung in _step(name, "exact"):
        pass
    return name


RuleName = Annotated[str, AfterValidator(_check_rule)]
Rules = RuleName | tuple[RuleName, ...]

ANCHORS = tuple(anchors.RULES)
"""The rules that find an answer where the reply says that it is one."""

LAST: dict[Kind, str] = {
    "exact": "statement",
    "numeric": "result",
    "boolean": "verdict",
    "choice": "letter",
}
"""The last rule of ``auto``, by kind of answer."""

NOTHING = Extraction(rule="nothing", text="")
_SHOWN = 200


class TextReading(NamedTuple):
    """A text answer, and if it is the expected one; ``why`` gives the reason if not."""

    is_right: bool
    extraction: Extraction
    why: str = ""


def extract(text: str, rules: str | Sequence[str] = "auto", *, kind: Kind = "exact") -> Extraction:
    """Return the extraction by the first rule that matches.

    If none matches, the rule is ``nothing`` and the text empty.

    Raises:
        SpecError: an unknown rule, or an invalid pattern.
        ScorerTimeout: a pattern takes longer than a second.

    >>> extract("16 - 7 = 9. So the answer is 9 eggs.", kind="numeric")
    Extraction(rule='answer_is', text='9 eggs.')
    """
    named = rules if isinstance(rules, str) else tuple(rules)
    said = answer_text(text) if "auto" in ((named,) if isinstance(named, str) else named) else text
    for name, rule in steps(named, kind):
        taken = None if said is None else rule(said, kind)
        if taken is not None:
            return Extraction(rule=name, text=taken)
    return NOTHING


def answer_text(text: str) -> str | None:
    """The reply without reasoning, channels and fences; None where no answer is left."""
    said = visible_part(text)
    if said is None or not said.strip():
        return None
    return strip_fence(said)


@lru_cache(maxsize=256)
def steps(rules: Rules, kind: Kind) -> tuple[tuple[str, Rule], ...]:
    """The rules by name and function, ``auto`` and ``none`` written out.

    Raises:
        SpecError: a rule that does not exist, or a pattern that can't be one.
    """
    named = (rules,) if isinstance(rules, str) else rules
    return tuple(step for name in named for step in _step(name, kind))


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
    """Turn lists in a frozen scorer's fields into tuples, as its construction ends."""
    for name in fields:
        rules = getattr(scorer, name)
        if not isinstance(rules, str):
            object.__setattr__(scorer, name, tuple(rules))


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


def _step(name: str, kind: Kind) -> Iterator[tuple[str, Rule]]:
    if name == "auto":
        yield from ((rung, _RULES[rung]) for rung in (*ANCHORS, LAST[kind]))
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


def _at_anchor(rule: str, text: str, kind: Kind) -> str | None:
    found = anchors.RULES[rule](text, kind)
    return (
        None if found is None or (kind == "numeric" and not _may_be_number(found)) else found.text
    )


def _may_be_number(found: anchors.Anchor) -> bool:
    """True if the anchor of a numeric answer counts: ``answer is`` needs a number."""
    return (
        found.rule != "answer_is"
        or any(it.isdigit() for it in found.text)
        or len(found.text) < _SHOWN
    )


def _statement(text: str, _kind: Kind) -> str | None:
    from benchmaker.scoring.extract.statement import closing_statement  # noqa: PLC0415  see _RULES

    return closing_statement(text) or None


def _result(text: str, _kind: Kind) -> str | None:
    from benchmaker.scoring.extract.amount import stated_amount  # noqa: PLC0415  see _RULES

    return stated_amount(text).text or None


def _verdict(text: str, _kind: Kind) -> str | None:
    from benchmaker.scoring.extract.verdict import stated_verdict  # noqa: PLC0415  see _RULES

    return stated_verdict(text).text or None


def _letter(text: str, _kind: Kind) -> str | None:
    from benchmaker.scoring.extract.letter import stated_choice  # noqa: PLC0415  see _RULES

    return stated_choice(text).text or None


def _last_verdict(text: str, _kind: Kind) -> str | None:
    from benchmaker.scoring.extract.verdict import last_verdict  # noqa: PLC0415  see _RULES

    return last_verdict(text)


def _last_number(text: str, _kind: Kind) -> str | None:
    number = last_number(text)
    return None if number is None else number.text


def _take_all(text: str, _kind: Kind) -> str | None:
    return text


def _by_pattern(pattern: Pattern, text: str, _kind: Kind) -> str | None:
    found = pattern.search(text)
    if found is None:
        return None
    return next((group for group in found.groups if group is not None), found.text)


_RULES: dict[str, Rule] = {
    **{name: partial(_at_anchor, name) for name in ANCHORS},
    "statement": _statement,
    "result": _result,
    "verdict": _verdict,
    "letter": _letter,
    "last_number": _last_number,
    "last_verdict": _last_verdict,
    "whole": _take_all,
}
"""The rules by name. Each imports its reader on use: the patterns of all take 0.2 s to compile."""
RULES = tuple(_RULES)
"""The names of all rules."""
