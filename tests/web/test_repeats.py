"""The panel of repeats on the page of a series, and its files."""

import csv

import pytest

from benchmaker import Case, RunOptions, Suite, run
from tests.web.results_data import fetched
from tests.web.serving import serving

SUITE = Suite(
    "sums",
    [Case(id=f"c{n}", prompt=f"{n}?", expected="right") for n in range(8)],
    scorer="exact",
    profile="robust",
)


def answer(request):
    """Wrong in even runs for three of the cases."""
    is_wrong = request.messages[-1].content in {"1?", "4?", "6?"} and request.run % 2 == 0
    return "wrong" if is_wrong else "right"


def text_at(address):
    """The body of a page that opens."""
    status, _, body = fetched(address)
    assert status == 200, address
    return body.decode()


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    options = RunOptions(runs=5, repeat_where="uncertain")
    made = run(SUITE, provider=answer, models=["m"], home=home, options=options)
    with serving(home, works=False) as address:
        yield address, made


def test_the_series_has_the_shares_and_the_flaky_cases(series):
    address, made = series
    page = text_at(f"{address}/series/{made.series_id}")
    assert 'id="h-repeats">Repeats</h2>' in page
    for text in ("pass@2", "pass^2", "Majority", "3 of 5", "c4", "[23.1, 88.2]"):
        assert text in page
    assert "16 answered, 9 repeats of uncertain cases" in page
    assert "Runs 3 to 5 repeat only the cases whose first two scores differ." in page
    assert page.count(">some cases<") == 3
    assert "not run" not in page.partition('id="h-out"')[2].partition("</section>")[0]


def test_files_have_the_figures_of_the_summary(series):
    address, made = series
    (model,) = made.summary.models
    at = f"{address}/series/{made.series_id}/tables"
    (row,) = csv.DictReader(text_at(f"{at}/repeats.csv").splitlines())
    assert float(row["pass_hat_k"]) == model.repeats.pass_hat_k["2"].mean
    assert (row["k"], row["n_flaky"]) == ("2", "3")
    flaky = list(csv.DictReader(text_at(f"{at}/flaky.csv").splitlines()))
    assert [(it["case_id"], it["right"], it["n"]) for it in flaky] == [
        ("c1", "3", "5"), ("c4", "3", "5"), ("c6", "3", "5"),
    ]  # fmt: skip


@pytest.mark.parametrize("number", [1, 3])
def test_the_pages_of_single_runs_and_of_cases_open(series, number):
    address, made = series
    run_id = made.run_ids[number - 1]
    assert "sums" in text_at(f"{address}/runs/{run_id}")
    assert "c4" in text_at(f"{address}/runs/{run_id}/cases")
    assert "c4" in text_at(f"{address}/arena/{made.series_id}?run={number}")
    assert "sums" in text_at(f"{address}/runs")


def test_the_list_of_suites_has_the_mean_of_the_runs_of_all_cases(series):
    address, made = series
    page = text_at(f"{address}/suites")
    row = page.partition("sums")[2].partition("</tr>")[0]
    assert made.summary.models[0].mean == (8 / 8 + 5 / 8) / 2
    assert ">81.2<" in row
    assert "scored</span>" not in row


def test_pages_of_runs_without_uncertain_cases_open(tmp_path):
    options = RunOptions(runs=3, repeat_where="uncertain")
    made = run(SUITE, provider=lambda _: "right", models=["m"], home=tmp_path, options=options)
    last = made.run_ids[-1]
    with serving(tmp_path, works=False) as address:
        assert "Repeats" in text_at(f"{address}/series/{made.series_id}")
        for path in (f"/runs/{last}", f"/runs/{last}/cases", f"/arena/{made.series_id}?run=3"):
            assert "sums" in text_at(f"{address}{path}")
        for path in ("/", "/runs", "/suites", f"/series/{made.series_id}/cases"):
            assert "sums" in text_at(f"{address}{path}")
