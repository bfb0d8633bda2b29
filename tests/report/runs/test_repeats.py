"""The section on repeats, on every surface, from one declaration."""

import csv
import io

from benchmaker.analysis import summarise
from benchmaker.redact import Redactor
from benchmaker.report import summary_text, write_html, write_markdown
from benchmaker.report.result_tables.repeats import FLAKY_CASES, REPEATS
from tests.report.conftest import make_trial


def series(*rows, model="m"):
    """The summary of cases with these scores in their runs."""
    return summarise(
        make_trial(at, score, case_id=f"c{at}", run=f"r{number}", model=model)
        for at, row in enumerate(rows)
        for number, score in enumerate(row)
    )


MIXED = series((1.0, 0.0, 1.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_the_terminal_has_the_shares_and_the_flaky_cases():
    text = summary_text(MIXED, width=100)
    assert "\nRepeats\n" in text
    assert (
        "pass@1  pass@3        95% CI  pass^3       95% CI  Majority        95% CI  Flaky" in text
    )
    assert "c0          2 of 3  66.7%  [20.8, 93.9]" in text
    assert "more flaky" not in text


def test_equal_scores_are_one_sentence_unless_all_is_explained():
    made = series((1.0, 1.0), (0.0, 0.0))
    assert "Repeats: no case differs in score over 2 runs." in summary_text(made)
    assert "pass@2" not in summary_text(made)
    some = summary_text(series((1.0, 1.0), (0.0, None)))
    assert "no case differs in score over up to 2 runs." in some
    assert "pass@2" in summary_text(made, detail="full")


def test_the_first_few_are_listed_and_all_are_with_the_explanation():
    made = series(*[(1.0, 0.0)] * 7)
    brief, full = summary_text(made), summary_text(made, detail="full")
    assert "2 more flaky cases are not listed:" in brief
    assert "--explain" in brief
    assert "\nc4 " in brief
    assert "\nc6 " not in brief
    assert "\nc6 " in full


def test_one_run_has_no_section():
    assert "Repeats" not in summary_text(series((1.0,), (0.0,)))


def test_unknown_shares_are_named_with_the_reason_in_files():
    made = series((1.0, 0.0, None), (1.0, 1.0, 1.0))
    assert "unknown" in summary_text(made, width=100)
    stream = io.StringIO()
    REPEATS.write_csv(made, stream, redactor=Redactor())
    (row,) = csv.DictReader(stream.getvalue().splitlines())
    assert (row["k"], row["pass_hat_k"]) == ("3", "")
    assert row["pass_hat_k_reason"].startswith("1 case of 2 has fewer than 3 scored runs")


def test_files_have_every_flaky_case():
    stream = io.StringIO()
    FLAKY_CASES.write_csv(MIXED, stream, redactor=Redactor())
    rows = list(csv.DictReader(stream.getvalue().splitlines()))
    assert [(row["case_id"], row["model"], row["right"], row["n"]) for row in rows] == [
        ("c0", "m", "2", "3"),
        ("c3", "m", "1", "3"),
    ]


def test_markdown_and_the_report_have_the_section():
    markdown, page = io.StringIO(), io.StringIO()
    write_markdown(MIXED, markdown)
    write_html(MIXED, page)
    assert "## Repeats" in markdown.getvalue()
    assert "| c0 | 2 of 3 | 66.7% |" in markdown.getvalue()
    assert 'id="h-repeats">Repeats</h2>' in page.getvalue()
    assert "pass^3" in page.getvalue()
