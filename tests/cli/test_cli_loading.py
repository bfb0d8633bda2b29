"""What a run loads, and when: nothing before the first question that only the end needs."""

import json
import os
import subprocess
import sys

import pytest

WITNESS = """\
import os, sys

def answer(prompt):
    with open("loaded.txt", "w") as file:
        print(*sys.modules, file=file)
    if "END_THERE" in os.environ:
        os._exit(0)
    return "42"
"""
RUN = """\
import sys
from benchmaker.cli import main
try:
    main(["run", "suite.yaml", "--model", "python:witness:answer", "--home", "home"])
except SystemExit as end:
    assert not end.code, end.code
print("MODULES", *sys.modules)
"""


def ran(folder, scorer, **variables):
    """What a program printed that runs ten cases in a folder."""
    cases = [{"id": f"c{n}", "prompt": "40 + 2?", "expected": 42 + n % 2} for n in range(10)]
    suite = {"name": "Sums", "profile": "robust", "scorer": scorer, "cases": cases}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    (folder / "witness.py").write_text(WITNESS)
    return subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=folder,
        env=os.environ | variables,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def loaded_at_first(folder, scorer):
    """The modules that are there at the first question, at which the program ends."""
    ran(folder, scorer, END_THERE="1")
    return set((folder / "loaded.txt").read_text().split())


@pytest.fixture(scope="module")
def at_first(tmp_path_factory):
    """The modules that are there at the first question of a suite of numbers."""
    return loaded_at_first(tmp_path_factory.mktemp("numbers"), "numeric")


@pytest.mark.sqlite("PostgreSQL needs its driver")
def test_a_run_of_passes_and_fails_never_loads_scipy(tmp_path):
    after = set(ran(tmp_path, "exact").partition("MODULES")[2].split())

    assert "numpy" in after
    assert not {"scipy", "alembic", "psycopg", "jinja2", "fastapi", "numpy.ma"} & after


@pytest.mark.sqlite("PostgreSQL needs its dialect")
def test_a_run_of_one_model_loads_nothing_for_comparisons_or_clusters(tmp_path):
    after = set(ran(tmp_path, "exact").partition("MODULES")[2].split())

    assert "benchmaker.report.runs.text" in after
    assert (
        not {
            "benchmaker.analysis.comparison.comparison",
            "benchmaker.analysis.comparison.planning",
            "benchmaker.analysis.effects.run_effects",
            "benchmaker.engine.executors.workers",
            "benchmaker.report.runs.comparison",
            "benchmaker.report.runs.dimensions",
            "numpy.random",
            "sqlalchemy.dialects.postgresql",
        }
        & after
    )


def test_the_first_question_waits_for_nothing_that_the_end_needs(at_first):
    assert (
        not {"numpy", "rich", "benchmaker.stats", "benchmaker.analysis.summary.summary"} & at_first
    )


def test_what_was_not_asked_for_is_not_loaded(at_first):
    assert (
        not {
            "aiohttp",
            "benchmaker.arenas.standard.rescoring",
            "benchmaker.providers.protocols.anthropic",
            "benchmaker.providers.command",
            "benchmaker.engine.requests.conversation",
            "benchmaker.engine.trials.tool_box",
            "benchmaker.providers.recordings.recorded_calls",
            "benchmaker.sandbox",
            "benchmaker.scoring.checks.json_checks",
            "benchmaker.scoring.checks.python_functions",
            "benchmaker.scoring.judge",
            "benchmaker.scoring.judged.llm_judge",
            "genai_prices",
        }
        & at_first
    )


def test_patterns_load_the_worker_that_searches_them(tmp_path):
    scorer = {"id": "regex", "pattern": "4[0-9]"}

    assert "benchmaker.sandbox" in loaded_at_first(tmp_path, scorer)
