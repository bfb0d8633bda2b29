"""What a run loads, and when: nothing before the first question that only the end needs."""

import json
import subprocess
import sys

import pytest

WITNESS = """\
import sys

def answer(prompt):
    with open("loaded.txt", "w") as file:
        print(*sys.modules, file=file)
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


@pytest.fixture
def loaded(tmp_path):
    """Modules after a run of ten cases, and those that were there at the first question."""

    def run(scorer):
        cases = [{"id": f"c{n}", "prompt": "40 + 2?", "expected": 42 + n % 2} for n in range(10)]
        suite = {"name": "Sums", "profile": "robust", "scorer": scorer, "cases": cases}
        (tmp_path / "suite.yaml").write_text(json.dumps(suite))
        (tmp_path / "witness.py").write_text(WITNESS)
        done = subprocess.run(
            [sys.executable, "-c", RUN], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        at_first = (tmp_path / "loaded.txt").read_text().split()
        return set(done.stdout.partition("MODULES")[2].split()), set(at_first)

    return run


@pytest.mark.sqlite("PostgreSQL needs its driver")
def test_a_run_of_passes_and_fails_never_loads_scipy(loaded):
    after, _ = loaded("exact")

    assert "numpy" in after
    assert not {"scipy", "alembic", "psycopg", "jinja2", "fastapi"} & after


def test_the_first_question_waits_for_nothing_that_the_end_needs(loaded):
    _, at_first = loaded("numeric")

    assert not {"numpy", "rich", "benchmaker.stats", "benchmaker.analysis.summary"} & at_first


def test_what_was_not_asked_for_is_not_loaded(loaded):
    _, at_first = loaded("numeric")

    assert (
        not {
            "aiohttp",
            "benchmaker.arenas.standard.rescoring",
            "benchmaker.providers.anthropic",
            "benchmaker.providers.command",
            "benchmaker.sandbox",
            "benchmaker.scoring.judge",
            "benchmaker.scoring.llm_judge",
            "genai_prices",
        }
        & at_first
    )


def test_patterns_load_the_worker_that_searches_them(loaded):
    _, at_first = loaded({"id": "regex", "pattern": "4[0-9]"})

    assert "benchmaker.sandbox" in at_first
