"""The API's numbers are the command line's, digit for digit."""

import json

import pytest
from click.testing import CliRunner

from benchmaker.cli import main
from benchmaker.spec.documents.bundled_files import resource_path


@pytest.fixture(scope="module")
def said(full_home):
    """What a command prints as JSON about the same data folder."""

    def call(*words):
        done = CliRunner().invoke(main, [*words, "--json", "--home", str(full_home)])
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)

    return call


@pytest.fixture(scope="module")
def series(api):
    return api.get("/runs", limit=1)["items"][0]["series_id"]


def test_runs(api, said):
    assert api.rows("/runs", limit=2) == said("runs", "--all")["runs"]


def test_the_summary_of_a_series_and_of_a_run(api, said, series):
    run = api.get(f"/series/{series}")["run_ids"][0]

    assert api.get(f"/runs/{series}/summary") == said("results", series)
    assert api.get(f"/runs/{run}/summary") == said("results", run)


def test_the_means_of_groups(api, said, series):
    for by in ("category", "tag"):
        assert api.get(f"/runs/{series}/groups", by=by) == said("results", series, "--by", by)


def test_comparisons(api, said, series):
    assert api.get("/compare", run=series) == said("compare", series)
    asked = said("compare", series, "--margin", "2", "--correction", "max_t", "--level", "0.9")
    assert api.get("/compare", run=series, margin=2, correction="max_t", level=0.9) == asked
    one = said("compare", series, "--reference", "illustrative-b")
    assert api.get("/compare", run=series, reference="illustrative-b") == one


def test_gates(api, said, series):
    first, *_, last = api.get(f"/series/{series}")["run_ids"]
    told = said("gate", last, "--baseline", first, "--max-drop", "100")

    assert api.get(f"/runs/{last}/gate", baseline=first, max_drop=100) == told


def test_comparisons_within_groups(api, said, series):
    found = api.get("/compare/groups", run=series, by="category")

    assert found == said("compare", series, "--by", "category")


@pytest.mark.parametrize("method", ["bradley_terry", "win_rate", "davidson", "elo"])
def test_rankings(api, said, series, method):
    assert api.get("/rank", run=series, method=method) == said("rank", series, "--method", method)


def test_a_ranking_with_a_prior(api, said, series):
    found = api.get("/rank", run=series, prior=1, top=2, marginal="true")

    assert found == said("rank", series, "--prior", "1", "--top", "2", "--marginal")


def test_plans(api, said, series):
    assert api.get("/power", delta=2) == said("power", "--delta", "2")
    asked = said("power", "--delta", "3", "--from", series, "--runs", "3")
    assert api.get("/power", delta=3, run=series, runs=3) == asked


def test_trials(api, said, series):
    rows = api.rows(f"/runs/{series}/trials", limit=30)
    own = [{key: it for key, it in row.items() if key not in {"position", "rank"}} for row in rows]

    assert own == said("show", series, "--all")["trials"]


def test_a_case_in_full(api, said, series):
    first = api.get(f"/runs/{series}/trials", limit=1)["items"][0]

    found = api.get(f"/runs/{series}/cases/{first['position']}")
    asked = said("show", series, first["case_id"])

    assert found["case"] == asked["case"]
    for row, other in zip(found["trials"], asked["trials"], strict=True):
        assert {key: row[key] for key in other} == other


def test_an_explanation(api, said, series):
    run = api.get(f"/series/{series}")["run_ids"][0]
    row = api.get(f"/runs/{run}/trials", limit=1)["items"][0]
    place = f"{row['position']}/{row['rank']}"

    found = api.get(f"/runs/{run}/trials/{place}/explain")

    assert found == said("explain", run, row["case_id"], "--model", row["model"])
    assert found["same_digits"] is True


def test_endpoints_and_profiles(api, said):
    rows = [{k: it for k, it in row.items() if k != "fault"} for row in api.rows("/endpoints")]

    names = [row["name"] for row in said("models")["endpoints"]]
    assert [row["name"] for row in rows] == names
    assert api.rows("/agentic/profiles") == said("profile", "list")["profiles"]


def test_submissions(api, said):
    row = api.get("/agentic/submissions", limit=1)["items"][0]
    found = api.get(f"/agentic/submissions/{row['number']}")
    asked = said("show", row["submission"])

    assert {key: found[key] for key in asked} == asked
    assert api.get(f"/agentic/submissions/{row['submission']}") == found


def test_explanations_of_submissions(api, said):
    name = api.get("/agentic/submissions", limit=1)["items"][0]["submission"]
    path = f"/agentic/submissions/{name}"

    assert api.get(f"{path}/explain") == said("explain", name)
    for profile in ("classic", "robust"):
        found = api.get(f"{path}/evaluation", profile=profile)
        assert found == said("explain", name, "--profile", profile)


def test_traces(api, said):
    name = api.get("/agentic/submissions", limit=1)["items"][0]["submission"]
    found = api.get(f"/agentic/submissions/{name}/trace", limit=500)
    asked = said("trace", name)

    assert found["items"] == asked.pop("steps")
    assert {key: found[key] for key in asked} == asked


@pytest.mark.parametrize("profile", ["classic", "robust"])
def test_boards(api, said, profile):
    words = {"profile": profile, "metric": "efficiency", "by": "model"}
    found = api.get("/agentic/board", **words, limit=500)
    asked = said("leaderboard", "--profile", profile, "--metric", "efficiency", "--by", "model")

    assert found["items"] == asked.pop("rows")
    assert {key: found[key] for key in asked} == asked


def test_what_is_said_of_boards(api, said):
    assert api.get("/agentic/bias", profile="robust") == said("bias", "--profile", "robust")
    asked = said("trend", "--systems", "--profile", "robust")
    assert api.get("/agentic/trend", profile="robust") == asked
    found = api.get("/agentic/profiles/compare")
    assert found == said("profile", "compare", "classic", "robust")


def test_baselines(api, said):
    task = api.get("/agentic/tasks", limit=1)["items"][0]["task"]

    found = api.get(f"/agentic/baselines/{task}", profile="robust")
    asked = said("baselines", task, "--profile", "robust")

    assert found["baselines"][0] == asked["baselines"][0]
    assert api.get("/agentic/baselines")["baselines"] == said("baselines")["baselines"]


def test_usage_and_reviews(api, said):
    for by in ("day", "model", "tool"):
        assert api.get("/agentic/usage", by=by, utc="true") == said("usage", "--by", by, "--utc")
    assert api.rows("/agentic/reviews", limit=1) == said("reviews")["reviews"]


def test_standings_of_pages(api, said, series):
    found = api.get("/code/standings")

    assert found == said("code", "rate")
    pages = api.rows("/code/runs")[0]["run_id"]
    assert api.get("/code/standings", run=pages) == said("code", "rate", pages)
    refused = api.ask("GET", "/code/standings", run=series)
    assert refused.status == 422
    assert "is not a run of the Code Arena" in refused.error["message"]
    assert found["n"] > 0
    assert found["ranking"]["models"]
    assert found["influences"]


def test_labels(api, said, series):
    run = api.get(f"/series/{series}")["run_ids"][-1]

    found = api.get(f"/runs/{run}/labels/queue", n=20, limit=500)
    asked = said("label", run, "--queue", "--n", "20")

    assert (found["by"], found["scale"], found["items"]) == tuple(asked.values())
    assert api.get(f"/runs/{run}/labels/status") == said("label", run, "--status")


def test_estimates(api, said):
    models = ["openai/gpt-4o-mini", "anthropic/claude-3-5-haiku-20241022"]
    found = api.post("/runs/estimate", {"models": models, "runs": 2})
    words = [word for model in models for word in ("--model", model)]
    asked = said("estimate", str(resource_path("demo", "suite.yaml")), *words, "--runs", "2")

    assert found == asked


def test_estimates_of_repeated_cases_range_from_two_runs(api):
    body = {"models": ["openai/gpt-4o-mini"], "runs": 5}
    whole = api.post("/runs/estimate", body)
    found = api.post("/runs/estimate", body | {"repeat_where": "uncertain"})
    (low, high), (least, most) = whole["cost_usd"], found["cost_usd"]
    assert (found["runs_at_least"], most) == (2, high)
    assert least == pytest.approx(low * 2 / 5)
    assert "runs_at_least" not in whole


def test_estimates_obey_the_selection(api):
    body = {"models": ["openai/gpt-4o-mini"], "cases": ["*"], "filter": "weight > 0", "sample": 2}
    assert api.post("/runs/estimate", body)["cases"] == 2
