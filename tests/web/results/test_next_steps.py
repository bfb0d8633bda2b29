"""The buttons of a run's page that lead on: changes since the earlier run, a run of failures."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from tests.web.answering import answering
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

ASKED = [Case(id=f"c{n}", prompt=f"{n} ?", expected="7" if n in (1, 4) else "42") for n in range(6)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A server, its models, and the ids of three runs; the last one has another model."""
    home = tmp_path_factory.mktemp("next")
    suite = Suite("cities", ASKED, scorer="numeric")
    with answering() as models, serving(home, works=False) as address:
        runs = [
            aside(
                benchmaker.run,
                suite,
                models=[f"{models.url}#{name}" for name in names],
                home=home,
                options=RunOptions(parameters={"temperature": 0.25}),
            )
            for names in (("small", "large"), ("small",), ("other",))
        ]
        yield address, models.url, [one.run_ids[0] for one in runs]


def link(address, path, words):
    body = fetched(f"{address}{path}")[2].decode()
    found = re.search(rf'<a class="btn" href="([^"]*)">{words}</a>', body)
    return html.unescape(found[1]) if found else None


def test_changes_lead_to_the_comparison_with_the_run_before(filled):
    address, _, (first, second, other) = filled

    assert link(address, f"/runs/{first}", "Changes") is None
    assert link(address, f"/runs/{second}", "Changes") == f"/compare?runs={first},{second}"
    assert link(address, f"/runs/{other}", "Changes") is None
    assert fetched(f"{address}/compare?runs={first},{second}")[0] == 200


def test_failed_cases_lead_to_a_filled_form_of_the_arena(filled):
    address, models, (first, *_) = filled
    href = link(address, f"/runs/{first}", "Run failed cases")

    words = parse_qs(urlsplit(href).query)
    assert words["failed_of"] == [first]
    assert words["models"] == [f"{models}#small", f"{models}#large"]
    assert words["temperature"] == ["0.25"]
    form = re.sub(r"<[^>]+>", "", fetched(f"{address}{href}")[2].decode())
    assert "2 of 6 cases" in re.sub(r"\s+", " ", form)


def test_recorded_answers_have_no_failed_cases_to_run(tmp_path):
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"model": "m", "id": "c0", "output": "1"}\n')
    suite = Suite("cities", ASKED[:1], scorer="numeric")
    made = aside(benchmaker.run, suite, recorded=answers, home=tmp_path / "home")
    with serving(tmp_path / "home", works=False) as address:
        assert link(address, f"/runs/{made.run_ids[0]}", "Run failed cases") is None
