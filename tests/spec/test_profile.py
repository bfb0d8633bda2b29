import pytest

from benchmaker.errors import SpecError
from benchmaker.spec import Family, profile


@pytest.mark.parametrize("name", ["classic", "robust"])
def test_each_family_has_its_profile(name):
    assert profile(name).family == Family(name)
    assert profile(name).version == "1"


def test_an_unknown_profile_names_the_known_ones():
    with pytest.raises(SpecError, match=r"unknown profile 'x'\. Choose classic or robust\."):
        profile("x")
