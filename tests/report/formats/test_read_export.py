import io
import json
from dataclasses import replace as replace_suite

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.record import Completion, Judgment, Outcome, Score, Series, Usage
from benchmaker.report import read_export, write_json
from benchmaker.spec import Case, JudgeSpec, Message, ScorerSpec, Suite


def written(path, suite, runs, trials, **options):
    stream = io.StringIO()
    write_json(stream, suite=suite, runs=runs, trials=trials, **options)
    path.write_text(stream.getvalue(), encoding="utf-8")
    return path


@pytest.fixture
def some(tmp_path, a_suite, a_run, a_trial):
    """An export of one run of six cases and two models."""
    suite = a_suite()
    run = a_run(suite_hash=suite.content_hash, planned=12)
    trials = [a_trial(at, model=model) for at in range(6) for model in ("aurora", "basalt")]
    return written(tmp_path / "run.json", suite, [run], trials), suite, run, trials


def test_everything_comes_back(some):
    path, suite, run, trials = some
    export = read_export(path)
    assert export.suite.content_hash == suite.content_hash
    assert tuple(export.suite.cases) == suite.cases
    assert (export.runs, export.series) == ((run,), None)
    assert [found.trial for found in export.trials()] == trials
    assert (export.n_cases, export.n_trials, export.redacted) == (6, 12, 0)
    assert export.suite_hash_kept


def test_the_file_is_one_json_object_with_a_trial_a_line(some):
    text = some[0].read_text()
    data = json.loads(text)
    assert (data["benchmaker_export"], data["scale"], len(data["trials"])) == (2, "0-1", 12)
    assert sum(line.startswith('{"trial":') for line in text.splitlines()) == 12


def test_every_version_of_a_score_comes_back(tmp_path, a_suite, a_run, a_trial):
    trial = replace(a_trial(0, 1.0), score_version=2)
    old = Score.of(0.25, notes="first")
    path = written(
        tmp_path / "x.json", a_suite(1), [a_run()], [trial], versions=lambda it: [old, it.score]
    )
    (found,) = read_export(path).trials()
    assert found.trial == trial
    assert found.scores == ((1, old), (2, trial.score))


def a_judgment(**fields):
    return Judgment(
        **{"key": "0" * 64, "judge": "j", "run_id": "r1", "completion": Completion(text="8")}
        | fields
    )


def test_judgments_come_back(tmp_path, a_suite, a_run, a_trial):
    judgments = [a_judgment(), a_judgment(order="ba", completion=None, error="late")]
    path = written(tmp_path / "x.json", a_suite(1), [a_run()], [a_trial()], judgments=judgments)
    export = read_export(path)
    assert list(export.judgments()) == judgments
    assert export.n_judgments == 2


def test_a_judgment_of_another_run_is_refused(tmp_path, a_suite, a_run):
    path = written(
        tmp_path / "x.json", a_suite(1), [a_run()], [], judgments=[a_judgment(run_id="r9")]
    )
    with pytest.raises(SpecError, match="run 'r9' of this judgment is not in the file"):
        read_export(path)


def test_the_suites_judge_comes_back(tmp_path, a_suite, a_run):
    suite = replace_suite(a_suite(1), judge=JudgeSpec.model_validate({"models": "j", "repeats": 3}))
    path = written(tmp_path / "x.json", suite, [a_run(suite_hash=suite.content_hash)], [])
    assert read_export(path).suite.judge == suite.judge
    assert read_export(path).suite_hash_kept


def test_an_export_of_format_1_is_read(some):
    path = some[0]
    text = path.read_text().replace('"benchmaker_export":2', '"benchmaker_export":1')
    path.write_text(text.replace('"judgments": [\n],\n', ""))
    assert list(read_export(path).judgments()) == []
    assert read_export(path).n_trials == 12


def test_a_series_and_trials_without_a_score_come_back(tmp_path, a_suite, a_run, a_trial):
    suite = a_suite(1)
    series = Series(id="s1", suite_hash=suite.content_hash, runs=2, created_at="2026-01-01")
    runs = [a_run(f"r{n}", series_id="s1", number=n) for n in (1, 2)]
    lost = a_trial(0, run="r2", lost=True)
    path = written(tmp_path / "x.json", suite, runs, [a_trial(), lost], series=series)
    export = read_export(path)
    assert export.series == series
    assert [found.trial for found in export.trials()] == [a_trial(), lost]


def test_a_suite_with_everything_in_it_comes_back(tmp_path, a_run):
    suite = Suite(
        name="süite",
        cases=(
            Case(id="1", messages=(Message(role="user", content="a\nb\u2028"),), tags=("x",)),
            Case(
                id="2",
                prompt="?",
                expected="1.50",
                scorer=ScorerSpec(id="numeric", tolerance=0.1, any_of=["a"]),
                weight=0.5,
                group="g",
                metadata={"deep": [1, 2.0, None, {"a": True}]},
            ),
        ),
        system_prompt="Be brief.",
        profile="robust",
        scorer=ScorerSpec(id="exact"),
    )
    export = read_export(written(tmp_path / "x.json", suite, [a_run()], []))
    assert export.suite.header() == suite.header()
    assert export.suite.content_hash == suite.content_hash
    assert export.runs[0].suite_hash == suite.content_hash
    assert not export.suite_hash_kept


@given(drawn=st.tuples(st.text(), st.text(), st.floats(0, 1), st.integers(0, 2**40)))
def test_any_text_and_any_score_comes_back(tmp_path_factory, a_suite, a_run, a_trial, drawn):
    text, error, value, tokens = drawn
    usage = Usage(output_tokens=tokens, flags=("odd",))
    done = Completion(text=text, usage=usage, latency_s=value)
    trial = a_trial(0, value, completion=done, error=error, outcome=Outcome.TRUNCATED)
    path = tmp_path_factory.mktemp("x") / "x.json"
    (found,) = read_export(written(path, a_suite(1), [a_run()], [trial])).trials()
    assert found.trial == trial


def test_secrets_are_taken_out_and_counted(tmp_path, a_suite, a_run, a_trial):
    key = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT"
    suite = a_suite(1, system_prompt=f"use {key}")
    path = written(tmp_path / "x.json", suite, [a_run()], [a_trial(text=key)])
    export = read_export(path)
    assert key not in path.read_text()
    assert export.suite.system_prompt == "use [redacted]"
    assert export.redacted == 2
    assert not export.suite_hash_kept


def changed(path, old, new, count=1):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, count))
    return path


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"model":"basalt"', '"model":"other"', "model 'other' is not one of the run's"),
        ('{"trial":{"run_id":"r1"', '{"trial":{"run_id":"r9"', "run 'r9' of this trial is not"),
        ('"model":"basalt"', '"model":"aurora"', "by 'aurora' occurs twice"),
        ('"case_id":"c1"', '"case_id":"c7"', "case 'c7' is not at position 1"),
        ('{"id":"c1"', '{"id":"c0"', "case 'c0' occurs twice"),
        ('"score":1.0', '"score":1.5', "a score is outside 0 to 1"),
        ('"score":1.0', '"score":NaN', "trials: JSON is malformed"),
        ('"outcome":"scored"', '"outcome":"won"', "Invalid enum value"),
        ('[[1,{"score"', '[[2,{"score"', "score versions do not start at 1"),
        ('"position":1', '"position":1,"weight":-1', "the weight is negative"),
        ('"prompt":"Capital number 0?"', '"prompts":"x"', "run.json:6: case: "),
        ('"benchmaker_export":2', '"benchmaker_export":3', "has format 3; this Benchmaker reads 2"),
        ('\n"redacted": 0}', "", "unexpected end of file"),
        ('"redacted": 0}', '"redacted": 0}\n{}', "unexpected text after the end"),
        ('"cases": [', '"trials": [', "trials out of place"),
        ('"cases": [', '"cases":[', "an unknown line"),
        ('"temperature":0.7', '"temperature":99', "the suite in the first line"),
        ('"runs": [', '"runs": [\n],\n"runs": [', "runs out of place"),
    ],
)  # fmt: skip
def test_a_changed_export_is_refused_by_its_line(some, old, new, words):
    with pytest.raises(SpecError) as caught:
        read_export(changed(some[0], old, new))
    assert words in str(caught.value)
    assert "run.json" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "hello", "model,score\na,1\n", '{"cases": []}', "\0", "[" * 100_000]
)
def test_other_files_are_no_exports(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(SpecError, match=r"other\.json"):
        read_export(path)


def test_an_export_that_was_reformatted_is_refused_with_what_to_do(some):
    path = some[0]
    path.write_text(json.dumps(json.loads(path.read_text()), indent=2))
    with pytest.raises(SpecError, match="benchmaker export RUN --format json"):
        read_export(path)


def test_every_cut_is_noticed(some):
    path = some[0]
    whole = path.read_bytes().rstrip(b"\n")
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(SpecError):
            read_export(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(SpecError):
            read_export(path)


def test_trials_are_written_as_they_come(a_suite, a_run, a_trial):
    stream = io.StringIO()

    def two():
        yield a_trial(0)
        assert '"case_id":"c0"' in stream.getvalue()
        yield a_trial(1)

    write_json(stream, suite=a_suite(2), runs=[a_run()], trials=two())
    assert '"case_id":"c1"' in stream.getvalue()
