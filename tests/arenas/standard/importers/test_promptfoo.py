"""promptfoo: repeats, prompts, errors, and the forms of one evaluation."""

from benchmaker.record import Outcome
from benchmaker.spec.suites.rendering import conversation
from tests.arenas.standard.importers.files import (
    figures_of,
    imported,
    promptfoo_result,
    trials_of,
    write_lines,
    write_promptfoo,
    write_promptfoo_database,
)

RESULTS = [
    promptfoo_result(0, 0),
    promptfoo_result(0, 1, failure=1, score=0.25),
    promptfoo_result(1, 0, city="Rome", failure=2),
    promptfoo_result(1, 1, city="Rome"),
]


def test_prompts_and_models_are_setups_of_one_run(store, tmp_path):
    (file,) = imported(store, write_promptfoo(tmp_path / "r.json", RESULTS))
    (run_id,) = file.runs
    run = store.run(run_id)
    assert run.models == ("model-a · Plain sentence", "model-a · JSON")
    assert [setup.prompt_id for setup in run.setups] == ["Plain sentence", "JSON"]
    assert run.tool == "promptfoo"
    assert run.provider["version"] == "0.121.20"
    assert run.suite_name == "cities (promptfoo)"
    assert len({trial.case_id for trial in store.trials(run_id)}) == 2


def test_a_failed_request_is_no_score(store, tmp_path):
    (file,) = imported(store, write_promptfoo(tmp_path / "r.json", RESULTS))
    (failed,) = [it for it in trials_of(store, file) if it.outcome is Outcome.PROVIDER_ERROR]
    assert failed.score is None
    assert failed.error == "503 upstream"
    found = store.imported_rows.find(*failed.key)
    assert found is not None
    assert found.scores == {}


def test_a_failed_check_is_no_error_although_the_file_says_error(store, tmp_path):
    row = promptfoo_result(0, failure=1, score=0.5, error="Expected output to contain")
    (file,) = imported(store, write_promptfoo(tmp_path / "r.json", [row]))
    (trial,) = trials_of(store, file)
    assert trial.outcome is Outcome.SCORED
    assert trial.score is not None
    assert trial.score.score == 0.0


def test_repeats_without_a_number_are_runs_of_a_series(store, tmp_path):
    rows = [promptfoo_result(test, city=("Oslo", "Rome")[test % 2]) for test in range(6)]
    (file,) = imported(store, write_promptfoo(tmp_path / "r.json", rows))
    runs = [store.run(run_id) for run_id in file.runs]
    assert [run.number for run in runs] == [1, 2, 3]
    assert len({run.series_id for run in runs}) == 1
    assert len({trial.case_id for trial in trials_of(store, file)}) == 2


def test_the_headline_counts_errors_and_weighs_named_metrics(store, tmp_path):
    (file,) = imported(store, write_promptfoo(tmp_path / "r.json", RESULTS))
    found = figures_of(file)
    plain = ("model-a", "Plain sentence")
    assert found["promptfoo/pass", "passed", *plain] == 1
    assert found["promptfoo/pass", "errors", *plain] == 1
    assert found["promptfoo/pass", "pass_rate", *plain] == 50.0
    assert found["promptfoo/score", "sum", "model-a", "JSON"] == 1.25
    assert found["promptfoo/named", "sum", "model-a", "JSON"] == 2.5


def test_json_lines_and_database_are_the_same_evaluation(store, tmp_path):
    lines = write_lines(tmp_path / "r.jsonl", RESULTS)
    whole = write_promptfoo(tmp_path / "r.json", RESULTS)
    database = write_promptfoo_database(tmp_path / "promptfoo.db", RESULTS, "eval-1")
    files = [imported(store, path)[0] for path in (lines, whole, database)]
    assert [one.added for one in files] == [4, 0, 0]
    assert len({one.runs for one in files}) == 1
    assert all(one.tally.rows == one.tally.translated == 4 for one in files)


def test_another_evaluation_of_the_same_cases_shares_the_suite(store, tmp_path):
    again = [{**row, "id": f"other-{row['id']}"} for row in RESULTS]
    first = imported(store, write_promptfoo(tmp_path / "a.json", RESULTS))[0]
    second = imported(store, write_promptfoo(tmp_path / "b.json", again, "eval-2"))[0]
    assert first.runs != second.runs
    hashes = {store.run(one.runs[0]).suite_hash for one in (first, second)}
    assert len(hashes) == 1


def test_keys_of_the_environment_are_not_stored(store, tmp_path):
    (file,) = imported(store, write_promptfoo(tmp_path / "r.json", RESULTS))
    assert "sk-secret" not in str(store.imported_rows.header(file.runs[0]))


def test_the_text_sent_is_kept_for_each_prompt(store, tmp_path):
    (file,) = imported(store, write_promptfoo(tmp_path / "r.json", RESULTS))
    suite = store.suite(store.run(file.runs[0]).suite_hash)
    case = next(case for case in suite.cases if case.vars["city"] == "Rome")
    assert conversation(suite, case, "JSON")[0].content == "JSON: Rome?"


def test_a_table_has_an_answer_for_each_output_column(store, tmp_path):
    head = "city,[model-a] Plain,Status,Score,Named Scores,Grader Reason,Comment"
    rows = (
        'Oslo,yes,PASS,1.00,"{""named"":1}",fine,\nRome,,ERROR,0.00,,503,\nOslo,no,FAIL,0.50,{},x,'
    )
    path = tmp_path / "r.csv"
    path.write_text(f"{head}\n{rows}\n")
    (file,) = imported(store, path)
    assert file.tally.rows == file.tally.translated == 3
    found = figures_of(file)
    assert found["promptfoo/pass", "errors", "model-a", "Plain"] == 1
    assert found["promptfoo/score", "sum", "model-a", "Plain"] == 1.5
    assert len(file.runs) == 2
