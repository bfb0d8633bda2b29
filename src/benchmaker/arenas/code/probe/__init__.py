"""The render probe: a page's facts, taken by a browser that reaches no network."""

from benchmaker.arenas.code.probe.network_isolation import INSTALL_BROWSER, find_browser
from benchmaker.arenas.code.probe.pages import ProbePage, page_of_file
from benchmaker.arenas.code.probe.prober import PAGE_S, Prober, static_report

__all__ = [
    "INSTALL_BROWSER",
    "PAGE_S",
    "ProbePage",
    "Prober",
    "find_browser",
    "page_of_file",
    "static_report",
]
