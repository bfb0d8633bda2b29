import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchmaker.errors import SpecError
from benchmaker.spec import AnswerFields, CaseFields
from benchmaker.spec.suites.mapping import (
    MISSING,
    CaseMapper,
    answers_from_line,
    case_from_line,
    location,
    pick,
    picker,
)

LINE = {
    "question": "Why?",
    "turns": [{"content": "Hello"}, {"content": "Again"}],
    "a.b": "dotted",
    "a": {"b": "nested", "c": None},
    "task": "sums",
    "i": 3,
    "x": 1.5,
    "ok": True,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("question", "Why?"),
        ("turns.1.content", "Again"),
        ("a.b", "dotted"),
        ("a.c", None),
        ("{task}-{i}", "sums-3"),
        ("{turns.0.content}!", "Hello!"),
        ("{{{task}}}", "{sums}"),
        ("{i}{ok}", "3true"),
        ("{$line}", "12"),
        ("$line", 12),
        ("=gpt {x}", "gpt {x}"),
        (".", LINE),
    ],
)
def test_paths_and_templates(path, value):
    assert pick(LINE, path, number=12) == value


@given(st.text(min_size=1).filter(lambda text: not set(text) & set("{}$=") and text != "."))
def test_any_key_is_found_under_its_own_name(key):
    assert pick({key: 1}, key) == 1


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("questoin", "missing field 'questoin'. Did you mean 'question'?"),
        ("turns.2.content", "missing field 'turns.2.content'. The list there has 2 items"),
        ("turns.x", "The list there has 2 items, counted from 0."),
        ("turns.0.contnt", "Did you mean 'content'?"),
        ("zzz", "Fields there: question, turns, a.b, a, task, i, x, ok."),
        ("{task}-{j}-{i}", "missing field 'j'."),
        ("{a.c}", "missing field 'a.c'."),
        ("{turns}", "the field 'turns' is not text or a number. Map a field inside it."),
        ("question.0", "missing field 'question.0'."),
        ("turns.99999999999999999999", "missing field"),
    ],
)
def test_what_is_missing_is_named_with_the_nearest(path, words):
    with pytest.raises(SpecError) as caught:
        pick(LINE, path)
    assert words in str(caught.value)


@pytest.mark.parametrize("template", ["{a", "a}", "{}", "{a}}", "{{a}"])
def test_braces_must_match(template):
    with pytest.raises(SpecError, match="unbalanced braces"):
        picker(template)


@pytest.mark.parametrize("template", ["{a.__class__}", "{a!r}", "{i:>9}", "{i.real}", "{turns[0]}"])
def test_templates_evaluate_nothing(template):
    assert picker(template)(LINE, 0) is MISSING


def test_a_path_of_index_and_key_is_a_location():
    assert location("turns.0.content", LINE) == ("turns", 0, "content")
    assert location("a.b", LINE) == ("a.b",)
    assert location("{task}", LINE) == ()


def test_a_mapped_line_becomes_a_case():
    fields = CaseFields(id="{task}-{i}", prompt="question", expected="x", tags="task")
    case = case_from_line(LINE, fields, defaults={"category": "arithmetic"})
    assert (case.id, case.prompt, case.expected) == ("sums-3", "Why?", "1.5")
    assert (case.tags, case.category) == (("sums",), "arithmetic")


def test_an_unmapped_line_holds_a_cases_own_fields_and_no_others():
    assert case_from_line({"id": 7, "prompt": "x", "category": None}).id == "7"
    with pytest.raises(ValidationError, match="promt"):
        case_from_line({"id": 7, "promt": "x"})


def test_other_fields_of_a_mapped_line_are_let_be():
    assert case_from_line({"id": 7, "prompt": "x", "foreign": 1}, CaseFields()).id == "7"


def test_a_field_that_is_mapped_must_be_there_but_may_be_null():
    fields = CaseFields(expected="gold")
    assert case_from_line({"id": 1, "prompt": "x", "gold": None}, fields).expected is None
    with pytest.raises(SpecError, match="missing field 'gold'"):
        case_from_line({"id": 1, "prompt": "x"}, fields)


def test_mapping_the_prompt_leaves_messages_alone_and_the_reverse():
    line = {"id": 1, "prompt": "x", "messages": [{"role": "user", "content": "y"}], "q": "z"}
    assert case_from_line(line, CaseFields(prompt="q")).messages == ()
    assert case_from_line(line, CaseFields(messages="messages")).prompt is None


def test_defaults_fill_gaps_only():
    mapper = CaseMapper(None, {"weight": 2.0, "category": "c"})
    assert mapper.values({"id": 1, "category": "own", "weight": None}, 1)[0] == {
        "id": 1,
        "category": "own",
        "weight": 2.0,
    }


def test_a_tall_line_holds_one_answer():
    assert list(answers_from_line({"model": 4, "output": None}, AnswerFields())) == [("4", None)]


def test_a_wide_line_holds_one_answer_for_each_model_that_it_has():
    fields = AnswerFields(models={"6b": "six.solution", "175b": "big.solution", "x": "no.where"})
    line = {"six": {"solution": "a"}, "big": {"solution": None}}
    assert list(answers_from_line(line, fields)) == [("6b", "a"), ("175b", None)]


def test_a_constant_can_stand_for_the_model():
    fields = AnswerFields(model="=code-davinci-002")
    assert list(answers_from_line({"output": "x"}, fields)) == [("code-davinci-002", "x")]


@pytest.mark.parametrize(
    "line",
    [{"output": "x"}, {"model": "m"}, {"model": [], "output": ""}, {"model": " ", "output": ""}],
)
def test_an_answer_without_model_or_output_is_refused(line):
    with pytest.raises(SpecError):
        list(answers_from_line(line, AnswerFields()))


def test_fields_whose_mapping_was_refused_are_neither_read_nor_filled():
    mapper = CaseMapper(
        CaseFields(id="k"), {"group": "g", "category": "c"}, unmapped=frozenset({"group", "prompt"})
    )
    values, gaps = mapper.values({"k": 1, "prompt": "x", "group": "y", "messages": []}, 1)
    assert values == {"id": 1, "category": "c"}
    assert mapper.unknown_fields(values, gaps) == {"group", "prompt"}


def test_fields_whose_default_was_refused_are_unknown_where_the_line_has_none():
    mapper = CaseMapper(CaseFields(id="k"), {}, undefined=frozenset({"weight"}))
    assert mapper.unknown_fields({"weight": 1}, ()) == frozenset()
    values, gaps = mapper.values({}, 1)
    assert mapper.unknown_fields(values, gaps) == {"id", "weight"}
