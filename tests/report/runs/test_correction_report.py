import io
import re
from dataclasses import replace

import pytest

from benchmaker.analysis import columns_of, summarise
from benchmaker.analysis.judges.correction import corrected_differences, means_of
from benchmaker.record.label import Label
from benchmaker.report.runs.correction import corrected_markdown, corrected_text
from benchmaker.report.runs.html import write_html
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.runs.text import summary_text

EVIL = "<script>alert(1)</script>\x1b[2J"


@pytest.fixture
def judged(a_trial):
    """Makes trials of models by name, with labels of the first places of each."""

    def make(*models, labelled=15, number=40):
        trials = [
            a_trial(at, 0.9 - at % 5 / 10 - rank / 10, model=model)
            for rank, model in enumerate(models)
            for at in range(number)
        ]
        labels = [
            Label(
                run_id="r1",
                case_id=it.case_id,
                model=it.model,
                blind_id=f"{it.model}-{it.position}",
                source="random",
                score=it.score.score - 0.1 - it.position % 3 / 20,
            )
            for it in trials
            if it.position < labelled
        ]
        return trials, labels

    return make


def with_labels(trials, labels):
    return replace(summarise(trials), corrected=means_of(columns_of(trials), labels))


def test_the_table_stands_below_that_of_the_judge(judged):
    said = summary_text(with_labels(*judged("aurora", "basalt")))
    above, _, below = said.partition("\n\nCorrected by human labels\n")
    assert "aurora" in above
    assert "15 of 40" in below
    assert "Method: PPI++ mean, variance-matched Wilson." in below
    assert "Based on 30 labels by 1 person on randomly drawn answers." in below
    assert "Only 15 labels; below 50 the interval may be too narrow (aurora; basalt)." in (
        below.replace("\n", " ")
    )


def test_the_table_names_setups_where_setups_are_compared(judged):
    trials, labels = judged("m · low", "m · high")
    plain = with_labels(trials, labels)
    assert _heads_of(plain) == {"Model"}
    assert _heads_of(replace(plain, noun="setup")) == {"Setup"}
    made = corrected_differences(trials, labels)
    assert "labelled for both setups" in corrected_text(made, noun="setup").replace("\n", " ")


def _heads_of(summary):
    """The first head of the table in the terminal, in Markdown and on the page of a report."""
    lines = summary_text(summary).partition("Corrected by human labels")[2].splitlines()
    head = next(line.split()[0] for at, line in enumerate(lines) if "───" in lines[at + 1])
    markdown, page = io.StringIO(), io.StringIO()
    write_markdown(summary, markdown)
    write_html(summary, page)
    row = markdown.getvalue().partition("Corrected by human labels\n\n| ")[2].split()[0]
    cell = re.search(
        r"Corrected by human labels</h2>.*?<th [^>]*>(\w+)</th>", page.getvalue(), re.DOTALL
    )
    return {head, row, cell[1]}


def test_without_labels_there_is_no_section(judged):
    trials, _ = judged("aurora")
    summary = summarise(trials)
    assert "Corrected" not in summary_text(summary)
    assert summary.to_dict()["corrected"] is None


def test_with_too_few_labels_there_is_the_reason_and_no_table(judged):
    trials, labels = judged("aurora", labelled=4)
    said = corrected_text(means_of(columns_of(trials), labels))
    assert said == (
        "Corrected by human labels\n"
        "Based on 4 labels by 1 person on randomly drawn answers.\n"
        "At least 10 labelled answers drawn at random are needed, 4 available (aurora).\n"
    )


def test_differences_say_that_each_interval_holds_by_itself(judged):
    trials, labels = judged("aurora", "basalt")
    made = corrected_differences(trials, labels)
    assert "Each interval is individual" in corrected_text(made)
    assert "| Higher" in corrected_markdown(made)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_table_fits_the_terminal(judged, width):
    trials, labels = judged("aurora", "basalt")
    text = corrected_text(means_of(columns_of(trials), labels), width=width)
    assert max(map(len, text.splitlines())) <= max(width, 68)
    table, _, below = text.partition("Hidden at ")
    assert ("alone, 95%" in table) == (width >= 80)
    assert ("alone, 95%" in " ".join(below.split())) == (width < 80)


def test_hostile_names_are_text_everywhere(judged):
    summary = with_labels(*judged(EVIL, "basalt"))
    for write in (write_html, write_markdown):
        stream = io.StringIO()
        write(summary, stream)
        assert "Corrected by human labels" in stream.getvalue()
        assert "<script" not in stream.getvalue().replace("\\<script", "")
        assert "\x1b" not in stream.getvalue()
    assert "\x1b" not in summary_text(summary)


def test_secrets_are_taken_out_of_reports(judged):
    secret = "sk-proj-" + "a1B2" * 12
    summary = with_labels(*judged(f"m-{secret}", "basalt"))
    for write in (write_html, write_markdown):
        stream = io.StringIO()
        write(summary, stream)
        assert secret not in stream.getvalue()
