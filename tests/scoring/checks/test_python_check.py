"""The python check: its results, its faults, and functions that misbehave."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from benchmaker.errors import ScorerError, ScorerTimeout, SpecError
from benchmaker.plugins import NAMED_ONLY
from benchmaker.scoring.build import build, faults
from benchmaker.scoring.checks.python_check import Python
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import (
    Example,
    ScorerContract,
    a_case,
    a_completion,
    a_transcript,
    a_trial,
)

SOURCE = """
import os
from dataclasses import dataclass

import beside

LIMIT = 3
calls = []


def has_answer(output, case):
    return case["expected"] in output


def share(output, case):
    return min(1, len(output) / 10)


def verdict(output, case):
    return {"passed": len(output) > LIMIT, "score": 0.25, "reason": f"{len(output)} signs"}


def only_passed(output, case):
    return {"passed": True}


def only_score(output, case):
    return {"score": 0.5}


def takes_calls(output, case, calls, transcript=None):
    return calls == [{"name": "add", "arguments": {"a": 2}, "result": "42", "step": 1}] and (
        [it["role"] for it in transcript] == ["user", "assistant", "tool", "assistant"])


def reads_every_message(transcript):
    return [len(it["tool_calls"]) for it in transcript] == [0, 1, 0, 0]


def takes_only_calls(calls):
    return calls is None or len(calls) == 1


async def later(output, case):
    return output == "42"


def uses_case(output, case):
    return (case["vars"], case["metadata"], case["expectations"], case["id"]) == (
        {"n": 1}, {"m": [2]}, ["a", "b"], "case-7")


def numpy_share(output, case):
    import numpy
    return numpy.float64(0.75)


def uses_its_neighbour(output, case):
    return beside.HELP == output


def prints(output, case):
    print("noise", flush=True)
    os.write(1, b"noise")
    return True


def environment(output, case):
    return os.environ.keys() <= {"LC_CTYPE"}  # which Python sets itself


def loops(output, case):
    while True:
        pass


def holds_on(output, case):
    while True:
        try:
            while True:
                pass
        except Exception:
            pass


def raises(output, case):
    raise KeyError("gone")


def leaves(output, case):
    raise SystemExit(3)


def dies(output, case):
    os._exit(1)


def grows(output, case):
    return [bytearray(1 << 20) for _ in range(4096)] == []


def recurses(output, case):
    return recurses(output, case)


def returns_none(output, case):
    return None


def returns_text(output, case):
    return "yes"


def returns_two(output, case):
    return 2


def returns_nan(output, case):
    return float("nan")


def returns_object(output, case):
    return object()


def returns_other_mapping(output, case):
    return {"verdict": True}


def returns_passed_text(output, case):
    return {"passed": "yes", "score": 1}


def returns_itself(output, case):
    found = {}
    found["score"] = found
    return found


NOT_CALLABLE = int('5')
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "own checks.py"
    path.write_text(SOURCE)
    (tmp_path / "beside.py").write_text("HELP = 'help'\n")
    return path


def score_of(file, name, text="42", *, timeout=10.0, **case):
    check = Python(f"{file}:{name}", timeout=timeout)
    return asyncio.run(check.score(a_case(**case), a_trial(text=text)))


@pytest.mark.parametrize(
    ("name", "text", "score"),
    [
        ("has_answer", "It is 42.", 1.0),
        ("has_answer", "It is 43.", 0.0),
        ("share", "four", 0.4),
        ("only_passed", "", 1.0),
        ("only_score", "", 0.5),
        ("later", "42", 1.0),
        ("numpy_share", "", 0.75),
        ("uses_its_neighbour", "help", 1.0),
        ("prints", "", 1.0),
        ("environment", "", 1.0),
    ],
)
def test_a_function_gives_the_score(file, name, text, score):
    assert score_of(file, name, text, expected="42").score == score


def test_a_function_gets_the_case(file):
    case = {"id": "case-7", "vars": {"n": 1}, "metadata": {"m": [2]}, "expected": ["a", "b"]}
    assert score_of(file, "uses_case", **case).score == 1.0


def test_a_function_gets_the_calls_if_it_has_a_parameter_for_them(file):
    completion = a_completion("5", transcript=a_transcript(("add", {"a": 2})))
    for name in ("takes_calls", "takes_only_calls", "reads_every_message"):
        check = Python(f"{file}:{name}")
        score = asyncio.run(check.score(a_case(), a_trial(completion=completion)))
        assert score.score == 1.0
    assert score_of(file, "takes_only_calls").score == 1.0


def test_a_verdict_comes_with_score_and_reason(file):
    score = score_of(file, "verdict", "four")
    assert (score.score, score.notes, score.detail["passed"]) == (0.25, "4 signs", True)
    assert score_of(file, "verdict", "one").detail["passed"] is False
    lines = Python(f"{file}:verdict").explain(score)
    assert lines[0].startswith(f"{file.name}:verdict, file ")
    assert lines[1:] == ["passed: yes", "4 signs: 0.25"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "raised KeyError: 'gone'"),
        ("leaves", "raised SystemExit: 3"),
        ("recurses", "raised RecursionError"),
        ("grows", "raised MemoryError"),
        ("dies", "the worker"),
        ("returns_none", "returned None, not a boolean"),
        ("returns_text", "returned 'yes', not a boolean"),
        ("returns_two", "returned 2, not a boolean"),
        ("returns_nan", "returned nan, not a boolean"),
        ("returns_object", "raised TypeError"),
        ("returns_other_mapping", "returned {'verdict': True}, not"),
        ("returns_passed_text", "returned {'passed': 'yes', 'score': 1}, not"),
        ("returns_itself", "raised (RecursionError|ValueError)"),
    ],
)
def test_a_function_that_fails_leaves_the_answer_unscored(file, name, reason):
    with pytest.raises(ScorerError, match=reason):
        score_of(file, name)
    assert score_of(file, "only_passed").score == 1.0


@pytest.mark.parametrize("name", ["loops", "holds_on"])
def test_a_function_that_does_not_end_is_stopped(file, name):
    with pytest.raises(
        ScorerTimeout,
        match=f"own checks.py:{name}: timed out after 0.2 s of processor time, or 2 s of waiting",
    ):
        score_of(file, name, timeout=0.2)
    assert score_of(file, "only_passed").score == 1.0


def test_a_changed_file_is_read_again_and_has_another_digest(file):
    first = score_of(file, "only_passed")
    file.write_text("def only_passed(output, case):\n    return False\n")
    second = score_of(file, "only_passed")
    assert (first.score, second.score) == (1.0, 0.0)
    assert first.detail["sha256"] != second.detail["sha256"]


def test_a_relative_path_starts_at_the_working_directory(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert score_of(Path(file.name), "only_passed").score == 1.0


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("checks.py", "no function in 'checks.py'"),
        ("checks.py:", "no function in 'checks.py:'"),
        (":f", "no function in ':f'"),
        ("checks.py:a-b", "no function"),
        ("gone.py:f", "can't be read: No such file"),
        ("own checks.py:gone", "defines no 'gone'"),
        ("broken.py:f", "broken.py:2: "),
        ("binary.py:f", "can't be read: it is not UTF-8"),
        (".:f", "can't be read: Is a directory"),
    ],
)
def test_a_value_without_a_function_is_a_fault(file, monkeypatch, value, reason):
    monkeypatch.chdir(file.parent)
    Path("broken.py").write_text("def f(output, case):\nreturn 1\n")
    Path("binary.py").write_bytes(b"\xff\xfe\x00")
    found = Python(value).faults()
    assert found[0].path == ("value",)
    assert reason in found[0].message
    with pytest.raises((SpecError, ScorerError)):
        score_of_value(value)


def score_of_value(value):
    return asyncio.run(Python(value).score(a_case(), a_trial(text="42")))


def test_a_name_that_is_no_function_is_an_error(file):
    assert Python(f"{file}:NOT_CALLABLE").faults() == []
    with pytest.raises(SpecError, match="there is no such function"):
        score_of(file, "NOT_CALLABLE")


def test_imported_and_assigned_functions_count_as_defined(file):
    for name in ("dataclass", "NOT_CALLABLE", "has_answer", "later"):
        assert Python(f"{file}:{name}").faults() == []
    (fault,) = Python(f"{file}:LIMIT").faults()
    assert fault.message.endswith("own checks.py:7: 'LIMIT' is no function.")


@pytest.mark.parametrize("timeout", [0, -1, 3601])
def test_a_time_limit_is_positive_and_at_most_an_hour(timeout):
    with pytest.raises(SpecError, match="timeout must be more than 0"):
        build(ScorerSpec(id="python", value="a.py:f", timeout=timeout), profile("robust"))


def test_a_shared_server_refuses_code(file):
    token = NAMED_ONLY.set(True)
    try:
        assert "not allowed on a shared server" in Python(f"{file}:later").faults()[0].message
        with pytest.raises(SpecError, match="not allowed on a shared server"):
            score_of(file, "later")
    finally:
        NAMED_ONLY.reset(token)


def test_a_value_is_required():
    assert [it.parameter for it in faults(ScorerSpec(id="python"), profile("robust"))] == ["value"]


LENGTH = Path(__file__).with_name("length_function.py")


class TestPython(ScorerContract):
    scorer = partial(Python, f"{LENGTH}:is_short")
    limit_s = 60.0
    examples = (Example("short", score=1.0), Example("a" * 20, score=0.0))
