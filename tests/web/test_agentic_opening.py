"""The profile that the pages and the API of the Agentic Arena open with."""

import json
import re
from html import unescape

import pytest
from click.testing import CliRunner

import benchmaker
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.cli.main import main
from tests.arenas.agentic.handed import many, write_submissions
from tests.web import agentic_data
from tests.web.results_data import fetched
from tests.web.serving import serving

PAGES = ("/agentic", "/agentic/front", "/agentic/baselines", "/agentic/bias", "/agentic/trend")
BOARDS = ("/agentic?", "/agentic?metric=success&", "/agentic?metric=dollars&", "/agentic/front?")
WEIGHED = "Published weights: correctness counts "


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return agentic_data.ordinary(tmp_path_factory.mktemp("opening") / "home")


@pytest.fixture(scope="module")
def arena(home):
    with serving(home, works=False) as address:
        yield address


def body(address, path):
    status, _, text = fetched(address + path)
    assert status == 200, path
    return unescape(text.decode())


@pytest.mark.parametrize("page", PAGES)
def test_pages_and_the_api_open_with_robust(arena, page):
    assert "robust/2" in body(arena, page)
    assert json.loads(body(arena, f"{page}.json"))["profile"] == "robust/2"
    asked = (
        page.replace("/agentic", "/api/v1/agentic")
        if page != "/agentic"
        else ("/api/v1/agentic/board")
    )
    assert json.loads(body(arena, asked))["profile"] == "robust/2"
    assert json.loads(body(arena, f"{page}.json?profile=classic"))["profile"] == "classic/1"


def test_a_trend_without_figures_names_the_reason_of_the_terminal(tmp_path):
    home = tmp_path / "home"
    import_logs(agentic_data.write_log(tmp_path / "session.jsonl", "Look around"), home=home)
    done = CliRunner().invoke(main, ["trend", "--systems", "--home", str(home)])
    with serving(home, works=False) as address:
        page = body(address, "/agentic/trend")
    reason = "o board yet: the 1 stored submission has no task."
    assert reason in done.output
    assert f"N{reason}" in page
    assert "No submissions with an end time" not in page


@pytest.mark.parametrize("page", BOARDS)
def test_boards_under_classic_say_what_correctness_counts(arena, page):
    assert WEIGHED in body(arena, f"{page}profile=classic")
    assert WEIGHED not in body(arena, page)


def test_a_submission_opens_with_robust_and_names_the_command_of_its_score(arena, home):
    page = body(arena, "/agentic/submissions/1")
    words = re.search(r"<code>benchmaker (explain \S+ --profile (\S+))</code>", page)
    assert words is not None
    assert words[2] == "robust/2"
    said = CliRunner().invoke(main, [*words[1].split(), "--json", "--home", str(home)])
    shown = re.search(r"Why ([0-9.]+)", page)
    assert shown is not None
    assert f"{json.loads(said.stdout)['evaluation']['overall_score']:.1f}" == shown[1]


def test_a_task_without_a_baseline_has_a_page_that_says_why(tmp_path):
    home = tmp_path / "home"
    import_logs(write_submissions(tmp_path / "some.jsonl", many(6)), home=home)
    reason = r"No board yet: 6 submissions"
    with serving(home, works=False) as address:
        links = baseline_links(address)
        assert links
        for link in links:
            assert re.search(reason, body(address, link))
            assert json.loads(body(address, f"/api/v1{link}"))["baselines"] == []
        assert fetched(f"{address}/agentic/baselines/nowhere")[0] == 404
        assert fetched(f"{address}/api/v1/agentic/baselines/nowhere")[0] == 404
        benchmaker.evaluate(home=home)
        assert baseline_links(address) == links
        for link in links:
            assert "No baseline yet" not in body(address, link)
            assert json.loads(body(address, f"/api/v1{link}"))["baselines"]


def baseline_links(address):
    found = re.findall(r'href="(/agentic/baselines/[^"]+)"', body(address, "/agentic/tasks"))
    return sorted(set(found))
