"""Genuine files of each tool: the tool's own figures come out of the stored rows."""

import json

import pytest

from tests.arenas.standard.importers.files import figures_of, imported

pytestmark = [pytest.mark.data, pytest.mark.long]


@pytest.fixture
def folder(shared):
    return shared / "incoming-t2"


def test_every_row_of_every_file_is_accounted_for(store, folder):
    files = imported(store, folder)
    assert {one.tool for one in files} == {"inspect", "promptfoo", "lm_eval", "helm", "deepeval"}
    for one in files:
        tally = one.tally
        assert one.error is None
        assert tally.refused == 0
        assert tally.translated + tally.verbatim + tally.refused == tally.rows
    assert sum(one.tally.rows for one in files) == 271


def test_a_second_import_adds_nothing(store, folder):
    first, second = imported(store, folder), imported(store, folder)
    assert sum(one.added for one in second) == 0
    assert [one.runs for one in first] == [one.runs for one in second]


def test_the_counts_and_sums_of_promptfoo_are_reproduced(store, folder):
    path = folder / "promptfoo" / "results.json"
    (file,) = imported(store, path)
    found = figures_of(file)
    stated = json.loads(path.read_bytes())["results"]["prompts"]
    assert len(stated) == 4
    for prompt in stated:
        where, metrics = (prompt["provider"], prompt["label"]), prompt["metrics"]
        assert found["promptfoo/pass", "passed", *where] == metrics["testPassCount"]
        assert found["promptfoo/pass", "failed", *where] == metrics["testFailCount"]
        assert found["promptfoo/pass", "errors", *where] == metrics["testErrorCount"]
        assert found["promptfoo/score", "sum", *where] == metrics["score"]
        assert found["promptfoo/named", "sum", *where] == metrics["namedScores"]["named"]
    assert file.not_recomputed == ("promptfoo/share_named sum",)


def test_the_json_lines_of_promptfoo_are_part_of_its_json(store, folder):
    whole = imported(store, folder / "promptfoo" / "results.json")[0]
    lines = imported(store, folder / "promptfoo" / "results.jsonl")[0]
    assert lines.runs == whole.runs
    assert (whole.added, lines.added) == (48, 0)


@pytest.mark.parametrize(
    "name",
    [
        "2025-09-23T08-09-58-04-00_popularity_DN2wbX2ZvACsBpjwptzBRo.eval",
        "2025-05-12T20-28-13-04-00_popularity.json",
        "log_formats.json",
        "mmlu-summary-choices.eval",
    ],
)
def test_the_metrics_of_inspect_are_reproduced(store, folder, name):
    (file,) = imported(store, folder / "inspect" / name)
    header = store.imported_rows.header(file.runs[0])
    stated = {(it["scorer"], it["metric"]): it["value"] for it in header.figures}
    found = {(it.scorer, it.metric): it.value for it in file.headline}
    assert stated
    assert found == stated


def test_the_metrics_of_lm_eval_are_reproduced_with_one_trial_a_document(store, folder):
    (results,) = (folder / "lm_eval").glob("results_*.json")
    stated = json.loads(results.read_bytes())["results"]
    for task, lines in (("sums_gen", 12), ("sums_mc", 6)):
        (path,) = (folder / "lm_eval").glob(f"samples_{task}_*.jsonl")
        (file,) = imported(store, path)
        assert (file.tally.rows, file.added) == (lines, 6)
        for one in file.headline:
            name, applied = one.scorer.removeprefix("lm_eval/").split(",")
            key = f"{name}{'_stderr' if one.metric == 'stderr' else ''},{applied}"
            assert one.value == stated[task][key]


def test_the_means_of_helm_are_reproduced(store, folder):
    (path,) = (folder / "helm").glob("simple_mcqa*")
    (file,) = imported(store, path)
    stated = {
        f"helm/{it['name']['name']}": it["mean"]
        for it in json.loads((path / "stats.json").read_bytes())
        if it["count"] and it["name"].get("split") == "test" and "perturbation" not in it["name"]
    }
    found = {it.scorer: it.value for it in file.headline}
    assert found
    assert found == {name: stated[name] for name in found}
    assert {"helm/exact_match", "helm/quasi_exact_match"} <= found.keys()


def test_a_test_run_of_deepeval_keeps_judge_cost_and_reason(store, folder):
    (file,) = imported(store, folder / "deepeval" / "test_run_sample.json")
    found = {(it.scorer, it.metric): it.value for it in file.headline}
    assert found["deepeval/success", "failed"] == 1
    assert found["deepeval/Faithfulness", "mean"] == 0.45
    judged = list(store.each_judgment(file.runs[0]))
    assert len(judged) == 2
    assert {it.judge for it in judged} == {"gpt-5.4"}
    assert judged[0].cost_usd == 0.0042
