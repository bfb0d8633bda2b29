import pytest

from benchmaker.errors import SpecError
from benchmaker.spec import Family, profile


@pytest.mark.parametrize("name", ["classic", "robust"])
def test_each_family_has_its_profile(name):
    assert profile(name).family == Family(name)


def test_an_earlier_version_is_known_by_its_id():
    assert profile("robust").id == "robust/2"
    assert profile("robust/1").version == "1"
    assert profile("robust/1").family is Family.ROBUST


def test_an_unknown_profile_names_the_known_ones():
    with pytest.raises(SpecError, match=r"unknown profile 'x'\. Choose classic or robust\."):
        profile("x")
