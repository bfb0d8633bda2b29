import csv
import io

import pytest

from benchmaker.record import Completion
from benchmaker.report import write_csv, write_summary_csv
from benchmaker.report.tables.csv import COLUMNS

KEY = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT"


def table(trials):
    stream = io.StringIO(newline="")
    write_csv(trials, stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue(), newline="")))


def test_a_trial_is_a_row(a_trial):
    trial = a_trial(0, 0.5, text='It is Paris,\n"surely"', weight=2.0, tags=("a", "b"))
    (row,) = table([trial])
    assert tuple(row) == COLUMNS
    assert (row["case_id"], row["model"], row["score"], row["weight"]) == (
        "c0",
        "aurora",
        "0.5",
        "2.0",
    )
    assert row["output"] == 'It is Paris,\n"surely"'
    assert (row["tags"], row["extraction_rule"], row["expected"]) == ("a b", "whole", "Paris")


def test_what_is_missing_is_an_empty_cell(a_trial):
    (row,) = table([a_trial(lost=True)])
    assert (row["score"], row["output"], row["cost_usd"]) == ("", "", "")
    assert (row["outcome"], row["error"]) == ("timeout", "no answer in 60 s")


def test_lines_end_as_the_standard_says(a_trial):
    stream = io.StringIO(newline="")
    write_csv([a_trial()], stream)
    assert stream.getvalue().count("\r\n") == 2


def test_a_hostile_answer_comes_back_whole(a_trial):
    (row,) = table([a_trial(text='=HYPERLINK("https://evil","x")\x00\ud800')])
    assert row["output"] == '\'=HYPERLINK("https://evil","x")\ufffd\ufffd'


def test_secrets_are_taken_out(a_trial):
    (row,) = table([a_trial(completion=Completion(text=f"use {KEY}"))])
    assert row["output"] == "use [redacted]"


def test_the_summary_is_a_row_a_model(two_models):
    stream = io.StringIO(newline="")
    write_summary_csv(two_models[1], stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue(), newline="")))
    assert [row["model"] for row in rows] == ["aurora", "basalt"]
    assert (rows[0]["mean"], rows[0]["sd_over"], rows[0]["outcomes"]) == (
        "0.75",
        "cases",
        "scored:6",
    )
    assert (float(rows[1]["ci95_low"]), float(rows[1]["ci95_high"])) == pytest.approx(
        (0.0735, 0.6252), abs=1e-4
    )
