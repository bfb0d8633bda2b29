"""One run of a suite in a session, for all of its tests and processes."""

import contextlib
import os
import signal
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from benchmaker import BenchmakerError, load_suite, results
from benchmaker.cli.context import Context
from benchmaker.pytest_plugin.session_runs import AnswerSource, RunRequest, SessionRuns
from tests.pytest_plugin.projects import Project
from tests.waiting import until
from tests.web.answering import Models, answering

CASES = [{"id": f"c{n}", "prompt": f"case {n}", "expected": "42"} for n in range(8)]
TESTS = """\
import pytest
from benchmaker import assert_scores

@pytest.mark.parametrize("number", range(4))
def test_scores(benchmaker_run, number):
    assert_scores(benchmaker_run("test_sums.suite.json"), mean=0.5)

def test_run_is_shared(benchmaker_run):
    first, second = (benchmaker_run("test_sums.suite.json") for _ in range(2))
    assert first.run_ids == second.run_ids
"""


@pytest.fixture
def sums(project: Project) -> Project:
    project.suite("test_sums.suite.json", CASES, scorer="numeric")
    project.write("test_sums.py", TESTS)
    return project


@pytest.mark.warm
def test_cases_and_tests_share_one_run(sums: Project):
    with answering() as models:
        done = sums.pytest("--benchmaker-model", f"{models.url}#m")
    assert done.counts == {"passed": 13}
    assert sorted(models.asked) == sorted(case["prompt"] for case in CASES)


@pytest.mark.long
def test_workers_of_xdist_share_one_run(sums: Project):
    sums.write("test_scores.py", "from test_sums import test_scores\n")
    with answering(pause_s=0.05) as models:
        given = ("--benchmaker-model", f"{models.url}#m", "-n", "3", "--dist", "load", "-vv")
        done = sums.installed_pytest(*given, TMPDIR=str(sums.folder.parent))
    assert done.counts == {"passed": 17}
    assert {f"[gw{n}]" for n in range(3)} <= set(done.text.split())
    assert sorted(models.asked) == sorted(case["prompt"] for case in CASES)
    assert done.text.count("sums: run ") == 1
    assert not list(sums.folder.parent.glob("benchmaker-pytest-*"))


@pytest.mark.long
def test_workers_of_xdist_report_written_baselines(sums: Project):
    sums.write(
        "test_sums.py",
        "from benchmaker import assert_scores\n\n"
        "def test_scores(benchmaker_run, benchmaker_baseline):\n"
        "    result = benchmaker_run('test_sums.suite.json')\n"
        "    assert_scores(result, baseline=benchmaker_baseline('sums'))\n",
    )
    rows = [{"model": "m", "id": case["id"], "output": "42"} for case in CASES]
    sums.answers("answers.jsonl", rows)
    given = ("--benchmaker-recorded", "answers.jsonl", "-n", "2")
    done = sums.installed_pytest(*given, "--benchmaker-update-baselines")
    assert done.counts == {"passed": 9}
    assert "Baseline written: baselines/sums.baseline.json" in done.text
    assert sums.installed_pytest(*given).counts == {"passed": 9}


def request_for(models: Models, suite: Path) -> RunRequest:
    return RunRequest(load_suite(suite), AnswerSource((f"{models.url}#m",)))


def runs_in(project: Project, folder: Path) -> SessionRuns:
    return SessionRuns(folder, Context.read({"BENCHMAKER_HOME": str(project.home)}))


@contextlib.contextmanager
def forked(work) -> int:
    """A process that does the work; it is killed at the end of the block if it still runs."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            work()
        os._exit(0)
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_run_whose_process_was_killed_is_resumed_and_not_paid_for_again(
    sums: Project, tmp_path: Path
):
    suite = sums.folder / "test_sums.suite.json"
    with answering() as models:
        models.flows.clear()
        with forked(lambda: runs_in(sums, tmp_path).result(request_for(models, suite))) as child:
            until(lambda: len(models.asked) == 5)  # as many as are sent in parallel
            os.kill(child, signal.SIGKILL)
        models.flows.set()
        result = runs_in(sums, tmp_path).result(request_for(models, suite))
    assert result.is_finished
    assert result.mean(f"{models.url}#m") == 1.0
    assert len(models.asked) == 5 + len(CASES)  # those in flight had no answer yet
    assert len(list(_runs_of(sums))) == 1


def test_a_run_that_ended_before_its_end_was_noted_is_not_made_again(sums: Project, tmp_path: Path):
    suite = sums.folder / "test_sums.suite.json"
    with answering() as models:
        runs_in(sums, tmp_path).result(request_for(models, suite))
        (entry,) = tmp_path.glob("*.json")
        entry.write_text(entry.read_text().replace("finished", "started"))
        runs_in(sums, tmp_path).result(request_for(models, suite))
        assert len(models.asked) == len(CASES)


def test_a_failed_run_is_not_tried_again(sums: Project, tmp_path: Path):
    request = RunRequest(
        load_suite(sums.folder / "test_sums.suite.json"), AnswerSource(("openai/gpt-4o-mini",))
    )
    for _ in range(2):
        with pytest.raises(BenchmakerError, match="OPENAI_API_KEY"):
            runs_in(sums, tmp_path).result(request)
    (entry,) = tmp_path.glob("*.json")
    assert '"failed"' in entry.read_text()


def test_other_selections_are_other_runs(sums: Project):
    suite = load_suite(sums.folder / "test_sums.suite.json")
    source = AnswerSource(("openai/a",))
    requests = [
        RunRequest(suite, source),
        RunRequest(suite, source, ("c1",)),
        RunRequest(suite, AnswerSource(("openai/b",))),
        RunRequest(suite, AnswerSource(recorded="openai/a")),
        RunRequest(suite, source, prompts=("c1",)),
        RunRequest(suite, source, efforts=("c1",)),
    ]
    assert len({one.key for one in requests}) == len(requests)
    assert RunRequest(load_suite(suite.source), source).key == requests[0].key


def _runs_of(project: Project):
    with results(home=project.home).place.open_store() as store:
        yield from store.runs(limit=None)


STRANGERS_TEST = """\
import sys

def test_nothing_is_imported():
    loaded = {name for name in sys.modules if name.partition(".")[0] == "benchmaker"}
    assert loaded == {
        "benchmaker",
        "benchmaker.pytest_plugin",
        "benchmaker.pytest_plugin.plugin",
        "benchmaker.pytest_plugin.session_folder",
        "benchmaker.version",
    }
    assert not {"numpy", "sqlalchemy", "click", "msgspec", "ruamel"} & set(sys.modules)
"""


IDS_TEST = """\
from benchmaker import plugins

def test_ids():
    assert "Rewriting" in type(plugins.__loader__).__name__
    assert {"html", "junit"} <= set(plugins.list_ids("format"))
"""

LOADER_TEST = """\
from benchmaker import errors

def test_our_modules_are_not_rewritten():
    assert "Rewriting" not in type(errors.__loader__).__name__
"""


def test_the_entry_point_is_installed():
    (found,) = (one for one in entry_points(group="pytest11") if one.name == "benchmaker")
    assert found.value == "benchmaker.pytest_plugin.plugin"


@pytest.mark.quick("a slow import would slow down the tests of every project")
def test_a_session_without_suites_imports_the_plug_in_alone(project: Project):
    project.write("test_stranger.py", STRANGERS_TEST)
    variables = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = project.installed_pytest("-p", "benchmaker.pytest_plugin.plugin", **variables)
    assert done.counts == {"passed": 1}, done.text


@pytest.mark.long
def test_ids_of_plug_ins_are_known_to_modules_that_pytest_rewrites(project: Project):
    project.write("test_ids.py", IDS_TEST)
    assert project.installed_pytest("-p", "no:benchmaker").counts == {"passed": 1}


@pytest.mark.long
def test_a_project_finds_the_plug_in_by_its_entry_point(sums: Project):
    sums.write("test_loader.py", LOADER_TEST)
    done = sums.installed_pytest()
    assert done.counts == {"passed": 1, "skipped": 13}
    helped = sums.installed_pytest("--help").text
    assert "--benchmaker-model" in helped
    assert "@pytest.mark.benchmaker" in sums.installed_pytest("--markers").text
