"""Home: what needs a person, and why."""

import json
import re

import benchmaker
from benchmaker import RunOptions
from benchmaker.errors import AuthError, ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import RunState
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.store.filled import add_run
from tests.waiting import until
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_failed_models import posted

CASES = [benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(3)]


def failing_at(*names):
    def answer(request):
        return ProviderError("out of order", status=500) if request.case_id in names else "Lima"

    return Scripted(answer, models=("m",))


def test_home_says_why_a_run_needs_a_person(tmp_path):
    made = {}
    for name, failed in (("broken", ("c0", "c2")), ("stopped", ()), ("whole", ())):
        suite = benchmaker.Suite(name, CASES, scorer="exact")
        made[name] = benchmaker.run(
            suite, provider=failing_at(*failed), home=tmp_path, options=RunOptions(retries=0)
        )
    with Store.open(tmp_path / STORE_FILE) as store:
        store.set_run_state(made["stopped"].run_ids[0], RunState.INTERRUPTED)
    with serving(tmp_path) as address:
        page = fetched(f"{address}/")[2].decode()
    waiting = re.search(r'aria-labelledby="h-waiting".*?</section>', page, re.DOTALL)[0]
    found = re.findall(r"<li.*?</li>", waiting, re.DOTALL)
    rows = {name: row for row in found for name in made if f">{name}<" in row}
    assert "2 trials failed: open the run to retry." in rows["broken"]
    run = made["broken"].run_ids[0]
    assert run in rows["broken"]
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", rows["broken"])
    assert "Stopped early" in rows["stopped"]
    assert "whole" not in rows


def test_home_lists_a_run_with_a_refused_key_as_stopped_and_no_run_without_answers_as_finished(
    tmp_path,
):
    refusals = {
        "refused": AuthError("HTTP 401: wrong key", status=401),
        "broken": ProviderError("HTTP 500: out of order", status=500),
    }
    for name, error in refusals.items():
        benchmaker.run(
            benchmaker.Suite(name, CASES, scorer="exact"),
            provider=Scripted(lambda _, error=error: error, models=("m",)),
            home=tmp_path,
            options=RunOptions(retries=0, concurrency=1),
        )
    with serving(tmp_path) as address:
        home, runs = (fetched(address + path)[2].decode() for path in ("/", "/runs"))
        rows = home.partition("<tbody>")[2].split("<tr ")
        row = next(it for it in rows if "<bdi>refused</bdi>" in it)
        found = re.search(r'href="/runs/([^"]+)"', row)[1]
        results = fetched(f"{address}/runs/{found}")[2].decode()
        live = fetched(f"{address}/arena/{found}")[2].decode()
    assert results.count("Stopped querying m (1 of 3 trials failed, 2 not run): HTTP 401") == 1
    waiting = re.search(r'aria-labelledby="h-waiting".*?</section>', home, re.DOTALL)[0]
    assert (
        "Stopped querying m (1 of 3 trials failed, 2 not run): HTTP 401: wrong key. "
        "Open the run to retry."
    ) in waiting
    assert "All 3 trials of m failed: HTTP 500: out of order. Open the run to retry." in waiting
    assert "for the reason" not in waiting
    assert live.count('id="again"') == 1
    assert 'id="resume"' not in live
    for text in (home, runs):
        chips = re.findall(r'class="chip (\w+)">.*?(\w+)</span>', text)
        assert {("warn", "stopped"), ("bad", "failed")} <= set(chips)
        assert ("ok", "finished") not in chips


def test_many_trials_have_thousands_separators(tmp_path):
    with Store.open(tmp_path / STORE_FILE) as store:
        add_run(store, planned=9_000)
    with serving(tmp_path) as address:
        home, runs = (fetched(address + path)[2].decode() for path in ("/", "/runs"))

    assert home.count("0 of 9,000") == 2
    assert "0 of 9,000" in runs
    assert "9000" not in home + runs


def test_home_shows_a_series_in_one_row_with_its_leader_interval_verdict_and_cost(tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    answers = {"worse": "Quito", "better": "Lima"}
    both = Scripted(lambda request: answers[request.model], models=tuple(answers))
    made = benchmaker.run(suite, provider=both, home=tmp_path, options=RunOptions(runs=3))
    alone = benchmaker.run(suite, provider=failing_at(), home=tmp_path)
    low, high = made.summary.models[0].ci95
    with serving(tmp_path) as address:
        home = fetched(f"{address}/")[2].decode()
        page = fetched(f"{address}/series/{made.series_id}")[2].decode()
    last, row = home.partition("<tbody>")[2].split('<tr class="stick"')[1:]
    assert f'href="/runs/{alone.run_ids[0]}"' in last
    assert f'href="/series/{made.series_id}"' in row
    assert "3 runs" in row
    assert "<bdi>better</bdi>" in row
    assert "2 models<span" in row
    assert f'<b>100.0%</b> <span class="dim">[{100 * low:.1f}, {100 * high:.1f}]' in row
    verdict = re.search(r'hide-s"><bdi>(.*?)</bdi>', row)[1].replace("\N{NO-BREAK SPACE}", " ")
    (pair,) = benchmaker.compare(made).pairs
    ends = f"[{100 * pair.low:.1f}, {100 * pair.high:.1f}]".replace("-", "\N{MINUS SIGN}")
    assert verdict == f"no significant difference from worse: +100.0 {ends}"
    assert "leads worse by 100.0 points" in page
    assert "18 of 18" in row
    assert ">unknown<" in row


def test_home_says_that_only_one_of_the_models_has_scores(tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    error = ProviderError("out of order", status=500)
    half = Scripted(lambda request: "Lima" if request.model == "a" else error, models=("a", "b"))
    benchmaker.run(suite, provider=half, home=tmp_path, options=RunOptions(retries=0))
    with serving(tmp_path) as address:
        home = fetched(f"{address}/")[2].decode()
    assert re.search(r'hide-s"><bdi>the only model with scores', home)
    assert "<b>100.0%</b>" in home


def test_home_says_that_the_first_place_is_shared(tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    equal = Scripted(lambda _: "Lima", models=("a", "b", "c"))
    benchmaker.run(suite, provider=equal, home=tmp_path)
    with serving(tmp_path) as address:
        home = fetched(f"{address}/")[2].decode()
    assert "tied with 2 others" in home
    assert "3 models<span" in home
    assert "no difference from b: same score in every case" in home


def test_home_follows_a_run_that_is_scored_again(tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    made = benchmaker.run(suite, provider=failing_at("c0"), home=tmp_path)
    with serving(tmp_path) as address:
        before = fetched(f"{address}/")[2].decode()
        benchmaker.resume(
            made.run_ids[0], provider=failing_at(), home=tmp_path,
            options=RunOptions(retry_failed=True),
        )  # fmt: skip
        after = fetched(f"{address}/")[2].decode()
    assert "1 trial failed" in before
    assert "1 trial failed" not in after
    assert re.search(r"<b>.*?\]", before)[0] != re.search(r"<b>.*?\]", after)[0]


def test_a_series_that_needs_a_person_is_one_line_which_can_be_dismissed(tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    refused = Scripted(lambda _: AuthError(f"HTTP 401: {'wrong ' * 60}key", status=401))
    how = RunOptions(retries=0, concurrency=1, runs=3)
    made = benchmaker.run(suite, provider=refused, home=tmp_path, options=how)
    with serving(tmp_path) as address:
        page = fetched(f"{address}/")[2].decode()
        waiting = re.search(r'aria-labelledby="h-waiting".*?</section>', page, re.DOTALL)[0]
        (row,) = re.findall(r"<li.*?</li>", waiting, re.DOTALL)
        address_of = re.search(r'action="([^"]+/dismiss)"', row)[1]
        assert posted(f"{address}{address_of}") == (303, "/")
        assert 'id="h-waiting"' not in fetched(f"{address}/")[2].decode()
    assert f'href="/arena/{made.series_id}"' in row
    said = re.search(r"<bdi>(Stopped.*?)</bdi>", row)[1]
    assert len(said) < 160
    assert said.endswith("…. Open the run to retry.")


def waiting_of(home):
    page = fetched(f"{home}/")[2].decode()
    found = re.search(r'aria-labelledby="h-waiting".*?</section>', page, re.DOTALL)
    return re.findall(r"<li.*?</li>", found[0], re.DOTALL) if found else []


def test_failed_trials_are_counted_over_all_runs_of_a_series(tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    how = RunOptions(retries=0, runs=2)
    benchmaker.run(suite, provider=failing_at("c0", "c2"), home=tmp_path, options=how)
    with serving(tmp_path) as address:
        (row,) = waiting_of(address)
    assert "2 of 2 runs: <bdi>4 trials failed: open the run to retry.</bdi>" in row


def test_a_required_action_stays_after_newer_runs_and_after_another_was_dismissed(tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    how = RunOptions(retries=0)
    first, second = (
        benchmaker.run(suite, provider=failing_at("c0"), home=tmp_path, options=how)
        for _ in range(2)
    )
    with Store.open(tmp_path / STORE_FILE) as store:
        for at in range(11):
            add_run(store, run_id=f"later-{at}", planned=0)
            store.set_run_state(f"later-{at}", RunState.FINISHED)
    with serving(tmp_path) as address:
        until(lambda: len(waiting_of(address)) == 2)
        assert posted(f"{address}/runs/{second.run_ids[0]}/dismiss") == (303, "/")
        (row,) = waiting_of(address)
    assert first.run_ids[0] in row


def test_failures_among_recorded_answers_need_no_person(tmp_path):
    lines = [{"model": "m", "id": one.id, "output": "Lima"} for one in CASES[:2]]
    lines += [{"model": "m", "id": CASES[2].id, "error": "timeout", "outcome": "timeout"}]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(map(json.dumps, lines)))
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    made = benchmaker.run(suite, recorded=answers, home=tmp_path)
    assert made.summary.models[0].outcomes == {"scored": 2, "timeout": 1}
    with serving(tmp_path) as address:
        pages = [fetched(f"{address}{path}")[2].decode() for path in (
            "/", f"/runs/{made.run_ids[0]}", f"/arena/{made.run_ids[0]}",
        )]  # fmt: skip
    assert 'id="h-waiting"' not in pages[0]
    assert "1 of 3 trials" in pages[1]
    assert [">Retry" in one for one in pages] == [False, False, False]
