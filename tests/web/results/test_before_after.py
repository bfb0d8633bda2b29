"""Runs compared by default: each setup with itself before, the largest losses first."""

import csv
import html
import io
import json
import re
from urllib.parse import urlencode

import pytest

from benchmaker import Case, Suite, compare, results, run
from benchmaker.analysis.comparison.before_after import SetupPair, compare_before_after
from benchmaker.providers.scripted import Scripted
from benchmaker.spec.suites.load import load_suite
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.results.answered_runs import CASES, SETUPS, answered_runs
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_case_selection import sent


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("changes")


@pytest.fixture(scope="module")
def runs(home):
    return answered_runs(home)


@pytest.fixture(scope="module")
def address(home, runs):
    assert runs
    with serving(home) as found:
        yield found


def page(address, runs, **words):
    query = urlencode({"runs": ",".join(runs), **words})
    return html.unescape(fetched(f"{address}/compare?{query}")[2].decode())


def cases_of(text):
    return re.findall(r'<tr><th scope="row"><a href="[^"]*"><bdi>(c\d)</bdi>', text)


def test_the_earlier_run_is_before_in_either_order(address, runs):
    for order in (runs, runs[::-1]):
        text = page(address, order)
        assert "Each model, before and after" in text
        assert re.search(rf"before:\s+run <a href=\"/runs/{runs[0]}\"", text)
        assert cases_of(text)[:3] == ["c0", "c1", "c2"]


@pytest.mark.parametrize(
    ("only", "cases"),
    [
        ("lower", ["c0", "c1", "c2", "c7"]),
        ("higher", ["c5"]),
        ("changed", ["c0", "c1", "c2", "c7", "c5"]),
    ],
)
def test_filters_keep_losses_first(address, runs, only, cases):
    assert cases_of(page(address, runs, only=only)) == cases


def test_a_case_says_how_many_setups_went_lower(address, runs):
    text = page(address, runs, only="lower")
    rows = re.findall(r'<tr><th scope="row"><a href="[^"]*"><bdi>c\d.*?</tr>', text, re.DOTALL)
    assert len(rows) == 4
    for row in rows:
        lower = len(re.findall(r'<span class="num">−', row))
        assert f"{lower} of 3 models lower" in row
    assert "1 of 5 models lower" in page(address, runs, only="lower", ref="best")


def test_each_setup_has_its_own_figures_on_both_sides(address, runs):
    rows = json.loads(
        fetched(f"{address}/compare?runs={','.join(runs)}&table=changes&form=json")[2]
    )["changes"]
    by_setup = {row["setup"]: row for row in rows}
    assert set(by_setup) == set(SETUPS)
    first = by_setup[SETUPS[0]]
    assert (first["mean_before"], first["mean_after"]) == (6 / 8, 4 / 8)
    assert first["adjustment"]
    for row in rows:
        assert row["diff"] == pytest.approx(row["mean_after"] - row["mean_before"])
        assert row["low"] <= row["diff"] <= row["high"]
    assert first["diff"] == -0.25
    _, _, body = fetched(f"{address}/compare?runs={','.join(runs)}&table=changes&form=csv")
    assert len(list(csv.DictReader(io.StringIO(body.decode())))) == 3
    text = page(address, runs)
    assert all(f">{value}<" in text for value in ("75.0", "50.0", "−25.0"))


def test_a_pair_is_that_of_a_comparison_of_both_alone(home, runs):
    with Store.open(home / STORE_FILE) as store:
        columns = store.columns([runs[0]])
        names = SetupPair("x", SETUPS[0], SETUPS[2])
        made = compare_before_after(columns, [store.run(runs[0])], [names])
    alone = compare(results(runs[0], home=home), models=[SETUPS[0], SETUPS[2]])
    (change,) = made.changes
    assert change.pair.p_value == alone.pairs[0].p_value
    assert (change.pair.low, change.pair.high) == (alone.pairs[0].low, alone.pairs[0].high)


def test_the_best_setup_is_still_a_baseline(address, runs):
    text = page(address, runs, ref="best")
    assert "a model in several runs counts once for each" in text
    assert "Difference from" in text


def test_listed_cases_become_a_suite(address, runs, home, tmp_path):
    words = {"runs": ",".join(runs), "only": "lower", "name": "sums-lower"}
    _, headers, body = fetched(f"{address}/compare/suite.yaml?{urlencode(words)}")
    assert headers["content-disposition"].endswith('"suite.yaml"')
    file = tmp_path / "suite.yaml"
    file.write_bytes(body)
    read = load_suite(file)
    assert [case.id for case in read] == ["c0", "c1", "c2", "c7"]
    kind = "application/x-www-form-urlencoded"
    status, location, _ = sent(address, "POST", "/compare/suite", urlencode(words), kind)
    assert status == 303
    with Store.open(home / STORE_FILE) as store:
        stored = store.suite(location.rpartition("/")[2])
    assert (stored.name, [case.id for case in stored]) == ("sums-lower", ["c0", "c1", "c2", "c7"])
    assert list(stored)[3] == CASES[7]
    assert isinstance(read, Suite)
    words["name"] = " "
    assert sent(address, "POST", "/compare/suite", urlencode(words), kind)[0] == 422


def test_runs_without_a_common_setup_are_compared_as_before(address, runs):
    assert "Before" not in page(address, [runs[0]])


def test_markers_are_numbered_in_the_order_of_the_rows(address, runs):
    table = re.search(r'<table class="ptable">.*?</table>', page(address, runs), re.DOTALL)[0]
    rows = re.findall(r'<th scope="row">.*?<svg class="(m\w)" ', table, re.DOTALL)
    assert rows == ["m1", "m2", "m3"]


def test_the_case_that_got_worse_with_more_setups_comes_first(tmp_path):
    cases = [Case(id=f"c{at}", prompt="?", expected="1") for at in range(2)]
    suite = Suite("sums", cases, scorer="exact")
    wrong = {("a", "c0"), ("a", "c1"), ("b", "c1")}
    made = []
    for lost in (frozenset(), wrong):
        models = Scripted(
            lambda it, lost=lost: "0" if (it.model, it.case_id) in lost else "1", models=("a", "b")
        )
        made.append(run(suite, provider=models, home=tmp_path).run_ids[0])
    with serving(tmp_path) as address:
        assert cases_of(page(address, made)) == ["c1", "c0"]


@pytest.mark.long
def test_a_loss_of_one_setup_comes_first_although_another_gained_as_much(tmp_path):
    cases = [Case(id=f"c{at}", prompt="?", expected="1") for at in range(3)]
    suite = Suite("sums", cases, scorer="exact")
    made = []
    for wrong in ({("b", "c1"), ("b", "c2")}, {("a", "c1")}):
        models = Scripted(
            lambda it, wrong=wrong: "0" if (it.model, it.case_id) in wrong else "1",
            models=("a", "b"),
        )
        made.append(run(suite, provider=models, home=tmp_path).run_ids[0])
    with serving(tmp_path, works=False) as address:
        assert cases_of(page(address, made)) == ["c1", "c0", "c2"]
