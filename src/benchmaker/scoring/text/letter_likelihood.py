"""The probabilities of the options' letters at the first token of an answer.

Source: the evaluation published with MMLU (``evaluate.py`` of github.com/hendrycks/test) compares
the log probabilities of the letters among the alternatives for the token after ``Answer:``. It
reads one form of each letter and takes −100 for a letter that is not returned. Here the forms of a
letter are added up, and a missing one is bounded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum
from typing import NamedTuple

from benchmaker.record import TokenLogprob

_BEFORE = ("", " ", "(", " (")
_AFTER = ("", ".", ")", ":")
FORMS = len(_BEFORE) * len(_AFTER)
"""The number of tokens that denote one letter: alone or after a space, an opening bracket or both,
and then with nothing, a full stop, a closing bracket or a colon."""

_OPENING = " \t\r\n([*\"'`"
"""Characters before an answer; a token of nothing else is skipped."""


class OptionBounds(NamedTuple):
    """The lowest and the highest possible probability of an option."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LetterProbabilities:
    """The probabilities of options by letter; ``position`` of the token counts from 1."""

    position: int
    token: str
    options: Mapping[str, OptionBounds]

    @property
    def choice(self) -> str | None:
        """The option that is likelier than each other one; None if the bounds do not decide."""
        leader = max(self.options, key=lambda it: self.options[it].low)
        least = self.options[leader].low
        others = (bounds for letter, bounds in self.options.items() if letter != leader)
        is_decided = least > 0 and all(bounds.high < least for bounds in others)
        return leader if is_decided else None

    @property
    def has_letters(self) -> bool:
        """True if a letter is among the alternatives."""
        return any(bounds.low > 0 for bounds in self.options.values())


def forms_of(letter: str) -> list[str]:
    """Return the tokens that denote a letter.

    >>> forms_of("A")[:5]
    ['A', 'A.', 'A)', 'A:', ' A']
    """
    return [f"{before}{letter}{after}" for before in _BEFORE for after in _AFTER]


def bare_forms_of(letter: str) -> list[str]:
    """Return the tokens that are a letter alone or after a space.

    >>> bare_forms_of("A")
    ['A', ' A']
    """
    return [letter, f" {letter}"]


def letter_probabilities(
    tokens: Sequence[TokenLogprob],
    letters: Sequence[str],
    forms: Callable[[str], list[str]] = forms_of,
) -> LetterProbabilities | None:
    """Return the probability of each letter; None if no token begins an answer.

    The position is that of the first token that is more than white space, opening brackets,
    asterisks and quotation marks. The probability of a letter is the sum over its forms
    among the chosen token and its alternatives. The other forms are each at most as likely as the
    least likely alternative, and together at most as likely as all tokens that are not returned.

    >>> one = TokenLogprob("B", -0.1, (("B", -0.1), (" A", -3.0)))
    >>> letter_probabilities([one], "AB").choice
    'B'
    """
    for index, token in enumerate(tokens):
        if token.token.strip(_OPENING):
            options = _bounds(token, letters, forms)
            return LetterProbabilities(index + 1, token.token, options)
    return None


def _bounds(
    token: TokenLogprob, letters: Sequence[str], forms: Callable[[str], list[str]]
) -> dict[str, OptionBounds]:
    offered = {text: exp(min(0.0, value)) for text, value in token.alternatives}
    known = {token.token: exp(min(0.0, token.logprob)), **offered}
    unseen = max(0.0, 1.0 - fsum(known.values()))
    smallest = min(offered.values(), default=1.0)
    found: dict[str, OptionBounds] = {}
    for letter in letters:
        ways = forms(letter)
        seen = [known[form] for form in ways if form in known]
        low = min(1.0, fsum(seen))
        more = min(unseen, (len(ways) - len(seen)) * smallest)
        found[letter] = OptionBounds(low, min(1.0, low + more))
    return found
