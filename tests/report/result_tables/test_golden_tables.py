"""Tables print the same bytes on every surface.

Made by: python -m tests.report.result_tables.printed
"""

import pytest

from tests.report.result_tables.printed import GOLDEN, printed

NAMES = sorted(one.name for one in GOLDEN.iterdir())


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return printed(tmp_path_factory.mktemp("printed"))


def test_every_text_has_a_golden_file(texts):
    assert sorted(texts) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_text_is_that_of_its_golden_file(texts, name):
    assert texts[name] == GOLDEN.joinpath(name).read_bytes().decode()
