"""The page of a run with many setups is light."""

import numpy as np
import pytest

from tests.analysis.effects.designs import setups_of, stored_design
from tests.web.browser import answers_to, weight
from tests.web.serving import serving

CASES = 100
FIRST_PAINT = 150_000
"""The most bytes of the page, its styles and its scripts together, uncompressed."""

EFFORTS = ("low", "high")
DESIGNS = {
    "two dimensions": setups_of(("openai/gpt-5-mini",), ("plain", "steps", "few", "chat"), EFFORTS),
    "three dimensions": setups_of(
        ("openai/gpt-5-mini", "openai/gpt-5"), ("plain", "steps"), EFFORTS
    ),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server with a run of 100 cases and 8 setups for each design."""
    home = tmp_path_factory.mktemp("setups")
    random = np.random.default_rng(1)
    for name, setups in DESIGNS.items():
        right = random.uniform(size=(CASES, len(setups))) < np.linspace(0.6, 0.95, len(setups))
        spent = random.uniform(0.001, 0.01, right.shape)
        stored_design(home, setups, right.astype(float), spent, run_id=name.replace(" ", "-"))
    with serving(home) as served:
        yield served


@pytest.mark.parametrize("name", DESIGNS)
def test_the_first_paint_of_100_cases_and_8_setups_is_light(tab, address, name):
    came = answers_to(tab)
    tab.goto(f"{address}/runs/{name.replace(' ', '-')}")
    first = weight(came)
    assert first < FIRST_PAINT
    came.clear()  # a browser may drop the bodies of the page that it leaves
    tab.goto(f"{address}/runs/{name.replace(' ', '-')}?tab=pairs")
    assert "all prompts" in tab.content()
    assert first + weight(came) < 2 * FIRST_PAINT
