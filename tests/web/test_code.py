"""The Code Arena in a real browser: previews apart, blind votes, names after them, standings."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import RunOptions
from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.result_tables.votes import VOTES
from benchmaker.store import Store
from benchmaker.web.tickets import PreviewOf, Tickets
from tests.web.accessible import scrolls_sideways, violations_here
from tests.web.answering import answering
from tests.web.api.asking import Client
from tests.web.serving import apps, serving
from tests.web.test_arena_live import begun

_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>Counter</title></head><body><main>'
)
GOOD = (
    f"Here it is:\n```html\n{_HEAD}<h1>Counter</h1><p id=n>0</p>"
    '<button onclick="n.textContent = +n.textContent + 1">Add</button></main></body></html>\n```'
)
DEAD = (
    f"```html\n{_HEAD}<h1>Counter</h1><p id=n>0</p><button>Add</button></main></body></html>\n```"
)
SUITE = """\
name: pages
profile: robust
scorer: code_judge
cases:
  - id: counter
    prompt: A counter with a button that adds one.
    page:
      checks:
        - name: adds one
          steps:
            - click: {role: button, name: Add}
            - expect: {css: "#n", has_text: "1"}
"""
LOOP = "```html\n<h1>Loop</h1><script>for (;;);</script>\n```"


def _aside(work):
    """Run in a thread of its own: Playwright runs a loop in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.fixture(scope="module")
def code_home(tmp_path_factory):
    """One run with two rendered pages, one of which does not do what was asked."""
    home = tmp_path_factory.mktemp("code")
    suite = home / "suite.yaml"
    suite.write_text(SUITE)
    answers = home / "answers.jsonl"
    rows = [{"id": "counter", "model": "one", "output": GOOD},
            {"id": "counter", "model": "two", "output": DEAD}]  # fmt: skip
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    _aside(lambda: benchmaker.run(suite, recorded=answers, home=home, options=RunOptions(judge=())))
    return home


@pytest.fixture(scope="module")
def code_server(code_home):
    with serving(code_home, previews=True) as address:
        yield address


@pytest.fixture(scope="module")
def run_id(code_home):
    with Store.open(code_home / "benchmaker.db") as store:
        return store.runs(limit=1)[0].id


def _vote_page(tab, address, run_id):
    tab.goto(f"{address}/code/{run_id}/vote")
    expect(tab.locator("#duel.ready")).to_be_visible(timeout=20_000)


def test_both_previews_run_on_another_host_and_say_nothing_of_whose_they_are(
    tab, code_server, run_id
):
    _vote_page(tab, code_server, run_id)
    frames = [frame for frame in tab.frames if frame != tab.main_frame]
    assert len(frames) == 2
    hosts = {urlsplit(frame.url).netloc for frame in frames}
    assert len(hosts) == 2
    assert all(re.fullmatch(r"p[0-9a-f]{16}\.localhost:\d+", host) for host in hosts)
    assert all(frame.evaluate("origin") == "null" for frame in frames)
    assert not re.search(r"\b(one|two)\b", tab.inner_text("main").replace("adds one", ""))


def test_the_frame_keeps_the_true_width(tab, code_server, run_id):
    _vote_page(tab, code_server, run_id)
    tab.locator("main").click(position={"x": 5, "y": 5})
    for width in (375, 768, 1440):
        tab.keyboard.press("v")
        expect(tab.locator(".zoom").first).to_contain_text(f"{width} px wide")
        frame = next(frame for frame in tab.frames if frame != tab.main_frame)
        frame.wait_for_function("wanted => innerWidth === wanted", arg=width)


def test_a_vote_reveals_names_and_moves_the_standings_and_can_be_taken_back(
    tab, code_server, code_home, run_id
):
    _vote_page(tab, code_server, run_id)
    tab.locator("main").click(position={"x": 5, "y": 5})
    tab.keyboard.press("v")
    with tab.expect_navigation():
        tab.keyboard.press("1")
    left = tab.locator("#h-A").inner_text().removeprefix("Answer A, ")
    expect(tab.get_by_role("status").first).to_contain_text("A is better")
    with Store.open(code_home / "benchmaker.db") as store:
        (vote,) = store.votes.read([run_id])
    assert vote.winner == left == vote.left
    assert vote.viewports_seen == (375,)
    assert vote.ms_on_page is not None
    expect(tab.locator("table", has_text="Task checks")).to_contain_text("1 of 1")
    standings = tab.context.request.get(f"{code_server}/code/standings.json").json()["standings"]
    assert {row["model"]: row["votes"] for row in standings} == {"one": 1, "two": 1}
    rows = tab.context.request.get(f"{code_server}/code/standings.csv").text()
    assert tuple(standings[0]) == VOTES.keys == tuple(rows.splitlines()[0].split(","))
    with tab.expect_navigation():
        tab.get_by_role("button", name="Undo").click()
    assert tab.locator("#voting").count() == 1
    with Store.open(code_home / "benchmaker.db") as store:
        assert store.votes.read([run_id]) == ()
        assert len(store.votes.read([run_id], with_undone=True)) == 1
    tab.goto(f"{code_server}/code/standings")
    expect(tab.locator("main")).to_contain_text("1 taken back.")
    tab.set_viewport_size({"width": 375, "height": 900})
    assert not scrolls_sideways(tab)


PAIRS = """name: pairs
scorer: exact
cases: [{id: x, prompt: one?, expected: e}, {id: y, prompt: two?, expected: e}]
"""


@pytest.fixture
def three_models(tmp_path):
    """A server over six pairs of pages that were not rendered; nobody has voted."""
    home = tmp_path / "pairs"
    suite, answers = tmp_path / "suite.yaml", tmp_path / "answers.jsonl"
    suite.write_text(PAIRS)
    rows = [{"id": case, "model": model, "output": DEAD} for case in "xy" for model in "abc"]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = _aside(lambda: benchmaker.run(suite, recorded=answers, home=home))
    with Store.open(home / "benchmaker.db") as store:
        for trial in found.trials():
            store.renders.put_artifact(
                trial.key, PreparedAnswer(artifact=extract_artifact(trial.text))
            )
    with serving(home, previews=True, works=False) as address:
        yield f"{address}/code/{found.run_ids[0]}"


def _pair(tab):
    """Which pair is shown, by its address without what leads to it."""
    expect(tab.locator("#duel.ready")).to_be_visible(timeout=20_000)
    tab.locator("main").click(position={"x": 5, "y": 5})
    return tab.url


def _press(tab, key):
    with tab.expect_navigation(wait_until="domcontentloaded"):
        tab.keyboard.press(key)


def test_what_is_skipped_comes_again_at_the_end(tab, three_models):
    tab.goto(f"{three_models}/vote", wait_until="domcontentloaded")
    met = [_pair(tab)]
    for _ in range(5):
        _press(tab, "s")
        met.append(_pair(tab))
    assert len(set(met)) == 6
    _press(tab, "s")
    assert _pair(tab) == met[0]
    _press(tab, "s")
    assert _pair(tab) == met[1]
    for _ in range(4):
        _press(tab, "4")
        _press(tab, "n")
        _pair(tab)
    assert _pair(tab) == met[5]
    _press(tab, "3")
    _press(tab, "n")
    assert _pair(tab) == met[0]
    assert tab.locator("[data-key=s]").count() == 0
    _press(tab, "1")
    _press(tab, "n")
    expect(tab.locator("main")).to_contain_text("You have voted on all pairs.")


@pytest.mark.parametrize(("key", "said"), [
    ("1", "A is better"), ("2", "B is better"), ("3", "a tie"), ("4", "both bad"),
])  # fmt: skip
def test_each_vote_has_its_key_and_u_takes_it_back(tab, three_models, key, said):
    tab.goto(f"{three_models}/vote", wait_until="domcontentloaded")
    before = _pair(tab)
    _press(tab, key)
    expect(tab.get_by_role("status").first).to_contain_text(f"Counted: {said}")
    _press(tab, "u")
    assert _pair(tab) == before
    expect(tab.locator("#voting")).to_be_visible()


def test_after_a_vote_names_are_in_sight_and_the_page_is_accessible(tab, three_models):
    tab.goto(f"{three_models}/vote", wait_until="domcontentloaded")
    _pair(tab)
    _press(tab, "3")
    said = tab.get_by_role("status").first
    expect(said).to_be_in_viewport()
    expect(tab.get_by_role("link", name="Next pair")).to_be_in_viewport()
    assert violations_here(tab) == []


def test_keys_change_the_view_and_do_nothing_where_they_are_off(tab, three_models):
    tab.goto(f"{three_models}/vote", wait_until="domcontentloaded")
    before = _pair(tab)
    first = tab.frames[1]
    tab.keyboard.press("v")
    expect(tab.locator("input[name=vp]:checked")).to_have_value("375")
    tab.keyboard.press("r")
    tab.wait_for_function("document.querySelectorAll('iframe').length === 2")
    assert first.is_detached()
    tab.keyboard.press("c")
    expect(tab.locator(".codepane").first).to_be_visible()
    assert tab.locator("iframe").count() == 0
    tab.keyboard.press("c")
    expect(tab.locator("iframe")).to_have_count(2)
    tab.locator("#codefirst").evaluate("document.documentElement.dataset.keys = 'off'")
    for key in "1234sunvcr":
        tab.keyboard.press(key)
    assert tab.url == before
    assert tab.locator("#voting").count() == 1


def test_a_page_shows_report_screenshots_and_the_arithmetic(tab, code_server, code_home, run_id):
    with Store.open(code_home / "benchmaker.db") as store:
        models = store.run(run_id).models
    tab.goto(f"{code_server}/code/{run_id}/1/{models.index('two') + 1}")
    tab.get_by_role("tab", name="Report").click()
    expect(tab.locator(".film")).to_contain_text("its text is '0'")
    tab.get_by_role("tab", name="Screenshots").click()
    shots = tab.locator(".shots img")
    assert shots.count() == 3
    shots.first.scroll_into_view_if_needed()
    tab.wait_for_function("[...document.querySelectorAll('.shots img')].some(i => i.naturalWidth)")
    tab.get_by_role("tab", name="Report").click()
    tab.wait_for_function(
        "[...document.querySelectorAll('.film img')].every(it => it.naturalWidth)"
    )
    expect(tab.locator(".zoom")).to_be_hidden()
    tab.get_by_text("Arithmetic").click()
    expect(tab.get_by_role("group", name="The arithmetic of the score")).to_contain_text(
        "Visual accuracy: not judged"
    )


def test_the_api_tells_of_a_page_what_the_page_shows(code_server, run_id):
    api = Client(code_server)
    rows = {row["model"]: row for row in api.rows(f"/code/runs/{run_id}/pages")}
    place = f"{rows['two']['position']}/{rows['two']['rank']}"
    found = api.get(f"/code/runs/{run_id}/pages/{place}")
    (shot, *_) = found["report"]["screenshots"]
    picture = api.ask("GET", f"/code/shots/{shot['sha256']}")

    assert (rows["one"]["checks"], rows["two"]["checks"]) == (
        {"passed": 1, "n": 1}, {"passed": 0, "n": 1},
    )  # fmt: skip
    weighed = [it for it in found["criteria"] if it["value"] is not None]
    assert {it["name"] for it in weighed} >= {"Functionality", "Responsiveness"}
    assert found["judge_total"] is None
    assert (rows["one"]["checks_passed"], found["checks_passed"]) == (100, 0)
    assert any(line.endswith("without a judge no total") for line in found["lines"])
    assert picture.body.startswith(b"\x89PNG")
    with urlopen(found["preview"]) as answer:  # noqa: S310  a server of this test
        assert "Counter" in answer.read().decode()


def test_the_two_names_of_the_server_do_not_answer_for_each_other(code_server, run_id):
    bench = apps[code_server].state.bench
    ticket = bench.tickets.give(PreviewOf(run_id, "counter", "one"))
    other = f"http://{bench.settings.preview_host}"
    with urlopen(f"{other}/p/{ticket}/") as answer:  # noqa: S310  a server of this test
        assert "Counter" in answer.read().decode()
        assert "sandbox allow-scripts" in answer.headers["content-security-policy"]
        assert "set-cookie" not in answer.headers
    for address in (f"{other}/code", f"{other}/p/nobody/", f"{code_server}/p/{ticket}/"):
        with pytest.raises(HTTPError) as refused:
            urlopen(address)  # noqa: S310  as above
        assert refused.value.code in {404, 421}
        refused.value.close()


def test_a_preview_that_never_ends_leaves_the_workbench_responsive(whole_chromium, tmp_path):
    """The page around it goes on: its own clock ticks, and it says that the preview stopped."""
    suite = tmp_path / "suite.yaml"
    suite.write_text("name: loops\nscorer: exact\ncases:\n  - {id: loop, prompt: p, expected: e}\n")
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "loop", "model": "one", "output": LOOP}) + "\n")
    _aside(lambda: benchmaker.run(suite, recorded=answers, home=tmp_path))
    with Store.open(tmp_path / "benchmaker.db") as store:
        run_id = store.runs(limit=1)[0].id
    context = whole_chromium.new_context()
    with serving(tmp_path, previews=True) as address:
        page = context.new_page()
        page.goto(f"{address}/code/{run_id}/1/live", wait_until="domcontentloaded")
        ticks = page.evaluate(
            "new Promise(done => { let n = 0; const t = setInterval(() => n++, 50);"
            " setTimeout(() => { clearInterval(t); done(n); }, 3000); })"
        )
        assert ticks > 30
        expect(page.get_by_text("This preview stopped responding.")).to_be_visible(timeout=20_000)
        page.get_by_role("button", name="Stop").click()
        assert page.locator("iframe").count() == 0
        context.close()


def test_a_live_page_waits_for_a_run_that_no_worker_has_begun(tmp_path):
    home, file = tmp_path / "home", tmp_path / "suite.yaml"
    file.write_text(SUITE)
    with Store.open(home / "benchmaker.db") as store:
        suite = store.put_suite(benchmaker.load_suite(file))
    with answering() as models, serving(home, previews=True, works=False) as address:
        run_id = begun(address, suite, [f"{models.url}#small"], no_judge="on")
        events = f"{address}/code/{run_id}/1/live/events"
        with urlopen(events, timeout=1.5) as answer:  # noqa: S310  a server of ours
            assert b"not started" in answer.read1(4_000)
            with pytest.raises(TimeoutError):  # nothing more is said, not even that it is over
                answer.read1(4_000)


def test_two_models_stream_previews_follow_and_their_pages_are_voted_on(chromium, tmp_path):
    """The whole way: begun from the Arena, watched while written, rendered, voted on."""
    home = tmp_path / "home"
    file = tmp_path / "suite.yaml"
    file.write_text(SUITE)
    with Store.open(home / "benchmaker.db") as store:
        suite = store.put_suite(benchmaker.load_suite(file))
    context = chromium.new_context()
    page = context.new_page()
    with (
        answering(lambda _: GOOD.replace("```html", "```html index.html")) as models,
        serving(home, previews=True) as address,
    ):
        models.flows.clear()
        names = [f"{models.url}#small", f"{models.url}#large"]
        run_id = begun(address, suite, names, no_judge="on")
        page.goto(f"{address}/code/{run_id}/1/live", wait_until="domcontentloaded")
        expect(page.locator("[data-state='1']")).to_contain_text("writing", timeout=30_000)
        models.flows.set()
        for number in (1, 2):
            stage = page.frame_locator(f".stage[data-n='{number}'] iframe")
            expect(stage.locator("button")).to_have_text("Add", timeout=30_000)
        expect(page.locator("#over")).to_be_visible(timeout=90_000)
        expect(page.get_by_role("link", name="Vote on its pages")).to_be_visible()
        expect(page.get_by_role("link", name="Vote n")).to_be_visible()
        with page.expect_navigation(wait_until="domcontentloaded"):
            page.keyboard.press("n")
        expect(page.locator("#duel.ready")).to_be_visible(timeout=20_000)
        with page.expect_navigation():
            page.get_by_role("button", name="Tie").click()
        expect(page.get_by_role("status").first).to_contain_text("a tie")
        page.goto(f"{address}/code/standings?run={run_id}")
        expect(page.locator("main")).to_contain_text("1 vote by 1 voter on 1 prompt: 1 tie,")
    context.close()


def test_a_ticket_is_the_same_for_the_same_page_and_old_ones_are_forgotten():
    tickets = Tickets(most=2)
    pages = [PreviewOf("run", "case", f"m{i}") for i in range(3)]
    given = [tickets.give(page) for page in pages]
    assert len(set(given)) == 3
    assert tickets.give(pages[2]) == given[2]
    assert tickets.find(given[0]) is None
    assert tickets.find(given[1]) == pages[1]
    assert tickets.give(pages[0]) != given[0]
