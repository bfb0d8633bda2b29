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
    "assert": "Write the value as expected, and the comparison as scorer.",
}
"""Replacements for promptfoo's keys."""


class ForeignFormat(NamedTuple):
    """A kind of file that another tool reads or writes."""

    kind: str
    words: frozenset[str]
    hint: str


_REWRITE = "Write its tests as cases with prompt and expected: docs/how-to/write-a-suite.md."
_ANSWERS = "Score its answers with: benchmaker run SUITE --recorded FILE"
_KINDS = (
    ForeignFormat("a promptfoo result", frozenset({"evalId", "results"}), _ANSWERS),
    ForeignFormat("a promptfoo configuration", frozenset({"prompts", "providers"}), _REWRITE),
    ForeignFormat("a promptfoo configuration", frozenset({"providers", "tests"}), _REWRITE),
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
