"""Results of Terminal-Bench."""

import json

import pytest

from benchmaker.arenas.agentic.importers.benchmarks.terminal_bench import TerminalBench
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import head_of, read, read_one
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    slow,
    stays_the_same_when_repeated,
    values,
)

BENCH = TerminalBench()
RESULTS = "terminal_bench/goose_opus_run1_results.json"
TABLE = "terminal_bench/leaderboard_trials.csv"


def results(folder, *trials):
    path = folder / "results.json"
    known = {"task_id": "t", "failure_mode": "unset", "is_resolved": True}
    rows = [
        known | {"id": f"0195c0de-0000-7000-8000-{number:012}"} | it
        for number, it in enumerate(trials)
    ]
    path.write_text(json.dumps({"id": "run", "results": rows}))
    return path


@pytest.mark.data
def test_the_sample_has_the_values_of_the_reference(shared):
    expected = values(shared, RESULTS)
    found = sample(
        BENCH,
        shared,
        RESULTS,
        sessions=expected["trials"],
        resolved=expected["resolved"],
        wall_s=expected["sum_agent_seconds"],
        total_tokens=0,
    )
    criteria = [it.result for trial in found for it in trial.outcome.criteria]
    assert criteria.count("pass") == expected["tests_passed"]
    assert len(criteria) == expected["tests_total"]
    modes = [trial.outcome.exit_status for trial in found]
    assert {mode: modes.count(mode) for mode in set(modes)} == expected["failure_modes"]
    assert all(trial.total_tokens is None for trial in found)


@pytest.mark.data
def test_the_table_has_the_values_of_the_slow_count(shared):
    sample(BENCH, shared, TABLE, **slow(TABLE))


def test_a_trial_may_be_resolved_and_out_of_time(tmp_path):
    outcome = read_one(BENCH, results(tmp_path, {"failure_mode": "agent_timeout"})).outcome
    assert (outcome.status, outcome.success) == (Status.TIMEOUT, True)


def test_tests_are_criteria(tmp_path):
    tests = {"parser_results": {"a": "passed", "b": "failed", "c": "xpassed"}}
    outcome = read_one(BENCH, results(tmp_path, tests)).outcome
    assert [it.result for it in outcome.criteria] == ["pass", "fail", "error"]


def test_the_agent_is_told_beside_the_results(tmp_path):
    about = {"agent_name": "goose", "model_name": "openai/gpt-4o"}
    (tmp_path / "run_metadata.json").write_text(json.dumps(about))
    assert read_one(BENCH, results(tmp_path, {})).system.name == "goose · openai/gpt-4o"


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    used = {"total_input_tokens": 500, "total_output_tokens": 20}
    path = results(tmp_path, used, {}, used)
    assert len(read(BENCH, path)) == 3
    stays_the_same_when_repeated(BENCH, path)
    never_more_when_cut(BENCH, path)


def test_bad_rows_of_a_table_are_told(tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("task_id,trial,resolved,failure_mode,input_tokens\na,b,True,unset,9\na,b\n")
    skipped = []
    assert read_one(BENCH, path, skipped=skipped).usage.input_uncached == 9
    assert skipped[0].line == 3
    assert BENCH.sniff(head_of(path)) > 0


HEADER = "submission,run,task_id,trial,resolved,failure_mode,input_tokens,output_tokens,agent_s"


def trials(path, *numbers, first=1, **changed):
    """A table with a line for each trial."""
    lines = [HEADER]
    for number in numbers:
        tokens = changed.get(f"t{number}", 100 * number)
        lines.append(f"20250829_goose,r{first},t,t.{number}-of-5,True,unset,{tokens},7,9.5")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_table_that_has_grown_or_was_corrected_counts_each_trial_once(tmp_path):
    home = tmp_path / "home"
    counts = [
        import_logs(trials(tmp_path / name, *numbers, **changed), home=home).counts
        for name, numbers, changed in (
            ("a.csv", (1, 2, 3), {}),
            ("b.csv", (4, 3, 2, 1), {}),
            ("c.out", (1, 2, 3, 4), {"t2": 5}),
        )
    ]
    assert counts == [
        {"new": 3},
        {"new": 1, "unchanged": 3},
        {"unchanged": 3, "revised": 1},
    ]
    assert import_logs(trials(tmp_path / "d", 1, first=2), home=home).counts == {"new": 1}


def test_a_trial_with_an_impossible_figure_is_refused_and_the_others_stay(tmp_path):
    path = trials(tmp_path / "a.csv", 1, 2, 3, t2=-5)
    imported = import_logs(path, dry_run=True, home=tmp_path)
    assert [it.row_id for it in imported.submissions] == [
        "20250829_goose/r1/t.1-of-5",
        "20250829_goose/r1/t.3-of-5",
    ]
    (told,) = imported.skipped_lines
    assert (told.line, told.reason[:40]) == (3, "the row is refused: input_tokens: '-5' i")


def test_results_with_an_impossible_figure_are_refused_one_by_one(tmp_path):
    used = {"total_input_tokens": 500, "total_output_tokens": 20}
    path = results(tmp_path, used, used | {"total_input_tokens": -5}, used)
    imported = import_logs(path, dry_run=True, home=tmp_path)
    assert [it.total_tokens for it in imported.submissions] == [520, 520]
    (told,) = imported.skipped_lines
    assert told.reason.startswith("the row is refused: results[1].total_input_tokens: '-5' is neg")
    alone = results(tmp_path, used | {"total_output_tokens": -5})
    assert import_logs(alone, dry_run=True, home=tmp_path).is_refused
