"""Generated pages over the API: lists, a page in full, pictures, blind pairs and votes."""

from urllib.request import urlopen

import pytest

from benchmaker.arenas.code.prompt_suite import improved_page_of
from benchmaker.record.vote import Vote, VoteOutcome
from benchmaker.store import Store
from tests.web.api.asking import Client
from tests.web.api.conftest import PICTURE, SHA
from tests.web.code_pages import page, stored_run
from tests.web.serving import serving


@pytest.fixture
def run(api):
    return api.get("/code/runs")["items"][0]["run_id"]


@pytest.fixture
def idle(own_home):
    with serving(own_home, works=False, previews=True) as address:
        yield Client(address)


def test_a_run_with_pages_is_listed_once_and_others_are_not(api):
    (row,) = api.get("/code/runs")["items"]

    assert row["run_id"] == api.get("/runs", limit=1)["items"][0]["run_id"]
    assert row["pages"] == 2 * len(row["models"])
    assert row["votes"] > 0
    assert api.get("/code/runs", q="nothing like it")["items"] == []


def test_every_answer_of_the_run_has_its_row(api, run):
    rows = api.rows(f"/code/runs/{run}/pages", limit=7)
    trials = api.rows(f"/runs/{run}/trials")

    keys = ("position", "rank", "case_id", "model")
    assert [[it[key] for key in keys] for it in rows] == [
        [it[key] for key in keys] for it in trials
    ]
    assert [row["state"] for row in rows[:2]] == ["rendered", "not rendered"]
    assert rows[0]["checks"] == {"passed": 1, "n": 2}
    assert rows[-1]["state"] == "not rendered"
    assert rows[-1]["kind"] is None
    assert [it["weight"] for it in rows[0]["criteria"]] == [40, 30, 20, 10]


def test_a_page_in_full_names_its_screenshots(api, run):
    found = api.get(f"/code/runs/{run}/pages/0/0")
    bare = api.get(f"/code/runs/{run}/pages/3/0")

    assert found["artifact"]["files"][0]["text"].startswith("<h1>0</h1>")
    assert found["report"]["checks"][1]["message"] == "it goes on"
    assert found["report"]["screenshots"][0]["sha256"] == SHA
    assert found["preview"] is None
    assert bare["artifact"] is bare["report"] is bare["preview"] is None


def test_a_prompt_for_a_page_is_stored_as_a_suite_and_its_run_is_queued(idle, own_home):
    models = ["http://127.0.0.1:9/v1#red", "http://127.0.0.1:9/v1#blue"]
    made = idle.post("/code/runs", {"prompt": "A red page", "models": models}, status=202)

    (run_id,) = made["run_ids"]
    with Store.open(own_home / "benchmaker.db", read_only=True) as store:
        found = store.run(run_id)
        (case,) = store.suite(found.suite_hash).cases
    assert (case.prompt, list(found.models)) == ("A red page", models)
    assert made["job"]["target"] == run_id
    assert idle.ask("POST", "/code/runs", body={"prompt": "", "models": models}).status == 422
    for few in ([], models[:1], [f"http://127.0.0.1:9/v1#{at}" for at in range(7)]):
        refused = idle.ask("POST", "/code/runs", body={"prompt": "A page", "models": few})
        assert refused.status == 422
        assert "Choose 2 to 6 models." in str(refused.data)


def test_a_page_is_improved_by_its_own_model_in_a_second_turn(idle, own_home):
    models = ["http://127.0.0.1:9/v1#red", "http://127.0.0.1:9/v1#blue"]
    run_id = stored_run(own_home, {model: page(f"By {model[-3:]}") for model in models})
    path = f"/code/runs/{run_id}/pages/0/1/improvements"
    made = idle.post(path, {"request": "Make it blue."}, status=202)

    with Store.open(own_home / "benchmaker.db", read_only=True) as store:
        rank_one = store.run(run_id).models[1]
        found = store.run(made["run_ids"][0])
        (case,) = store.suite(found.suite_hash).cases
    assert list(found.models) == [rank_one]
    assert improved_page_of(case) == (run_id, "x", rank_one)
    assert [it.content for it in case.conversation()][::2] == ["A page.", "Make it blue."]
    for wrong, status in ((" ", 422), ("", 422), ("x" * 20_001, 422)):
        assert idle.ask("POST", path, body={"request": wrong}).status == status
    away = path.replace("/0/1/", "/0/7/")
    assert idle.ask("POST", away, body={"request": "Make it blue."}).status == 404


def test_standings_are_by_category_and_adjusted_for_style(api):
    assert api.get("/code/standings", category="visual")["n"] == 0
    assert api.get("/code/standings", style="length")["style"] == ["length"]
    assert api.ask("GET", "/code/standings", style="beauty").status == 422


def test_a_place_where_no_page_is_is_not_there(api, run):
    for place in ("999/0", "0/99"):
        found = api.ask("GET", f"/code/runs/{run}/pages/{place}")
        assert (found.status, bool(found.error["hint"])) == (404, True)
    odd = api.ask("GET", f"/code/runs/{run}/pages", after="WyJ4IiwxXQ")
    assert (odd.status, odd.error["where"]) == (422, "query.after")


def test_a_screenshot_is_a_picture(api):
    found = api.ask("GET", f"/code/shots/{SHA}")

    assert (found.status, found.body) == (200, PICTURE)
    assert found.headers["content-type"] == "image/png"
    assert found.headers["x-content-type-options"] == "nosniff"


def test_a_pair_says_nothing_of_whose_pages_they_are(idle, run):
    found = idle.ask("GET", f"/code/runs/{run}/pair", by="carl")
    models = idle.get("/code/runs")["items"][0]["models"]

    assert not any(model.encode() in found.body for model in models)
    pair = found.data["pair"]
    assert pair["a"]["number"] != pair["b"]["number"]
    assert pair["a"]["preview"].startswith("http://localhost:")
    assert pair["messages"][0]["content"]


def test_what_is_skipped_comes_again_at_the_end(idle, run):
    path = f"/code/runs/{run}/pair"
    first = idle.get(path, by="carl")
    places = [first["pair"]["at"]]
    while (at := idle.get(path, by="carl", after=places[-1])["pair"]["at"]) != places[0]:
        places.append(at)

    assert places == list(range(1, first["pairs"] + 1))


def test_a_vote_names_the_models_and_is_taken_back(idle, run, own_home):
    path = f"/code/runs/{run}"
    before = idle.get(f"{path}/pair", by="carl")
    pair = before["pair"]
    said = {"position": pair["position"], "a": pair["a"]["number"], "b": pair["b"]["number"],
            "by": "carl"}  # fmt: skip
    cast = said | {"pick": "left", "ms_on_page": 4000, "viewports_seen": [375, 375],
                   "visual": "tie"}  # fmt: skip

    made = idle.post(f"{path}/votes", cast, status=201)

    assert made["vote"]["left"] in {made["vote"]["model_a"], made["vote"]["model_b"]}
    assert made["waiting"] == before["waiting"] - 1
    assert idle.get(f"{path}/pair", by="carl")["pair"]["at"] != pair["at"]
    assert idle.ask("POST", f"{path}/votes", body=cast).status == 409
    with Store.open(own_home / "benchmaker.db", read_only=True) as store:
        (kept,) = store.votes.read([run], actor="carl")
    assert kept.winner == kept.left == made["vote"]["left"]
    assert (kept.ms_on_page, kept.viewports_seen) == (4000, (375,))
    assert (kept.visual, kept.code) == (VoteOutcome.TIE, None)
    gone = idle.post(f"{path}/votes/undo", said)
    assert gone["vote"]["undone_at"]
    assert gone["waiting"] == before["waiting"]
    assert idle.ask("POST", f"{path}/votes/undo", body=said).status == 422
    assert idle.rows(f"{path}/votes")[-1]["id"] == made["vote"]["id"]


def test_votes_that_can_not_be_meant_are_refused(idle, run):
    path = f"/code/runs/{run}"
    pair = idle.get(f"{path}/pair", by="carl")["pair"]
    a, b = pair["a"]["number"], pair["b"]["number"]
    fine = {"position": pair["position"], "a": a, "b": b, "by": "carl", "pick": "tie"}

    for wrong, status, where in (
        ({"a": b, "b": a}, 422, "body.a"),
        ({"a": 99}, 422, None),
        ({"a": b}, 404, None),
        ({"position": 3}, 404, None),
        ({"position": 9_999}, 404, None),
        ({"by": " "}, 422, "by"),
        ({"pick": "both"}, 422, "body.pick"),
        ({"viewports_seen": [12]}, 422, "body.viewports_seen.0"),
    ):
        found = idle.ask("POST", f"{path}/votes", body=fine | wrong)
        assert found.status == status, (wrong, found.body)
        if where:
            places = {found.error["where"], *(it["where"] for it in found.error["findings"])}
            assert where in places
    assert not [it for it in idle.rows(f"{path}/votes") if it["actor"] == "carl"]


def test_standings_of_prompts_that_agree_exactly_are_not_certain(idle, own_home, run):
    """Two of three votes for the first model on each of two prompts, each by another person."""
    with Store.open(own_home / "benchmaker.db") as store:
        for vote in store.votes.read([run]):
            store.votes.undo(vote.id, actor=vote.actor)
        cases = sorted({trial.case_id for trial in store.trials(run) if trial.position < 2})
        a, b = store.runs(limit=1)[0].models[:2]
        for number in range(12):
            outcome = VoteOutcome("b" if number % 3 == 0 else "a")
            store.votes.add(
                Vote(
                    id=f"agreed{number}",
                    run_id=run,
                    case_id=cases[number // 6],
                    model_a=a,
                    model_b=b,
                    left=a,
                    outcome=outcome,
                    actor=f"u{number}",
                )
            )

    found = idle.get("/code/standings", run=run)

    rated = found["ranking"]["models"]
    assert all(row["high"] - row["low"] > 100 for row in rated)
    with urlopen(f"{idle.address}/code/standings?run={run}") as answer:  # noqa: S310  our own
        page = answer.read().decode()
    for row in rated:
        assert f"[{row['low']:.0f}, {row['high']:.0f}]" in page
