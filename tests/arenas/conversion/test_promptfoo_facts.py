"""Converted configurations give the verdicts of promptfoo.

The facts are those of promptfoo 0.121.20, for the configurations of ``promptfoo_configs`` and their
scripted answers.
"""

import pytest

from tests.arenas.conversion.converted import facts, scored, suite_of, verdict_of
from tests.arenas.conversion.promptfoo_configs import CONFIGURATIONS

KNOWN = {one.name: one for one in CONFIGURATIONS}
URL = "http://localhost:9/v1"


def verdicts(one, folder):
    """The verdicts of both, test by test and prompt by prompt."""
    suite, made = suite_of(one.write(folder, URL))
    stops = one.values.get("config", {}).get("stop", [])
    rows = [
        {"id": case.id, "model": "m", "prompt_id": prompt.id, "latency_s": 0.01,
         "output": _cut(one.answers[case.vars["mark"]], stops)}
        for case in suite
        for prompt in suite.prompts
    ]  # fmt: skip
    found = scored(suite, rows, folder / "home")
    ours = [[verdict_of(it) for it in scores] for scores in found.values()]
    return facts("promptfoo.json")[one.name], ours, made


def _cut(text, stops):
    return next((text.partition(it)[0] for it in stops if it in text), text)


@pytest.mark.parametrize("name", ["weights", "transforms"])
def test_verdicts_of_a_configuration_are_those_of_promptfoo(name, tmp_path):
    theirs, ours, made = verdicts(KNOWN[name], tmp_path)
    assert ours == theirs
    assert made.omissions == ()


@pytest.mark.long
def test_verdicts_of_all_configurations_are_those_of_promptfoo(tmp_path):
    found = {}
    for one in CONFIGURATIONS:
        theirs, ours, made = verdicts(one, tmp_path / one.name)
        if one.name != "foreign" and (theirs != ours or made.omissions):
            found[one.name] = [
                place
                for place, pair in enumerate(zip(theirs, ours, strict=True))
                if len({*map(str, pair)}) > 1
            ]
    assert found == {}


def test_a_case_with_a_check_that_is_left_out_is_never_right(tmp_path):
    one = KNOWN["foreign"]
    _, ours, made = verdicts(one, tmp_path)
    assert {it for verdict in ours for it in verdict} == {None}
    assert len(made.omissions) == len(ours)
    lines = (tmp_path / "foreign.yaml").read_text().split("\n")
    for omission in made.omissions:
        assert omission.what.startswith("JavaScript is not run")
        assert omission.text.split("\n")[0].strip() in lines[omission.line - 1]
        assert f"#   {omission.text.split(chr(10))[0].strip()}" in made.text
