"""The record of another tool of a trial, besides the answer."""

from typing import Any, Final

import msgspec

PROMPT_TEXTS: Final = "prompt_texts"
"""The variable of an imported case that holds the text sent with each prompt, by its label."""


TOOL_NAMES: Final = {
    "inspect": "Inspect",
    "promptfoo": "promptfoo",
    "lm_eval": "lm-eval",
    "helm": "HELM",
    "deepeval": "DeepEval",
    "pydantic_evals": "pydantic-evals",
    "openai_evals": "OpenAI evals",
    "lighteval": "lighteval",
    "table": "table",
}
"""The name of each tool, by the id under which it is stored."""


class ImportedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The tool's own scores of one trial, and the fields that were kept verbatim.

    ``key`` identifies the row: a digest of the tool's own id, or of the content of a row without
    one. ``scores`` are in the unit of the tool, under names such as ``inspect/match``; None where
    the tool gave none. ``rest`` holds the other fields as they stand in the file.
    """

    key: int
    scores: dict[str, float | None] = {}
    rest: dict[str, Any] = {}


class ImportedHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The statements of a file on a whole evaluation: the tool's figures, and the rest verbatim."""

    figures: tuple[dict[str, Any], ...] = ()
    rest: dict[str, Any] = {}
