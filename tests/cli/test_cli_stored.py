"""Commands that look at what is stored, or take it away."""

import gzip
import json
import os
import socket
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest

from benchmaker.plugins import list_ids
from benchmaker.record import RunState
from benchmaker.store import Store

DATA = Path(__file__).parents[1] / "data" / "store"
ALL = ["results", "runs", "show", "explain", "export", "rescore", "resume", "delete", "vacuum"]
WORDS = {
    "show": ["latest"],
    "explain": ["latest", "a"],
    "export": ["latest", "--format", "csv"],
    "rescore": ["latest", "--profile", "classic"],
    "resume": ["latest"],
    "delete": ["latest", "--yes"],
}


@pytest.mark.parametrize("name", ALL)
def test_without_a_store_it_says_so_and_makes_none(cli, home, name):
    said = cli(name, *WORDS.get(name, ()), code=2)
    assert "no runs yet" in said.stderr
    assert not home.exists()


@pytest.mark.parametrize("name", [name for name in ALL if name not in {"runs", "vacuum"}])
@pytest.mark.usefixtures("ran")
def test_an_unknown_run_is_refused(cli, name):
    words = ["nosuch", *WORDS.get(name, ["latest"])[1:]]
    assert "nosuch" in cli(name, *words, code=2).stderr


@pytest.mark.parametrize("name", ["delete", "show", "explain"])
@pytest.mark.usefixtures("ran")
def test_what_may_be_a_submission_is_said_to_be_neither(cli, name):
    said = cli(name, "nosuch", code=2).stderr
    assert "there is no run or submission 'nosuch'." in said
    assert "benchmaker usage --by session" in said


def test_runs_lists_the_newest_first(cli, started, ran):
    again = ["run", started / "suite.yaml", "--recorded", started / "answers.jsonl", "--json"]
    newer = cli(*again).data["run_id"]
    listed = cli("runs", "--json").data["runs"]
    assert [run["run_id"] for run in listed] == [newer, ran]
    text = cli("runs").stdout.splitlines()
    assert text[0].split()[:2] == ["run", "started"]
    assert text[1].startswith(newer)


def test_runs_says_how_many_trials_are_done_of_those_planned(live, sums):
    models = ["--model", "openai/plain", "--model", "openai/fault:http_401"]
    live("run", sums, *models, "--runs", 2, "--quiet", code=4)
    listed = live("runs", "--json").data["runs"]
    assert [run["planned"] for run in listed] == [8, 8]
    for run in listed:  # answers that a wrong key failed have ended, too; some were never sent
        assert 4 <= run["done"] < 8
        assert f" {run['done']} of 8  sums" in live("runs").stdout


def test_runs_says_which_have_not_begun(live, sums):
    words = ["--model", "openai/gpt-4o-mini", "--runs", 2, "--max-cost", 0.0000001]
    live("run", sums, *words, "--quiet", code=4)
    second = live("runs").stdout.splitlines()[1]
    said = " ".join(second.split()[1:])
    assert said.startswith("not begun interrupted")
    assert said.endswith("0 of 4 sums")


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.usefixtures("ran")
def test_narrow_lists_of_runs_have_the_whole_name_of_the_suite(cli, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    (name,) = {run["suite"] for run in cli("runs", "--json").data["runs"]}
    head, row, *_ = cli("runs").stdout.splitlines()
    assert row.endswith(f"  {name}")
    assert ("started" in head.split()) == (width == 80)


@pytest.mark.usefixtures("ran")
def test_runs_of_which_all_is_done_say_one_number(cli):
    (planned,) = {run["planned"] for run in cli("runs", "--json").data["runs"]}
    assert cli("runs").stdout.splitlines()[1].split()[3:6] == ["finished", "2", str(planned)]


@pytest.mark.usefixtures("ran")
def test_runs_says_when_there_are_more(cli, started):
    cli("run", started / "suite.yaml", "--recorded", started / "answers.jsonl")
    said = cli("runs", "--limit", 1)
    assert "--all" in said.stderr
    assert cli("runs", "--all").stdout.count("first-suite") == 2


def test_without_runs_the_json_is_an_empty_list(cli):
    assert cli("runs", "--json").data == {"runs": []}


def test_results_of_what_is_unfinished_say_how_to_go_on_once(live, sums):
    words = ["--model", "openai/plain", "--model", "openai/fault:http_401", "--runs", 2]
    ran = live("run", sums, *words, code=4)
    series = live("runs", "--json").data["runs"][0]["series_id"]
    later = live("results")
    for said in (ran, later):
        assert (said.stdout + said.stderr).count("resume") == 1
        assert f"Resume with: benchmaker resume {series}\n" in said.stderr
        assert "Stopped querying openai/fault:http_401 (" in said.stdout
        assert "HTTP 401" in said.stdout


def test_results_of_what_is_finished_say_nothing_on_the_side(cli, ran):
    assert cli("results", ran).stderr == ""


def test_a_prefix_names_a_run(cli, ran):
    assert cli("results", ran[:-1], "--json").data["run_id"] == ran


def test_show_lists_trials(cli, ran):
    said = cli("show", ran).stdout
    assert said.splitlines()[0].split() == [
        "Case",
        "Model",
        "Outcome",
        "Score",
        "Expected",
        "Answer",
    ]
    assert len(said.splitlines()) == 14


def test_show_can_be_cut_and_says_so(cli, ran):
    said = cli("show", ran, "--limit", 3)
    assert len(said.stdout.splitlines()) == 5
    assert "--all" in said.stderr


def test_show_one_model(cli, ran):
    trials = cli("show", ran, "--model", "illustrative-a", "--json").data["trials"]
    assert {trial["model"] for trial in trials} == {"illustrative-a"}
    assert len(trials) == 6


def test_show_a_case_in_full(cli, ran):
    said = cli("show", ran, "capital-france").stdout
    assert "What is the capital of France? The name only." in said
    assert "The capital is Paris" in said
    assert "expected  Paris" in said


def test_show_has_every_version_of_a_score(cli, ran):
    cli("rescore", ran, "--profile", "classic")
    said = cli("show", ran, "eggs-sold", "--model", "illustrative-a").stdout
    assert "score 1" in said
    assert "score 2" in said
    shown = cli("show", ran, "eggs-sold", "--model", "illustrative-a", "--json").data
    assert len(shown["trials"][0]["scores"]) == 2


@pytest.mark.parametrize("words", [["show", "latest", "nosuch"], ["explain", "latest", "nosuch"]])
@pytest.mark.usefixtures("ran")
def test_an_unknown_case_is_refused(cli, words):
    extra = ["--model", "illustrative-a"] if words[0] == "explain" else []
    assert "'nosuch'" in cli(*words, *extra, code=2).stderr


@pytest.mark.parametrize("words", [["show", "latest"], ["explain", "latest", "eggs-sold"]])
@pytest.mark.usefixtures("ran")
def test_an_unknown_model_is_refused_with_the_nearest(cli, words):
    said = cli(*words, "--model", "ilustrative-a", code=2)
    assert "Did you mean 'illustrative-a'?" in said.stderr


@pytest.mark.parametrize(
    "case", ["capital-france", "eggs-sold", "circle-area", "iso-date", "plants-gas", "prime-91"]
)
@pytest.mark.parametrize("model", ["illustrative-a", "illustrative-b"])
def test_explain_computes_the_same_digits_again(cli, ran, case, model):
    data = cli("explain", ran, case, "--model", model, "--json").data
    assert data["same_digits"] is True
    assert data["steps"]


def test_explain_after_rescoring_is_about_the_newest_score(cli, ran):
    cli("rescore", ran, "--profile", "classic")
    data = cli("explain", ran, "eggs-sold", "--model", "illustrative-b", "--json").data
    assert data["profile"].startswith("classic")
    assert data["score_version"] == 2
    assert data["same_digits"] is True


def test_explain_asks_which_model(cli, ran):
    assert "--model" in cli("explain", ran, "eggs-sold", code=2).stderr


def test_explain_prints_the_arithmetic(cli, ran):
    said = cli("explain", ran, "eggs-sold", "--model", "illustrative-b").stdout
    assert "the same " in said
    assert "18" in said


ARCHIVES = {"inspect", "lm-eval"}


@pytest.mark.parametrize("form", sorted(set(list_ids("format")) - ARCHIVES - {"parquet"}))
def test_every_format_is_written_to_a_file_and_to_stdout(cli, ran, tmp_path, form):
    path = tmp_path / f"out.{form}"
    assert str(path) in cli("export", ran, "--format", form, "--output", path).stdout
    printed = cli("export", ran, "--format", form).stdout
    assert printed == path.read_text(encoding="utf-8")
    assert "illustrative-b" in printed


@pytest.mark.parametrize("form", sorted(ARCHIVES))
def test_archives_are_written_to_a_file_and_to_stdout(cli, program, ran, tmp_path, form):
    path, printed = tmp_path / "out.zip", tmp_path / "printed.zip"
    assert str(path) in cli("export", ran, "--format", form, "--output", path).stdout
    with printed.open("wb") as stream:
        program("export", ran, "--format", form, stdout=stream.fileno())
    assert printed.read_bytes() == path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert any("illustrative-b" in name for name in archive.namelist())


def test_parquet_is_written_to_a_file_and_to_stdout(cli, program, ran, tmp_path):
    path, printed = tmp_path / "out.parquet", tmp_path / "printed.parquet"
    assert str(path) in cli("export", ran, "--format", "parquet", "--output", path).stdout
    with printed.open("wb") as stream:
        program("export", ran, "--format", "parquet", stdout=stream.fileno())
    rows = pl.read_parquet(path)
    assert rows.height == 12
    assert rows.equals(pl.read_parquet(printed))


def test_parquet_needs_the_extra(cli, ran, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    path = tmp_path / "out.parquet"
    told = cli("export", ran, "--format", "parquet", "--output", path, code=3).stderr
    assert "polars is not installed. Install it with: pip install" in told
    assert not path.exists()


def test_a_jsonl_row_has_the_published_fields(cli, ran):
    rows = [
        json.loads(line) for line in cli("export", ran, "--format", "jsonl").stdout.splitlines()
    ]
    wanted = {"run_id", "model", "case_id", "output", "outcome", "score", "flags"}
    assert len(rows) == 12
    assert all(wanted <= set(row) for row in rows)


@pytest.mark.parametrize("form", ["csv", "otel"])
def test_a_threshold_is_refused_by_a_format_that_holds_none(cli, ran, form):
    told = cli("export", ran, "--format", form, "--threshold", "80", code=2).stderr
    assert f"{form} does not support --threshold. Use it with --format junit." in told


def test_export_to_a_missing_folder_is_refused(cli, ran, tmp_path):
    path = tmp_path / "none" / "out.csv"
    assert str(path) in cli("export", ran, "--format", "csv", "--output", path, code=2).stderr


def test_export_with_json_wants_a_file(cli, ran, tmp_path):
    assert "--output" in cli("export", ran, "--format", "csv", "--json", code=2).stderr
    written = cli("export", ran, "--format", "csv", "--json", "--output", tmp_path / "x.csv").data
    assert written["run_ids"] == [ran]


def test_an_export_is_imported_elsewhere_with_the_same_results(cli, ran, tmp_path):
    cli("rescore", ran, "--profile", "classic")
    cli("export", ran, "--format", "json", "--output", tmp_path / "run.json")
    other = ["--home", tmp_path / "other"]
    assert cli("import", tmp_path / "run.json", *other, "--json").data["run_ids"] == [ran]
    assert cli("results", ran, *other, "--json").data == cli("results", ran, "--json").data
    again = cli("export", ran, "--format", "jsonl", *other).stdout
    assert again == cli("export", ran, "--format", "jsonl").stdout
    assert cli("runs", *other, "--json").data["runs"][0]["imported_from"] == "run.json"


def test_a_series_is_exported_and_imported_as_one(cli, tmp_path):
    made = cli("demo", "--home", tmp_path / "demo", "--json").data
    at = ["--home", tmp_path / "demo"]
    cli("export", made["series_id"], "--format", "json", "--output", tmp_path / "s.json", *at)
    cli("import", tmp_path / "s.json")
    data = cli("results", made["series_id"], "--json").data
    assert data["run_ids"] == made["run_ids"]
    assert data["models"] == made["models"]


def test_a_run_is_not_imported_twice(cli, ran, tmp_path):
    cli("export", ran, "--format", "json", "--output", tmp_path / "run.json")
    assert "Already stored with the same content" in cli("import", tmp_path / "run.json").stdout
    assert len(cli("runs", "--json").data["runs"]) == 1


def test_a_run_of_the_same_id_with_other_content_is_a_conflict(cli, ran, tmp_path):
    cli("export", ran, "--format", "json", "--output", tmp_path / "run.json")
    cli("rescore", ran, "--profile", "classic")
    said = cli("import", tmp_path / "run.json", code=4)
    assert "different content" in said.stderr


def test_what_is_no_export_is_refused_and_nothing_is_kept(cli, home, tmp_path):
    (tmp_path / "run.json").write_text('{"a": 1}')
    assert "run.json" in cli("import", tmp_path / "run.json", code=2).stderr
    assert not home.exists()


def test_rescore_keeps_the_answers_and_changes_the_profile(cli, ran):
    before = cli("results", ran, "--json").data
    cli("rescore", ran, "--profile", "classic")
    after = cli("results", ran, "--json").data
    assert (before["profile"], after["profile"]) == ("robust", "classic")
    cli("rescore", ran, "--profile", "robust")
    assert cli("results", ran, "--json").data["models"] == before["models"]


@pytest.fixture
def sums_ran(cli, tmp_path):
    """A run of two sums, both right."""
    cases = [{"id": f"c{n}", "prompt": f"{n} + {n}?", "expected": 2 * n} for n in (1, 2)]
    suite, answers = tmp_path / "sums.json", tmp_path / "sums.jsonl"
    suite.write_text(json.dumps({"name": "sums", "scorer": "numeric", "cases": cases}))
    rows = [{"model": "m", "id": one["id"], "output": f"{one['expected']}"} for one in cases]
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return cli("run", suite, "--recorded", answers, "--json").data["run_id"]


@pytest.mark.parametrize(
    "spec", ["numeric:tolerance=0.5,curve=step", '{"id": "numeric", "tolerance": 0.5}']
)
def test_rescore_takes_a_scorer_with_parameters(cli, sums_ran, spec):
    cli("rescore", sums_ran, "--scorer", spec, code=None)
    shown = cli("show", sums_ran, "c1", "--model", "m", "--json").data
    newest = shown["trials"][0]["scores"][-1]
    assert newest["scorer"] == "numeric"
    assert newest["parameters"]["tolerance"] == 0.5


def test_a_scorer_that_cannot_score_the_cases_is_refused_and_writes_nothing(cli, sums_ran):
    before = cli("show", sums_ran, "c1", "--json").data
    said = cli("rescore", sums_ran, "--scorer", "choice", code=2)
    assert "--scorer choice does not fit suite 'sums'" in said.stderr
    assert "(and 1 more)" in said.stderr
    assert cli("show", sums_ran, "c1", "--json").data == before


def test_a_profile_that_cannot_score_the_cases_is_refused_and_writes_nothing(cli, tmp_path):
    """Only robust compares verdicts, and none is expected."""
    scorer = {"id": "boolean", "verdict": True}
    suite, answers = tmp_path / "open.json", tmp_path / "open.jsonl"
    cases = [{"id": "c0", "prompt": "?", "expected": "Paris", "scorer": scorer}]
    suite.write_text(json.dumps({"name": "open", "profile": "classic", "cases": cases}))
    answers.write_text(json.dumps({"model": "m", "id": "c0", "output": "Paris"}))
    run = cli("run", suite, "--recorded", answers, "--json").data["run_id"]
    before = cli("show", run, "c0", "--json").data
    said = cli("rescore", run, "--profile", "robust", code=2)
    assert "--profile robust does not fit suite 'open'" in said.stderr
    assert cli("show", run, "c0", "--json").data == before


@pytest.mark.parametrize("words", [[], ["--scorer", "exat"], ["--scorer", "numeric:=1"]])
def test_rescore_refuses_what_it_cannot_do(cli, ran, words):
    cli("rescore", ran, *words, code=2)


def test_rescore_without_a_change_names_the_command_that_retries_checks(cli, ran):
    said = cli("rescore", ran, code=2).stderr
    assert "nothing to do" in said
    assert f"benchmaker resume {ran} --retry-failed" in " ".join(said.split())


def test_rescore_with_the_scorer_in_force_writes_nothing_and_says_why(cli, ran):
    cli("rescore", ran, "--scorer", "boolean", code=None)
    before = cli("show", ran, "capital-france", "--json").data
    said = cli("rescore", ran, "--scorer", "boolean", code=2)
    assert "--scorer boolean has no effect" in said.stderr
    assert cli("show", ran, "capital-france", "--json").data == before


def test_a_wide_list_of_runs_has_the_leader_of_each(cli, ran, monkeypatch):
    data = cli("results", ran, "--json").data
    monkeypatch.setenv("COLUMNS", "200")
    head, row, *_ = cli("runs").stdout.splitlines()
    assert head.split()[-2:] == ["leader", "suite"]
    leader = row[head.index("leader") : head.index("suite")].strip()
    assert leader.startswith(f"{data['models'][0]['model']}, ")
    assert f"{100 * data['models'][0]['mean']:.1f}" in leader
    monkeypatch.setenv("COLUMNS", "80")
    assert "leader" not in cli("runs").stdout
    assert "leader" not in cli("runs", "--json").data["runs"][0]


def test_rescore_with_a_scorer_that_no_case_uses_gives_that_as_the_reason(cli, tmp_path):
    suite, answers = tmp_path / "own.yaml", tmp_path / "own.jsonl"
    suite.write_text(
        "name: own\ncases:\n"
        "  - {id: a, prompt: A?, expected: x, scorer: exact}\n"
        "  - {id: b, prompt: B?, expected: y, scorer: contains}\n",
        encoding="utf-8",
    )
    lines = [{"model": "m", "id": name, "output": "x"} for name in "ab"]
    answers.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    cli("run", suite, "--recorded", answers, "--quiet")
    said = " ".join(cli("rescore", "latest", "--scorer", "boolean", code=2).stderr.split())
    assert (
        "--scorer boolean has no effect: each of the 2 cases of suite 'own' has its own scorer "
        "(exact 1, contains 1)."
    ) in said
    assert "benchmaker rescore RUN --suite edited.yaml" in said


def test_rescore_by_a_corrected_suite_names_the_cases_that_are_not_run(cli, ran, started):
    suite = started / "suite.yaml"
    suite.write_text(suite.read_text().replace("id: eggs-sold", "id: eggs-left"))
    said = cli("rescore", ran, "--suite", suite, code=4)
    assert "5 cases of the suite have stored answers." in said.stderr
    assert "1 case is not run (new): eggs-left." in said.stderr
    assert "1 case is excluded (no longer in the suite): eggs-sold." in said.stderr
    again = cli("rescore", "latest", "--suite", suite, code=2)
    assert "no score can change" in again.stderr
    cli("rescore", ran, "--no-judge", "--profile", "classic", code=2)


def test_cases_that_are_not_run_stay_with_the_run_through_export_and_import(
    cli, ran, started, tmp_path
):
    suite = started / "suite.yaml"
    suite.write_text(suite.read_text().replace("id: eggs-sold", "id: eggs-left"))
    cli("rescore", ran, "--suite", suite, code=4)
    sentence = "Not run: 1 case has no stored answer: eggs-left."
    assert sentence in " ".join(cli("results").stdout.split())
    data = cli("results", "--json").data
    assert (data["rescored_from"], data["not_run"]) == ([ran], ["eggs-left"])
    file = tmp_path / "run.json"
    cli("export", data["run_id"], "--format", "json", "--output", file)
    cli("import", file, "--home", tmp_path / "other")
    again = cli("results", data["run_id"], "--json", "--home", tmp_path / "other").data
    assert (again["rescored_from"], again["not_run"]) == ([ran], ["eggs-left"])


def test_resuming_what_is_finished_shows_it(cli, ran):
    assert cli("resume", ran, "--json").data["run_id"] == ran


def test_delete_wants_a_yes(cli, ran):
    assert "--yes" in cli("delete", ran, code=2).stderr
    assert cli("delete", ran, "--yes").stdout == f"Deleted: {ran}\n"
    assert cli("runs", "--json").data == {"runs": []}


def test_vacuum_drops_unused_suites(cli, ran):
    cli("delete", ran, "--yes")
    assert cli("vacuum", "--json").data["suites"] == 1
    assert "in use" in cli("vacuum").stdout


def test_a_run_that_another_process_holds_is_exit_code_4(cli, ran, home):
    with Store.open(home / "benchmaker.db") as store:
        store.set_run_state(ran, RunState.INTERRUPTED)
        store.acquire_lease(f"run {ran}", holder="engine", ttl_s=60, pid=os.getppid())
    said = cli("resume", ran, "--json", code=4)
    assert said.data["error"]["type"] == "Conflict"
    assert str(os.getppid()) in said.stderr
    assert socket.gethostname() in said.stderr


def test_a_store_of_an_older_version_is_upgraded_by_looking_at_it(cli, home):
    home.mkdir()
    with gzip.open(DATA / "0001.db.gz") as kept:
        (home / "benchmaker.db").write_bytes(kept.read())

    assert cli("runs", "--json").data["runs"]
    assert list(home.glob("benchmaker.db.bak-*"))


def test_a_single_case_with_stored_answers_is_told_in_the_singular(cli, ran, started):
    suite = started / "suite.yaml"
    text = suite.read_text().replace("- id: ", "- id: new-")
    suite.write_text(text.replace("new-capital-france", "capital-france"))
    said = cli("rescore", ran, "--suite", suite, code=4)
    assert "1 case of the suite has stored answers." in said.stderr
