"""The page of a submission: its sum, its correctness and its baseline agree with each other."""

import re

import pytest

import benchmaker
from benchmaker.record.submissions.submission import OutcomeOf, Status
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.web.results_data import fetched
from tests.web.serving import serving

BARE = {"total_tokens": None, "tool_calls": None, "iterations": None}


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """Submissions without tokens and calls, none attested: a part of the sum does not count."""
    folder = tmp_path_factory.mktemp("words")
    made = [a_submission(number, **BARE) for number in range(12)]
    path = write_submissions(folder / "s.jsonl", made)
    benchmaker.evaluate(path, home=folder / "home")
    benchmaker.evaluate(home=folder / "home", profile="classic")
    late = a_submission(99, outcome=OutcomeOf(status=Status.COMPLETED, success=True))
    benchmaker.import_logs(write_submissions(folder / "l.jsonl", [late]), home=folder / "home")
    with serving(folder / "home", works=False) as address:
        yield address


def words_of(address, number, query=""):
    page = fetched(f"{address}/agentic/submissions/{number}{query}")[2].decode()
    main = page[page.index("<main") : page.index("</main>")]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def test_a_sum_of_weights_below_one_divides_the_composite(arena):
    told = words_of(arena, 2)
    weight = re.search(r"divided by the sum of weights \((0\.\d\d)\) = ", told)[1]
    assert f"Composite {weight}" in told


def test_weights_that_sum_to_one_divide_nothing(arena):
    assert "Composite = sum of weight × score = " in words_of(arena, 2, "?profile=classic/1")


def test_only_figures_with_a_provenance_have_a_label(arena):
    told = words_of(arena, 2)
    assert "no label" not in told
    assert "Requests not in the log Tool calls not in the log" in told


def test_correctness_names_its_source(arena):
    assert "Correct 100.0% verdict in the log" in words_of(arena, 2)
    told = words_of(arena, 13)
    assert "Correct success verdict in the log" in told
    assert "No criteria. The log has no criteria" in told
    assert "Correctness is the verdict in the log." in told


def test_a_baseline_of_no_submission_is_the_prior(arena):
    told = words_of(arena, 2)
    assert "of 0 submissions" not in told
    prior = "with the prior alone: no verified or attested success at the task"
    assert re.search(rf"Baseline snapshot \d+ {prior}", told), told[told.index("Baseline") :][:120]
