"""The fields of documents: a column, or a template over the columns."""

import ast
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated
from benchmaker.arenas.standard.conversion.lm_eval.documents import Document
from benchmaker.errors import SandboxError, ScorerTimeout

if TYPE_CHECKING:
    from benchmaker.sandbox import TimedWorker

_AT_ONCE = 100
_TIMEOUT_S = 5.0


def field_values(fields: Mapping[str, str], documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Return the value of each field for each document: that of a column, or a rendered text.

    Raises:
        NotTranslated: a template fails, or takes too long.
    """
    columns = documents[0].keys() if documents else ()
    templates = {name: it for name, it in fields.items() if it not in columns}
    made: list[dict[str, Any]] = [
        {name: document[it] for name, it in fields.items() if it in columns}
        for document in documents
    ]
    if templates:
        for start in range(0, len(documents), _AT_ONCE):
            rendered = _render_fields(templates, documents[start : start + _AT_ONCE])
            for place, texts in enumerate(rendered, start):
                made[place] |= texts
    return made


def literal_or_text(text: str, *, has_choices: bool) -> Any:  # noqa: ANN401  a number, a list or a text
    """Return a rendered target as the harness reads it: a number with choices, a list, or a text.

    >>> literal_or_text("2", has_choices=True), literal_or_text("['a']", has_choices=False)
    (2, ['a'])
    """
    if has_choices and text.isdigit():
        return ast.literal_eval(text)
    if len(text) > 1 and text[0] == "[" and text[-1] == "]":
        try:
            return ast.literal_eval(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return text
    return text


def _render_fields(
    templates: Mapping[str, str], documents: Sequence[Document]
) -> list[dict[str, Any]]:
    request = [[it for it in sys.path if it], dict(templates), list(documents)]
    try:
        found = _worker().call(request, timeout_s=_TIMEOUT_S)
    except (ScorerTimeout, SandboxError) as exc:
        raise NotTranslated(f"the templates can't be rendered: {exc.message.rstrip('.')}") from exc
    for one in found:
        for name, (kind, text) in one.items():
            if kind == "failed":
                raise NotTranslated(f"the template of {name} fails: {text}")
    return [{name: text for name, (_, text) in one.items()} for one in found]


@cache
def _worker() -> "TimedWorker":
    from benchmaker.sandbox import TimedWorker  # noqa: PLC0415  for tasks with templates alone

    path = "benchmaker.arenas.standard.conversion.lm_eval.template_work:render_all"
    return TimedWorker(path, is_pure=True)
