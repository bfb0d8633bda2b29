"""Reports of SWE-bench's evaluation."""

import gzip
import json

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.importers.benchmarks.swe_bench import SweBench
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import head_of, read

BENCH = SweBench()
RUN = {
    "total_instances": 4,
    "submitted_instances": 4,
    "submitted_ids": ["a__a-1", "a__a-2", "a__a-3", "a__a-4"],
    "completed_ids": ["a__a-1", "a__a-2"],
    "resolved_ids": ["a__a-1"],
    "unresolved_ids": ["a__a-2"],
    "empty_patch_ids": ["a__a-3"],
    "error_ids": ["a__a-4"],
    "schema_version": 2,
}


def report_of(folder, instance, **more):
    tests = {"FAIL_TO_PASS": {"success": ["t1"], "failure": ["t2"]}}
    found = {"patch_successfully_applied": True, "resolved": False, "tests_status": tests} | more
    path = folder / "run" / "model" / instance / "report.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({instance: found}))
    return path


def run_of(folder, **more):
    path = folder / "model.run.json"
    path.write_text(json.dumps(RUN | more))
    return path


def test_each_instance_is_a_submission_with_its_verdict(tmp_path):
    path = run_of(tmp_path)
    found = {
        it.task.id if it.task else None: it for it in import_logs(path, dry_run=True).submissions
    }
    assert [found[f"a__a-{n}"].outcome.success for n in (1, 2, 3, 4)] == [True, False, False, None]
    assert found["a__a-4"].outcome.status is Status.INFRA_ERROR
    assert {it.system.model for it in found.values()} == {"model"}
    assert {it.total_tokens for it in found.values()} == {None}
    assert BENCH.sniff(head_of(path)) > 0.5


def test_a_report_of_one_instance_names_its_tests(tmp_path):
    (found,) = read(BENCH, report_of(tmp_path, "a__a-2"))
    assert found.outcome.success is False
    assert [(it.id, it.result) for it in found.outcome.criteria] == [
        ("FAIL_TO_PASS: t1", "pass"),
        ("FAIL_TO_PASS: t2", "fail"),
    ]


def test_both_reports_of_a_run_are_of_the_same_instances(tmp_path):
    report_of(tmp_path, "a__a-2")
    run_of(tmp_path)
    found = import_logs(tmp_path, dry_run=True).submissions
    assert len(found) == 4
    (one,) = (it for it in found if it.task.id == "a__a-2")
    assert len(one.outcome.criteria) == 2


def test_a_report_outside_of_its_folders_names_no_model(tmp_path):
    path = report_of(tmp_path, "a__a-2").rename(tmp_path / "report.json")
    (found,) = import_logs(path, dry_run=True).submissions
    assert (found.system.model, found.row_id, found.task.id) == (None, None, "a__a-2")


def test_a_compressed_report_names_its_model_too(tmp_path):
    path = tmp_path / "gpt-4.1.run.json.gz"
    path.write_bytes(gzip.compress(run_of(tmp_path).read_bytes()))
    assert {it.system.model for it in read(BENCH, path)} == {"gpt-4.1"}


def test_a_verdict_without_a_word_on_the_patch_blames_nothing(tmp_path):
    (found,) = read(BENCH, report_of(tmp_path, "a__a-2", patch_successfully_applied=None))
    assert (found.outcome.success, found.outcome.failure_cause) == (False, None)


def test_a_damaged_report_is_reported(tmp_path):
    path = run_of(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    told = []
    read(BENCH, path, skipped=told)
    assert [it.reason for it in told] == ["cut off in the middle"]


def test_a_report_that_has_grown_adds_what_is_new_and_revises_what_is_not(tmp_path):
    home = tmp_path / "home"
    import_logs(run_of(tmp_path), home=home)
    grown = {
        "submitted_ids": [*RUN["submitted_ids"], "a__a-5"],
        "resolved_ids": ["a__a-1", "a__a-2"],
    }
    again = import_logs(run_of(tmp_path, **grown, unresolved_ids=["a__a-5"]), home=home)
    assert again.counts == {"unchanged": 3, "revised": 1, "new": 1}
    assert import_logs(run_of(tmp_path, **grown), home=home).counts == {
        "unchanged": 4,
        "revised": 1,
    }


def test_a_report_of_one_instance_that_comes_later_is_of_the_same_submission(tmp_path):
    home = tmp_path / "home"
    import_logs(run_of(tmp_path), home=home)
    later = import_logs(report_of(tmp_path, "a__a-2"), home=home)
    assert later.counts == {"revised": 1}
    (one,) = later.submissions
    assert (one.row_id, len(one.outcome.criteria)) == ("model/run/a__a-2", 2)
