import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.record import Extraction
from benchmaker.scoring.robust_1.boolean import Boolean
from benchmaker.scoring.robust_1.exact import Exact
from benchmaker.scoring.robust_1.extraction import (
    LADDERS,
    NOTHING,
    RULES,
    extract,
    extraction_line,
    find_verdict,
    is_verdict,
    steps,
)
from benchmaker.scoring.robust_1.numeric import Numeric
from benchmaker.testing import a_score

KINDS = tuple(LADDERS)
NUMBER = st.integers(0, 10**6)
REASONING = st.text(alphabet="abc def.,\n", max_size=60)


def rule_and_text(reply, rules="auto", kind="exact"):
    taken = extract(reply, rules, kind=kind)
    return taken.rule, taken.text


ANCHORED = {
    "json": lambda n: json.dumps({"answer": str(n)}),
    "boxed": lambda n: rf"so \boxed{{{n}}}",
    "hashes": lambda n: f"#### {n}",
    "answer_is": lambda n: f"So the answer is {n}",
}


@pytest.mark.parametrize("kind", KINDS[::2])
@pytest.mark.parametrize("rule", ANCHORED)
@given(before=REASONING, number=NUMBER)
def test_an_anchored_answer_is_found_behind_any_reasoning(kind, rule, before, number):
    reply = f"{before}\n{ANCHORED[rule](number)}"
    assert rule_and_text(reply, kind=kind) == (rule, str(number))
    assert rule_and_text(reply, rule, kind=kind) == (rule, str(number))


@given(numbers=st.lists(NUMBER, min_size=4, max_size=4), order=st.permutations(list(ANCHORED)))
def test_the_earlier_rule_of_the_ladder_wins_wherever_it_stands(numbers, order):
    said = dict(zip(ANCHORED, numbers, strict=True))
    reply = "\n".join(ANCHORED[rule](said[rule]) for rule in order)
    assert rule_and_text(reply, kind="numeric") == ("json", str(said["json"]))
    assert rule_and_text(reply, list(reversed(ANCHORED)), kind="numeric") == (
        "answer_is",
        str(said["answer_is"]),
    )


@pytest.mark.parametrize("rule", ANCHORED)
@given(numbers=st.lists(NUMBER, min_size=1, max_size=5))
def test_of_several_anchors_the_last_counts(rule, numbers):
    reply = "\n".join(ANCHORED[rule](number) for number in numbers)
    assert rule_and_text(reply, kind="numeric") == (rule, str(numbers[-1]))


@given(text=st.text(max_size=100))
@pytest.mark.parametrize("kind", KINDS)
def test_any_text_is_extracted_from_without_an_error(kind, text):
    taken = extract(text, kind=kind)
    assert taken.rule in {*LADDERS[kind], "nothing"}
    assert (taken.rule == "nothing") <= (taken.text == "")


@given(text=st.text(max_size=100))
def test_none_takes_the_whole_reply(text):
    assert rule_and_text(text, "none") == ("whole", text)


@pytest.mark.parametrize(
    ("reply", "kind", "rule", "text"),
    [
        ("**Answer:** 18", "exact", "answer_is", "18"),
        ("The final answer is **Paris**.", "exact", "answer_is", "Paris."),
        ("the ANSWER IS: Paris", "exact", "answer_is", "Paris"),
        ("Answer:\n\n18\nbye", "exact", "answer_is", "18"),
        ("Reasons.\nA: 26", "numeric", "answer_is", "26"),
        ("DNA: 7\nthat is all", "numeric", "last_number", "7"),
        ("Let's evaluate A: A = 7, so 8", "numeric", "last_number", "8"),
        ("Reasons. A: 26 eggs, 2 spare", "numeric", "answer_is", "26 eggs, 2 spare"),
        ("Q: why?\n**A:** because", "exact", "answer_is", "because"),
        ("A: 26", "exact", "answer_is", "26"),
        ("The answer is 5.\nThe answer is as follows", "numeric", "answer_is", "5."),
        ("The answer is as follows\n6 and 7", "numeric", "last_number", "7"),
        ("answer: true\nno more", "boolean", "answer_is", "true"),
        ("it is true, not No", "boolean", "last_verdict", "No"),
        ("nothing like it", "boolean", "nothing", ""),
        ("no digits", "numeric", "nothing", ""),
        ("16 - 7 = 9", "numeric", "last_number", "9"),
        ("#### 2. Multiply\nso 18", "numeric", "last_number", "18"),
        ("#### 18\n\nSo 18 eggs for 2", "numeric", "hashes", "18"),
        ("#### Summary\nIt is Paris", "exact", "whole", "#### Summary\nIt is Paris"),
        ("##### 18\nbut 19", "numeric", "last_number", "19"),
        (r"\boxed{\frac{3}{4}}", "numeric", "boxed", r"\frac{3}{4}"),
        (r"\boxed{\text{Paris}}", "exact", "boxed", "Paris"),
        (r"\boxed{no number} 7", "numeric", "boxed", "no number"),
        (r"\boxed{18 cut off", "numeric", "last_number", "18"),
        ('{"answer": "unknown"} 7', "numeric", "json", "unknown"),
        ('{"answer": null} 7', "numeric", "last_number", "7"),
        ("{'answer': 18}", "numeric", "last_number", "18"),
        ('"answer": 18', "exact", "json", "18"),
    ],
)
def test_replies_as_models_give_them(reply, kind, rule, text):
    assert rule_and_text(reply, kind=kind) == (rule, text)


def test_rules_are_tried_in_the_order_given():
    reply = 'The answer is 5. {"answer": 6}'
    assert extract(reply, ["answer_is", "json"], kind="numeric").rule == "answer_is"
    assert extract(reply, ["json", "answer_is"], kind="numeric").rule == "json"
    assert extract("no anchor", ["json", "whole"]).rule == "whole"


def test_a_named_rule_that_finds_nothing_gives_nothing():
    assert extract("18", "json", kind="numeric") == Extraction(rule="nothing", text="")


def test_a_pattern_takes_its_first_group_that_took_part():
    assert rule_and_text("<b>x</b> <b>y</b>", "/<b>(.*?)</b>/") == ("/<b>(.*?)</b>/", "x")
    assert rule_and_text("say Y", "/say (?:(x)|(Y))/i")[1] == "Y"
    assert rule_and_text("year 1969", r"/\d+/")[1] == "1969"
    assert rule_and_text("none", r"/\d+/")[0] == "nothing"


@pytest.mark.parametrize("rules", ["jsn", ["json", "last_numbr"]])
def test_an_unknown_rule_is_refused_with_the_nearest(rules):
    with pytest.raises(SpecError, match=r"unknown rule .* Did you mean '(json|last_number)'"):
        extract("x", rules)


def test_a_pattern_that_is_none_is_refused():
    with pytest.raises(SpecError, match="invalid regular expression"):
        extract("x", "/(/")


@pytest.mark.parametrize("scorer", [Exact, Numeric, Boolean])
@pytest.mark.parametrize("field", ["extract", "extract_expected"])
def test_a_pattern_that_is_none_is_found_before_anything_is_scored(scorer, field):
    faulty = scorer(**{field: ["json", "/(/"]})
    ((path, message),) = faulty.faults()
    assert path == (field, 1)
    assert "invalid regular expression" in message
    assert scorer(extract=r"/\d/").faults() == []


def test_every_rule_has_its_place_in_a_ladder():
    assert {rung for ladder in LADDERS.values() for rung in ladder} == set(RULES)


@pytest.mark.parametrize(
    ("text", "last", "first"),
    [("Yes. No!", False, True), ("true", True, True), ("nobody", None, None), ("", None, None)],
)
def test_verdicts(text, last, first):
    assert find_verdict(text) is last
    assert find_verdict(text, last=False) is first


def test_only_a_verdict_alone_is_one():
    assert is_verdict(" Yes.")
    assert not is_verdict("Yes, Paris")


def test_a_taken_text_is_shown_with_its_rule():
    taken = a_score(extraction=Extraction(rule="json", text="x" * 500))
    assert extraction_line(taken).startswith("scored: 'xxx")
    assert extraction_line(taken).endswith("…', extracted by json")


HOSTILE = (
    "answer is ",
    "A:",
    "answer",
    "Answer:\n",
    "####",
    "#### 1\n",
    "\\boxed{",
    "}",
    "yes ",
    "1 ",
)


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_replies_are_read_in_one_pass(kind, unit):
    reply = unit * (300_000 // len(unit))
    start = process_time()
    extract(reply, kind=kind)
    assert process_time() - start < 20  # one that begins anew at each character takes an hour


PIECES = (
    "answer",
    " is ",
    "Answer",
    ":",
    "A",
    "#",
    "####",
    "\\boxed{",
    "}",
    '"',
    "{",
    "7",
    "yes",
    "\n",
)
SNIPPETS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


@given(text=SNIPPETS, kind=st.sampled_from(KINDS), rules=st.sampled_from(("auto", *RULES)))
def test_no_rule_is_passed_over_that_would_have_found_something(text, kind, rules):
    taken = ((name, rule(text, kind)) for name, rule in steps(rules, kind))
    found = ((name, said) for name, said in taken if said is not None)
    assert rule_and_text(text, rules, kind) == next(found, (NOTHING.rule, NOTHING.text))
