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
    "gold": "expected",
    "reference": "expected",
    "tests": "cases",
    "samples": "cases",
    "metric": "scorer",
}
"""Field names of other tools and data sets, with our names."""


OF_PROMPTFOO = {
    "prompts": "Write each question as the prompt of a case; what all share is system_prompt.",
    "providers": "Name models at the run: benchmaker run SUITE --model ENDPOINT/MODEL.",
    "vars": "Write their values into the prompt of each case.",
    "assert": "Write the value as expected, and how it is compared as scorer.",
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
    ForeignFormat("a result of promptfoo", frozenset({"evalId", "results"}), _ANSWERS),
    ForeignFormat("a configuration of promptfoo", frozenset({"prompts", "providers"}), _REWRITE),
    ForeignFormat("a configuration of promptfoo", frozenset({"providers", "tests"}), _REWRITE),
    ForeignFormat("a task of lm-eval", frozenset({"task", "doc_to_text"}), _REWRITE),
    ForeignFormat("a task of lm-eval", frozenset({"task", "dataset_path"}), _REWRITE),
    ForeignFormat("a result of lm-eval", frozenset({"results", "configs", "versions"}), _ANSWERS),
    ForeignFormat(
        "a log of Inspect",
        frozenset({"status", "eval", "plan"}),
        "Take it in with: benchmaker import FILE",
    ),
)


def recognise_format(data: Mapping[str, Any]) -> ForeignFormat | None:
    """The kind of file that a document is, where it is another tool's and no suite.

    >>> recognise_format({"prompts": [], "providers": []}).kind
    'a configuration of promptfoo'
    """
    if "cases" in data:
        return None
    return next((one for one in _KINDS if one.words <= data.keys()), None)
