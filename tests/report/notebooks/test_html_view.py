"""Results in notebooks show the verdict and the figures of the terminal, and run nothing."""

import html
import re
from html.parser import HTMLParser

import pytest

from benchmaker.report import summary_text
from benchmaker.report.gates.gate_sentences import gate_headline
from benchmaker.report.result_tables.means import MEANS
from tests.report.notebooks.results import HOSTILE, KEY, results
from tests.report.notebooks.test_data_frames import NAMES

ALLOWED = {"div", "p", "bdi", "table", "caption", "thead", "tbody", "tr", "th", "td"}
COLOURS = re.compile(r"(?<![-\w])(?:color|background)\s*:")


class Reader(HTMLParser):
    """Collects the tags, the attributes, the texts and the rows of a fragment."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.rows = [], set(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1] and self.tags[-1] == "bdi":
            self.rows[-1][-1] += data.strip()
        self.texts.append(data)


@pytest.fixture(scope="module", params=NAMES)
def fragment(request):
    return results()[request.param]._repr_html_()


def test_nothing_in_it_acts(fragment):
    read = Reader(fragment)
    assert set(read.tags) <= ALLOWED
    assert read.attributes <= {"style", "class", "scope"}
    assert "\x1b" not in fragment
    assert "\u202e" not in fragment
    assert KEY not in fragment


def test_colours_are_left_to_the_notebook(fragment):
    assert not COLOURS.search(fragment)


def test_it_begins_with_the_verdict_and_has_a_table(fragment):
    read = Reader(fragment)
    said = [text.strip() for text in read.texts if text.strip()]
    assert said[0].endswith(".")
    assert read.tags.index("table") > read.tags.index("p")


def test_hostile_names_are_shown_as_text():
    fragment = results()["RunResult"]._repr_html_()
    assert html.escape("<script>hit()</script>") in fragment
    assert HOSTILE not in fragment


def test_the_figures_of_a_run_are_those_of_the_terminal():
    result = results()["RunResult"]
    fragment = result._repr_html_()
    read = Reader(fragment)
    texts = MEANS.table(result.summary)
    assert [list(row) for row in texts.rows] == read.rows[1 : len(texts.rows) + 1]
    terminal = summary_text(result, width=400)
    verdict = " ".join(terminal.split("\n\n")[0].split())
    shown = " ".join(" ".join(read.texts).split())
    for sentence in re.split(r"(?<=\.) ", verdict):
        assert " ".join(sentence.split()) in shown


def test_a_gate_shows_its_headline_and_the_changed_answers():
    made = results()["BaselineGate"]
    fragment = html.unescape(made._repr_html_())
    assert gate_headline(made)[:20] in fragment
    assert f"before {chr(34)}" in fragment


def test_a_long_table_is_cut_with_a_note(tmp_path):
    from benchmaker import Suite, run  # noqa: PLC0415  one test alone

    suite = Suite("s", [{"id": "a", "prompt": "x", "expected": "1"}], scorer="exact")
    models = [f"m{n:03}" for n in range(70)]
    result = run(suite, provider=lambda _: "1", models=models, home=tmp_path)
    fragment = result._repr_html_()
    assert "10 more rows: use to_polars()." in fragment
    assert Reader(fragment).rows[60][0] == "m059"
