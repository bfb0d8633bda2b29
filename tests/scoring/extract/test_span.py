"""Where the extracted text stands in a reply: at its mark, else at its last place."""

import pytest

from benchmaker.record import Extraction
from benchmaker.scoring.build import build
from benchmaker.scoring.extract.span import extraction_span
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import a_case, a_trial

READ = [
    ("numeric", "42", "There are 142 rolls on 42 trays, so 42 in all.", (36, "42")),
    (
        "numeric",
        "45",
        "45 + 1 = 46, the answer is 45 rolls. I checked 45 twice.",
        (27, "45 rolls."),
    ),
    ("exact", "Lima", "<think>Lima? Cusco?</think>The capital is Lima.", (42, "Lima")),
    ("exact", "Lima", "LIMA it is: the answer is lima, not Cusco.", (26, "lima")),
    ("choice", "B", "Options A and B look right. The correct answer is (B).", (50, "(B).")),
    ("boolean", "yes", "Is it yes or no? Answer: yes", (25, "yes")),
]


@pytest.mark.parametrize(("scorer", "expected", "reply", "where"), READ)
def test_the_span_is_that_of_the_answer_that_was_scored(scorer, expected, reply, where):
    choices = {"choices": ("Paris", "Rome")} if scorer == "choice" else {}
    made = build(ScorerSpec(id=scorer), profile("robust"))
    score = made.score(a_case(expected=expected, **choices), a_trial(text=reply))
    found = extraction_span(reply, score.extraction, scorer)
    assert score.score == 1.0
    assert (found.start, reply[found.start : found.end]) == where


@pytest.mark.parametrize(
    ("rule", "taken", "reply"),
    [("whole", "42", " 42 "), ("nothing", "", "42"), ("json", "42", '{"answer": "4 2"}')],
)
def test_there_is_none_where_the_text_is_not_a_part_of_the_reply(rule, taken, reply):
    assert extraction_span(reply, Extraction(rule=rule, text=taken), "exact") is None


def test_a_part_of_a_word_or_a_number_is_not_marked():
    taken = Extraction(rule="result", text="4")
    assert extraction_span("14 and 4.5 and 40", taken) is None
    assert extraction_span("14, then 4.", taken) == (9, 10)
