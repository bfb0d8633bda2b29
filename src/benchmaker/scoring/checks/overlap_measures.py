"""Measures of the overlap of two texts: token F1, BLEU, ROUGE and chrF, each from 0 to 1."""

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_BLEU_STEPS = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_IN_WORDS = "LMN"
"""Categories of Unicode whose characters make words: letters, marks and numbers."""

_PUNCTUATION = frozenset(string.punctuation)
_CHARS = 6
_ORDERS = 4


class Overlap(NamedTuple):
    """Precision, recall and their combined value."""

    precision: float
    recall: float
    value: float


class Bleu(NamedTuple):
    """BLEU with the figures it is made of.

    ``precisions`` are those of n-grams of length 1 to 4, as far as the text has them, smoothed.
    """

    value: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    length: int
    reference_length: int


def squad_tokens(text: str) -> list[str]:
    """Return the words in lower case without punctuation and English articles.

    Source: the evaluation script of SQuAD 1.1.

    >>> squad_tokens("The  Eiffel-Tower, in a town.")
    ['eiffeltower', 'in', 'town']
    """
    plain = text.lower().translate(_NO_PUNCTUATION)
    return _ARTICLES.sub(" ", plain).split()


def f1(answer: str, expected: str) -> Overlap:
    """Return the F1 of the words two texts share, counted with repetitions.

    Two texts without words are equal, and one of them equals no other. Source: P. Rajpurkar et al.,
    SQuAD: 100,000+ Questions for Machine Comprehension of Text (2016); the second rule is that of
    SQuAD 2.0.

    >>> f1("the cat sat", "a cat").value
    0.6666666666666666
    """
    return _words_f1(squad_tokens(answer), squad_tokens(expected))


def _words_f1(one: Sequence[str], other: Sequence[str]) -> Overlap:
    if not one or not other:
        both = float(not one and not other)
        return Overlap(both, both, both)
    return _f_measure((Counter(one) & Counter(other)).total(), len(one), len(other))


def _f_measure(shared: int, length: int, reference_length: int) -> Overlap:
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    both = length + reference_length
    return Overlap(shared / length, shared / reference_length, 2 * shared / both)


def rouge_n(answer: str, expected: str, n: int) -> Overlap:
    """Return the F1 of the n-grams of words that two texts share.

    Words are runs of letters with their marks, and digits, in lower case and composed (NFC),
    without stemming. Source: C.-Y. Lin, ROUGE:
    A Package for Automatic Evaluation of Summaries (2004); the package rouge-score, whose words are
    of ASCII letters only.

    >>> rouge_n("The cat sat.", "the cat ran", 2).value
    0.5
    """
    one, other = (_grams(_rouge_tokens(text), n) for text in (answer, expected))
    return _f_measure((one & other).total(), one.total(), other.total())


def rouge_l(answer: str, expected: str) -> Overlap:
    """Return the F1 of the longest common subsequence of words; words as in :func:`rouge_n`.

    >>> rouge_l("a b c d", "a x c d").value
    0.75
    """
    one, other = _rouge_tokens(answer), _rouge_tokens(expected)
    return _f_measure(LCSseq.similarity(one, other), len(one), len(other))


def _rouge_tokens(text: str) -> list[str]:
    """The words: runs of letters, their marks, and digits, in lower case and composed."""
    plain = unicodedata.normalize("NFC", text.lower())
    if plain.isascii():
        return _ASCII_WORDS.findall(plain)
    parted = "".join(it if unicodedata.category(it)[0] in _IN_WORDS else " " for it in plain)
    return [word for word in parted.split() if any(map(str.isalnum, word))]


def _grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def bleu_tokens(text: str) -> list[str]:
    """Return the tokens of mteval-v13a, the standard tokenisation for BLEU.

    >>> bleu_tokens('It costs 1,000.50 (or "less").')
    ['It', 'costs', '1,000.50', '(', 'or', '"', 'less', '"', ')', '.']
    """
    line = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in line:
        for entity, sign in _ENTITIES:
            line = line.replace(entity, sign)
    line = f" {line} "
    for pattern, parts in _BLEU_STEPS:
        line = pattern.sub(parts, line)
    return line.split()


def bleu(answer: str, references: Sequence[str]) -> Bleu:
    """Return the BLEU of one text against its references.

    The geometric mean of the precisions of n-grams of 1 to 4 tokens, or fewer in a shorter text,
    times the brevity penalty against the closest length. Missing n-grams are smoothed
    exponentially. Source: K. Papineni et al., BLEU (2002); M. Post, A Call for Clarity in Reporting
    BLEU Scores (2018), whose ``sentence_bleu`` it equals.
    """
    tokens = bleu_tokens(answer)
    others = [bleu_tokens(text) for text in references]
    length = len(tokens)
    reference_length = min(map(len, others), key=lambda it: (abs(it - length), it))
    matches = [_count_matches(tokens, others, n) for n in range(1, _ORDERS + 1)]
    penalty = _brevity_penalty(length, reference_length)
    precisions = _smooth(matches, length) if any(matches) else ()
    mean = math.exp(math.fsum(map(math.log, precisions)) / len(precisions)) if precisions else 0.0
    return Bleu(min(1.0, penalty * mean), precisions, penalty, length, reference_length)


def _count_matches(tokens: Sequence[str], others: Sequence[Sequence[str]], n: int) -> int:
    """The n-grams that occur in a reference, each as often as in one of them at most."""
    most: Counter[tuple[str, ...]] = Counter()
    for other in others:
        most |= _grams(other, n)
    return (_grams(tokens, n) & most).total()


def _smooth(matches: Sequence[int], length: int) -> tuple[float, ...]:
    found: list[float] = []
    halving = 1
    for n, count in enumerate(matches, 1):
        total = length - n + 1
        if total <= 0:
            break
        if not count:
            halving *= 2
        found.append(count / total if count else 1 / (halving * total))
    return tuple(found)


def _brevity_penalty(length: int, reference_length: int) -> float:
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length else 0.0


def chrf(answer: str, expected: str, *, word_order: int = 0, beta: float = 2) -> Overlap:
    """Return the F-score of the character n-grams that two texts share.

    Precisions and recalls of n-grams of 1 to 6 characters, white space removed, and of
    ``word_order`` words (2 is chrF++) are averaged over the lengths that both texts have. ``beta``
    weights recall. Source: M. Popović, chrF (2015) and chrF++ (2017); it equals sacreBLEU's
    ``sentence_chrf``.
    """
    one, other = (_chrf_grams(text, word_order) for text in (answer, expected))
    precisions: list[float] = []
    recalls: list[float] = []
    for ours, theirs in zip(one, other, strict=True):
        if ours and theirs:
            shared = (ours & theirs).total()
            precisions.append(shared / ours.total())
            recalls.append(shared / theirs.total())
    return _chrf_value(precisions, recalls, beta**2)


def _chrf_value(precisions: Sequence[float], recalls: Sequence[float], factor: float) -> Overlap:
    if not any(precisions):
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = (sum(values) / len(values) for values in (precisions, recalls))
    value = (1 + factor) * precision * recall / (factor * precision + recall)
    return Overlap(precision, recall, min(1.0, value))


def _chrf_grams(text: str, word_order: int) -> list[Counter[str]]:
    plain = "".join(text.split())
    found = [_pieces(plain, n) for n in range(1, _CHARS + 1)]
    words = _chrf_words(text) if word_order else []
    return [*found, *(_join_grams(words, n) for n in range(1, word_order + 1))]


def _pieces(text: str, n: int) -> Counter[str]:
    return Counter(text[start : start + n] for start in range(len(text) - n + 1))


def _join_grams(words: Sequence[str], n: int) -> Counter[str]:
    return Counter(" ".join(words[start : start + n]) for start in range(len(words) - n + 1))


def _chrf_words(text: str) -> list[str]:
    """The words, one punctuation mark at their end or else at their start as a word."""
    found: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found
