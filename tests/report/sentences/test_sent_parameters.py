"""The line of settings: what is sent, what is not, and what is sent otherwise."""

from benchmaker.report.sentences.sent_parameters import sent_words
from benchmaker.spec import Parameters

SCHEMA = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}


def words(parameters, seed=None, refusals=None, changes=None):
    return sent_words(parameters, seed, refusals or {"m": [], "n": []}, changes)


def test_room_for_thinking_is_named_with_its_reason():
    assert "max_tokens 18432 (2048, and 16384 for thinking)" in words(
        Parameters(reasoning_effort="high")
    )
    assert "max_tokens 110 (10, and 100 for thinking)" in words(
        Parameters(max_tokens=10, thinking_budget=100)
    )
    assert "max_tokens 10" in words(Parameters(max_tokens=10, reasoning_effort="high"))


def test_no_limit_is_named():
    assert "no max_tokens" in words(Parameters(max_tokens=None))
    assert "no max_tokens (32000 for m)" in words(
        Parameters(max_tokens=None), changes={"m": {"max_tokens": "32000"}}
    )


def test_a_refused_parameter_and_a_replaced_effort_are_named_with_their_models():
    given = Parameters(reasoning_effort="minimal", top_k=4)
    found = words(given, None, {"m": ["top_k"], "n": []}, {"n": {"reasoning_effort": "low"}})
    assert "top_k 4 (not for m)" in found
    assert "reasoning_effort minimal (low for n)" in found
    assert "no top_k" in words(given, None, {"m": ["top_k"], "n": ["top_k"]})


def test_the_seed_of_the_call_goes_before_the_suites():
    assert words(Parameters(seed=3))[-1] == "seed 3"
    assert words(Parameters(seed=3), 4)[-1] == "seed 4"
    assert words(Parameters())[-1] == "no seed"


def test_formats_and_stop_texts_are_short_and_extras_are_named_without_values():
    found = words(
        Parameters(
            response_format=SCHEMA,
            stop=["END", "\n"],
            extra_body={"tier": "flex"},
            extra_headers={"X-Title": "sums"},
        )
    )
    assert "response_format json_schema answer" in found
    assert r"stop 'END' '\n'" in found
    assert "extra_body tier" in found
    assert "extra_headers X-Title" in found
    assert "response_format json" in words(Parameters(response_format="json"))
