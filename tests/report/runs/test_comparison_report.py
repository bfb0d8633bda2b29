import csv
import io
from dataclasses import replace

import pytest

from benchmaker.analysis import compare
from benchmaker.report.result_tables.comparisons import COMPARED_MODELS, PAIRS, ShownPair
from benchmaker.report.runs.comparison import (
    comparison_markdown,
    comparison_text,
    comparison_verdict,
    run_facts,
    write_comparison_csv,
)
from benchmaker.report.runs.differences import table_against


@pytest.fixture
def compared(a_trial):
    """A comparison of models that pass so many of 30 cases."""

    def make(passed, **more):
        trials = [
            a_trial(at, float(at < k), model=model)
            for model, k in passed.items()
            for at in range(30)
        ]
        return compare(trials, **more)

    return make


def test_every_version_of_the_suite_that_was_asked_is_named(a_run):
    def said(*hashes):
        runs = [a_run(f"r{at}", suite_hash=one * 8) for at, one in enumerate(hashes)]
        return run_facts([run.id for run in runs], runs)[0]

    one = "7f3a91c2"
    assert said(one, one) == "Data: 2 runs of capitals, suite 7f3a91c2, profile robust/1."
    assert "2 runs of capitals, suite versions 7f3a91c2 and 00000000, profile" in said(one, "0" * 8)
    assert "7 versions of the suite" in said(*(f"{at}" * 8 for at in range(7)))


def test_a_sentence_that_begins_with_a_model_keeps_its_name(compared):
    made = replace(compared(THREE), warnings=("cobalt: no scores", "too old: 3 cases"))
    notes = comparison_text(made)
    assert "cobalt: no scores." in notes
    assert "Too old: 3 cases." in notes


def test_too_few_cases_are_mentioned_once_beside_the_number_that_is_needed(compared):
    few = ("provisional: 3 common cases, at least 5 are needed", "too few cases for a difference")
    without = replace(compared({"aurora": 28, "basalt": 18}), warnings=few)
    assert "Provisional: 3 common cases" in comparison_text(without)
    assert "Too few cases" not in comparison_text(without)
    beside = comparison_text(replace(compared({"aurora": 20, "basalt": 18}), warnings=few))
    assert "you need about" in " ".join(beside.split())
    assert "Provisional" not in beside


def test_equal_accuracies_are_named_as_such(compared):
    (pair,) = compared({"aurora": 20, "basalt": 18}).pairs
    assert "have equal accuracies" in replace(pair, diff=0.0).sentence


def test_an_interval_that_ends_at_zero_says_so(compared):
    (pair,) = compared({"aurora": 20, "basalt": 18}).pairs
    assert "95% CI 0.0 to 19.0, including 0" in replace(pair, low=0.0, high=0.19).sentence


def test_an_end_beside_zero_shows_its_sign_on_every_surface(compared):
    (pair,) = compared({"aurora": 28, "basalt": 18}).pairs
    made = replace(
        compared({"aurora": 28, "basalt": 18}), pairs=(replace(pair, low=0.00012, high=0.181),)
    )
    assert "[0.012, 18.1]" in comparison_text(made)
    assert "95% CI 0.012 to 18.1" in comparison_markdown(made)
    assert "95% CI 0.012 to 18.1" in made.headline.sentence
    assert "[−18.1, −0.012]" in table_against(made, "aurora").text()


THREE = {"aurora": 28, "basalt": 18, "cobalt": 17}


def test_two_models_as_text(compared):
    assert comparison_text(compared({"aurora": 28, "basalt": 18}), explain=True) == SNAPSHOT


SNAPSHOT = """\
aurora beats basalt by 33.3 points (95% CI 18.2 to 51.2).

        Accuracy        95% CI  Scored  Coverage
Model                    cases   cases
────────────────────────────────────────────────
aurora     93.3%  [78.7, 98.2]      30    100.0%
basalt     60.0%  [42.3, 75.4]      30    100.0%

                Differ-        95% CI      p  Effect      Verdict  Cases
Higher  Lower      ence                       Cohen's d
────────────────────────────────────────────────────────────────────────
aurora  basalt    +33.3  [18.2, 51.2]  0.001  0.83 large  ahead       30

Hidden at 80 columns: Test. Use a wider terminal or --json to see it.
Accuracies and differences: in points (0–100), over the 30 cases scored for all
models, equal weights.
Method: McNemar's binomial test with mid-p.
"""


def test_without_explanation_one_line_below_the_pairs_names_the_option(compared):
    text = comparison_text(compared({"aurora": 28, "basalt": 18}))
    shown = SNAPSHOT.partition("Accuracies and")[0]
    assert text == shown + "Methods and notes: add --explain.\n"


def test_further_cases_needed_for_the_best_pair_stand_beside_the_verdict(compared):
    text = comparison_text(compared({"aurora": 20, "basalt": 18}))
    verdict, need = text.partition("\n\n")[0].split(".\n", 1)
    assert " ".join(verdict.split()).startswith("No significant difference: aurora leads basalt by")
    assert need.startswith("To detect a true difference of 6.7 points between aurora and basalt")


def test_a_minus_is_a_true_minus_everywhere(compared):
    text = comparison_text(
        compared({"aurora": 20, "basalt": 18, "cobalt": 3}), explain=True, width=200
    )
    assert "−" in text
    assert " -" not in text
    assert "[-" not in text


def test_the_difference_from_a_model_turns_signs_and_ends(compared):
    pair = compared(THREE).headline
    assert ShownPair(pair, "basalt").difference == (pair.diff, pair.low, pair.high)
    assert ShownPair(pair, "aurora").difference == (-pair.diff, -pair.high, -pair.low)
    assert ShownPair(pair, "aurora").effect.startswith("−0.8")
    rows = table_against(compared(THREE), "basalt").rows
    assert [row[0] for row in rows] == ["aurora", "cobalt"]
    assert [row[1] for row in rows] == ["+33.3", "−3.3"]
    assert [row[5] for row in rows] == ["higher", "not significant"]


def test_the_verdict_counts_the_pairs_that_are_told_apart(compared):
    assert comparison_verdict(compared(THREE))[1] == "2 of 3 pairs differ significantly."
    assert comparison_verdict(compared(THREE, margin=0.3))[1].startswith(
        "2 of 3 pairs differ significantly, 1 is equivalent within 30.0 points."
    )


def test_many_models_show_the_pairs_with_the_best_and_say_so(compared):
    text = comparison_text(compared({f"m{at}": 28 - at for at in range(8)}), explain=True)
    assert "Difference from m0" in text
    assert "21 more pairs: choose another --reference" in text


def test_long_names_are_stacked_and_never_folded(compared):
    text = comparison_text(compared({f"{'long' * 6}-{at}": 28 - 9 * at for at in range(3)}))
    assert f"{'long' * 6}-0" in text
    assert f"− {'long' * 6}-1" in text
    assert "− lower" in text


def test_markdown_holds_both_tables(compared):
    said = comparison_markdown(compared(THREE))
    assert "| Model | Accuracy |" in said
    assert (
        "| Higher | Lower | Difference | Holm-adjusted CI | p, adjusted | Effect, Cohen's d |"
        in said
    )


@pytest.mark.parametrize(("table", "declared"), [("models", COMPARED_MODELS), ("pairs", PAIRS)])
def test_csv_is_the_same_in_full(compared, table, declared):
    made, stream = compared(THREE), io.StringIO()
    write_comparison_csv({"": made}, stream, table=table)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
    assert tuple(rows[0]) == declared.keys
    source = made.models if table == "models" else made.pairs
    number = "mean" if table == "models" else "diff"
    assert [float(row[number]) for row in rows] == [getattr(one, number) for one in source]


def test_hostile_names_are_harmless(compared):
    evil = "\x1b[2J=cmd|<script>"
    made = compared({evil: 28, "basalt": 18})
    assert "\x1b" not in comparison_text(made)
    assert "<script>" not in comparison_markdown(made)


def test_a_reason_stands_once_for_all_pairs_it_holds_for(compared):
    made = compared({"a": 5, "b": 5, "c": 5})
    text = comparison_text(replace(made, pairs=made.pairs), explain=True)
    assert text.count("(a and b; a and c; b and c)") == 1
