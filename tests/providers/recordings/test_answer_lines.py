import pytest

from benchmaker.errors import SpecError
from benchmaker.providers.recordings.answer_lines import AnswerLines
from benchmaker.record import FinishReason
from benchmaker.spec import AnswerFields
from benchmaker.spec.documents.rows import DataRow


def answers(values, fields=None, text="{}", models=()):
    lines = AnswerLines(fields or AnswerFields())
    return list(lines.answers(DataRow(3, values, text), frozenset(models)))


def a_line(**values):
    return {"model": "m", "id": "c", "output": "x", **values}


def test_a_line_holds_an_answer():
    (answer,) = answers(a_line(run=2, latency_s=1.5, cost_usd=0, usage={"prompt_tokens": 3}))
    assert (answer.model, answer.case_id, answer.run) == ("m", "c", "2")
    completion = answer.completion
    assert (completion.text, completion.finish) == ("x", FinishReason.STOP)
    assert (completion.latency_s, completion.cost_usd) == (1.5, 0)
    assert completion.usage.input_tokens == 3
    assert completion.flags == ()


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ("stop", "stop"), ("end_turn", "stop"), (None, "stop"), ("length", "length"),
        ("max_tokens", "length"), ("MAX_TOKENS", "length"), ("content_filter", "filter"),
        ("refusal", "refusal"), ("tool_calls", "unknown"), (5, "unknown"),
    ],
)  # fmt: skip
def test_finish_reasons(said, finish):
    (answer,) = answers(a_line(finish=said))
    assert answer.completion.finish == finish


@pytest.mark.parametrize("output", [None, "", "  \n"])
def test_an_empty_output_is_an_answer(output):
    (answer,) = answers(a_line(output=output))
    assert answer.completion.text == (output or "")


@pytest.mark.parametrize(("output", "text"), [(18, "18"), (True, "true"), (1.5, "1.50")])
def test_numbers_as_output_and_id_keep_their_text(output, text):
    source = '{"model": "m", "id": 1.50, "output": 1.50}'
    (answer,) = answers(a_line(id=1.5, output=output), text=source)
    assert answer.completion.text == text
    assert answer.case_id == "1.50"


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "fast", True, [1], 10**400])
def test_figures_that_can_not_be_true_are_dropped_with_a_flag(value):
    (answer,) = answers(a_line(latency_s=value, cost_usd=value, usage={"input_tokens": -1}))
    completion = answer.completion
    assert (completion.latency_s, completion.cost_usd) == (None, None)
    assert completion.flags == ("usage_negative", "latency_dropped", "cost_dropped")
    assert completion.usage.input_tokens is None
    assert completion.text == "x"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"model": "m", "output": "x"}, "missing field 'id'"),
        (
            {"model": "m", "id": "c", "ouput": "x"},
            "missing field 'output'. Did you mean 'ouput'?",
        ),
        ({"id": "c", "output": "x"}, "missing field 'model'"),
        (
            {"system": "m", "case_id": "c", "answer": "x"},
            (
                "If these hold the values, add `--fields model=system --fields id=case_id --fields "
                "output=answer`."
            ),
        ),
        (a_line(id=None), "'id' is not an id"),
        (a_line(id=""), "'id' is not an id"),
        (a_line(id=[1]), "'id' is not an id"),
        (a_line(output=["x"]), "the output of 'm' ('output') is not text"),
        (a_line(output={"content": "x"}), "Map the field inside it that has the text"),
        (a_line(run=[1]), "'run' is not a run label"),
        (a_line(model=None), "no model in 'model'"),
    ],
)
def test_a_line_without_what_makes_an_answer_is_refused(values, words):
    with pytest.raises(SpecError) as caught:
        answers(values)
    assert words in str(caught.value)


def test_wide_lines_give_each_model_its_answer_and_no_figures():
    fields = AnswerFields(id="$line", models={"6b": "a.solution", "175b": "b.solution"}, run="r")
    found = answers({"a": {"solution": "x"}, "b": {"solution": None}, "r": 1, "usage": {}}, fields)
    assert [(it.model, it.case_id, it.run, it.completion.text) for it in found] == [
        ("6b", "3", "1", "x"),
        ("175b", "3", "1", ""),
    ]
    assert all(it.completion.usage is None for it in found)


def test_cells_of_a_table_are_read_as_what_they_stand_for():
    cells = {"model": "m", "id": "c", "output": "", "latency_s": "1.5", "cost_usd": "", "run": "",
             "usage.prompt_tokens": "3", "usage.completion_tokens": ""}  # fmt: skip
    (answer,) = answers(cells, text=None)
    completion = answer.completion
    assert (answer.run, completion.text, completion.latency_s, completion.cost_usd) == (
        None,
        "",
        1.5,
        None,
    )
    assert completion.usage.input_tokens == 3
    (answer,) = answers({**cells, "usage": '{"input_tokens": 7}'}, text=None)
    assert answer.completion.usage.input_tokens == 7
    (answer,) = answers({**cells, "usage": "seven"}, text=None)
    assert answer.completion.flags == ("usage_not_a_number",)


def test_mapped_fields_that_no_line_has_are_told():
    lines = AnswerLines(AnswerFields(latency_s="tme", run="run", models={"m": "out", "n": "owt"}))
    list(lines.answers(DataRow(1, {"id": "c", "out": "x", "time": 1}, "{}"), frozenset()))
    assert list(lines.unmatched_fields()) == [
        ("no line has the field 'run', the source of 'run'.", "Fields there: id, out, time."),
        ("no line has the field 'tme', the source of 'latency_s'.", "Did you mean 'time'?"),
        ("no line has the field 'owt', the source of 'n'.", "Did you mean 'out'?"),
    ]
