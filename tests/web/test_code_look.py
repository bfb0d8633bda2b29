"""Looking at pages: galleries, shared pairs, differences, improvements, votes by category."""

import json
import re
from urllib.parse import urlencode

import pytest

from benchmaker.arenas.code.prompt_suite import improved_page_of
from benchmaker.record.artifact import CodeFile
from benchmaker.store import Store
from benchmaker.web.code.code_diff import compare_files, line_diff
from tests.web.code_pages import PNG, STEPS, page, put_renderings, stored_run
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_arena_live import asking

MODELS = tuple(f"http://127.0.0.1:9/v1#{name}" for name in ("red-1", "blue-1", "gold-1"))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A data folder with a run of three rendered pages for each of two prompts."""
    return tmp_path_factory.mktemp("look")


@pytest.fixture(scope="module")
def run_id(home):
    answers = {model: page(f"Page {at}", body=f"<p>{at}</p>") for at, model in enumerate(MODELS)}
    made = stored_run(home, answers, cases=("x", "y"))
    put_renderings(home, made)
    return made


@pytest.fixture(scope="module")
def address(home, run_id):  # noqa: ARG001  the run is stored first
    with serving(home, previews=True, works=False) as base:
        yield base


def _text(address):
    status, _, body = fetched(address)
    assert status == 200, body
    return body.decode()


def _main(address):
    return _text(address).partition("<main")[2]


def _posted(address, path, **fields):
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    with asking(address, "POST", path, urlencode(fields), **kind) as answer:
        return answer.status, answer.getheader("location"), answer.read().decode()


def test_pages_are_shown_by_screenshots_of_a_chosen_width_wherever_they_are_listed(address, run_id):
    rows = {"/code": 6, f"/code/{run_id}": 6, f"/code/{run_id}?names=1": 6}
    for path, number in rows.items():
        shown = re.findall(r'<img class="thumb"[^>]*>', _main(address + path))
        assert len(shown) == number, path
        assert all('loading="lazy"' in it and 'width="1440" height="900"' in it for it in shown)
    narrow = _main(f"{address}/code/{run_id}?w=375")
    assert len(re.findall(r'width="375" height="667"', narrow)) == 6


def test_screenshots_arrive_by_the_place_of_the_unnamed_answer(address, run_id, home):
    with Store.open(home / "benchmaker.db") as store:
        first = store.renders.pages_after(run_id, 0)[0].number
    streams = {f"/events?w=375&after={first}": (5, 1), "/2/live/events": (3, 3)}
    for path, (answers, widths) in streams.items():
        text = _text(f"{address}/code/{run_id}{path}")
        sent = json.loads(re.findall(r"event: shots\ndata: (.*)", text)[0])
        page_path = "/2/live" if widths == 3 else "?w=375"
        shown = _main(f"{address}/code/{run_id}{page_path}").replace("\n", "")
        assert len({it["at"] for it in sent}) == len(sent) == answers
        for it in sent:
            piece = it["html"].replace("\n", "")
            assert piece.count('src="/code/shots/') == widths
            assert f'data-at="{it["at"]}">{piece}' in shown
        assert "event: over" in text
        assert not re.search("red-1|blue-1|gold-1", text)
    assert fetched(f"{address}/code/{run_id}/events?after=x")[0] == 422


def test_a_screenshot_is_kept_by_the_browser_for_good(address, run_id):
    (path, *_) = re.findall(r'src="(/code/shots/\w+)"', _main(f"{address}/code/{run_id}"))
    status, headers, body = fetched(address + path)
    assert (status, body) == (200, PNG)
    assert "immutable" in headers["cache-control"]


def test_the_film_strip_of_a_page_has_each_step_with_verdict_reason_and_picture(address, run_id):
    text = _main(f"{address}/code/{run_id}/1/1")
    (strip,) = re.findall(r'<ol class="film".*?</ol>', text, re.DOTALL)
    steps = re.findall(r"<li>.*?</li>", strip, re.DOTALL)
    assert len(steps) == len(STEPS)
    for at, (step, given) in enumerate(zip(steps, STEPS, strict=True), 1):
        assert given.text in step
        assert given.outcome.replace("_", " ") in step
        assert given.message in step
        assert (f'alt="Window after step {at}"' in step) == (given.picture is not None)
    pictures = re.findall(r"<img[^>]*>", strip)
    assert all('loading="lazy"' in it and 'width="1440" height="900"' in it for it in pictures)
    assert "No picture" in steps[-1]


def test_film_strips_are_beside_both_pages_after_the_vote_and_not_before(address, run_id):
    path = f"/code/{run_id}/1"
    pair = {"a": 1, "b": 3, "by": "dora"}
    before = _text(f"{address}{path}?{urlencode(pair)}")
    assert not re.search(r"class=.film|shots/|Window after|its text is", before)
    status, place, _ = _posted(address, path, **pair, pick="tie")
    assert status == 303
    after = _main(address + place)
    for side in "AB":
        report = after.partition(f'id="r-{side}"')[2]
        assert report.partition("</ol>")[0].count("Window after step") == len(STEPS) - 1
    assert _posted(address, path, **pair, do="undo")[0] == 303


def test_a_gallery_has_the_pages_of_one_model_but_not_those_with_open_votes(address, run_id):
    hidden = _main(f"{address}/code/models/{run_id}/1")
    assert "2 pages of runs with open votes are left out" in hidden
    assert 'class="card"' not in hidden
    shown = _main(f"{address}/code/models/{run_id}/1?all=1")
    assert re.findall(rf'href="(/code/{run_id}/\d/1)"', shown) == [
        f"/code/{run_id}/2/1", f"/code/{run_id}/1/1",
    ]  # fmt: skip
    assert fetched(f"{address}/code/models/{run_id}/4")[0] == 404


def test_a_shared_link_leads_each_voter_to_the_same_pair_unnamed(address, run_id):
    first = _text(f"{address}/code/{run_id}/1?a=1&b=2")
    (link,) = re.findall(r'href="([^"]+)" data-copy', first)
    assert re.fullmatch(rf"/code/{run_id}/1\?pair=[123]", link)
    status, headers, _ = fetched(address + link)
    assert status == 303
    again = _text(address + headers["location"])
    codes = [re.findall(r"&lt;p&gt;(\d)&lt;/p&gt;", text) for text in (first, again)]
    assert codes[0] == codes[1]
    assert "red-1" not in again
    assert fetched(f"{address}/code/{run_id}/1?pair=4")[0] == 404


def test_code_has_numbered_lines_and_the_changes_between_both(address, run_id):
    text = _main(f"{address}/code/{run_id}/1?a=1&b=2")
    assert text.count('<span class="ln">') >= 2
    assert re.search(r'<del class="ln">[^<]*Page \d', text)
    assert re.search(r'<ins class="ln">[^<]*Page \d', text)


def test_a_vote_may_have_verdicts_on_categories_that_are_rated_apart(address, run_id, home):
    voter = "carl"
    for pair in ((1, 2), (1, 3), (2, 3)):
        fields = {"a": pair[0], "b": pair[1], "by": voter, "pick": "left", "visual": "right"}
        status, place, body = _posted(address, f"/code/{run_id}/2", **fields)
        assert status == 303, body
        assert "visual: B is better" in _main(address + place)
    with Store.open(home / "benchmaker.db") as store:
        votes = store.votes.read([run_id], actor=voter)
        others = [one for one in store.votes.read([run_id]) if one.actor != voter]
    assert all(one.in_category("visual").winner != one.winner for one in votes)
    assert all(one.in_category("code") is None for one in votes)
    whole = _main(f"{address}/code/standings?run={run_id}")
    n_voters = 1 + len({one.actor for one in others})
    assert f"{3 + len(others)} votes by {n_voters} voter" in whole
    by_category = f"{address}/code/standings?run={run_id}&category="
    assert "3 votes on visual by 1" in _main(f"{by_category}visual")
    assert "0 votes on code by 0" in _main(f"{by_category}code")
    assert "not judged" in whole
    assert "Agreement with votes" in whole


def test_standings_say_why_they_cannot_be_adjusted_for_style(address, run_id):
    assert "No rating yet" in _main(f"{address}/code/standings?run={run_id}&style=libraries")
    assert fetched(f"{address}/code/standings?run={run_id}&style=beauty")[0] == 422


def test_an_improvement_sends_the_first_answer_and_is_compared_with_it(address, run_id, home):
    path = f"/code/{run_id}/1/1/improve"
    assert _posted(address, path, request=" ")[0] == 422
    status, place, body = _posted(address, path, request="Make it blue.")
    assert status == 303, body
    with Store.open(home / "benchmaker.db") as store:
        run = store.run(place.rpartition("/")[2])
        (case,) = store.suite(run.suite_hash).cases
    turns = case.conversation()
    assert [it.role for it in turns] == ["user", "assistant", "user"]
    assert "Page 0" in turns[1].content
    assert improved_page_of(case) == (run_id, "x", MODELS[0])


def test_lines_of_a_diff_are_new_missing_or_a_gap():
    before = "\n".join(f"line {n}" for n in range(20))
    found = line_diff(before, before.replace("line 10\n", "line ten\n"))
    assert [it.kind for it in found] == [
        "gap", "same", "same", "same", "del", "ins", "same", "same", "same", "gap",
    ]  # fmt: skip
    assert found[0].text == "… 7 equal lines"
    assert line_diff(before, before) == ()
    assert line_diff("\n" * 10_000, "x") is None


def test_single_files_are_compared_whatever_they_are_called():
    def file(path, text):
        return CodeFile(path=path, language="html", text=text)

    (one,) = compare_files([file("a.html", "x")], [file("b.html", "x")])
    assert (one.path, one.lines) == ("b.html", ())
    both = compare_files([file("a", "1"), file("b", "2")], [file("b", "2")])
    assert [(it.path, len(it.lines)) for it in both] == [("a", 1), ("b", 0)]
