"""lm-eval, HELM, DeepEval, OpenAI evals and pydantic-evals, from files in their forms."""

import json
from random import Random

import polars as pl

from benchmaker.record import Outcome
from tests.arenas.standard.importers.files import (
    deepeval_case,
    imported,
    lm_eval_choice,
    lm_eval_line,
    promptfoo_result,
    trials_of,
    write_json,
    write_lines,
    write_promptfoo,
)

DATE = "2026-11-22T19-26-19.874402"


def both_filters(docs):
    return [lm_eval_line(doc, name, right) for name, right in (("strict", 0.0), ("flexible", 1.0))
            for doc in range(docs)]  # fmt: skip


def test_filters_of_a_document_are_scores_of_one_trial(store, tmp_path):
    path = write_lines(tmp_path / f"samples_sums_{DATE}.jsonl", both_filters(3))
    (file,) = imported(store, path)
    assert (file.tally.rows, file.tally.translated, file.added) == (6, 6, 3)
    assert {(it.scorer, it.metric): it.value for it in file.headline} == {
        ("lm_eval/exact_match,strict", "value"): 0.0,
        ("lm_eval/exact_match,strict", "stderr"): 0.0,
        ("lm_eval/exact_match,flexible", "value"): 1.0,
        ("lm_eval/exact_match,flexible", "stderr"): 0.0,
    }


def test_the_second_filter_of_another_file_adds_scores_and_no_trials(store, tmp_path):
    lines = both_filters(3)
    halves = [
        write_lines(tmp_path / f"{name}.jsonl", part)
        for name, part in (("a", lines[:3]), ("b", lines[3:]))
    ]
    first, second = (imported(store, path)[0] for path in halves)
    assert (first.added, second.added) == (3, 0)
    assert first.runs == second.runs
    assert len(second.headline) == 4


def test_the_model_is_named_by_the_results_beside_the_samples(store, tmp_path):
    write_json(
        tmp_path / f"results_{DATE}.json",
        {"results": {"sums": {"exact_match,strict": 1.0}}, "configs": {"sums": {}},
         "model_name": "org/model", "lm_eval_version": "0.4.13", "date": 1795375579.5},
    )  # fmt: skip
    path = write_lines(tmp_path / f"samples_sums_{DATE}.jsonl", [lm_eval_line(0)])
    (file,) = imported(store, path)
    run = store.run(file.runs[0])
    assert run.models == ("org/model",)
    assert run.suite_name == "sums (lm-eval)"
    assert run.provider["version"] == "0.4.13"


def test_a_copy_without_the_results_file_is_still_a_copy(store, tmp_path):
    write_json(
        tmp_path / f"results_{DATE}.json",
        {"results": {}, "configs": {"sums": {}}, "model_name": "org/model"},
    )
    path = write_lines(tmp_path / f"samples_sums_{DATE}.jsonl", [lm_eval_line(0)])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    copy = write_lines(elsewhere / "copy.jsonl", [lm_eval_line(0)])
    assert [imported(store, one)[0].added for one in (path, copy)] == [1, 0]


def test_equal_answers_of_two_models_are_two_evaluations(store, tmp_path):
    added = []
    for model, date in (("org/a", DATE), ("org/b", DATE.replace("19-26", "20-26"))):
        folder = tmp_path / model.replace("/", "__")
        folder.mkdir()
        path = write_lines(folder / f"samples_sums_{date}.jsonl", [lm_eval_line(0)])
        added.append(imported(store, path)[0].added)
    assert added == [1, 1]


def test_the_likeliest_choice_is_the_answer(store, tmp_path):
    path = write_lines(
        tmp_path / "samples.jsonl",
        [lm_eval_choice(0, [-2.0, -0.5, -1.0], 1), lm_eval_choice(1, [-0.1, -3.0], 1)],
    )
    first, second = trials_of(store, *imported(store, path))
    assert (first.text, first.score.score, first.score.expected) == ("B", 1.0, "B")
    assert (second.text, second.score.score) == ("A", 0.0)


def helm_run(folder, states, statistics):
    folder.mkdir()
    adapter = {"model": "org/model", "temperature": 0.0}
    spec = {"name": "capitals:model=org_model", "adapter_spec": adapter}
    write_json(folder / "run_spec.json", spec)
    write_json(folder / "per_instance_stats.json", statistics)
    write_json(folder / "stats.json", [])
    return write_json(
        folder / "scenario_state.json", {"adapter_spec": adapter, "request_states": states}
    )


def helm_state(name, trial=0, *, success=True, perturbation=None):
    references = [
        {"output": {"text": "Lima"}, "tags": ["correct"]},
        {"output": {"text": "Quito"}, "tags": []},
    ]
    return {
        "instance": {
            "input": {"text": "Capital of Peru?"}, "references": references, "split": "test",
            "id": name, **({"perturbation": {"name": perturbation}} if perturbation else {}),
        },
        "train_trial_index": trial,
        "output_mapping": {"A": "Quito", "B": "Lima"},
        "request": {"prompt": "Capital of Peru?\nA. Quito\nB. Lima\nAnswer:"},
        "result": {"success": success, "error": None if success else "overloaded",
                   "completions": [{"text": " B"}] if success else [], "request_time": 0.5},
    }  # fmt: skip


def helm_stat(name, trial=0, value=1.0, perturbation=None):
    named = {"name": "exact_match", "split": "test"}
    changed = {"perturbation": {"name": perturbation}} if perturbation else {}
    return {
        "instance_id": name,
        "train_trial_index": trial,
        **changed,
        "stats": [{"name": {**named, **changed}, "count": 1, "mean": value}],
    }


def test_train_trials_of_helm_are_repeats_and_letters_are_mapped(store, tmp_path):
    states = [helm_state("id1", trial) for trial in (0, 1)]
    statistics = [helm_stat("id1", 0), helm_stat("id1", 1, 0.0)]
    helm_run(tmp_path / "run", states, statistics)
    (file,) = imported(store, tmp_path / "run")
    assert file.path == tmp_path / "run"
    assert [store.run(run_id).number for run_id in file.runs] == [1, 2]
    (case,) = store.suite(store.run(file.runs[0]).suite_hash).cases
    assert (case.choices, case.expected) == (("Quito", "Lima"), "B")
    assert {it.scorer: it.value for it in file.headline} == {"helm/exact_match": 0.5}


def test_a_perturbed_instance_of_helm_is_another_case_and_another_scorer(store, tmp_path):
    states = [helm_state("id1"), helm_state("id1", perturbation="typos")]
    statistics = [helm_stat("id1"), helm_stat("id1", value=0.0, perturbation="typos")]
    helm_run(tmp_path / "run", states, statistics)
    (file,) = imported(store, tmp_path / "run")
    found = {it.scorer: it.value for it in file.headline}
    assert found == {"helm/exact_match": 1.0, "helm/exact_match,perturbation=typos": 0.0}
    assert {trial.case_id for trial in trials_of(store, file)} == {"id1", "id1/typos"}


def test_a_failed_request_of_helm_is_no_score(store, tmp_path):
    helm_run(tmp_path / "run", [helm_state("id1", success=False)], [helm_stat("id1")])
    (trial,) = trials_of(store, *imported(store, tmp_path / "run"))
    assert (trial.outcome, trial.error) == (Outcome.PROVIDER_ERROR, "overloaded")


def test_both_shapes_of_deepeval_are_one_run(store, tmp_path):
    run = {"testCases": [deepeval_case("a", 0.9), deepeval_case("b", 0.2)],
           "testPassed": 1, "testFailed": 1}  # fmt: skip
    plain = write_json(tmp_path / "plain.json", run)
    wrapped = write_json(tmp_path / "wrapped.json", {"testRunData": run, "link": "x"})
    first, second = imported(store, plain)[0], imported(store, wrapped)[0]
    assert (first.added, second.added) == (2, 0)
    assert {(it.scorer, it.metric): it.value for it in first.headline} == {
        ("deepeval/success", "passed"): 1.0,
        ("deepeval/success", "failed"): 1.0,
        ("deepeval/success", "mean"): 0.5,
        ("deepeval/Faithfulness", "mean"): 0.55,
    }


def test_a_conversation_of_deepeval_ends_with_the_answer(store, tmp_path):
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    talk = {**deepeval_case("talk", 0.9), "turns": turns, "input": None, "actualOutput": None}
    path = write_json(tmp_path / "run.json", {"conversationalTestCases": [talk]})
    (trial,) = trials_of(store, *imported(store, path))
    assert trial.text == "Hello"


def test_the_events_of_a_sample_of_openai_evals_are_one_row(store, tmp_path):
    def event(sample, kind, **data):
        return {"run_id": "r1", "event_id": 0, "sample_id": f"sums.{sample}", "type": kind,
                "data": data}  # fmt: skip

    asked = [{"role": "user", "content": "1 + 1?"}]
    lines = [
        {"spec": {"run_id": "r1", "base_eval": "sums", "completion_fns": ["gpt-x"]}},
        event(0, "sampling", prompt=asked, sampled=["2"]),
        event(0, "match", correct=True, expected="2", sampled="2"),
        event(1, "match", correct=False, expected="3", sampled="4"),
        event(2, "error", message="rate limit"),
        {"final_report": {"accuracy": 0.5}},
    ]
    (file,) = imported(store, write_lines(tmp_path / "log.jsonl", lines))
    assert (file.tool, file.tally.rows) == ("openai_evals", 3)
    assert [(it.metric, it.value) for it in file.headline] == [("accuracy", 0.5)]
    outcomes = [trial.outcome for trial in trials_of(store, file)]
    assert outcomes == [Outcome.SCORED, Outcome.SCORED, Outcome.PROVIDER_ERROR]


def test_repeats_and_failures_of_pydantic_evals(store, tmp_path):
    def case(name, right, **fields):
        checks = {"Equals": {"name": "Equals", "value": right}, "Typed": {"value": True}}
        return {"name": name, "inputs": "Capital?", "expected_output": "Lima", "output": "Lima",
                "scores": {"length": {"value": 4}}, "assertions": checks, "task_duration": 0.1,
                **fields}  # fmt: skip

    failed = {"name": "oz", "inputs": "?", "error_message": "ValueError: no such land",
              "error_stacktrace": "…", "expected_output": None}  # fmt: skip
    report = {
        "name": "ask",
        "cases": [
            case("peru [1/2]", True, source_case_name="peru"),
            case("peru [2/2]", False, source_case_name="peru"),
            case("chile", False),
        ],
        "failures": [failed],
    }
    (file,) = imported(store, write_json(tmp_path / "report.json", report))
    assert file.tally.rows == file.tally.translated == 4
    assert [store.run(run_id).number for run_id in file.runs] == [1, 2]
    found = {it.scorer: it.value for it in file.headline}
    assert found["pydantic_evals/assertions"] == (3 / 4 + 1 / 2) / 2
    assert found["pydantic_evals/length"] == 4.0
    (error,) = [it for it in trials_of(store, file) if it.outcome is Outcome.PROVIDER_ERROR]
    assert error.error == "ValueError: no such land"


def test_a_file_that_is_cut_off_is_refused_with_the_reason(store, tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testCases": [deepeval_case("a", 0.9)]})[:-20])
    (file,) = imported(store, path)
    assert file.is_refused
    assert "unexpected end of file" in str(file.error)
    assert store.runs() == ()


def test_odd_characters_and_numbers_are_stored(store, tmp_path):
    path = tmp_path / "run.json"
    case = deepeval_case("a \x00 \ud83d", float("nan"), actualOutput="odd \ud800 \x00")
    path.write_text(json.dumps({"testCases": [case]}))
    (trial,) = trials_of(store, *imported(store, path))
    assert trial.text == "odd ? \x00"
    assert store.imported_rows.find(*trial.key).scores["deepeval/Faithfulness"] is None


def test_variables_with_names_that_no_suite_has_are_kept(store, tmp_path):
    row = promptfoo_result(0, vars={"": "empty", "x" * 300: [["nested"]], "list": []})
    (trial,) = trials_of(store, *imported(store, write_promptfoo(tmp_path / "r.json", [row])))
    suite = store.suite(store.run(trial.run_id).suite_hash)
    assert next(iter(suite.cases)).metadata["vars"][""] == "empty"


def lighteval_details(folder, rows, figures):
    """The details of a task and the results file of their run, as lighteval places them."""
    details = folder / "details" / "org" / "model" / DATE
    results = folder / "results" / "org" / "model"
    details.mkdir(parents=True)
    results.mkdir(parents=True)
    write_json(
        results / f"results_{DATE}.json",
        {"config_general": {"model_name": "org/model"}, "results": {"sums|0": figures}},
    )
    path = details / f"details_sums|0_{DATE}.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return path


def test_details_of_lighteval_with_the_results_of_their_run(store, tmp_path):
    rows = [
        {
            "doc": {
                "query": "1 + 1?",
                "choices": [" 2", " 3"],
                "gold_index": gold,
                "id": str(gold),
            },
            "metric": {"acc": 1.0 - gold},
            "model_response": {"text": [], "logprobs": [-0.1, -0.2]},
        }
        for gold in (0, 1)
    ]
    (file,) = imported(store, lighteval_details(tmp_path, rows, {"acc": 0.5}))
    assert {(it.scorer, it.metric): it.value for it in file.headline} == {
        ("lighteval/acc", "mean"): 0.5
    }
    first, second = trials_of(store, file)
    assert (first.model, first.text, first.score.expected) == ("org/model", "A", "A")
    assert second.score.expected == "B"


def test_the_standard_error_of_lighteval_is_added_up_in_its_own_order(store, tmp_path):
    order = list(range(20))
    Random(42).shuffle(order)  # noqa: S311  as lighteval shuffles documents
    rows = [
        {
            "doc": {"query": f"{at}+2=", "choices": [str(at + 2)], "gold_index": 0, "id": str(at)},
            "metric": {"em": float(at % 3 != 0)},
            "model_response": {"text": [str(at + 2 + (at % 3 == 0))]},
        }
        for at in order
    ]
    stated = {"em": 0.65, "em_stderr": 0.10942433098048311}  # those of lighteval 0.13.0
    (file,) = imported(store, lighteval_details(tmp_path, rows, stated))
    assert {f"em{'_stderr' * (it.metric == 'stderr')}": it.value for it in file.headline} == stated
