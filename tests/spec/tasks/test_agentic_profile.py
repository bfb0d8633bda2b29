import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.tasks.agentic_profile import (
    BUILT_IN,
    BY_CATEGORY,
    EARLIER,
    PUBLISHED,
    load_profile,
)
from benchmaker.spec.tasks.task import CATEGORIES

MINE = "name: mine\nweights: {efficiency: 0.1, speed: 0.2, cost: 0.3, correctness: 0.4}\n"


def test_the_published_profiles_come_along():
    ids = [load_profile(name).id for name in BUILT_IN]
    assert ids == ["classic/1", *(f"{name}/2" for name in list(BUILT_IN)[1:])]
    assert [load_profile(one).id for one in (*ids, *EARLIER)] == [*ids, *EARLIER]
    assert {one.missing for one in EARLIER.values()} == {"left_out"}
    assert {"classic", "robust", *CATEGORIES} == set(BUILT_IN)
    assert BUILT_IN["classic"].weights == PUBLISHED
    assert BUILT_IN["debugging"].weights == BY_CATEGORY["debugging"]


def test_the_content_is_the_version_of_a_profile_without_one(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(MINE)
    one = load_profile(path)
    path.write_text(MINE.replace("name: mine", "# words\nname: mine"))
    same = load_profile(path)
    path.write_text(MINE + "policy: best\n")
    other = load_profile(path)

    assert one.id == same.id
    assert one.id != other.id
    path.write_text(MINE + 'version: "3"\n')
    assert load_profile(path).id == "mine/3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: robust\n", "mine.yaml:1:7: 'robust' is the name of a built-in profile."),
        (MINE + "polcy: best\n", "mine.yaml:3:1: unknown field 'polcy'. Did you mean 'policy'?"),
        (MINE + "level: 3\n", "level must be less than 1, not 3"),
        (MINE.replace("0.4", "0.5"), "the four weights add up to 1.1, not 1"),
        ("- a\n", "a profile must be a mapping"),
    ],
)
def test_faults_are_said_with_their_place(tmp_path, text, said):
    path = tmp_path / "mine.yaml"
    path.write_text(text)

    with pytest.raises(SpecError) as raised:
        load_profile(path)

    assert said in str(raised.value)


def test_an_unknown_name_is_told_the_nearest():
    with pytest.raises(SpecError, match="Did you mean 'robust'"):
        load_profile("robst")
