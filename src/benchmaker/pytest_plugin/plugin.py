"""The hooks, options and fixtures that pytest loads from the entry point.

A session without suites and without these fixtures imports nothing else of Benchmaker.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmaker.pytest_plugin.session_folder import (
    FOLDER_OF_WORKERS,
    existing_folder_of,
    folder_of,
    remove_folder,
)

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult
    from benchmaker.pytest_plugin.baseline_files import BaselineFile
    from benchmaker.spec import Suite

_ENDINGS = (".suite.json", ".suite.yaml", ".suite.yml")
MARKER = (
    "benchmaker: cases of suites, and tests that use benchmaker_run. Exclude them with "
    '-m "not benchmaker".'
)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the options."""
    _import_as_usual(pluginmanager)
    group = parser.getgroup("benchmaker", "Benchmaker: suites as tests")
    group.addoption(
        "--benchmaker-model",
        dest="benchmaker_models",
        metavar="MODEL",
        action="append",
        default=[],
        help="Model to query with the cases of suites, such as openai/gpt-4o-mini. With "
        "--benchmaker-recorded, only this model. Repeatable.",
    )
    group.addoption(
        "--benchmaker-recorded",
        metavar="FILE",
        help="Recorded answers to score. No model under test is queried.",
    )
    group.addoption(
        "--benchmaker-max-cost",
        metavar="USD",
        type=float,
        help="Spending limit of each run of a suite in dollars. Default: none.",
    )
    group.addoption(
        "--benchmaker-update-baselines",
        action="store_true",
        help="Write the baselines that tests name, in place of comparing with them.",
    )


def _import_as_usual(manager: pytest.PytestPluginManager) -> None:
    """Keep pytest from rewriting the assertions of a whole package that has none.

    It marks every package that is installed with a plug-in. Parsing all modules of Benchmaker would
    take several seconds in an environment without cached bytecode.
    """
    marked: set[str] = getattr(manager.rewrite_hook, "_must_rewrite", set())
    marked.discard("benchmaker")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; refuse a file of answers that does not exist."""
    config.addinivalue_line("markers", MARKER)
    recorded = config.getoption("benchmaker_recorded")
    if recorded is None:
        return
    path = config.invocation_params.dir / Path(recorded).expanduser()
    if not path.is_file():
        raise pytest.UsageError(f"--benchmaker-recorded: no such file: {recorded}")
    config.option.benchmaker_recorded = str(path)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder of the session."""
    remove_folder(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Hand the folder of the session to a worker of pytest-xdist."""
    config: pytest.Config = node.config  # type: ignore[attr-defined]  # of pytest-xdist, untyped
    if config.getoption("benchmaker_models") or config.getoption("benchmaker_recorded"):
        node.workerinput[FOLDER_OF_WORKERS] = str(folder_of(config))  # type: ignore[attr-defined]  # as above


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect ``test_*.suite.yaml``, ``.yml`` and ``.json``, and such files named by the user."""
    if not file_path.name.endswith(_ENDINGS):
        return None
    if not file_path.name.startswith("test_") and not parent.session.isinitpath(file_path):
        return None
    from benchmaker.pytest_plugin.suite_file import SuiteFile

    made: pytest.Collector = SuiteFile.from_parent(parent, path=file_path)
    return made


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use ``benchmaker_run``, before -m selects tests."""
    for item in items:
        if "benchmaker_run" in getattr(item, "fixturenames", ()):
            item.add_marker("benchmaker")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the results of the runs, and the written baselines."""
    config = terminalreporter.config
    if existing_folder_of(config) is not None:
        from benchmaker.pytest_plugin.session_summary import write_results

        write_results(terminalreporter)
    if config.getoption("benchmaker_update_baselines"):
        from benchmaker.pytest_plugin.session_summary import write_baselines

        write_baselines(terminalreporter)


@pytest.fixture
def benchmaker_run(request: pytest.FixtureRequest) -> "Callable[[Suite | str | Path], RunResult]":
    """Return a function that runs a suite with the models or answers of the options.

    It takes the path of a suite, relative to the folder of the test, or a ``Suite``, and returns a
    ``RunResult``. A suite is run once in a session. Without such an option the test is skipped.
    """
    from benchmaker.pytest_plugin.session_runs import run_whole_suite

    def run_suite(suite: "Suite | str | Path") -> "RunResult":
        return run_whole_suite(request, suite)

    return run_suite


@pytest.fixture
def benchmaker_baseline(request: pytest.FixtureRequest) -> "Callable[[str], BaselineFile]":
    """Return the baseline of a name in the folder ``baselines`` beside the test.

    The file is ``NAME.baseline.json``, or ``NAME.json`` if only that exists. Pass the baseline to
    ``assert_scores``, which writes it under ``--benchmaker-update-baselines``.
    """
    from benchmaker.pytest_plugin.baseline_files import baseline_beside

    def find_baseline(name: str) -> "BaselineFile":
        return baseline_beside(request, name)

    return find_baseline
