"""A corrected suite on its page: what it changes is shown first, its scores are another run's."""

import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from tests.waiting import until
from tests.web.accessible import violations
from tests.web.aside import aside
from tests.web.serving import serving
from tests.web.test_guard import ask

ASKED = Suite(
    "sums",
    [Case(id=f"c{n}", prompt=f"{n}?", expected="right" if n else "wrong") for n in range(4)],
    scorer=ScorerSpec(id="exact"),
    profile="robust",
)
EDITED = """\
name: sums
scorer: exact
profile: robust
cases:
  - {id: c0, prompt: "0?", expected: right}
  - {id: c1, prompt: "1?", expected: right}
  - {id: c2, prompt: "2 in other words?", expected: right}
  - {id: new, prompt: "new?", expected: right}
"""
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def made(tmp_path):
    """A data folder and a run in it."""
    run = aside(
        benchmaker.run, ASKED, provider=lambda _: "right", models=["m"], home=tmp_path
    ).run_ids[0]
    return tmp_path, run


def post(address, path, **fields):
    return ask(
        address,
        "POST",
        path,
        headers={**FORM, "origin": address},
        body=urlencode(fields).encode(),
    )


def the_newest_of(home, run):
    with Store.open(home / "benchmaker.db") as store:
        return store.jobs.find_newest(run)


def test_a_typed_suite_shows_what_it_changes_and_is_scored_as_a_run_of_its_own(made, tab):
    home, run = made
    with serving(home) as address:
        status, headers, _ = post(address, f"/runs/{run}/corrected-suite/text", text=EDITED)
        assert status == 303
        shown = ask(address, path=headers["location"])[2]
        for line in (
            "2 cases of the suite have stored answers.",
            "1 case is not run (new): new.",
            "1 case is not run (prompt changed): c2.",
            "1 case is excluded (no longer in the suite): c3.",
        ):
            assert line in shown
        assert "judged" not in shown.partition("Changes")[2].partition("</section>")[0]
        assert violations(tab, address + headers["location"]) == []
        suite = headers["location"].partition("suite=")[2]
        status, headers, _ = post(address, f"/runs/{run}/corrected-suite", suite=suite)
        assert (status, headers["location"]) == (303, f"/runs/{run}")
        until(lambda: str(the_newest_of(home, run).state) == "done")
        page = ask(address, path=f"/runs/{run}")[2]
        new = re.search(r'href="/runs/([^"/]+)">Show the scores', page)[1]
    with Store.open(home / "benchmaker.db") as store:
        assert {one.case_id: one.score.score for one in store.trials(new)} == {"c0": 1, "c1": 1}
        assert {one.score.score for one in store.trials(run)} == {0, 1}


def test_a_suite_that_can_not_be_used_says_why_and_stays_in_the_field(made):
    home, run = made
    at = f"/runs/{run}/corrected-suite"
    with serving(home, works=False) as address:
        status, _, body = post(address, f"{at}/text", text="cases: nonsense\n")
        assert status == 422
        assert "cases: nonsense" in body
        assert "suite.yaml</span>" in body or "suite.yaml:1" in body
        with Store.open(home / "benchmaker.db") as store:
            same = store.run(run).suite_hash
        body = ask(address, path=f"{at}?suite={same}")[2]
        assert "no score can change" in body
        assert post(address, at, suite=same)[0] == 422
    assert the_newest_of(home, run) is None


def test_judging_is_estimated_first_and_can_be_left_out(tmp_path):
    judged = replace(ASKED, scorer=ScorerSpec(id="llm_judge"))
    asked = aside(
        benchmaker.run,
        judged,
        provider=lambda _: "right",
        models=["m"],
        judge_provider=judge_script(lambda _: {"score": 7}),
        home=tmp_path,
        options=RunOptions(judge="openai/gpt-4o-mini"),
    )
    run = asked.run_ids[0]
    cases = [
        one.model_copy(update={"expected": "other"} if one.id == "c1" else {"weight": 2.0})
        for one in judged
    ]
    with Store.open(tmp_path / "benchmaker.db") as store:
        content = store.put_suite(replace(judged, cases=cases))
    with serving(tmp_path) as address:
        shown = ask(address, path=f"/runs/{run}/corrected-suite?suite={content}")[2]
        assert "Up to 1 answer is judged" in shown
        assert "openai/gpt-4o-mini" in shown
        post(address, f"/runs/{run}/corrected-suite", suite=content, no_judge="on")
        until(lambda: str(the_newest_of(tmp_path, run).state) == "done")
    with Store.open(tmp_path / "benchmaker.db") as store:
        (new,) = (one.id for one in store.runs(suite_hash=content))
        scores = {one.case_id: one.score and one.score.score for one in store.trials(new)}
    assert scores == {"c0": 0.7, "c1": None, "c2": 0.7, "c3": 0.7}
