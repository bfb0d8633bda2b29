"""What changes something: suites, runs, labels, submissions, reviews."""

import json
import time

import msgspec
import pytest

from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission
from tests.web.agentic_data import write_log
from tests.web.answering import answering
from tests.web.api.asking import Client
from tests.web.serving import serving

_PATIENCE_S = 120
SUITE = {
    "name": "made here",
    "profile": "robust",
    "scorer": {"id": "exact"},
    "cases": [
        {"id": "one", "prompt": "1 + 1?", "expected": "2", "tags": ["sum"]},
        {"id": "two", "prompt": "2 + 2?", "expected": "4", "scorer": {"id": "numeric"}},
    ],
}


@pytest.fixture
def idle(own_home):
    """A server over a copy that carries nothing out."""
    with serving(own_home, works=False) as address:
        yield Client(address)


def ended(client, run: str):
    """How a run stands once nothing more comes."""
    end = time.monotonic() + _PATIENCE_S
    while (now := client.get(f"/runs/{run}"))["state"] in {"queued", "running", "stopping"}:
        assert time.monotonic() < end, now
        time.sleep(0.05)
    return now


def test_a_suite_is_made_and_reads_back(idle):
    made = idle.post("/suites", SUITE, status=201)
    path = f"/suites/{made['suite_hash']}"

    assert (made["suite"], made["cases"], made["profile"]) == ("made here", 2, "robust")
    rows = idle.rows(f"{path}/cases")
    assert [row["case"]["id"] for row in rows] == ["one", "two"]
    assert [row["scorer"] for row in rows] == ["exact", "numeric"]
    text = idle.ask("GET", f"{path}/export.yaml").body
    again = idle.upload("/suites/import", "again.yaml", text)
    assert again.status == 201
    assert again.data["suite_hash"] == made["suite_hash"]


def test_every_fault_of_a_suite_is_told(idle):
    cases = [
        {"id": "a", "prompt": "?", "scorer": {"id": "exat"}},
        {"id": "a", "prompt": "?", "expected": "x"},
    ]
    found = idle.ask("POST", "/suites", body=SUITE | {"cases": cases})

    assert found.status == 422
    told = " ".join(one["message"] + one["hint"] for one in found.error["findings"])
    assert "unknown scorer 'exat'" in told
    assert "Did you mean 'exact'?" in told
    assert len(found.error["findings"]) >= 2


def test_a_file_that_is_no_suite_is_refused_with_its_place(idle):
    found = idle.upload("/suites/import", "wrong.yaml", b"name: x\ncases: 3\n")

    assert found.status == 422
    assert found.error["findings"][0]["where"].startswith("wrong.yaml:2")


def test_each_change_of_a_case_is_a_version(idle):
    first = idle.post("/suites", SUITE, status=201)["suite_hash"]
    case = {"id": "three", "prompt": "3 + 3?", "expected": "6"}

    second = idle.post(f"/suites/{first}/cases", case, status=201)["suite_hash"]
    changed = case | {"expected": "six"}
    third = idle.post(f"/suites/{second}/cases/3", changed, method="PUT")["suite_hash"]
    last = idle.post(f"/suites/{third}/cases/1", method="DELETE")["suite_hash"]

    assert idle.get(f"/suites/{third}/cases/3")["case"]["expected"] == "six"
    assert [row["case"]["id"] for row in idle.rows(f"/suites/{last}/cases")] == ["two", "three"]
    versions = [row["suite_hash"] for row in idle.rows(f"/suites/{last}/versions")]
    assert versions == [last, third, second, first]
    diff = idle.get(f"/suites/{last}/diff", before=first)
    assert [one["id"] for one in diff["added"]] == ["three"]
    assert diff["removed"] == ["one"]
    told = idle.get(f"/suites/{third}/diff")["changed"]
    assert told[0]["fields"] == [{"name": "expected", "before": "6", "after": "six"}]


def test_an_id_that_is_taken_is_a_conflict(idle):
    made = idle.post("/suites", SUITE, status=201)["suite_hash"]
    taken = {"id": "two", "prompt": "again?", "expected": "x"}

    found = idle.ask("POST", f"/suites/{made}/cases", body=taken)

    assert found.status == 409
    assert found.error["where"] == "body.id"


def test_prompts_and_parameters_are_changed(idle):
    made = idle.post("/suites", SUITE, status=201)["suite_hash"]
    change = {"system_prompt": "Be brief.", "parameters": {"temperature": 0.0}}

    found = idle.post(f"/suites/{made}", change, method="PATCH")

    assert found["system_prompt"] == "Be brief."
    assert found["parameters"]["temperature"] == 0.0
    assert found["cases"] == 2
    gone = idle.post(f"/suites/{found['suite_hash']}", {"system_prompt": None}, method="PATCH")
    assert gone["system_prompt"] is None
    wrong = idle.ask("PATCH", f"/suites/{made}", body={"parameters": {"temperature": 9}})
    assert wrong.status == 422


def test_the_second_of_two_editors_is_refused_with_both_versions(idle):
    suite = SUITE | {"name": "two editors"}
    made = idle.post("/suites", suite, status=201)["suite_hash"]
    first = idle.post(f"/suites/{made}", {"description": "first"}, method="PATCH")["suite_hash"]

    case = {"id": "three", "prompt": "3 + 3?", "expected": "6"}
    for method, path, body in (
        ("PATCH", "", {"description": "second"}),
        ("POST", "/cases", case),
        ("PUT", "/cases/1", case),
        ("DELETE", "/cases/1", None),
    ):
        found = idle.ask(method, f"/suites/{made}{path}", body=body)
        assert (found.status, found.error["type"]) == (409, "Conflict")
        assert made in found.error["message"]
        assert first in found.error["message"]
    assert len(idle.rows(f"/suites/{made}/versions")) == 2

    same = idle.post(f"/suites/{made}", {"description": "first"}, method="PATCH")
    assert same["suite_hash"] == first
    known = idle.ask("PATCH", f"/suites/{made}", body={"description": "x"}, newest=first)
    assert known.data["description"] == "x"


def test_runs_are_begun_and_carried_out(own):
    made = own.post("/runs", {"answers": "example", "runs": 3}, status=202)

    assert len(made["run_ids"]) == 3
    assert made["job"]["target"] == made["series_id"]
    now = ended(own, made["series_id"])
    assert now["state"] == "finished"
    assert now["done"] == now["planned"]
    assert own.get(f"/jobs/{made['job']['id']}")["state"] == "done"
    assert own.get(f"/runs/{made['series_id']}/summary")["complete"] is True
    assert own.get("/trend", run=[made["series_id"], own.rows("/runs")[-1]["run_id"]])["models"]


def test_uncertain_cases_alone_are_repeated(own):
    body = {"answers": "example", "runs": 3, "repeat_where": "uncertain"}
    made = own.post("/runs", body, status=202)

    assert ended(own, made["series_id"])["state"] == "finished"
    found = own.get(f"/runs/{made['series_id']}/summary")
    assert found["complete"] is True
    assert found["repeat_runs"] == made["run_ids"][2:]
    repeats = found["models"][0]["repeats"]
    assert repeats["uncertain_only"] is True
    assert repeats["pass_at_k"]["1"]["mean"] == pytest.approx(found["models"][0]["mean"])
    assert own.ask("POST", "/runs", body=body | {"runs": 2}).status == 422


def test_a_run_that_nobody_judges(idle):
    cases = [{"id": "one", "prompt": "A clock.", "scorer": {"id": "code_judge"}}]
    suite = idle.post("/suites", SUITE | {"cases": cases}, status=201)["suite_hash"]
    with answering(lambda _: "<h1>12:00</h1>") as models:
        order = {"suite": suite, "models": [f"{models.url}#small"]}
        unasked = idle.ask("POST", "/runs", body=order)
        both = idle.ask("POST", "/runs", body=order | {"no_judge": True, "judges": ["x/y"]})
        made = idle.post("/runs", order | {"no_judge": True}, status=202)

    assert unasked.status == 422
    assert "judge" in unasked.error["message"]
    assert both.error["findings"][0]["where"] == "body.judges"
    (run,) = idle.get(f"/runs/{made['run_ids'][0]}")["runs"]
    assert run["models"] == order["models"]
    assert not run.get("judge", {}).get("asked")


def test_a_run_waits_is_stopped_and_goes_on(idle, own_home):
    made = idle.post("/runs", {"answers": "example"}, status=202)
    run = made["run_ids"][0]

    assert [job["id"] for job in idle.rows("/jobs")] == [made["job"]["id"]]
    assert idle.get(f"/runs/{run}")["state"] == "queued"
    assert idle.ask("DELETE", f"/runs/{run}").status == 409
    assert idle.ask("POST", f"/runs/{run}/resume", body={}).status == 409
    assert idle.post(f"/runs/{run}/stop")["job"]["state"] == "stopped"
    assert idle.ask("POST", f"/runs/{run}/stop").status == 409
    assert idle.ask("POST", f"/jobs/{made['job']['id']}/stop").status == 409
    assert idle.get(f"/runs/{run}")["can_resume"] is True
    again = idle.post(f"/runs/{run}/resume", {"concurrency": 2}, status=202)
    assert again["job"]["kind"] == "resume"
    with serving(own_home) as address:
        assert ended(Client(address), run)["state"] == "finished"


def test_stored_answers_are_scored_anew(own):
    run = own.rows("/runs")[0]["run_id"]

    made = own.post(f"/runs/{run}/rescore", {"profile": "classic"}, status=202)
    ended(own, run)

    assert made["job"]["kind"] == "rescore"
    end = time.monotonic() + _PATIENCE_S
    while own.get(f"/jobs/{made['job']['id']}").get("state") != "done":
        assert time.monotonic() < end
        time.sleep(0.05)
    assert own.get(f"/runs/{run}")["runs"][0]["profile"] == "classic"
    versions = own.get(f"/runs/{run}/trials/0/0")["trials"][0]["scores"]
    assert [one["profile"].partition("/")[0] for one in versions] == ["robust", "classic"]
    nothing = own.ask("POST", f"/runs/{run}/rescore", body={})
    assert nothing.status == 422
    assert f"undecided checks: benchmaker resume {run} --retry-failed" in nothing.error["hint"]
    wrong = own.ask("POST", f"/runs/{run}/rescore", body={"scorer": "exat"})
    assert "Did you mean 'exact'?" in wrong.error["hint"]


def test_a_run_without_pages_is_not_scored_as_pages(idle):
    with_pages = {row["run_id"] for row in idle.rows("/code/runs")}
    run = next(it["run_id"] for it in idle.rows("/runs") if it["run_id"] not in with_pages)
    wrong = idle.ask("POST", f"/runs/{run}/rescore", body={"scorer": "code_judge"})
    assert wrong.status == 422
    assert wrong.error["message"] == f"run {run} is not a run of the Code Arena."
    assert idle.rows("/jobs") == []


def test_a_run_is_deleted(idle):
    runs = [row["run_id"] for row in idle.rows("/runs")]

    assert idle.post(f"/runs/{runs[0]}", method="DELETE") == {"deleted": [runs[0]]}
    assert [row["run_id"] for row in idle.rows("/runs")] == runs[1:]
    assert idle.ask("GET", f"/runs/{runs[0]}").status == 404


def test_answers_are_labelled_and_a_label_is_taken_back(idle):
    run = idle.rows("/runs")[-1]["run_id"]
    path = f"/runs/{run}/labels"
    first, *_ = idle.get(f"{path}/queue", by="Ada")["items"]

    said = idle.post(path, {"id": first["id"], "score": 8, "note": "good", "by": "Ada"})

    assert said["label"]["score"] == 0.8
    assert said["label"]["actor"] == "Ada"
    assert said["waiting"] == idle.get(f"{path}/queue", by="Ada")["waiting"]
    assert [row["blind_id"] for row in idle.rows(path)] == [first["id"]]
    back = idle.post(f"{path}/undo", {"id": first["id"], "by": "Ada"})
    assert back["waiting"] == said["waiting"] + 1
    words = {"id": first["id"], "score": "pass", "flag": True}
    assert idle.post(path, words)["label"]["note"] == "[flag]"
    assert idle.ask("POST", path, body={"id": first["id"], "score": 80}).status == 422
    assert idle.ask("POST", path, body={"id": "none", "score": 8}).status == 404


def test_a_session_is_handed_in_as_text_and_as_a_file(idle, tmp_path):
    log = write_log(tmp_path / "session.jsonl", "ls -la").read_text()
    sent = {"name": "session.jsonl", "text": log, "task": "look-around", "profile": "robust"}

    seen = idle.post("/agentic/submissions/preview", sent)
    made = idle.post("/agentic/submissions", sent, status=201)

    (name,) = made["submissions"]
    assert [one["id"] for one in seen["submissions"]] == [name]
    assert made["evaluations"][0]["task_id"] == "look-around"
    assert made["evaluations"][0]["waiting"] is None
    assert (made["verification"], made["criteria"]) == (None, [])
    assert idle.get(f"/agentic/submissions/{name}")["submission"]["tool_calls"] == 3
    steps = idle.rows(f"/agentic/submissions/{name}/trace", limit=2)
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    again = idle.upload(
        "/agentic/submissions/upload", "session.jsonl", log.encode(), task="look-around"
    )
    assert again.status == 201
    assert again.data["submissions"] == [name]
    gone = idle.post(f"/agentic/submissions/{name}", method="DELETE")
    assert gone["deleted"] == [name]
    assert idle.ask("GET", f"/agentic/submissions/{name}").status == 404


def test_a_name_may_be_longer_than_those_of_files(idle, tmp_path):
    log = write_log(tmp_path / "session.jsonl", "ls -la").read_bytes()
    task, name = "é" * 150, "ü" * 150 + ".jsonl"

    made = idle.upload("/agentic/submissions/upload", name, log, task=task)

    assert made.status == 201
    assert {row["task_id"] for row in made.data["evaluations"]} == {task}
    wanted = {"task": task, "harness": "a", "model": "b", "count": 1}
    assert idle.ask("POST", "/attempts", body=wanted).status == 201


def test_submissions_are_handed_in_as_rows(idle):
    rows = b"".join(msgspec.json.encode(a_submission(500 + n)) + b"\n" for n in range(3))
    before = len(idle.rows("/agentic/submissions"))

    made = idle.post(
        "/agentic/submissions", {"name": "rows.jsonl", "text": rows.decode()}, status=201
    )

    assert len(made["submissions"]) == 3
    assert len(idle.rows("/agentic/submissions")) == before + 3
    assert {row["submission_id"] for row in made["evaluations"]} == set(made["submissions"])


def test_what_is_no_log_is_refused_and_not_kept(idle, own_home):
    for text in ("", "hello", json.dumps({"a": 1})):
        found = idle.ask("POST", "/agentic/submissions", body={"name": "x.jsonl", "text": text})
        assert found.status == 422, text
        assert str(own_home) not in found.body.decode()
    odd = {"name": "../../x.jsonl", "text": "{}", "task": "/etc"}
    assert idle.ask("POST", "/agentic/submissions", body=odd).status == 422
    assert not list((own_home / "uploads").iterdir())


def test_a_flagged_submission_is_decided_on(idle, own_home):
    first = idle.rows("/agentic/reviews", state="open")[0]
    name = first["submission_id"]

    made = idle.post(f"/agentic/reviews/{name}", {"do": "quarantine", "note": "copied"})

    assert made["review"]["state"] == "quarantined"
    assert made["settled"]
    assert [row["submission_id"] for row in idle.rows("/agentic/reviews", state="quarantined")] == [
        name
    ]
    with Store.open(own_home / "benchmaker.db", read_only=True) as store:
        assert name in store.agentic.quarantined_submissions()
    idle.post(f"/agentic/reviews/{name}", {"do": "clear", "actor": "Ada"})
    assert idle.rows("/agentic/reviews", state="cleared")[0]["actor"] == "Ada"
