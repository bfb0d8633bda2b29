"""The line of settings: what is sent, what is not, and what is sent otherwise."""

from benchmaker.engine.runs.setups import setups_of
from benchmaker.report.sentences.sent_parameters import sent_words
from benchmaker.spec import Parameters, Suite

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
    found = words(given, None, {"m": ["top_k"], "n": ["top_k"]})
    assert "top_k 4 is not sent to m, n" in found


def test_a_limit_without_the_room_for_thinking_is_named_where_it_is_sent():
    given = Parameters(thinking_budget=2000)
    less = {"max_tokens": "2048"}
    found = words(given, None, {"m": ["thinking_budget"], "n": []}, {"m": less})
    assert "max_tokens 4048 (2048, and 2000 for thinking) (2048 for m)" in found
    found = words(given, None, {"m": ["thinking_budget"]}, {"m": less})
    assert "max_tokens 2048" in found
    assert "thinking_budget 2000 is not sent to m" in found


def test_only_what_a_model_was_given_is_named_as_not_sent():
    refusals = {"m": ["top_k", "seed"], "n": ["top_k"]}
    found = words(Parameters(), None, refusals, {"m": {"top_k": "5"}})
    assert "no seed" in found
    own = Suite("s", [{"id": "a", "prompt": "P"}], models=["m", {"model": "m", "label": "hot",
                "parameters": {"top_k": 5}}])  # fmt: skip
    given = sent_words(Parameters(), None, {"hot": ["top_k"]}, setups=setups_of(own, own.models))
    assert "top_k 5 is not sent to hot" in given


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


CROSSED = Suite(
    "s",
    [{"id": "a"}],
    parameters={"top_k": 4},
    prompts=[
        {"id": "p", "prompt": "P"},
        {"id": "q", "prompt": "Q", "parameters": {"stop": ["END"]}},
    ],
    models=["m", {"model": "m", "label": "hot", "parameters": {"temperature": 1.5}}],
    efforts=["low", "high"],
)
SETUPS = setups_of(CROSSED, CROSSED.models)


def crossed(refused):
    refusals = {one.name: ["top_k"] if one.name in refused else [] for one in SETUPS}
    return sent_words(Parameters(top_k=4), None, refusals, setups=SETUPS)


def named(*parts):
    return [one.name for one in SETUPS if all(part in one.name.split(" · ") for part in parts)]


def test_setups_are_grouped_by_model_effort_or_prompt():
    assert "top_k 4 (not for hot)" in crossed(named("hot"))
    assert "top_k 4 (not for effort low)" in crossed(named("low"))
    assert "top_k 4 (not for prompt q)" in crossed(named("q"))
    assert "top_k 4 (not for hot, m · p · low)" in crossed([*named("hot"), "m · p · low"])
    found = crossed([one.name for one in SETUPS])
    assert any(one.startswith("top_k 4 is not sent to ") for one in found)


def test_values_of_a_model_a_prompt_or_an_effort_are_named_with_them():
    found = crossed([])
    assert "temperature 0.7 (1.5 for hot)" in found
    assert "max_tokens 2048 (6144 for effort low; 18432 for effort high)" in found
    assert "no stop ('END' for prompt q)" in found
    assert not any("reasoning_effort" in word for word in found)


def test_a_model_that_gets_no_effort_is_named_without_room_for_thinking():
    refusals = {one.name: ["reasoning_effort"] for one in SETUPS if not one.label}
    found = sent_words(Parameters(top_k=4), None, refusals, setups=SETUPS)
    assert "reasoning_effort of each setup (not for m)" in found
    said = next(one for one in found if one.startswith("max_tokens"))
    assert said.startswith("max_tokens 2048 (6144 for hot · p · low, hot · q · low; 18432 for hot")
    every = {one.name: ["reasoning_effort"] for one in SETUPS}
    found = sent_words(Parameters(top_k=4), None, every, setups=SETUPS)
    assert "no reasoning_effort" in found
    assert "max_tokens 2048" in found


EXTENDED = Suite(
    "s",
    [{"id": "a"}],
    parameters={"extra_body": {"tier": "flex"}},
    prompts=[
        {"id": "p", "prompt": "P"},
        {"id": "q", "prompt": "Q", "parameters": {"extra_headers": {"X-Title": "sums"}}},
    ],
    models=[
        "m",
        {"model": "m", "label": "fast", "parameters": {"extra_body": {"tier": "fast"}}},
        {"model": "m", "label": "other", "parameters": {"extra_body": {"user": "u"}}},
        {"model": "m", "label": "bare", "parameters": {"extra_body": None}},
    ],
)


def test_models_and_prompts_with_other_fields_or_headers_are_named_with_them():
    setups = setups_of(EXTENDED, EXTENDED.models)
    refusals = {one.name: [] for one in setups}
    found = sent_words(EXTENDED.parameters, None, refusals, setups=setups)
    other = "tier with other values for fast; user for other; none for bare"
    assert f"extra_body tier ({other})" in found
    assert "no extra_headers (X-Title for prompt q)" in found


def seeded(parameters, seed=None):
    prompts = [
        {"id": "p", "prompt": "P", "parameters": {"seed": 3}},
        {"id": "q", "prompt": "Q", "parameters": {"seed": 4}},
        {"id": "r", "prompt": "R"},
    ]
    own = Suite("s", [{"id": "a"}], prompts=prompts, models=["m", "n"], parameters=parameters)
    setups = setups_of(own, own.models)
    return sent_words(own.parameters, seed, {one.name: [] for one in setups}, setups=setups)


def test_seeds_of_prompts_are_named_with_them():
    assert "no seed (3 for prompt p; 4 for prompt q)" in seeded({})
    assert "seed 3 (4 for prompt q)" in seeded({"seed": 3})


def test_the_seed_of_the_call_goes_before_those_of_prompts():
    assert "seed 7" in seeded({"seed": 3}, 7)
