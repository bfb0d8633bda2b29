"""The failed cases of a result: losses first, each with the reason, on its page and on Home."""

import html
import json
import re

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.record import Completion, FinishReason, Outcome
from benchmaker.record.outcome import is_failure
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from benchmaker.web.results.earlier import earlier_runs
from benchmaker.web.results.failed_cases import FailedCells, failed_cells
from benchmaker.web.results.run_cache import OverviewCache
from benchmaker.web.results.subject import run_subject
from tests.web.results.answered_runs import CASES, SETUPS, WRONG, answered_runs, answers
from tests.web.results_data import fetched
from tests.web.serving import serving


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("failed")


@pytest.fixture(scope="module")
def runs(home):
    return answered_runs(home)


@pytest.fixture(scope="module")
def address(home, runs):  # noqa: ARG001  they are stored first
    with serving(home, works=False) as found:
        yield found


def found_in(home, run) -> FailedCells:
    with Store.open(home / STORE_FILE) as store:
        subject = run_subject(store, run)
        return failed_cells(OverviewCache(), store, subject, earlier_runs(store, subject))


def rows_of(address, path):
    """The cells of the table of failed cases as texts."""
    page = html.unescape(fetched(address + path)[2].decode().replace("<wbr>", ""))
    table = re.search(r'<table class="[^"]*failed">.*?</table>', page, re.DOTALL)
    body = table[0].partition("<tbody>")[2] if table else ""
    return [
        [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row.split("<td")]
        for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    ]


def test_losses_come_first_then_the_lowest_scores_of_the_hardest_cases(home, runs):
    found = found_in(home, runs[1])
    lost = [(SETUPS.index(one.model), one.position) for one in found.cells[:4]]

    assert lost == [(0, 1), (0, 2), (0, 0), (1, 7)]
    assert [one.change for one in found.cells[:4]] == [-1.0] * 4
    assert (found.total, found.lower, found.higher) == (len(WRONG["after"]), 4, 1)
    assert [run.id for run in found.before] == [runs[0]]
    assert {(SETUPS.index(one.model), one.position) for one in found.cells} == WRONG["after"]


def test_a_first_run_has_its_failures_without_changes(home, runs):
    found = found_in(home, runs[0])

    assert (found.total, found.lower, found.higher, found.before) == (6, 0, 0, ())
    assert {(SETUPS.index(one.model), one.position) for one in found.cells} == WRONG["before"]


def test_a_version_with_other_cases_is_compared_over_the_common_ones(tmp_path):
    first, second = answered_runs(tmp_path)
    cases = (Case(id="new", prompt="What is 1 + 1?", expected="3"), *CASES[2:])
    suite = Suite("sums", cases, scorer="numeric", profile="robust")

    def answer(request):
        return answers("after")(request) if request.case_id != "new" else "The answer is 2."

    later = benchmaker.run(suite, provider=answer, models=list(SETUPS), home=tmp_path)
    with Store.open(tmp_path / STORE_FILE) as store:
        store.delete_run(second)
    found = found_in(tmp_path, later.run_ids[0])
    lower = {
        (SETUPS.index(one.model), cases[one.position].id) for one in found.cells if one.change < 0
    }

    assert [run.id for run in found.before] == [first]
    assert lower == {(0, "c2"), (1, "c7")}
    assert "new" in {cases[one.position].id for one in found.cells}


@pytest.mark.parametrize(("path", "count"), [("/runs/{}", 9), ("/", 5)])
def test_each_has_the_expected_value_the_answer_and_the_reason(address, runs, path, count):
    rows = rows_of(address, path.format(runs[1]))

    assert len(rows) == count
    case, setup, score, expected, answer, reason = rows[0]
    assert "c1" in case.split()
    assert "0.0 before 100.0" in score
    assert "2" in expected.split()
    assert "41." in answer.split()
    assert reason.endswith("too far off")
    assert "openrouter/anthropic/" in setup


def test_a_result_without_a_failure_has_no_such_panel(tmp_path):
    suite = Suite("right", CASES[:2], scorer="numeric", profile="robust")
    made = benchmaker.run(
        suite, provider=lambda it: str(int(it.case_id[1:]) + 1), models=["m"], home=tmp_path
    )
    with serving(tmp_path, works=False) as address:
        assert rows_of(address, f"/runs/{made.run_ids[0]}") == []
        assert rows_of(address, "/") == []


def test_a_failed_request_has_its_reason_and_no_answer(tmp_path):
    def answer(request):
        if request.case_id == "c1":
            raise ConnectionRefusedError
        return "The answer is 1."

    suite = Suite("lost", CASES[:2], scorer="numeric", profile="robust")
    made = benchmaker.run(suite, provider=answer, models=["m"], home=tmp_path)
    with serving(tmp_path, works=False) as address:
        ((*_, expected, answered, reason),) = rows_of(address, f"/runs/{made.run_ids[0]}")

    assert expected.split()[-1] == "2"
    assert "no answer" in answered
    assert "provider error" in reason


@pytest.mark.long
def test_a_case_that_lost_its_score_follows_the_losses_with_the_earlier_score(tmp_path):
    first, _ = answered_runs(tmp_path)

    def answer(request):
        if request.case_id == "c3":
            raise ConnectionRefusedError
        return answers("after")(request)

    with Store.open(tmp_path / STORE_FILE) as store:
        for run in store.runs():
            if run.id != first:
                store.delete_run(run.id)
    suite = Suite("sums", CASES, scorer="numeric", profile="robust")
    options = RunOptions(retries=0)
    later = benchmaker.run(
        suite, provider=answer, models=list(SETUPS), home=tmp_path, options=options
    )
    found = found_in(tmp_path, later.run_ids[0])
    places = [(SETUPS.index(one.model), one.position) for one in found.cells]

    assert [one.change for one in found.cells[:4]] == [-1.0] * 4
    assert sorted(places[4:6]) == [(0, 3), (1, 3)]
    assert [one.before for one in found.cells[4:6]] == [1.0, 1.0]
    assert (found.lower, found.lost, found.higher) == (4, 3, 1)
    with serving(tmp_path, works=False) as address:
        rows = rows_of(address, f"/runs/{later.run_ids[0]}")
        page = fetched(f"{address}/runs/{later.run_ids[0]}")[2].decode()
    assert "4 scores lower, 3 scores lost, 1 higher" in page
    assert f"{len(found.cells)} of {found.total} answers in {found.cases} cases" in page
    assert [row[2].split("before")[-1].strip() for row in rows[4:6]] == ["100.0", "100.0"]


def uneven(request):
    """Right or wrong by run; c6 is always truncated for b, c7 fails in the second run."""
    number = int(request.case_id[1:])
    if (request.case_id, request.model) == ("c6", "b"):
        return Completion(text="The answer is", finish=FinishReason.LENGTH)
    if request.case_id == "c7" and request.run == 2:
        raise ConnectionRefusedError
    is_wrong = request.case_id in {"c1", "c2"} and request.run != 1
    return f"The answer is {number + (40 if is_wrong else 1)}."


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """The address of a server, a series of three runs on it, and its trials."""
    home = tmp_path_factory.mktemp("uneven")
    suite = Suite(
        "uneven", CASES, scorer="numeric", profile="robust", policies={"truncated": "leave_out"}
    )
    options = RunOptions(runs=3, retries=0)
    made = benchmaker.run(suite, provider=uneven, models=["a", "b"], home=home, options=options)
    with Store.open(home / STORE_FILE) as store:
        first = store.run(made.run_ids[0])
        trials = [trial for name in made.run_ids for trial in store.trials(name)]
    with serving(home, works=False) as found:
        yield found, first, trials


def failed_scores(trials) -> dict[tuple[str, str], list[float | None]]:
    """The scores of every cell with a failed trial."""
    cells: dict[tuple[str, str], list[float | None]] = {}
    for trial in trials:
        score = trial.score.score if trial.score else None
        cells.setdefault((trial.case_id, trial.model), []).append(score)
    return {cell: scores for cell, scores in cells.items() if set(scores) != {1.0}}


@pytest.mark.long
def test_the_score_of_a_series_is_the_mean_over_its_runs(series):
    address, run, trials = series
    rows = rows_of(address, f"/series/{run.series_id}")
    found = {(row[0].split()[0], row[1].split()[-1]): (row[2], row[4]) for row in rows}

    assert "score 33.3 mean of 3 runs" in found["c1", "a"][0]
    assert "run 2 41." in found["c1", "a"][1]
    assert "score 100.0 mean of 3 runs, 1 unscored" in found["c7", "b"][0]
    assert "run 2 no answer" in found["c7", "b"][1]
    assert "score unscored mean of 3 runs" not in found["c6", "b"][0]
    assert found.keys() == failed_scores(trials).keys()


@pytest.mark.long
def test_the_table_its_link_and_a_run_of_the_failures_mean_the_same_cases(series):
    address, run, trials = series
    cells = failed_scores(trials)
    cases = sorted({case for case, _ in cells})
    page = fetched(f"{address}/series/{run.series_id}")[2].decode()
    href = html.unescape(re.search(r'<a href="([^"]*)">All failed cases</a>', page)[1])
    listed = fetched(f"{address}{href.replace('/cases?', '/cases.json?')}")[2]
    words = f"suite={run.suite_hash}&models=openai/a&set=1&failed_of={run.series_id}"
    arena = re.sub(r"<[^>]+>", "", fetched(f"{address}/arena?{words}")[2].decode())

    assert f"{len(cells)} of {len(cells)} case means in {len(cases)} cases" in page
    assert sorted(case["case"] for case in json.loads(listed)["cases"]) == cases
    assert f"{len(cases)} of {len(CASES)} cases" in re.sub(r"\s+", " ", arena)


def test_an_answer_that_awaits_its_score_has_not_failed():
    assert not is_failure(Outcome.UNSCORED, None)
    assert not is_failure(Outcome.UNFINISHED, None)
    assert is_failure(Outcome.TRUNCATED, None)
    assert is_failure(Outcome.TIMEOUT, None)
    assert is_failure(Outcome.SCORED, 0.99)
    assert not is_failure(Outcome.SCORED, 1.0)
