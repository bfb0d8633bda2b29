"""Checks whose verdict on a given text is certain before any answer is there."""

from benchmaker.errors import BenchmakerError
from benchmaker.record import Completion, Outcome, Score, Trial
from benchmaker.scoring.checks.checks import Checks
from benchmaker.spec import Case, CheckSpec

GRADED = frozenset({"bleu", "chrf", "f1", "levenshtein", "rouge_1", "rouge_2", "rouge_l"})
"""Types with partial credit, which a failed check gives as well."""

EVALUATED = GRADED | {"json", "refusal", "sentence_count", "word_count"}
"""Types that read the text alone, at once, and ignore white space at its ends."""


def fails_on(check: CheckSpec, text: str) -> bool:
    """Return True if an answer with this text fails a check of :data:`EVALUATED` for certain.

    >>> fails_on(CheckSpec(type="word_count", max=2), "one two three")
    True
    """
    if check.type == "json" and check.is_negated:
        return False  # JSON allows less white space around it than the other types
    trial = Trial(
        run_id="", case_id="", model="", position=0, outcome=Outcome.SCORED,
        completion=Completion(text=text),
    )  # fmt: skip
    try:
        made = Checks((check,)).score(Case(id="case", prompt="?"), trial)
        made.send(None)
    except StopIteration as end:
        score: Score = end.value
        return score.detail["passed"] is False
    except (BenchmakerError, ValueError):
        return False
    made.close()
    return False
