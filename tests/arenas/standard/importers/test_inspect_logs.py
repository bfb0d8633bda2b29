"""Inspect: epochs, dictionaries of scores, tools, and logs old and new."""

import zipfile

from benchmaker.arenas.standard.importers.inspect_logs import tool_samples
from benchmaker.record import FinishReason, Outcome
from tests.arenas.standard.importers.files import (
    imported,
    inspect_log,
    inspect_sample,
    tool_sample,
    trials_of,
    write_archive,
    write_json,
)


def metrics(name, value, **fields):
    return {"name": name, "scorer": name, "metrics": {"accuracy": {"name": "accuracy", "value": value}}, **fields}  # fmt: skip  # noqa: E501


def test_letters_become_numbers_and_the_key_is_expected(store, tmp_path):
    samples = [inspect_sample(at, value=value) for at, value in enumerate("CPIN")]
    (file,) = imported(store, write_json(tmp_path / "log.json", inspect_log(samples)))
    trials = trials_of(store, file)
    assert [trial.score.score for trial in trials] == [1.0, 0.5, 0.0, 0.0]
    assert trials[0].score.expected == "1"
    assert trials[0].completion.text == "1"
    assert trials[0].completion.usage.input_tokens == 9
    assert {(it.scorer, it.metric): it.value for it in file.headline}[
        "inspect/match", "accuracy"
    ] == 0.375


def test_epochs_are_runs_of_a_series_and_share_their_cases(store, tmp_path):
    samples = [inspect_sample(at, epoch) for epoch in (1, 2) for at in (1, 2, 10)]
    (file,) = imported(store, write_archive(tmp_path / "log.eval", inspect_log(samples)))
    assert [store.run(run_id).number for run_id in file.runs] == [1, 2]
    assert [trial.case_id for trial in store.trials(file.runs[1])] == ["1", "2", "10"]


def test_several_reducers_are_computed_over_epochs(store, tmp_path):
    samples = [inspect_sample(1, 1), inspect_sample(1, 2, "I"), inspect_sample(2, 1, "I"),
               inspect_sample(2, 2, "I")]  # fmt: skip
    log = inspect_log(samples)
    log["results"]["scores"] = [
        metrics("match", 0.25, reducer="mean"),
        metrics("match", 0.5, reducer="max"),
        metrics("match", 0.5, reducer="pass_at_1"),
    ]
    log["results"]["scores"][2]["metrics"]["accuracy"]["value"] = 0.25
    (file,) = imported(store, write_json(tmp_path / "log.json", log))
    assert {it.metric: it.value for it in file.headline} == {
        "accuracy/mean": 0.25,
        "accuracy/max": 0.5,
        "accuracy/pass_at_1": 0.25,
    }


def test_a_dictionary_of_scores_is_a_scorer_for_each_key(store, tmp_path):
    scores = {"graded": {"value": {"style": 3, "facts": "C"}, "explanation": "good"}}
    (file,) = imported(
        store, write_json(tmp_path / "log.json", inspect_log([inspect_sample(1, scores=scores)]))
    )
    (trial,) = trials_of(store, file)
    found = store.imported_rows.find(*trial.key)
    assert found.scores == {"inspect/graded/style": 3.0, "inspect/graded/facts": 1.0}
    assert found.rest["scores"] == scores


def test_logs_without_ids_are_told_apart_by_run_and_time(store, tmp_path):
    bare = {"uuid": None}
    samples = [inspect_sample(1, **bare), inspect_sample(2, **bare)]
    old = {"eval_id": None, "run_id": "r1", "created": "2024-10-15T12:53:13-04:00"}
    first = write_json(tmp_path / "a.json", inspect_log(samples, **old))
    other = write_json(
        tmp_path / "b.json",
        inspect_log(samples, **{**old, "run_id": "r2", "created": "2024-10-15T12:54:17-04:00"}),
    )
    copy = write_archive(tmp_path / "copy.eval", inspect_log(samples, **old))
    added = [imported(store, path)[0].added for path in (first, other, copy)]
    assert added == [2, 2, 0]


def test_samples_with_tools_are_counted_and_left_to_agents(store, tmp_path):
    log = inspect_log([inspect_sample(1), tool_sample(2), inspect_sample(3)])
    for path in (write_json(tmp_path / "l.json", log), write_archive(tmp_path / "l.eval", log)):
        (file,) = imported(store, path)
        assert (file.tally.rows, file.tally.translated, file.tally.submissions) == (3, 3, 1)
        assert len(trials_of(store, file)) == 2
        assert tool_samples(path) == {1}


def test_an_error_is_no_score_and_a_cut_answer_says_so(store, tmp_path):
    failed = inspect_sample(1, scores={}, error={"message": "rate limit"}, output={})
    cut = inspect_sample(2)
    cut["output"]["choices"][0]["stop_reason"] = "max_tokens"
    path = write_json(tmp_path / "log.json", inspect_log([failed, cut]))
    error, answered = trials_of(store, *imported(store, path))
    assert (error.outcome, error.error, error.score) == (
        Outcome.PROVIDER_ERROR,
        "rate limit",
        None,
    )
    assert answered.completion.finish is FinishReason.LENGTH


def test_choices_are_kept_and_pictures_are_named(store, tmp_path):
    asked = [{"role": "user", "content": [{"type": "image", "image": "x"}, {"type": "text", "text": "Which?"}]}]  # fmt: skip  # noqa: E501
    sample = inspect_sample(1, input=asked, choices=["red", "blue"], target="B")
    (file,) = imported(store, write_json(tmp_path / "log.json", inspect_log([sample])))
    suite = store.suite(store.run(file.runs[0]).suite_hash)
    (case,) = suite.cases
    assert (case.choices, case.expected) == (("red", "blue"), "B")
    assert case.prompt == "[image]\nWhich?"
    assert suite.scorer.id == "choice"


def test_a_damaged_sample_is_refused_and_the_others_are_kept(store, tmp_path):
    path = write_archive(tmp_path / "log.eval", inspect_log([inspect_sample(1)]))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("samples/2_epoch_1.json", '{"id": 2, "epo')
    (file,) = imported(store, path)
    assert (file.tally.rows, file.tally.translated, file.tally.refused) == (2, 1, 1)
    assert "samples/2_epoch_1.json" in file.tally.notes[0]
    assert file.is_partial
