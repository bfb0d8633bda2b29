"""Notices through Apprise, or the command that installs it."""

from importlib.util import find_spec

import pytest

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.providers.apprise import Apprise


def test_an_address_that_can_not_be_used_is_refused_with_what_to_do():
    wanted = SpecError if find_spec("apprise") else PrerequisiteError
    with pytest.raises(wanted) as told:
        Apprise("no-such-service://x")
    assert wanted is SpecError or "pip install 'benchmaker[notify]'" in str(told.value)
