import pytest

from benchmaker.cli.options.mapping import answer_fields
from benchmaker.errors import SpecError


def test_without_a_mapping_there_is_none():
    assert answer_fields((), None) is None


def test_pairs_name_fields():
    fields = answer_fields(("output=answer.text", "id={task}-{i}"), None)
    assert (fields.output, fields.id, fields.model) == ("answer.text", "{task}-{i}", "model")


def test_a_path_may_hold_an_equals_sign():
    assert answer_fields(("output=a=b",), None).output == "a=b"


def test_wide_lines_name_a_field_for_each_model():
    fields = answer_fields(("models.gpt-4.1=a", "models.b=c.d"), None)
    assert fields.models == {"gpt-4.1": "a", "b": "c.d"}


def test_a_file_holds_the_same_mapping_and_pairs_go_before_it(tmp_path):
    file = tmp_path / "map.yaml"
    file.write_text("output: one\nid: key\nmodels: {a: x}\n")
    fields = answer_fields(("output=two", "models.b=y"), file)
    assert (fields.output, fields.id, fields.models) == ("two", "key", {"a": "x", "b": "y"})


@pytest.mark.parametrize("pair", ["output", "=path", "output="])
def test_a_pair_without_both_sides_is_refused(pair):
    with pytest.raises(SpecError, match="is not a mapping"):
        answer_fields((pair,), None)


def test_an_unknown_field_is_refused_with_the_nearest():
    with pytest.raises(SpecError, match=r"'ouput'.*Did you mean 'output'"):
        answer_fields(("ouput=a",), None)


@pytest.mark.parametrize("text", ["- a\n", "output: [1]\n", "{", "a: &x [*x]\n"])
def test_a_file_that_holds_no_mapping_is_refused(tmp_path, text):
    file = tmp_path / "map.yaml"
    file.write_text(text)
    with pytest.raises(SpecError, match=r"map\.yaml"):
        answer_fields((), file)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(SpecError, match=r"none\.yaml"):
        answer_fields((), tmp_path / "none.yaml")
