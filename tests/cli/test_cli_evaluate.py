"""Evaluating from the command line: rows, reviews, explanations, notices."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import pytest

from benchmaker.providers.notices.webhooks import signature
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from tests.arenas.agentic.handed import a_submission, many, rest, the_id, write_submissions
from tests.arenas.agentic.log_data import write_claude_log

TASK = """
id: look-around
prompt: Write done.txt.
isolation: none
criteria: [{type: file_exists, path: done.txt, required: true}]
"""


@pytest.fixture(autouse=True)
def wide_output(monkeypatch):
    """Room for every column."""
    monkeypatch.setenv("COLUMNS", "200")


def write_table(path, submissions):
    """The same as plain rows."""
    rows = [
        {"id": it.id, "task_id": it.task.id, "tool": "cli", "total_tokens": it.total_tokens,
         "tool_calls": it.tool_calls, "success": it.outcome.success}
        for it in submissions
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def given(tmp_path):
    return write_submissions(tmp_path / "given.jsonl", many(9))


def test_json_is_one_document_with_every_submission(cli, given):
    said = cli("evaluate", given, "--profile", "classic", "--json")
    assert list(said.data) == [
        "scale", "profile", "evaluations", "stored", "left_out",
        "skipped_lines", "skipped", "notes", "copies", "repeats", "empty", "refused",
        "refused_rows", "unknown",
    ]  # fmt: skip
    assert (said.data["scale"], said.data["profile"]) == ("0-100", "classic/1")
    rows = said.data["evaluations"]
    assert [row["task_id"] for row in rows] == ["t"] * 3 + ["u"] * 3 + ["v"] * 3
    assert [row["rank"] for row in rows[:3]] == [1, 2, 3]
    assert {row["evidence_level"] for row in rows} == {"self_reported"}


def test_json_of_nothing_is_a_document_too(cli):
    data = cli("evaluate", "--json").data
    assert (data["evaluations"], data["stored"]) == ([], None)
    assert "No submissions." in cli("evaluate").stdout


def table_of(path, *rows):
    plain = {"task_id": "t", "tool": "x", "total_tokens": 5, "tool_calls": 1, "success": True}
    path.write_text("".join(json.dumps(plain | row) + "\n" for row in rows))
    return path


def test_notes_on_a_table_are_told_as_import_tells_them(cli, tmp_path):
    first = table_of(tmp_path / "a.jsonl", {"id": "q"}, {"id": "q", "tool_calls": 2})
    other = table_of(tmp_path / "b.jsonl", {"id": "q", "tool": "y", "rank": 1})
    said = cli("evaluate", first)
    assert "several rows of one submission, the last one counts: q (lines 1, 2)" in said.stderr
    said = cli("evaluate", other, "--json")
    words = "ids also used with another task or tool, kept as separate submissions: q (t, y; before"
    for text in (said.stderr, str(said.data["notes"])):
        assert words in text
        assert "ignored, since they are assigned here: rank" in text


def test_json_lists_every_place_that_could_not_be_read(cli, tmp_path):
    rows = [{"id": str(n), "tool_calls": "many"} for n in range(12)]
    path = table_of(tmp_path / "a.jsonl", *rows)
    said = cli("evaluate", path, "--json", code=4)
    assert "12 unreadable places in total; --json lists them." in said.stderr
    assert [it["line"] for it in said.data["skipped_lines"]] == list(range(1, 13))
    assert said.data["skipped"] == 12
    assert said.data["refused"] == []


@pytest.mark.parametrize("write", [write_submissions, write_table])
def test_what_is_new_unchanged_and_revised_is_counted(cli, tmp_path, write):
    path = tmp_path / "given.jsonl"
    rows = many(4)
    assert "Stored: 4 new.\n" in cli("evaluate", write(path, rows)).stdout
    rows[0] = msgspec.structs.replace(rows[0], tool_calls=99)
    said = cli("evaluate", write(path, [*rows, a_submission(8)]), "--json")
    assert said.data["stored"] == {"new": 1, "unchanged": 3, "revised": 1}
    said = cli("evaluate", write(path, rows)).stdout
    assert "Stored: 4 unchanged.\n" in said
    assert "Stored" not in cli("evaluate").stdout


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("input_uncached", "only input tokens are reported"),
        ("output", "only output tokens are reported"),
    ],
)
def test_tokens_of_one_side_have_a_reason_wherever_they_are_missing(cli, tmp_path, kind, words):
    rows = [
        {"id": f"r{number}", "task_id": "t", "tool": "x", "success": True, "tool_calls": 3,
         "usage.input_uncached": 900 + number, "usage.output": 70 + number}
        for number in range(8)
    ]  # fmt: skip
    rows[7] = {name: it for name, it in rows[7].items() if not name.startswith("usage")}
    rows[7][f"usage.{kind}"] = 80
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    taken = cli("import", path, "--json").data
    name = taken["submissions"][7]["id"]
    (missing,) = {"usage.output", "usage.input_uncached"} - {f"usage.{kind}"}
    assert taken["missing"][name][missing] == words
    assert words in " ".join(cli("show", name).stdout.split())
    said = cli("evaluate", "--profile", "classic", "--json").data["evaluations"]
    (row,) = [it for it in said if it["id"] == "r7"]
    assert (row["reason"], words in row["detail"]) == ("no_total_tokens", True)
    cli("evaluate", "--profile", "robust")
    told = cli("explain", name, "--profile", "robust").stdout
    assert f"missing: {words}" in " ".join(told.split())


def test_the_table_is_grouped_by_task_and_counts_reasons(cli, tmp_path):
    path = write_submissions(tmp_path / "given.jsonl", [*many(4), a_submission(8, tool_calls=None)])
    said = cli("evaluate", path, "--profile", "classic").stdout
    assert "t: 3 submissions, baseline 1" in said
    assert "5 submissions to 3 tasks under classic/1." in said
    assert "1  not evaluable in classic: tool calls are missing" in said


@pytest.mark.parametrize("profile", ["classic", "robust"])
def test_batches_in_any_order_come_to_the_same_through_the_command(cli, tmp_path, home, profile):
    submissions = many(12)
    once = tmp_path / "once"
    whole = write_submissions(tmp_path / "all.jsonl", submissions)
    cli("evaluate", whole, "--profile", profile, "--home", once)
    for at in (8, 0, 4):
        part = write_submissions(tmp_path / f"{at}.jsonl", submissions[at : at + 4][::-1])
        cli("evaluate", part, "--profile", profile)
    name = BUILT_IN[profile].id
    assert rest(home, name) == rest(once, name)


def test_a_submission_is_handed_in_and_its_workspace_verified(cli, tmp_path):
    task, work = tmp_path / "look-around", tmp_path / "work"
    task.mkdir()
    (task / "task.yaml").write_text(TASK)
    work.mkdir()
    (work / "done.txt").write_text("done")
    log = write_claude_log(tmp_path / "session.jsonl")
    words = ("submit", log, "--task", task, "--workspace", work, "--profile", "robust")
    (row,) = cli(*words, "--json").data["evaluations"]
    assert (row["evidence_level"], row["correctness_score"]) == ("verified", 100.0)
    assert "verified (none)" in cli(*words).stdout
    told = cli("explain", row["submission_id"], "--profile", "robust").stdout
    assert "evidence: verified, isolation none" in told
    assert "Recomputed: the same scores." in told
    assert cli("submit", log, "--task", "look-arond", code=2).stderr.startswith("Error: there is")


def test_an_explanation_as_json_holds_its_terms(cli, given):
    cli("evaluate", given, "--profile", "classic", "--quiet")
    data = cli("explain", the_id(1), "--profile", "classic", "--json").data
    assert data["recomputed"]["is_same"]
    assert {term["name"] for term in data["evaluation"]["detail"]["terms"]} == {
        "tokens", "tool_calls", "iterations", "seconds", "cost",
    }  # fmt: skip
    cli("explain", the_id(1), "--profile", "debugging", code=2)


def test_a_submission_is_explained_with_its_score_under_robust(cli, given):
    cli("import", given)
    before = cli("explain", the_id(1))
    assert "Not evaluated yet" in before.stderr
    assert cli("explain", the_id(1), "--json").data["evaluation"] is None
    cli("evaluate", "--profile", "classic", "--quiet")
    assert f"{the_id(1)} under classic/1, task " in cli("explain", the_id(1)).stdout
    cli("evaluate", "--quiet")
    said = cli("explain", the_id(1)).stdout
    assert f"{the_id(1)} under robust/2, task " in said
    assert "Recomputed: the same scores." in said
    of_robust = cli("explain", the_id(1), "--profile", "robust", "--json").data
    scored = cli("explain", the_id(1), "--json").data["evaluation"]
    assert scored["lines"] == of_robust["lines"]
    assert scored["evaluation"]["profile"] == "robust/2"


def test_a_profile_of_a_file_is_kept_with_what_it_evaluated(cli, given, tmp_path):
    path = tmp_path / "fast.yaml"
    path.write_text("name: fast\nweights: {efficiency: 0, speed: 1, cost: 0, correctness: 0}\n")
    said = cli("evaluate", given, "--profile", path, "--json").data
    name = said["profile"]
    path.unlink()
    for asked in (name, "fast"):
        told = cli("explain", the_id(1), "--profile", asked).stdout
        assert f"under {name}, task" in told
        assert "Recomputed: the same scores." in told
    assert f"under {name}, task" in cli("explain", the_id(1)).stdout
    assert cli("leaderboard", "--profile", name, "--json").data["profile"] == name
    assert cli("evaluate", "--profile", name, "--json").data["evaluations"] == said["evaluations"]
    path.write_text("name: fast\nversion: '1'\n")
    cli("evaluate", "--profile", path, "--quiet")
    path.write_text("name: fast\nversion: '1'\npolicy: last\n")
    assert "Change the version" in cli("evaluate", "--profile", path, code=2).stderr


def test_classic_says_how_little_correctness_counts(cli, tmp_path):
    path = write_submissions(tmp_path / "given.jsonl", [a_submission(1)])
    said = cli("evaluate", path, "--profile", "classic").stdout
    assert said.endswith("Published weights: correctness counts 20%.\n")
    more = [a_submission(8, task="w", category="refactoring"), a_submission(9)]
    path = write_submissions(tmp_path / "more.jsonl", more)
    said = cli("evaluate", path, "--profile", "classic").stdout
    assert said.endswith(
        "Published weights: correctness counts 15% to 20%, depending on the category.\n"
    )
    assert "Published weights" not in cli("evaluate", "--profile", "robust").stdout


def test_totals_of_tokens_without_kinds_are_told_once_and_in_json(cli, tmp_path):
    first, rest_of_them = many(12)[:4], many(12)[4:]
    alone = {"usage": TokenUsage(), "total_tokens": 9_000}
    rows = [*(msgspec.structs.replace(one, **alone) for one in first), *rest_of_them]
    path = write_submissions(tmp_path / "given.jsonl", rows)
    reason = "total_tokens does not separate fresh tokens; add usage.input_uncached"

    said = cli("evaluate", path, "--profile", "robust").stdout
    assert said.count(f"Tokens of 4 submissions excluded: {reason}") == 1
    (left_out,) = cli("evaluate", path, "--profile", "robust", "--json").data["left_out"]
    assert (left_out["figure"], left_out["submissions"]) == ("tokens", 4)
    assert reason in left_out["reason"]

    assert "left out" not in cli("evaluate", "--profile", "classic").stdout
    assert cli("evaluate", "--profile", "classic", "--json").data["left_out"] == []


def test_reviews_are_listed_and_decided(cli, tmp_path):
    fast = a_submission(
        1,
        usage=TokenUsage(),
        total_tokens=12,
        tool_calls=1,
        time=a_submission(1).time.__class__(wall_s=1.0),
    )
    path = write_submissions(tmp_path / "given.jsonl", [fast])
    cli("evaluate", path, "--profile", "classic")
    said = cli("reviews")
    assert "extremely_fast (published_outliers/1): 2 of the published signs" in said.stdout
    (one,) = cli("reviews", "--json").data["reviews"]
    assert one["state"] == "open"
    decided = cli("reviews", "decide", the_id(1), "--quarantine", "--note", "no")
    assert "settled again under classic/1" in decided.stdout
    assert cli("reviews", "--state", "open", "--json").data["reviews"] == []
    assert cli("reviews", "decide", the_id(1), code=2).stderr
    (row,) = cli("evaluate", "--json").data["evaluations"]
    assert (row["rank"], row["review"]) == (None, "quarantined")


class Receiver:
    """A real receiver that answers 500 until it is told otherwise."""

    def __init__(self):
        self.status, self.seen = 500, []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.seen.append((dict(self.headers.items()), body))
                self.send_response(receiver.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/hook"

    def ids(self):
        return [json.loads(body)["id"] for _, body in self.seen]


@pytest.fixture
def receiver():
    made = Receiver()
    made.thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    made.thread.join()


def test_notices_are_signed_and_delivered_until_the_receiver_answers(
    cli, given, home, receiver, monkeypatch
):
    home.mkdir()
    hook = f"webhooks: [{{url: '{receiver.url}', secret_env: HOOK_SECRET}}]\n"
    (home / "notices.yaml").write_text(hook)
    assert "HOOK_SECRET is not set" in cli("evaluate", given, code=3).stderr
    monkeypatch.setenv("HOOK_SECRET", "the-secret")
    monkeypatch.setattr(
        "benchmaker.engine.jobs.notices.RetryPolicy.pause_s", lambda _self, _tried: 0.0
    )
    refused = cli("evaluate", given, code=4)
    assert "answered 500" in refused.stderr
    assert len(cli("notices", "--json").data["notices"]) == 9
    assert "answered 500" in cli("notices", "retry", f"evaluated:{the_id(1)}", code=4).stderr
    receiver.status = 204
    receiver.seen.clear()
    assert "9 delivered, 0 pending." in cli("notices", "deliver").stdout
    assert sorted(receiver.ids()) == [f"evaluated:{the_id(n)}" for n in range(9)]
    head, body = receiver.seen[0]
    own = signature(
        "the-secret", id=head["webhook-id"], timestamp=int(head["webhook-timestamp"]), body=body
    )
    assert head["webhook-signature"] == own
    data = json.loads(body)
    assert (data["type"], data["data"]["profile"]) == ("submission.evaluated", "robust/2")
    cli("evaluate", given)
    assert len(receiver.seen) == 9
    assert "the-secret" not in (home / "benchmaker.db").read_bytes().decode("latin-1")


def test_a_command_gets_every_notice(cli, given, home, tmp_path):
    home.mkdir()
    file = tmp_path / "told"
    code = f"import sys; open({str(file)!r}, 'a').write(sys.stdin.read() + chr(10))"
    (home / "notices.yaml").write_text(
        json.dumps({"commands": [{"command": [sys.executable, "-I", "-c", code]}]})
    )
    cli("evaluate", given)
    assert len(file.read_text().splitlines()) == 9
    assert cli("notices").stdout == "No pending notices.\n"


def test_delivery_wants_a_receiver(cli, given):
    cli("evaluate", given)
    assert "no receiver of notices" in cli("notices", "deliver", code=2).stderr
    assert f"evaluated:{the_id(0)}" in cli("notices").stdout


@pytest.mark.parametrize("width", [60, 80, 88, 140])
def test_a_narrow_evaluation_keeps_the_system_first(cli, given, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = cli("evaluate", given, "--profile", "classic").stdout.splitlines()
    rules = [at for at, line in enumerate(lines) if line.startswith("  ──")]
    heads = [" ".join(lines[at - 3 : at]).split() for at in rules]
    assert len(heads) == 3
    assert all(lines[at - 1].startswith("  System") for at in rules)
    for head in heads:
        assert {"Rank", "Score", "Correct-"} <= set(head)
        assert head.count("score") >= 1
    assert all(len(line) <= width for line in lines if line.startswith("  "))
