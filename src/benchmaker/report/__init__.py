"""Summaries and trials as text, pages and files; whoever calls opens and closes the streams."""

from benchmaker.report.csv import write_csv, write_summary_csv
from benchmaker.report.explain import Explanation, explain
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
