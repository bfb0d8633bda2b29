import io
import json

from benchmaker.record import Completion, Usage
from benchmaker.redact import Redactor
from benchmaker.report import write_jsonl


def rows(trials, **options):
    stream = io.StringIO()
    write_jsonl(trials, stream, **options)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_row_has_the_published_fields(a_trial):
    done = Completion(text="Paris", usage=Usage(input_tokens=3, output_tokens=1), latency_s=0.5)
    trial = a_trial(0, 0.5, completion=done, flags=("late",), scoring={"flags": ("auto_pass",)})
    (row,) = rows([trial])
    assert (row["run_id"], row["model"], row["case_id"]) == ("r1", "aurora", "c0")
    assert (row["output"], row["outcome"], row["score"]) == ("Paris", "scored", 0.5)
    assert row["flags"] == ["late", "auto_pass"]
    assert row["extraction"] == {"rule": "whole", "text": "Paris"}
    assert (row["expected"], row["weight"], row["category"]) == ("Paris", 1.0, None)
    assert (row["input_tokens"], row["latency_s"], row["cost_usd"]) == (3, 0.5, None)
    assert row["reasoning_tokens"] is None


def test_what_is_missing_is_null(a_trial):
    (row,) = rows([a_trial(lost=True)])
    assert {row[name] for name in ("output", "score", "extraction", "notes")} == {None}


def test_lines_hold_nothing_that_ends_a_line_and_no_lone_surrogate(a_trial):
    (row,) = rows([a_trial(text="a\nb\u2028c\u2029d\x85e\ud800")])
    assert row["output"] == "a\nb\u2028c\u2029d\x85e\ufffd"


def test_known_secrets_are_taken_out(a_trial):
    (row,) = rows([a_trial(text="hunter2hunter2")], redactor=Redactor(["hunter2hunter2"]))
    assert row["output"] == "[redacted]"
    assert row["extraction"]["text"] == "[redacted]"


def test_trials_are_written_as_they_come(a_trial):
    stream = io.StringIO()

    def two():
        yield a_trial(0)
        assert stream.getvalue().count("\n") == 1
        yield a_trial(1)

    write_jsonl(two(), stream)
    assert stream.getvalue().count("\n") == 2
