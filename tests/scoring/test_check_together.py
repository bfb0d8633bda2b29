"""However many faults a suite has, and whatever of them meet: all are told at once, each once."""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.scoring.check import load_checked
from tests.draws import draws
from tests.scoring.planted import KINDS, SOUND, SOURCE_KINDS, Planted, write

CASES = range(1, len(SOUND["cases"]))  # the first keeps its id, which others take
PLANS = st.lists(
    st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from(CASES)), min_size=2, max_size=8
)


def told(path) -> list[tuple[str, str]]:
    """What is said of a suite: ``file:line`` and the words."""
    try:
        load_checked(path)
    except SpecError as exc:
        return [(f"{one.file.rpartition('/')[2]}:{one.line}", one.message) for one in exc.findings]
    return []


def plant(suite, plan) -> list[Planted]:
    """Plant what does not meet something planted before in the same place."""
    taken, planted = set(), []
    for name, index in plan:
        kind = KINDS[name]
        is_header = kind.slots[0].startswith(".")
        slots = {slot if is_header else (index, slot) for slot in kind.slots}
        if taken.isdisjoint(slots):
            taken |= slots
            owner, above = (suite, ()) if is_header else (suite["cases"][index], ("cases", index))
            planted.append(kind.plant(owner, above))
    return planted


def assert_all_told(path, spot, planted):
    found = told(path)
    for one in planted:
        place = spot(one)
        match = next((it for it in found if it[0] == place and one.words in it[1]), None)
        assert match, f"{one.words!r} is not told at {place}; told is {found}"
        found.remove(match)
    assert found == []


@pytest.mark.parametrize("form", ["yaml", "json", "jsonl"])
def test_the_suite_is_sound_before_anything_is_planted(tmp_path, form):
    path, _ = write(tmp_path, SOUND, form)
    assert told(path) == []


@pytest.mark.parametrize("form", ["yaml", "json", "jsonl"])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_fault_is_told_alone(tmp_path, form, name):
    suite = copy.deepcopy(SOUND)
    planted = plant(suite, [(name, 3)])
    assert_all_told(*write(tmp_path, suite, form), planted)


@pytest.mark.parametrize("form", ["yaml", "json", "jsonl"])
@settings(
    max_examples=draws(20, 60),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(plan=PLANS)
def test_all_faults_are_told_at_once(tmp_path, form, plan):
    suite = copy.deepcopy(SOUND)
    planted = plant(suite, plan)
    assert_all_told(*write(tmp_path, suite, form), planted)


@settings(
    max_examples=draws(20, 60),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(plan=PLANS, name=st.sampled_from(sorted(SOURCE_KINDS)))
def test_faults_beside_the_name_of_the_data_file_hide_nothing(tmp_path, plan, name):
    values, inside, words, is_key = SOURCE_KINDS[name]
    suite = copy.deepcopy(SOUND) | {"source": values}
    planted = plant(suite, [(kind, it) for kind, it in plan if is_told_with(kind, values)])
    planted.append(Planted(("cases", *inside), words, is_key))
    assert_all_told(*write(tmp_path, suite, "jsonl"), planted)


def is_told_with(kind: str, values) -> bool:
    """A mapping takes no notice of further fields in a line."""
    return kind != "case: unknown key" or "fields" not in values
