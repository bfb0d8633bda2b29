"""The results of a session's runs, at the end of pytest's output."""

import sys
from pathlib import Path

import pytest

from benchmaker.pytest_plugin.baseline_files import WRITTEN
from benchmaker.pytest_plugin.session_runs import runs_of
from benchmaker.report.runs.text import summary_text
from benchmaker.report.tables.width import width_of


def write_results(reporter: pytest.TerminalReporter) -> None:
    """Print the table of each run, with the differences between models."""
    for number, result in enumerate(runs_of(reporter.config).read_finished()):
        if number == 0:
            reporter.section("benchmaker")
        else:
            reporter.line("")
        reporter.write(summary_text(result, width=width_of(sys.stdout)))


def write_baselines(reporter: pytest.TerminalReporter) -> None:
    """List the baselines that tests of the session wrote."""
    reports = (one for found in reporter.stats.values() for one in found)
    properties = (it for one in reports for it in getattr(one, "user_properties", ()))
    here = reporter.config.invocation_params.dir
    for text in dict.fromkeys(str(value) for name, value in properties if name == WRITTEN):
        path = Path(text)
        shown = path.relative_to(here) if path.is_relative_to(here) else path
        reporter.write_line(f"Baseline written: {shown}")
