"""Rendering of the templates of a task, as it happens inside the timed worker.

The worker starts with the standard library alone; a request names the folders in which Jinja2 is
installed. Templates run in Jinja2's sandbox, with the settings of lm-evaluation-harness 0.4.13
(``apply_template`` in lm_eval/utils.py), and the worker ends a template that takes too long.
"""

import re
import sys
from functools import cache
from typing import Any


def render_all(request: list[Any]) -> list[Any]:
    """Answer ``[folders, templates, documents]`` with the texts of each document by template.

    Each text is ``["ok", text]`` or ``["failed", reason]``.
    """
    folders, templates, documents = request
    sys.path += [folder for folder in folders if folder not in sys.path]
    return [
        {name: _render(it, document) for name, it in templates.items()} for document in documents
    ]


def _render(template: str, document: dict[str, Any]) -> list[str]:
    try:
        return ["ok", _environment().from_string(template).render(**document)]
    except Exception as exc:  # noqa: BLE001  an expression may raise anything; it becomes data
        return ["failed", f"{type(exc).__name__}: {exc}"[:300]]


@cache
def _environment() -> Any:  # noqa: ANN401  a class of Jinja2
    from jinja2 import StrictUndefined  # noqa: PLC0415  found in the folders of the request
    from jinja2.sandbox import SandboxedEnvironment  # noqa: PLC0415  as above

    made = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    made.filters["regex_replace"] = _replace
    return made


def _replace(text: str, pattern: str, by: str, count: int = 0) -> str:
    return re.sub(pattern, by, text, count=count)
