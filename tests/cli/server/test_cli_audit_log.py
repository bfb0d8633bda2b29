"""What a command changes is a line of the audit log, as soon as anybody has an account."""

import pytest

from benchmaker.cli.main import COMMANDS
from benchmaker.record.submissions.submission import TimeSpent, TokenUsage
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, the_id, write_submissions
from tests.arenas.agentic.verify.made import a_task, written
from tests.cli.test_cli_label import run_of_judged
from tests.databases import direct_transaction

GOOD = "correct horse battery staple"

CHANGES = {
    "attempt", "calibrate", "code", "control", "delete", "demo", "evaluate", "gate", "import",
    "label", "moderate",
    "notices", "profile", "reprice", "rescore", "resume", "reviews", "run", "secret", "submit",
    "task", "team", "token", "user", "verify",
}  # fmt: skip
"""Commands that leave lines."""

TENDS = {"db", "vacuum"}
"""Commands that look after the database as a whole, and change nothing of what it says."""

READS = {
    "agents", "audit", "baselines", "bias", "compare", "convert", "doctor", "estimate", "explain",
    "export", "init",
    "leaderboard", "models", "opinion", "plugins", "power", "rank", "results", "runs", "sandbox",
    "schema", "search", "show", "trace", "trend", "usage", "validate",
}  # fmt: skip
"""Commands that read the store, or leave it alone."""

SERVES = {"serve", "worker"}
"""Commands whose work was asked for over the web, where it was written down."""

READS_PATH = {"type": "file_content", "path": "a.txt", "contains": ["right"]}


def test_of_every_command_it_is_known_what_it_leaves():
    assert sorted([*CHANGES, *TENDS, *READS, *SERVES]) == sorted(COMMANDS)


@pytest.fixture
def shared(cli):
    """The command line, with an account in the store."""
    cli("user", "add", "ada", "--password-stdin", stdin=f"{GOOD}\n")
    return cli


def lines(cli, *words):
    """Actions and objects of all lines but the first, the oldest first."""
    entries = cli("audit", "--json", *words).data["entries"]
    assert {it["actor"] for it in entries} <= {"cli"}
    told = [(it["action"], it["object"]) for it in reversed(entries)]
    return [it for it in told if it != ("user.add", "ada")]


def test_where_nobody_has_an_account_there_is_no_log(cli, ran):
    cli("rescore", ran, "--profile", "classic")
    cli("delete", ran, "--yes")
    assert lines(cli) == []


def test_runs_are_begun_scored_anew_and_deleted(shared, started):
    words = (started / "suite.yaml", "--recorded", started / "answers.jsonl")
    run_id = shared("run", *words, "--json").data["run_id"]
    shared("rescore", "latest", "--profile", "classic")
    shared("delete", run_id, "--yes")
    assert lines(shared) == [
        ("run.start", run_id),
        ("run.rescore", run_id),
        ("run.delete", run_id),
    ]


def test_an_exported_run_is_taken_in(shared, cli, started, tmp_path):
    other = ("--home", tmp_path / "other")
    words = (started / "suite.yaml", "--recorded", started / "answers.jsonl", *other)
    run_id = cli("run", *words, "--json").data["run_id"]
    file = tmp_path / "run.json"
    cli("export", run_id, "--format", "json", "--output", file, *other)
    shared("import", file, "--dry-run")
    assert lines(shared) == []
    shared("import", file)
    assert lines(shared) == [("run.import", run_id)]


def test_what_is_refused_leaves_no_line(shared, started):
    shared("run", started / "absent.yaml", "--recorded", started / "answers.jsonl", code=2)
    shared("delete", "nothing", "--yes", code=2)
    shared("evaluate", started / "absent", code=2)
    shared("calibrate", code=2)
    assert lines(shared) == []


def test_labels_and_calibrations_are_told(shared, tmp_path):
    judged = shared(*run_of_judged(tmp_path), "--json").data["run_id"]
    items = shared("label", judged, "--queue", "--json").data["items"]
    shared("label", judged, "--status")
    assert lines(shared) == [("run.start", judged)]
    shared("label", judged, "--by", "ann", stdin=f"{items[0]['id']},5\n")
    file = tmp_path / "labels.csv"
    shared("label", judged, "--export", file)
    shared("label", judged, "--import", file, "--scale", "0", "10")  # as before, and no line
    file.write_text("case,model,score\nc0,a,0.5\n")
    shared("label", judged, "--import", file, "--by", "bob")
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"model": "calibration", "id": "eggs-right_number", "output": "no"}\n')
    shared("calibrate", "--tier", "quick", "--recorded-judge", replies, "--quiet", code=None)
    assert [action for action, _ in lines(shared)] == [
        "run.start", "label.keep", "label.keep", "judge.calibrate",
    ]  # fmt: skip
    assert {what for action, what in lines(shared) if action != "judge.calibrate"} == {judged}


def test_submissions_are_taken_in_evaluated_and_deleted(shared, tmp_path):
    given = write_submissions(tmp_path / "given.jsonl", [a_submission(n) for n in (1, 2)])
    shared("import", given, "--dry-run")
    assert lines(shared) == []
    shared("import", given)
    shared("evaluate")
    shared("reprice")
    shared("profile", "list")
    shared("notices")
    shared("reviews")
    shared("delete", the_id(2), "--yes")
    told = lines(shared)
    assert told[0] == ("submission.add", f"{the_id(1)}, {the_id(2)}")
    assert told[1] == ("submission.evaluate", "all")
    assert told[-1] == ("submission.delete", the_id(2))


def test_a_workspace_is_handed_in_and_verified(shared, tmp_path):
    task = a_task(tmp_path / "task", READS_PATH).folder
    shared("task", "show", task)
    shared("task", "add", task)
    shared("task", "add", task)
    given = write_submissions(tmp_path / "given.jsonl", [a_submission(1, task="a-task")])
    shared("submit", given, "--task", task)
    written(tmp_path / "work" / the_id(1), {"a.txt": "right"})
    shared("verify", tmp_path / "work", "--task", task)
    assert lines(shared) == [
        ("task.add", "a-task"),
        ("submission.add", the_id(1)),
        ("submission.verify", the_id(1)),
    ]


def test_reviews_profiles_and_notices_are_told(shared, tmp_path, home):
    usage = TokenUsage(input_uncached=1_000, output=20_000)
    fast = a_submission(1, usage=usage, total_tokens=usage.total, time=TimeSpent(wall_s=2.0))
    shared("evaluate", write_submissions(tmp_path / "given.jsonl", [fast]))
    shared("reviews", "decide", the_id(1), "--clear", "--note", "measured")
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\nversion: '1'\npolicy: last\n")
    shared("profile", "shadow", mine)
    shared("notices", "deliver", code=2)
    home.mkdir(exist_ok=True)
    (home / "notices.yaml").write_text('commands: [{command: ["true"]}]\n')
    shared("notices", "deliver", code=None)
    assert [action for action, _ in lines(shared)] == [
        "submission.evaluate", "review.decide", "profile.shadow", "notice.deliver",
    ]  # fmt: skip


def test_pages_are_written_and_judged(shared, tmp_path):
    page = tmp_path / "a.html"
    page.write_text("<!doctype html><title>A</title><p>A")
    found = shared("code", "judge", page, "--no-judge", "--quiet", "--json").data
    shared("code", "judge", "latest", "--no-judge", "--json")
    shared("code", "rate", "latest")
    run_id = found["run_id"]
    assert lines(shared) == [("run.start", run_id), ("run.rescore", run_id)]


def test_the_demonstration_is_told_where_its_folder_has_accounts(shared, home):
    found = shared("demo", "--home", home, "--json").data
    assert lines(shared) == [("run.start", found["series_id"])]


def test_what_is_done_in_the_folder_of_a_team_is_told_of_that_team(shared, started, home):
    shared("team", "add", "vision")
    place = ("--home", home / "teams" / "vision")
    words = (started / "suite.yaml", "--recorded", started / "answers.jsonl", *place)
    run_id = shared("run", *words, "--json").data["run_id"]
    assert lines(shared, "--team", "vision") == [("team.add", "vision"), ("run.start", run_id)]
    with Store.open(home / "teams" / "vision" / "benchmaker.db", read_only=True) as store:
        assert store.accounts.audit_entries() == ()


@pytest.mark.parametrize(
    "words",
    [
        ("user", "add", "eve", "--oidc", "--identity", "eve@example.org"),
        ("user", "password", "max", "--password-stdin"),
        ("user", "identity", "max", "max@example.org"),
        ("user", "disable", "max"),
        ("team", "add", "audio"),
        ("team", "role", "main", "max", "admin"),
        ("team", "public", "main", "on"),
        ("team", "moderated", "main", "on"),
        ("token", "add", "ada", "ci"),
    ],
    ids=" ".join,
)
def test_a_change_of_accounts_whose_line_can_not_be_kept_is_not_kept(shared, home, words):
    shared("user", "add", "max", "--team", "main", "--password-stdin", stdin=f"{GOOD}\n")
    before = told_of(shared)
    without_log(home)
    done = shared(*words, code=None, stdin=f"{GOOD} anew\n")
    assert done.code not in {0, 2}
    assert told_of(shared) == before


def told_of(cli):
    """People, teams and tokens, as JSON."""
    return [cli(one, "list", "--json").data for one in ("user", "team", "token")]


def without_log(home):
    """Nothing can be written into the log of that store any more."""
    with Store.open(home / "benchmaker.db") as store, direct_transaction(store) as connection:
        connection.exec_driver_sql("ALTER TABLE audit_log RENAME TO audit_log_away")
