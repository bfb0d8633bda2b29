import gzip
import json

import pytest

from benchmaker.errors import ProviderError, SpecError
from benchmaker.providers.recorded_judge import JudgedAnswer, RecordedJudge
from benchmaker.record import Judgment


@pytest.fixture
def recorded(tmp_path):
    opened = []

    def write(*lines, name="judge.jsonl"):
        path = tmp_path / name
        data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        opened.append(RecordedJudge.open(path))
        return opened[-1]

    yield write
    for one in opened:
        one.close()


def a_line(**fields):
    return {"model": "m", "id": "c1", "output": "8", **fields}


def asked(**fields):
    return Judgment(key="k", **{"judge": "recorded", "model": "m", "case_id": "c1", **fields})


def test_a_reply_is_found_by_model_and_case(recorded):
    judge = recorded(a_line(), a_line(id="c2", output="3", cost_usd=0.5), name="judge.jsonl.gz")
    assert judge.judges == ("recorded",)
    assert judge.find(asked()).text == "8"
    found = judge.find(asked(case_id="c2"))
    assert (found.text, found.cost_usd) == ("3", 0.5)
    assert len(judge) == 2
    assert judge.description()["kind"] == "recorded_judge"


def test_judges_repeats_and_orders_are_told_apart(recorded):
    judge = recorded(
        a_line(judge="x", order="ab"),
        a_line(judge="x", order="ba", output="B"),
        a_line(judge="y", repeat=2, output="twice"),
    )
    assert judge.judges == ("x", "y")
    assert judge.find(asked(judge="x", order="ba")).text == "B"
    assert judge.find(asked(judge="y", repeat=2)).text == "twice"


@pytest.mark.parametrize("fields", [{"case_id": "c9"}, {"repeat": 2}, {"purpose": "reference"}])
def test_what_was_not_recorded_is_not_made_up(recorded, fields):
    judge = recorded(a_line())
    with pytest.raises(ProviderError, match="no recorded reply"):
        judge.find(asked(**fields))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (a_line(order="first"), "'first' is not an order"),
        (a_line(repeat=0), "0 is not a repeat"),
        (a_line(judge=3), "is not a judge"),
        ({"model": "m", "id": "c1"}, "output"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(recorded, line, what):
    with pytest.raises(SpecError, match=f"judge.jsonl:2.*{what}"):
        recorded(a_line(id="c0"), line)


def test_two_replies_under_one_key_are_refused(recorded):
    with pytest.raises(SpecError, match="duplicate reply"):
        recorded(a_line(), a_line(output="9"))


def test_an_empty_file_is_refused(recorded):
    with pytest.raises(SpecError, match="no replies"):
        recorded()


def test_replies_to_the_answers_of_several_runs_are_told_apart(recorded):
    judge = recorded(*(a_line(run=number, output=str(number)) for number in (1, 2, 3)))
    for number in (1, 2, 3):
        assert judge.find(asked(), JudgedAnswer(run=number, answer="x")).text == str(number)
    with pytest.raises(ProviderError, match="run 4"):
        judge.find(asked(), JudgedAnswer(run=4))


def test_the_label_of_a_run_goes_before_its_number(recorded):
    judge = recorded(
        a_line(run="2", output="of the first"), a_line(run="1", output="of the second")
    )
    assert judge.find(asked(), JudgedAnswer(run=1, label="2")).text == "of the first"
    assert judge.find(asked(), JudgedAnswer(run=2, label="1")).text == "of the second"
    assert judge.find(asked(), JudgedAnswer(run=1, label="r-0815")).text == "of the second"


def test_a_reply_may_name_the_answer_that_it_is_to(recorded):
    judge = recorded(
        a_line(answer="good", output="9"), a_line(answer="bad", output="1"), a_line(id="c2")
    )
    assert judge.find(asked(), JudgedAnswer(run=1, answer="bad\n")).text == "1"
    assert judge.find(asked(), JudgedAnswer(run=2, answer="good")).text == "9"
    assert judge.find(asked(case_id="c2"), JudgedAnswer(run=2, answer="good")).text == "8"
    with pytest.raises(ProviderError, match="no recorded reply"):
        judge.find(asked(), JudgedAnswer(run=1, answer="other"))


def test_a_reply_that_names_no_run_serves_one_answer_alone(recorded):
    judge = recorded(a_line())
    for number in (1, 2):
        assert judge.find(asked(), JudgedAnswer(run=number, answer="same")).text == "8"
    with pytest.raises(ProviderError, match="has no run") as caught:
        judge.find(asked(), JudgedAnswer(run=3, answer="another"))
    assert '"run": 2' in str(caught.value)


def test_a_failed_request_to_a_judge_is_told_with_its_error(recorded):
    judge = recorded({"model": "m", "id": "c1", "output": None, "error": "HTTP 500"})
    with pytest.raises(ProviderError, match="HTTP 500"):
        judge.find(asked())


def test_the_file_says_how_often_each_judge_replied(recorded):
    lines = [
        a_line(judge=name, repeat=n)
        for name, last in (("x", 3), ("y", 1))
        for n in range(1, last + 1)
    ]
    assert recorded(*lines).repeats == {"x": 3, "y": 1}
