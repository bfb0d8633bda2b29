"""Files of other tools, known by their words."""

from collections.abc import Mapping
from typing import Any, NamedTuple

MEANT = {
    "question": "prompt",
    "query": "prompt",
    "input": "prompt",
    "instruction": "prompt",
    "answer": "expected",
    "target": "expected",
    "ideal": "expected",
    "label": "expected",
    "gold": "expected",
    "reference": "expected",
    "tests": "cases",
    "samples": "cases",
    "metric": "scorer",
}
"""Field names of other tools and data sets, with our names."""


OF_PROMPTFOO = {
    "prompts": "Write them as prompts of the suite, beside its cases.",
    "providers": "Choose models when you run: benchmaker run SUITE --model ENDPOINT/MODEL.",
    "threshold": "Set it on the command line: benchmaker run SUITE --threshold 80",
    "assert": "Write the value as expected, and the comparison as scorer.",
}
"""Replacements for promptfoo's keys."""


_NO_COUNTERPART = "No scorer here is similar. Write one as in docs/how-to/add-a-scorer.md."
_BOOLEAN = "Use boolean, which finds whole words and ignores case."
_JUDGED = "Use llm_judge, with your criteria as expected."
ASSERTIONS = {
    "equals": "Use exact, or numeric for numbers.",
    "contains": _BOOLEAN,
    "icontains": _BOOLEAN,
    "contains-any": "Use boolean with any_of.",
    "icontains-any": "Use boolean with any_of.",
    "contains-all": "Use boolean with all_of.",
    "icontains-all": "Use boolean with all_of.",
    "not-contains": "Use boolean with not_contains.",
    "not-icontains": "Use boolean with not_contains.",
    "llm-rubric": _JUDGED,
    "model-graded-closedqa": _JUDGED,
    "factuality": _JUDGED,
    "g-eval": _JUDGED,
    "javascript": "Write a scorer in Python as in docs/how-to/add-a-scorer.md.",
    "python": "Write a scorer as in docs/how-to/add-a-scorer.md.",
    "cost": "Limit the cost of a run with --max-cost.",
    "latency": "The latency is a column of every table.",
    "is-json": _NO_COUNTERPART,
    "contains-json": _NO_COUNTERPART,
    "is-xml": _NO_COUNTERPART,
    "is-sql": _NO_COUNTERPART,
    "similar": _NO_COUNTERPART,
    "levenshtein": _NO_COUNTERPART,
    "bleu": _NO_COUNTERPART,
    "rouge-n": _NO_COUNTERPART,
}
"""The nearest scorer for promptfoo's assertions, as in docs/how-to/from-promptfoo.md."""


class ForeignFormat(NamedTuple):
    """A kind of file that another tool reads or writes."""

    kind: str
    words: frozenset[str]
    hint: str


_REWRITE = "Write its tests as cases with prompt and expected: docs/how-to/write-a-suite.md."
_PROMPTFOO = "Write a suite as in docs/how-to/from-promptfoo.md."
_ANSWERS = "Score its answers with: benchmaker run SUITE --recorded FILE"
_KINDS = (
    ForeignFormat("a promptfoo result", frozenset({"evalId", "results"}), _ANSWERS),
    ForeignFormat("a promptfoo configuration", frozenset({"prompts", "providers"}), _PROMPTFOO),
    ForeignFormat("a promptfoo configuration", frozenset({"providers", "tests"}), _PROMPTFOO),
    ForeignFormat("an lm-eval task", frozenset({"task", "doc_to_text"}), _REWRITE),
    ForeignFormat("an lm-eval task", frozenset({"task", "dataset_path"}), _REWRITE),
    ForeignFormat("an lm-eval result", frozenset({"results", "configs", "versions"}), _ANSWERS),
    ForeignFormat(
        "an Inspect log",
        frozenset({"status", "eval", "plan"}),
        "Import it with: benchmaker import FILE",
    ),
)


def recognise_format(data: Mapping[str, Any]) -> ForeignFormat | None:
    """The kind of file that a document is, where it is another tool's and no suite.

    >>> recognise_format({"prompts": [], "providers": []}).kind
    'a promptfoo configuration'
    """
    if "cases" in data:
        return None
    return next((one for one in _KINDS if one.words <= data.keys()), None)
