"""Comparisons by dimension and within a margin as text and Markdown."""

import io
import re

import numpy as np
import pytest

from benchmaker.analysis import compare, compare_levels, rank, summarise
from benchmaker.analysis.effects.run_effects import run_effects
from benchmaker.record import RunState
from benchmaker.report.runs.comparison import brief_text, comparison_markdown, comparison_text
from benchmaker.report.runs.dimensions import (
    effect_sentences,
    effects_markdown,
    levels_markdown,
    levels_text,
)
from benchmaker.report.runs.html import write_html
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.runs.ranking import ranking_text
from benchmaker.report.runs.text import summary_text
from benchmaker.report.runs.within_margin import within_margin_notes, within_margin_sentence
from tests.analysis.effects.designs import a_design, a_run, columns_for, setups_of

DESIGN = a_design(prompt={"few": 0.08}, interaction={("alpha", "few"): 0.1})


def designed(cases=60, seed=0):
    scores = DESIGN.scores(np.random.default_rng(seed), cases)
    return columns_for(DESIGN.setups, scores, costs=scores), a_run(DESIGN.setups)


def plain(text):
    return " ".join(text.split())


def test_effects_come_in_the_order_prompt_model_effort():
    columns, run = designed()
    said = effect_sentences(run_effects(columns, [run]))
    firsts = [one for one in said if "pairs of" not in one]
    assert firsts[0].startswith("Prompt few beats plain")
    assert "model" in firsts[1].lower()
    assert "effort" in firsts[2].lower()


def test_a_significant_interaction_is_a_sentence():
    columns, run = designed()
    said = effect_sentences(run_effects(columns, [run]))
    assert any(one.startswith("The effect of the prompt depends on the model") for one in said)


def test_a_run_without_dimensions_has_no_effects():
    setups = setups_of(("a", "b"), (None,))
    columns = columns_for(setups, np.random.default_rng(0).random((9, 2)))
    assert run_effects(columns, [a_run(setups)]) is None


def test_a_single_setup_has_no_effects():
    setups = setups_of(("a",), ("plain",))
    columns = columns_for(setups, np.random.default_rng(0).random((9, 1)))
    assert run_effects(columns, [a_run(setups)]) is None


def test_a_dimension_without_scores_is_left_out():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = np.random.default_rng(0).random((20, 4))
    scores[:, [1, 3]] = np.nan
    made = run_effects(columns_for(setups, scores), [a_run(setups)])
    assert [one.by for one in made.comparisons] == ["model"]


def test_text_has_verdict_levels_pairs_and_hint():
    columns, run = designed()
    said = levels_text(compare_levels(columns, "prompt", [run]), [run])
    assert plain(said).startswith("Prompt few beats plain by ")
    assert said.rstrip().endswith("Methods and notes: add --explain.")


def test_explained_text_names_the_methods():
    columns, run = designed()
    said = plain(levels_text(compare_levels(columns, "model", [run]), [run], explain=True))
    assert "Method: paired Student's t; Holm over 3 pairs." in said
    assert "interaction contrasts of 2 × 2 levels" in said
    assert "scored for all models" in said


def test_an_unfinished_run_is_a_warning():
    columns, run = designed()
    interrupted = a_run(DESIGN.setups, state=RunState.INTERRUPTED)
    assert "Unfinished: r." in levels_text(compare_levels(columns, "prompt", [run]), [interrupted])


def test_a_minus_is_a_true_minus():
    columns, run = designed()
    for by in ("prompt", "model", "effort"):
        said = levels_text(compare_levels(columns, by, [run], margin=0.02), [run])
        assert not re.search(r"(?<![-e\d])-\d", said)


def test_markdown_escapes_names():
    setups = setups_of(("a", "b"), ("*bold*", "[x](y)"))
    columns = columns_for(setups, np.random.default_rng(0).random((60, 4)))
    made = compare_levels(columns, "prompt", [a_run(setups)])
    said = levels_markdown(made)
    assert "| *bold*" not in said
    assert "[x](y)" not in said
    assert "[x](y)" not in effects_markdown(run_effects(columns, [a_run(setups)]))


def test_untested_setups_have_a_reason():
    setups = setups_of(("a", "b"), (None,))
    scores = np.random.default_rng(0).random((20, 2))
    columns = columns_for(setups, scores, weights=np.arange(1, 21))
    made = compare(columns, [a_run(setups)], margin=0.1).within_margin
    said = " ".join([*within_margin_sentence(made), *within_margin_notes(made)])
    assert "Not tested: with unequal weights, 50 cases are needed" in said
    assert "No model is shown to be within 10.0 points of the best" in said


def test_the_cheapest_setup_within_a_margin_stands_above_the_pairs():
    columns, run = designed()
    made = compare(columns, [run], margin=0.06)
    text, markdown = comparison_text(made, [run]), comparison_markdown(made, [run])
    assert text.startswith("Cheapest setup within 6.0 points of the best: ")
    assert text.index("At worst") < text.index("Difference from")
    assert markdown.startswith("**Cheapest setup within 6.0 points of the best: ")
    assert markdown.index("At worst") < markdown.index("Verdict")
    assert brief_text(made).startswith("Cheapest setup within")


@pytest.mark.parametrize(("written", "start"), [(levels_text, ""), (levels_markdown, "**")])
def test_the_cheapest_level_within_a_margin_stands_above_the_pairs(written, start):
    columns, run = designed()
    said = written(compare_levels(columns, "effort", [run], margin=0.2), [run])
    assert said.startswith(f"{start}Cheapest effort within 20.0 points of the best: ")
    assert said.index("At worst") < said.index("Higher")


def test_a_report_shows_the_cheapest_setup_above_the_differences():
    columns, run = designed()
    stream = io.StringIO()
    write_html(summarise(columns), stream, comparison=compare(columns, [run], margin=0.06))
    said = stream.getvalue()
    assert said.index("Cheapest setup within 6.0 points") < said.index('id="h-differences"')


def test_a_comparison_without_a_margin_names_no_cheapest_setup():
    columns, run = designed()
    assert "Cheapest" not in comparison_text(compare(columns, [run]), [run])


@pytest.mark.parametrize(
    ("prompts", "noun", "other"), [((None,), "model", "setup"), (("x", "y"), "setup", "model")]
)
def test_reports_call_a_model_with_its_prompt_a_setup(prompts, noun, other):
    setups = setups_of(("a", "b", "c", "d"), prompts)
    scores = np.random.default_rng(0).random((12, len(setups)))
    scores[::2, 0] = np.nan
    columns, run = columns_for(setups, scores), a_run(setups)
    summary, compared = summarise(columns, [run]), compare(columns, [run])
    html, markdown = io.StringIO(), io.StringIO()
    write_html(summary, html, comparison=compared, ranking=rank(columns, [run]))
    write_markdown(summary, markdown)
    ranked = ranking_text(rank(columns, [run]), [run])
    body = html.getvalue().partition("</style>")[2]
    texts = (
        summary_text(summary, detail="full"),
        comparison_text(compared, [run], explain=True, width=200),
        comparison_markdown(compared, [run]),
        markdown.getvalue(),
        ranked,
        body,
    )
    for text in texts:
        assert re.search(rf"\b{noun}s?\b", text, re.IGNORECASE)
        assert not re.search(rf"\b{other}s?\b", text, re.IGNORECASE)
    assert f"{len(setups)} {noun}s, " in summary_text(summary)
    assert f"scored for all {noun}s" in plain(texts[1])


def test_a_long_note_counts_the_other_setups():
    setups = setups_of(("a", "b", "c", "d"), ("x", "y"))
    columns = columns_for(setups, np.random.default_rng(0).random((3, 8)))
    assert "and 2 more setups." in plain(summary_text(summarise(columns, [a_run(setups)])))


def test_a_comparison_by_prompt_speaks_of_prompts():
    columns, run = designed()
    said = plain(levels_text(compare_levels(columns, "prompt", [run]), [run], explain=True))
    assert "scored for all prompts" in said
    assert "models" not in said.replace("over 3 models", "")
