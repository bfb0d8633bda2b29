"""Summaries and trials as text, pages and files; whoever calls opens and closes the streams.

The names below are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from benchmaker.report.explain import Explanation, explain

if TYPE_CHECKING:
    from benchmaker.report.csv import write_csv, write_summary_csv
    from benchmaker.report.exported import Export, ExportedTrial, read_export
    from benchmaker.report.html import write_html
    from benchmaker.report.json import write_json
    from benchmaker.report.jsonl import write_jsonl
    from benchmaker.report.junit import write_junit
    from benchmaker.report.markdown import write_markdown
    from benchmaker.report.text import summary_text, write_text

__all__ = [
    "Explanation",
    "Export",
    "ExportedTrial",
    "explain",
    "read_export",
    "summary_text",
    "write_csv",
    "write_html",
    "write_json",
    "write_jsonl",
    "write_junit",
    "write_markdown",
    "write_summary_csv",
    "write_text",
]

_HOMES = {
    "Export": "exported",
    "ExportedTrial": "exported",
    "read_export": "exported",
    "summary_text": "text",
    "write_csv": "csv",
    "write_html": "html",
    "write_json": "json",
    "write_jsonl": "jsonl",
    "write_junit": "junit",
    "write_markdown": "markdown",
    "write_summary_csv": "csv",
    "write_text": "text",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
