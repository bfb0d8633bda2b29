# ruff: noqa: ARG002  scorers that look at little
from dataclasses import dataclass, field
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.plugins import load, scorer
from benchmaker.record import Score
from benchmaker.scoring.base import Scorer
from benchmaker.scoring.build import ParameterFault, build, faults, parameters_of
from benchmaker.spec import Family, ScorerSpec, profile

CLASSIC, ROBUST = profile("classic"), profile("robust")
HERE = f"{__name__}:Odd"


@scorer
@dataclass(frozen=True, slots=True)
class Odd:
    """A scorer of somebody else's."""

    needed: int
    words: tuple[str, ...] = ()
    mode: Literal["a", "b"] = "a"
    flag: bool = False
    table: dict[str, int] = field(default_factory=dict)

    def score(self, case, trial):
        return Score.of(float(trial.text in self.words))


@scorer
@dataclass(frozen=True)
class Picky:
    """A scorer that looks at its parameters itself."""

    text: str = ""

    def __post_init__(self):
        if self.text == "bad":
            raise ValueError("bad is not good")

    def score(self, case, trial):
        return Score.of(1.0)


def spec(name="numeric", **parameters):
    return ScorerSpec(id=name, **parameters)


@given(tolerance=st.none() | st.floats(0, 10), curve=st.sampled_from(["published", "step"]))
def test_parameters_arrive_as_fields(tolerance, curve):
    built = build(spec(tolerance=tolerance, curve=curve), ROBUST)
    assert (built.tolerance, built.curve) == (tolerance, curve)


@pytest.mark.parametrize("name", ["exact", "regex", "numeric", "boolean"])
def test_our_scorers_take_the_family_of_the_profile(name):
    assert build(spec(name), CLASSIC).family is Family.CLASSIC
    assert build(spec(name), ROBUST).family is Family.ROBUST
    assert isinstance(build(spec(name), ROBUST), Scorer)


def test_equal_specs_give_the_same_object():
    one = build(spec(tolerance=0.1, curve="step"), ROBUST)
    assert build(spec(curve="step", tolerance=0.1), ROBUST) is one
    assert build(spec(curve="step", tolerance=0.2), ROBUST) is not one
    assert build(spec(curve="step", tolerance=0.1), CLASSIC) is not one


def test_lists_become_tuples_and_one_text_a_list_of_one():
    assert build(spec("exact", extract=["json", "whole"]), ROBUST).extract == ("json", "whole")
    assert build(spec("boolean", any_of="Paris"), ROBUST).any_of == ("Paris",)
    assert build(spec("exact", normalise=[]), ROBUST).normalise == ()


def test_whole_numbers_are_numbers():
    assert build(spec(tolerance=1), ROBUST).tolerance == 1.0


def test_a_class_of_ones_own_is_built_from_its_path():
    built = build(spec(HERE, needed=3, words=["x"], table={"a": 1}), ROBUST)
    assert built == Odd(needed=3, words=("x",), table={"a": 1})


@pytest.mark.parametrize(
    ("given_spec", "fault"),
    [
        (spec(tolerence=1), ParameterFault("tolerence", "unknown parameter 'tolerence'.",
            "Did you mean 'tolerance'? Known: tolerance, absolute, curve, grades, extract, "
            "extract_expected.", is_key=True)),
        (spec(tolerance="x"), ParameterFault("tolerance", "tolerance must be a number, not 'x'.")),
        (spec(tolerance=-1), ParameterFault("tolerance", "tolerance must be at least 0, not -1.")),
        (spec(absolute=[1]), ParameterFault("absolute", "absolute must be a number, not [1].")),
        (spec(curve="linear"), ParameterFault("curve",
            "curve must be 'published', 'continuous' or 'step', not 'linear'.")),
        (spec("exact", extract=3), ParameterFault("extract",
            "extract must be a text or a list, not 3.")),
        (spec("exact", normalise={"a": 1}), ParameterFault("normalise",
            "normalise must be a list, not {'a': 1}.")),
        (spec("boolean", verdict="perhaps"), ParameterFault("verdict",
            "verdict must be true or false, not 'perhaps'.")),
        (spec("boolean", any_of=[3]), ParameterFault("any_of", "any_of must be a text, not [3].")),
        (spec(family="robust"), ParameterFault("family", "family is set by the profile.",
            "Set profile: robust or classic.", is_key=True)),
        (spec("exact", extract=["json", "jsn"]), ParameterFault(
            "extract", "unknown rule 'jsn' in extract.",
            "Did you mean 'json'? Use one of auto, none, json, tags, boxed, hashes, answer_is, "
            "statement, result, verdict, letter, last_number, last_verdict, whole, or "
            "/pattern/flags.", inside=(1,))),
        (spec("exact", normalise="casfold"), ParameterFault("normalise",
            "unknown step 'casfold' in normalise.", "Did you mean 'casefold'? Use one of nfc, "
            "line_ends, spaces, outer_quotes, fences, final_stop, casefold, escape_line_breaks.",
            inside=(0,))),
        (spec(HERE), ParameterFault("needed", "the parameter 'needed' is missing.")),
        (spec(HERE, needed=1.5),
            ParameterFault("needed", "needed must be a whole number, not 1.5.")),
        (spec(HERE, needed=1, table=2), ParameterFault("table", "table must be a mapping, not 2.")),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_told_in_human_words(given_spec, fault):
    assert faults(given_spec) == [fault]
    with pytest.raises(SpecError) as caught:
        build(given_spec, ROBUST)
    assert fault.message in str(caught.value)


def test_all_faults_are_told_at_once():
    wrong = spec(tolerence=1, curve="linear", absolute="x")
    assert [it.parameter for it in faults(wrong)] == ["tolerence", "absolute", "curve"]
    with pytest.raises(SpecError) as caught:
        build(wrong, ROBUST)
    assert str(caught.value).count("\n") == 2


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(value):
    with pytest.raises(SpecError, match="tolerance must be a finite number"):
        build(spec(tolerance=value), ROBUST)


def test_values_that_are_no_plain_data_are_refused():
    with pytest.raises(SpecError, match="not plain data"):
        build(spec(tolerance=object()), ROBUST)


def test_what_the_scorer_itself_refuses_names_it():
    with pytest.raises(SpecError, match="bad is not good"):
        build(spec(f"{__name__}:Picky", text="bad"), ROBUST)
    with pytest.raises(SpecError, match=r"exact: unknown rule 'jsn'.*Did you mean 'json'"):
        build(spec("exact", extract="jsn"), ROBUST)


def test_an_unknown_scorer_is_refused_with_the_nearest():
    with pytest.raises(SpecError, match=r"unknown scorer 'exat'.*Did you mean 'exact'"):
        build(spec("exat"), ROBUST)


def test_parameters_are_listed_with_their_defaults():
    parameters = parameters_of(Odd)
    assert list(parameters) == ["needed", "words", "mode", "flag", "table"]
    assert parameters["needed"].is_required
    assert parameters["table"].default == {}
    assert not parameters["mode"].is_required


def test_the_family_is_no_parameter():
    assert all("family" not in parameters_of(load("scorer", it)) for it in ("exact", "regex"))
