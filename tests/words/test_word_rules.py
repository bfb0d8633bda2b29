"""The list of banned words: it catches what readers stumble over, and nothing else."""

import re
from pathlib import Path

import pytest

from scripts.words.markdown import blocks
from scripts.words.rules import Finding, findings, rules
from scripts.words.sentence import Area, Text, sentences
from tests.conftest import SHARED

PAIRS = [
    ("What a task needs, and who wrote it.", "The requirements and author of a task."),
    ("Who hands it in.", "The submitter's name."),
    ("Whether a run is over, shown as a badge.", "Shows a badge when the run is over."),
    ("How many cases there will be.", "Number of planned cases."),
    ("So many rows are kept.", "Maximum number of rows kept."),
    ("First come the failures.", "Failures come first."),
    ("X and Y are not told apart.", "No significant difference between X and Y."),
    ("Count the votes anew.", "Recount the votes."),
    ("There is nobody to ask.", "No model given."),
    ("The judge was asked twice.", "The judge was queried twice."),
    ("The row is held against the tool.", "The row is flagged."),
    ("The file ends before its time.", "Unexpected end of file."),
    ("No reader knows what it is.", "Unrecognised format."),
    ("Secrets belong into the vault.", "Secrets belong in the vault."),
    ("The timeout is the provider's doing.", "The timeout was caused by the provider."),
    ("Two trials failed by infrastructure.", "Two trials failed (provider error)."),
    ("Trials left out of the mean: 3.", "3 trials are excluded from the mean."),
    ("Answers that are known before.", "Canned answers."),
    ("Answers of known worth.", "Answers with known scores."),
    ("Go on with a run.", "Resume a run."),
    ("Hand in a session.", "Submit a session."),
    ("No request that could lead beyond this.", "No request that could exceed the budget."),
    ("First place is not settled.", "First place is undecided."),
    ("Of 1 models 1 have scores.", "1 of 1 model scored."),
    ("A request that is under way.", "A request in flight."),
    ("Skipped, copies of other rows: 4.", "Skipped 4 duplicate rows."),
    ("This did not work. Mend it.", "No suite “arith”. Check its name."),
    ("The budget is spent.", "Budget reached."),
    ("Most it may cost, $", "Budget, $"),
    ("Requests at once", "Parallel requests"),
    ("The cost is not known.", "The cost is unknown."),
    ("Prices are listed, says `benchmaker models`.", "`benchmaker models` lists prices."),
    ("Plan how many cases you need.", "Calculate the number of cases you need."),
    ("Whoever leaves lets the workers go.", "The last one out stops the workers."),
]
WORDS = SHARED / "reference" / "words.md"


def found_in(words: str, area: Area = Area.DOCS, *, is_boolean: bool = False) -> list[Finding]:
    return list(findings([Text(area, Path("page.md"), 1, words, is_boolean)], rules()))


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_list_catches_the_first_of_a_pair_alone(before: str, after: str):
    assert found_in(before)
    assert found_in(after) == []


@pytest.mark.data
def test_the_list_catches_the_sentences_of_the_reference():
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    assert len(rows) >= 60
    assert sum(bool(found_in(now)) for _, now, _ in rows) >= 50
    assert [better for _, _, better in rows if found_in(better)] == []


def test_every_rule_has_a_pattern_a_reason_and_better_words():
    listed = rules()
    assert len({rule.pattern.pattern for rule in listed}) == len(listed)
    assert all(rule.reason and rule.better for rule in listed)
    assert all(isinstance(rule.pattern, re.Pattern) for rule in listed)


def test_a_question_may_open_with_a_question_word():
    assert found_in("What did my last week cost?") == []


def test_a_yes_or_no_may_be_described_with_whether():
    assert found_in("Whether the run is over.", is_boolean=True) == []
    assert found_in("Whether the run is over.")
    assert found_in("What the run does.", is_boolean=True)


def test_the_name_of_a_parameter_is_not_judged():
    assert found_in("what: the path of a file.", Area.DOCSTRINGS) == []
    assert found_in("anew: whether to make every board.", Area.DOCSTRINGS) == []
    assert found_in("limit: how many rows are kept.", Area.DOCSTRINGS)


@pytest.mark.parametrize("words", ["What did it cost? · [Changelog](a)", "Example: office-desk"])
def test_links_beside_a_question_and_names_are_not_judged(words: str):
    assert found_in(words) == []


@pytest.mark.parametrize("area", [Area.HELP, Area.MESSAGES, Area.PAGES])
def test_35_words_are_the_most_where_people_read_in_passing(area: Area):
    assert found_in(" ".join(["word"] * 35) + ".", area) == []
    assert "36 words" in found_in(" ".join(["word"] * 36) + ".", area)[0].reason


def test_documents_may_have_longer_sentences():
    assert found_in(" ".join(["word"] * 36) + ".", Area.DOCS) == []


def test_code_is_one_word_and_its_words_are_not_judged():
    (one,) = sentences(Text(Area.HELP, Path("a"), 1, "Use `what is asked anew` for {…} here."))
    assert one.length == 5
    assert found_in("Use `asked anew` here.") == []


def test_a_finding_names_the_place_the_sentence_the_reason_and_better_words():
    (one,) = findings([Text(Area.DOCS, Path("page.md"), 7, "Fine.\nCount\nanew.")], rules())
    assert str(one) == 'page.md:8: "Count anew." — archaic; write: again, re-'


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("One. Two.", 2),
        ("See e.g. Django. Then go.", 2),
        ("Version 1.2 is out.", 1),
        ("A file suite.yaml. `run` reads it.", 2),
        ("One · Two", 2),
        ("“One.” (Two.)", 2),
    ],
)
def test_sentences_end_at_their_full_stop(words: str, count: int):
    assert len(list(sentences(Text(Area.DOCS, Path("a"), 1, words)))) == count


def test_prose_of_markdown_has_its_lines_and_no_code():
    page = (
        "# Title\n\nA [link](https://x.y).\n\n```python\nanew = 1\n```\n\n- one\n- two\n  lines\n"
    )
    assert list(blocks(page)) == [(1, "Title"), (3, "A link."), (9, "one"), (10, "two\n  lines")]


def test_each_cell_of_a_table_is_a_text():
    assert [words.strip() for _, words in blocks("| a | b |\n|---|---|\n| c | d |\n")] == [*"abcd"]
