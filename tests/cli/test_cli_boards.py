"""``leaderboard``, ``baselines``, ``bias``, ``profile`` and ``trend --systems``."""

import csv
import io

import pytest

from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profiles import settle_boards
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from tests.analysis.submissions import a_row
from tests.cli.conftest import Cli

DAY_US = 86_400_000_000


@pytest.fixture
def boards(cli: Cli, home) -> Cli:
    """The command line, with three systems at four tasks in the store."""
    rows = [
        a_row(
            n,
            task_id=f"t{n % 4}",
            system=f"tool{n % 3} · m",
            tool=f"tool{n % 3}",
            finished_us=n * DAY_US,
            success=n % 7 != 0,
            required_passed=n % 7 != 0,
            correctness=float(n % 7 != 0),
        )
        for n in range(120)
    ]
    rows += [a_row(200 + n, system="odd", evidence_level="self_reported") for n in range(3)]
    settle(home, rows)
    return cli


def settle(home, rows):
    """Put rows into the store and settle the boards of both profiles."""
    with Store.open(home / "benchmaker.db") as store:
        for document in (BUILT_IN["classic"], BUILT_IN["robust"]):
            at_work = ProfileAtWork(document)
            store.agentic.put_metrics((row, at_work.input_hash(row)) for row in rows)
            settle_tasks(store, at_work, store.agentic.metric_tasks())
            settle_boards(store, document)


@pytest.mark.parametrize("width", [60, 80, 88])
def test_a_narrow_board_shows_how_many_rows_are_flagged(cli, home, monkeypatch, width):
    name = "claude-code · a-model-of-a-long-name"
    settle(home, [a_row(n, system=name, flags=("overlap",) * (n == 0)) for n in range(30)])
    monkeypatch.setenv("COLUMNS", str(width))
    table = cli("leaderboard").stdout.partition("Hidden")[0]
    assert "Flagged" in table.split()
    assert max(map(len, table.splitlines())) <= width


COMMANDS = (
    ("leaderboard",),
    ("leaderboard", "--pareto"),
    ("leaderboard", "--pareto", "--metric", "tokens", "--window", "month"),
    ("leaderboard", "--profile", "robust", "--metric", "dollars", "--by", "tool"),
    ("baselines",),
    ("baselines", "t1", "--profile", "robust"),
    ("baselines", "--system", "tool1 · m"),
    ("bias",),
    ("profile", "list"),
    ("profile", "show", "robust"),
    ("profile", "compare", "classic", "robust"),
    ("trend", "--systems", "--metric", "success"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_table_comes_in_every_form(boards, words):
    text = boards(*words).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert boards(*words, "--json").data
    assert "| --- |" in boards(*words, "--markdown").stdout or "profile" in words
    page = boards(*words, "--html").stdout
    assert page.startswith("<!doctype html>")
    assert "default-src &#39;none&#39;" in page
    rows = list(csv.reader(io.StringIO(boards(*words, "--csv").stdout)))
    assert {len(row) for row in rows} == {len(rows[0])}
    said = boards(*words, "--csv", "--json", code=2)
    assert "stdout can't hold both" in said.stderr + said.stdout


def test_the_csv_of_profiles_has_the_names_of_the_json(boards):
    (first, *_) = boards("profile", "list", "--json").data["profiles"]
    heads, *_ = csv.reader(io.StringIO(boards("profile", "list", "--csv").stdout))
    assert set(heads) <= first.keys()
    heads, *_ = csv.reader(io.StringIO(boards("profile", "show", "robust", "--csv").stdout))
    assert heads[1:] == list(first["weights"])


def test_the_leaderboards_json_is_as_promised(boards):
    data = boards("leaderboard", "--json").data

    assert (data["scale"], data["profile"]) == ("0-100", "robust/2")
    keys = ("system", "tool", "model", "rank", "rank_interval", "score", "n", "attempts")
    for row in data["rows"]:
        assert {*keys, "evidence_level"} <= set(row)
    first = data["rows"][0]
    assert first["rank"] == 1
    assert first["rank_interval"][0] == 1


def test_self_reported_rows_are_hollow_in_robust(boards):
    text = boards("leaderboard", "--profile", "robust", "--explain").stdout

    line = next(line for line in text.splitlines() if "odd" in line)
    assert line.lstrip().startswith("not ranked")
    assert "○ self-reported" in line
    assert "○: listed without a rank because of weaker evidence." in text


def test_classic_says_that_every_row_counts(boards):
    text = boards("leaderboard", "--profile", "classic").stdout
    assert "Classic baselines include self-reported submissions" in text


OPENING = (
    ("leaderboard",),
    ("leaderboard", "--pareto"),
    ("baselines",),
    ("baselines", "t1"),
    ("bias",),
    ("trend", "--systems"),
)


@pytest.mark.parametrize("words", OPENING, ids=" ".join)
def test_every_table_opens_with_robust(boards, words):
    assert boards(*words, "--json").data["profile"] == "robust/2"


WEIGHED = "Published weights: correctness counts 25%."


@pytest.mark.parametrize(
    "words",
    [(), ("--metric", "success"), ("--metric", "dollars"), ("--task", "t1"), ("--pareto",)],
    ids=" ".join,
)
def test_boards_under_classic_say_what_correctness_counts(boards, words):
    for form in ((), ("--markdown",), ("--html",)):
        said = boards("leaderboard", "--profile", "classic", *words, *form).stdout
        assert WEIGHED in " ".join(said.replace("\\", "").split()), form
        said = boards("leaderboard", *words, *form).stdout
        assert "eights: correctness" not in said
    notes = boards("leaderboard", "--profile", "classic", *words, "--json").data["notes"]
    assert notes[0] == "published weights: correctness counts 25%"


def test_filters_reach_the_board(boards):
    data = boards("leaderboard", "--task", "t1", "--policy", "best", "--json").data
    assert data["where"] == {"task": "t1"}
    assert data["policy"] == "best"
    assert data["tasks"] == 1


def test_a_front_tells_what_a_success_costs(boards):
    data = boards("leaderboard", "--pareto", "--json").data

    assert {one["system"] for one in data["per_success"]} >= {"tool0 · m", "tool1 · m"}
    assert {one["k"] for one in data["passes"]} == {1, 2, 3, 5, 10}
    assert data["front"]["draws"] == 1000


def test_a_front_takes_figures_alone(boards):
    assert (
        "no front for speed"
        in boards("leaderboard", "--pareto", "--metric", "speed", code=2).stderr
    )


def test_baselines_name_the_task_that_is_near(boards):
    assert "'t1'" in boards("baselines", "t11", code=2).stderr


def test_a_profile_moves_from_shadow_to_the_boards(boards, tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\nversion: '1'\npolicy: last\n")

    assert "not shown on boards" in boards("profile", "shadow", mine).stdout
    assert "a shadow profile" in boards("leaderboard", "--profile", "mine", code=2).stderr
    assert "mine/1" in boards("profile", "compare", "robust", "mine").stdout
    boards("profile", "promote", "mine")
    assert boards("leaderboard", "--profile", "mine", "--json").data["policy"] == "last"
    states = {
        one["id"]: one["state"] for one in boards("profile", "list", "--json").data["profiles"]
    }
    assert states["mine/1"] == "active"
    boards("profile", "drop", "mine")
    assert "unknown profile" in boards("leaderboard", "--profile", "mine", code=2).stderr


@pytest.mark.parametrize("words", [("profile", "show"), ("profile", "compare", "classic")])
def test_the_number_of_profiles_is_checked(cli, words):
    assert "takes" in cli(*words, code=2).stderr


@pytest.mark.parametrize(
    "words", [("leaderboard",), ("bias",), ("baselines",), ("trend", "--systems")]
)
def test_without_evaluations_the_next_step_is_named(cli, words):
    said = cli(*words, code=2)
    assert "no evaluated submissions" in said.stderr
    assert "benchmaker evaluate" in said.stderr


def test_trend_without_runs_leads_to_coding_agents(cli, home):
    home.mkdir()
    Store.open(home / "benchmaker.db").close()
    assert "no runs yet. To track coding agents, add --systems." in cli("trend", code=2).stderr


@pytest.mark.parametrize("front", [(), ("--pareto",)])
def test_a_board_of_an_unknown_name_is_refused_with_the_nearest(boards, front):
    said = boards("leaderboard", *front, "--task", "T1", code=2).stderr
    assert "there is no task 'T1'" in said
    assert "Did you mean 't1'?" in said
    said = boards("leaderboard", *front, "--tool", "nosuch", code=2).stderr
    assert "there is no tool 'nosuch'" in said
    assert "tool0, tool1, tool2" in said.partition("Known: ")[2]
    said = boards("leaderboard", *front, "--system", "tool1 - m", code=2).stderr
    assert "Did you mean 'tool1 · m'?" in said


def test_stored_submissions_to_tasks_lead_to_evaluate_and_then_to_their_board(cli, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,tool,total_tokens,task_id\nr1,X,5,a\nr2,X,6,b\n")
    cli("import", path)
    told = " ".join(cli("leaderboard", code=2).stderr.split())
    assert "no board yet: 2 submissions to a task are not evaluated." in told
    assert "benchmaker evaluate" in told
    said = cli("evaluate").stdout
    assert "2 submissions to 2 tasks" in said
    assert "2 submissions · 0 scored tasks" in cli("leaderboard").stdout


def test_only_submissions_to_a_task_have_rows_and_others_are_counted(cli, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,tool,total_tokens,task_id\nr1,X,5,a\nr2,Y,6,\n")
    said = cli("evaluate", path).stdout
    assert "1 submission to 1 task under robust/2; 1 without a task." in said
    assert "a: 1 submission" in said
    assert "Y" not in said.split()


def test_submissions_without_a_task_lead_to_submit(cli, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,tool,total_tokens\nr1,X,5\n")
    said = cli("evaluate", path)
    assert "no task" in said.stdout
    assert "no_task" not in said.stdout
    line = "benchmaker submit LOG --task TASK"
    assert line in said.stderr
    told = " ".join(cli("leaderboard", code=2).stderr.split())
    assert "no board yet: the 1 stored submission has no task." in told
    assert told.endswith(f"Submit with a task: {line}")
