"""Detects replies that open with a number and calculate on: "30. Minus 6 → 24."."""

import re

from benchmaker.scoring.extract.number_words import to_figures
from benchmaker.scoring.extract.phrases import ARROW
from benchmaker.scoring.extract.sentences import Sentence
from benchmaker.scoring.numbers import find_numbers
from benchmaker.scoring.symbols import to_plain_signs


def is_start(found: list[Sentence]) -> bool:
    """True if the first sentence starts a calculation and is not its result."""
    steps = [it.text for it in found[1:] if _CALCULATES.match(_in_figures(it.text))]
    steps = steps or _signed_steps(found)
    return bool(steps) and not _CHECKS.search(steps[-1])


def _in_figures(text: str) -> str:
    return to_figures(to_plain_signs(text), small=True)


def _signed_steps(found: list[Sentence]) -> list[str]:
    """The lines whose bullet is a sign: "- 6 → 24" below "Start: 30".

    Below a number that is called no beginning, several such lines are a list unless the first
    works out: "24", "- 2 → 12", "- 3 → 12".
    """
    steps = [
        (it.bullet, made)
        for it in found[1:]
        if it.bullet in _SIGNS and (made := _STEP.fullmatch(_in_figures(it.text)))
    ]
    opening = found[0].text
    if len(steps) > 1 and not (_BEGINS.match(opening) or _works_out(opening, *steps[0])):
        return []
    return [made[0] for _, made in steps]


def _works_out(opening: str, sign: str, step: re.Match[str]) -> bool:
    """True if the first number and the one after the sign yield the one after the arrow."""
    values = [it.value for it in find_numbers(_in_figures(opening)) if it.value is not None]
    by, result = (find_numbers(step[name])[0].value for name in ("by", "result"))
    if not values or by is None or result is None:
        return False
    made = {"+": values[-1] + by, "*": values[-1] * by}.get(sign, values[-1] - by)
    return abs(made - result) <= _ROUNDING * abs(result)


_ROUNDING = 1e-9
_SIGNS = frozenset("-–—+*")
_NUMBER = r"[$€£]?\d[\d.,]*%?"
_STEP = re.compile(
    rf"(?P<by>{_NUMBER})(?:\s+[^\W\d]+){{0,2}}\s*(?:{ARROW}|=|(?:is|leaves|gives|makes|equals)\b)"
    rf"[\s*_]*(?P<result>-?{_NUMBER})(?:\s+[^\W\d]+){{0,3}}[\s*_.!]*",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\W*(?:start|begin|initial|original|given|anfang|beginn|début|depart|départ|inicio|al inicio"
    r"|comienzo)",
    re.IGNORECASE,
)
_CALCULATES = re.compile(
    rf"\W{{0,3}}(?:(?:then|now|and|next|dann|puis|luego)[\s,:]+)?"
    rf"(?:[-+−–×÷*/]\s*[$€£]?\d|(?:plus|minus|less|add|subtract|take away|remove|multiply|times"
    rf"|divided?|doubled?|tripled?|halved?|half|mal|geteilt|moins|más|menos"
    rf"|(?:gave|give|gives|sold|sell|used?|ate|eat|spent|spend|lost|lose|bought|buy)\b"
    rf"(?=[^.]*(?:{ARROW})))\b"
    rf"|[$€£]?\d[\d.,%]*\s+(?:\w+\s+)?(?:eaten|sold|used|lost|gone|given|spent|added|removed"
    rf"|taken|bought|broken|off)\b[^.→=]*(?={ARROW}))"
    rf"[^=]*?(?:{ARROW}|=|\b(?:is|leaves|gives|makes|equals)\b)\D{{0,12}}\d"
    rf"|[\s*_]*(?:{ARROW}|=)[\s*_]*{_NUMBER}",
    re.IGNORECASE,
)
_CHECKS = re.compile(r"\b(?:match|check|verif|confirm|correct)|[✓✔✅☑]", re.IGNORECASE)
