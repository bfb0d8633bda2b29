"""A corrected suite over the API: its scores are a run of their own."""

import json
from dataclasses import replace

import pytest

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from tests.waiting import until
from tests.web.accounts.people import PASSWORDS, settle, sign_in, with_token
from tests.web.api.asking import ROOT, Client
from tests.web.aside import aside
from tests.web.serving import serving

ASKED = Suite(
    "sums",
    [Case(id=f"c{n}", prompt=f"{n}?", expected="right" if n else "wrong") for n in range(4)],
    scorer=ScorerSpec(id="exact"),
)


def changed(case, **fields):
    return case.model_copy(update=fields)


EDITED = replace(
    ASKED,
    cases=(
        changed(ASKED.cases[0], expected="right"),
        ASKED.cases[1],
        changed(ASKED.cases[2], prompt="2 in other words?"),
        Case(id="new", prompt="new?", expected="right"),
    ),
)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def run(home):
    """A run of two models."""
    done = aside(benchmaker.run, ASKED, provider=lambda _: "right", models=["m", "a"], home=home)
    return done.run_ids[0]


def stored(home, suite):
    with Store.open(home / "benchmaker.db") as store:
        return store.put_suite(suite)


def job_of(home, run):
    with Store.open(home / "benchmaker.db") as store:
        return store.jobs.find_newest(run)


def done(client, job):
    until(lambda: client.get(f"/jobs/{job['id']}").get("state") in {"done", "failed", "stopped"})
    return client.get(f"/jobs/{job['id']}")


def the_other_run(client, run):
    (row,) = [row for row in client.rows("/runs") if row["run_id"] != run]
    return row["run_id"]


def test_the_scores_of_a_corrected_suite_are_a_run_of_their_own(home, run):
    suite = stored(home, EDITED)
    with serving(home) as address:
        client = Client(address)
        before = client.get(f"/runs/{run}/summary")
        made = client.post(f"/runs/{run}/rescore", {"suite": suite}, status=202)
        assert done(client, made["job"])["state"] == "done"
        found = client.get(f"/runs/{the_other_run(client, run)}/summary")

        assert (made["run_ids"], made["job"]["kind"]) == ([run], "rescore")
        assert (found["rescored_from"], found["suite_hash"]) == ([run], suite)
        assert found["not_run"] == ["new", "c2"]
        assert {one["model"]: one["mean"] for one in found["models"]} == {"m": 1.0, "a": 1.0}
        assert {one["n_planned"] for one in found["models"]} == {4}
        assert client.get(f"/runs/{run}/summary") == before


def test_judges_are_asked_for_nothing_where_nobody_is_to_be_asked(home):
    judged = replace(ASKED, scorer=ScorerSpec(id="llm_judge"))
    asked = aside(
        benchmaker.run,
        judged,
        provider=lambda _: "right",
        models=["m"],
        judge_provider=judge_script(lambda _: {"score": 7}),
        home=home,
        options=RunOptions(judge="openai/gpt-4o"),
    )
    edited = replace(judged, cases=(changed(judged.cases[0], expected="x"), *judged.cases[1:]))
    body = {"suite": stored(home, edited), "ask_judges": False}
    with serving(home) as address:
        client = Client(address)
        made = client.post(f"/runs/{asked.run_ids[0]}/rescore", body, status=202)
        assert done(client, made["job"])["state"] == "done"
        new = the_other_run(client, asked.run_ids[0])
    with Store.open(home / "benchmaker.db") as store:
        scores = {one.case_id: one.score and one.score.score for one in store.trials(new)}
        assert store.spent_usd([new]) == 0
    assert scores == {"c0": None, "c1": 0.7, "c2": 0.7, "c3": 0.7}


@pytest.mark.parametrize(
    ("suite", "status", "told"),
    [
        ("0" * 64, 404, "there is no suite"),
        (ASKED, 422, "no score can change"),
        (replace(ASKED, cases=(Case(id="z", prompt="?", expected="x"),)), 422, "no case has the"),
    ],
    ids=["unknown", "the-same", "a-strange-one"],
)
def test_a_suite_that_can_not_serve_is_refused(home, run, suite, status, told):
    content = suite if isinstance(suite, str) else stored(home, suite)
    with serving(home, works=False) as address:
        found = Client(address).ask("POST", f"/runs/{run}/rescore", body={"suite": content})
    assert found.status == status
    assert told in found.error["message"]
    assert job_of(home, run) is None


@pytest.mark.parametrize("beside", [{"profile": "classic"}, {"scorer": "numeric"}])
def test_a_scorer_or_profile_beside_a_suite_is_refused(home, run, beside):
    body = {"suite": stored(home, EDITED), **beside}
    with serving(home, works=False) as address:
        found = Client(address).ask("POST", f"/runs/{run}/rescore", body=body)
    assert found.status == 422
    assert "a corrected suite names its scorers and profile itself" in found.error["message"]
    assert job_of(home, run) is None


def test_a_viewer_and_a_token_for_reading_are_refused(home, run):
    content = stored(home, EDITED)
    secrets = aside(settle, home)
    path, body = f"{ROOT}/runs/{run}/rescore", json.dumps({"suite": content})
    kind = {"Content_Type": "application/json"}
    with serving(home, works=False) as address:
        for name in ("read", "vi-write", "eve"):
            refused = with_token(address, secrets[name]).ask("POST", path, body, **kind)
            assert refused.status == (404 if name == "eve" else 403), name
        assert job_of(home, run) is None
        viewer, _ = sign_in(address, "vi", PASSWORDS["vi"], Origin=address)
        assert viewer.ask("POST", path, body, **kind, Origin=address).status == 403
        taken = with_token(address, secrets["write"]).ask("POST", path, body, **kind)
        assert taken.status == 202
    assert job_of(home, run).body["suite"] == content
