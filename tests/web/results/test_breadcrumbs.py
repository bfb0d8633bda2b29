"""Breadcrumbs lead to a result by the name of its suite."""

import json
import re

import pytest

from tests.web.plain_figures import text_of
from tests.web.results_data import fetched

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def row(demo):
    return json.loads(fetched(f"{demo}/runs.json")[2])["runs"][0]


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("", "Run 1"), ("/cases", "Cases"), ("/cases/0", "Cases"), ("/trials/0-0", ""),
        ("/notes", "Notes"), ("/corrected-suite", "Suite"), ("/opinion", "Opinion"),
    ],
)  # fmt: skip
def test_pages_of_a_run_are_below_the_name_of_its_suite(demo, row, path, last):
    status, _, body = fetched(f"{demo}/runs/{row['run']}{path}")
    crumbs = re.search(r'aria-label="Breadcrumb">(.*?)</nav>', body.decode())[1]
    assert status == 200
    assert text_of(crumbs).startswith(f"Results {row['suite']} {last}")
    assert row["run"] not in text_of(crumbs)
