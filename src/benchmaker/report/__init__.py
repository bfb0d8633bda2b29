"""Text, pages and files made from summaries and trials; the caller opens and closes streams.

The names below are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.report.formats.json import write_json
    from benchmaker.report.formats.jsonl import write_jsonl
    from benchmaker.report.formats.junit import write_junit
    from benchmaker.report.formats.read_export import Export, ExportedTrial, read_export
    from benchmaker.report.formats.report_format import ReportFormat, ReportSubject
    from benchmaker.report.result_tables.means import write_summary_csv
    from benchmaker.report.runs.explain import Explanation, explain
    from benchmaker.report.runs.html import write_html
    from benchmaker.report.runs.markdown import write_markdown
    from benchmaker.report.runs.text import summary_text, write_text
    from benchmaker.report.tables.csv import write_csv

__all__ = [
    "Explanation",
    "Export",
    "ExportedTrial",
    "ReportFormat",
    "ReportSubject",
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
    "Export": "formats.read_export",
    "Explanation": "runs.explain",
    "ExportedTrial": "formats.read_export",
    "ReportFormat": "formats.report_format",
    "ReportSubject": "formats.report_format",
    "explain": "runs.explain",
    "read_export": "formats.read_export",
    "summary_text": "runs.text",
    "write_csv": "tables.csv",
    "write_html": "runs.html",
    "write_json": "formats.json",
    "write_jsonl": "formats.jsonl",
    "write_junit": "formats.junit",
    "write_markdown": "runs.markdown",
    "write_summary_csv": "result_tables.means",
    "write_text": "runs.text",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
