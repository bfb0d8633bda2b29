"""Runs of two versions of a suite on the pages: offered together, and compared where they share."""

import re
from urllib.parse import quote

from benchmaker import Case, Suite, run
from tests.web.serving import serving
from tests.web.test_guard import ask

CASES = [Case(id=f"c{n}", prompt="?", expected=str(n)) for n in range(6)]


def asked(home, cases, model):
    suite = Suite("arith", cases, scorer="exact", profile="robust")
    right = lambda request: request.case_id[1:] if model == "a" else "0"  # noqa: E731
    return run(suite, provider=right, models=[model], home=home).run_ids[0]


def test_versions_are_offered_and_compared_over_the_cases_that_are_the_same(tmp_path):
    old = asked(tmp_path, CASES, "a")
    new = asked(tmp_path, [*CASES[1:], CASES[0].model_copy(update={"weight": 2.0})], "b")
    with serving(tmp_path) as address:
        offered = ask(address, path=f"/compare?runs={old}")[2]
        status, _, page = ask(address, path=f"/compare?runs={quote(f'{old},{new}')}")
        told = ask(address, path=f"/api/v1/compare?run={old}&run={new}")[2]
    assert new in offered
    assert status == 200
    for text in (page, told):
        assert "5 of 6 cases are the same in these 2 versions of arith" in text
    assert f"/runs/{old}/cases/1" in page
    assert re.search(r"suite versions [0-9a-f]{8} and [0-9a-f]{8}<", page)


def test_runs_of_one_model_are_said_to_count_once_each(tmp_path):
    first, again, other = (asked(tmp_path, CASES, model) for model in ("a", "a", "b"))
    with serving(tmp_path) as address:
        page, apart = (
            ask(address, path=f"/compare?runs={first},{one}&ref=best")[2] for one in (again, other)
        )
    assert "a model in several runs counts once for each" in page
    assert f"benchmaker compare {first} {again}" in page
    assert "counts once for each" not in apart
