"""The rules of the words: banned words and openings, and the length of a sentence."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.words.sentence import Area, Sentence, Text, sentences

LIST = Path(__file__).with_name("rules.toml")
MOST_WORDS = 35
LIMITED = {Area.HELP, Area.MESSAGES, Area.PAGES}
"""The areas where no sentence is longer than ``MOST_WORDS``."""
_ENTRY = re.compile(r"^\*{0,2}[a-z_]\w*: (?:whether )?")
"""The name at the beginning of an entry of "Args"; a parameter may be a yes or no."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern with the reason against it and the better words."""

    pattern: re.Pattern[str]
    reason: str
    better: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence that breaks a rule."""

    sentence: Sentence
    reason: str
    better: str

    def __str__(self) -> str:
        """One line: place, sentence, reason, better words."""
        place = f"{self.sentence.text.file}:{self.sentence.line}"
        return f'{place}: "{self.sentence.words}" — {self.reason}; write: {self.better}'


def rules() -> list[Rule]:
    """The rules of ``rules.toml``, in its order."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["rule"]
    return [
        Rule(re.compile(it["pattern"], re.IGNORECASE), it["reason"], it["better"]) for it in listed
    ]


def findings(texts: Iterable[Text], listed: Sequence[Rule]) -> Iterator[Finding]:
    """Every sentence that breaks a rule, once for each rule, in the order of the texts."""
    for text in texts:
        for sentence in sentences(text):
            yield from _too_long(sentence)
            words = _judged(sentence)
            broken = (rule for rule in listed if rule.pattern.search(words))
            yield from (Finding(sentence, rule.reason, rule.better) for rule in broken)


def _judged(sentence: Sentence) -> str:
    """The sentence as the rules read it; "Whether" may describe a yes or no."""
    words = sentence.masked
    if sentence.text.area is Area.DOCSTRINGS:
        words = _ENTRY.sub("", words)
    return re.sub(r"^Whether ", "", words) if sentence.text.is_boolean else words


def _too_long(sentence: Sentence) -> Iterator[Finding]:
    if sentence.text.area in LIMITED and sentence.length > MOST_WORDS:
        better = f"at most {MOST_WORDS} words: split it"
        yield Finding(sentence, f"a sentence of {sentence.length} words", better)
