import pytest

from benchmaker.errors import SpecError
from benchmaker.spec import Case, ScorerSpec, Suite

CASES = (Case(id="a", prompt="x"), Case(id="b", prompt="y", scorer="exact"))


def test_equal_content_has_an_equal_hash_wherever_it_came_from():
    one = Suite("s", CASES)
    other = Suite("s", list(CASES), source="elsewhere.yaml")
    assert one.content_hash == other.content_hash
    assert len(one.content_hash) == 64


def test_any_change_changes_the_hash():
    hashes = {
        Suite("s", CASES).content_hash,
        Suite("t", CASES).content_hash,
        Suite("s", CASES[::-1]).content_hash,
        Suite("s", CASES[:1]).content_hash,
        Suite("s", CASES, profile="robust").content_hash,
        Suite("s", CASES, scorer=ScorerSpec(id="numeric")).content_hash,
    }
    assert len(hashes) == 6


def test_the_cases_own_scorer_goes_before_the_suites():
    suite = Suite("s", CASES, scorer=ScorerSpec(id="numeric"))
    assert [suite.scorer_of(case).id for case in suite] == ["numeric", "exact"]
    assert Suite("s", CASES).scorer_of(CASES[0]) is None


HALF = "lone surrogate U+D800"


@pytest.mark.parametrize(
    ("suite", "words"),
    [
        (Suite("s", (Case(id="a", prompt="\ud800"),)), f"suite 's': case 'a' contains the {HALF}."),
        (
            Suite("s", (Case(id="a", prompt="x", metadata={"\ud800": 1}),)),
            f"case 'a' contains the {HALF}",
        ),
        (Suite("\ud800", CASES), f"suite '\\ud800': the header contains the {HALF}."),
        (
            Suite("s", CASES, source="f.py", system_prompt="\ud800"),
            "f.py: the header contains the lone",
        ),
        (Suite("s", (Case(id="a", prompt="x", metadata={"k": object()}),)), "not plain data"),
        (Suite("s", CASES, scorer=ScorerSpec(id="x", words={1: 2, "a": 3})), "not plain data"),
    ],
)
def test_what_no_file_could_hold_is_refused_in_words(suite, words):
    with pytest.raises(SpecError) as caught:
        _ = suite.content_hash
    assert words in str(caught.value)
