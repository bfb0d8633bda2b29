"""Usage, texts of sessions and reasoning, as pages without script show them."""

import json
import re
import time
from dataclasses import replace
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.cli.main import main
from benchmaker.web import Settings
from benchmaker.web.agentic.machine_logs import may_collect
from benchmaker.web.workbench import Workbench
from tests.arenas.agentic.spans import answer_row, at, write_rows, write_session
from tests.web.aside import aside
from tests.web.serving import serving

ONE = "0b1c2d3e-0000-4000-8000-000000000001"
TWO = "1b1c2d3e-0000-4000-8000-000000000002"


@pytest.fixture(scope="module", autouse=True)
def zone():
    """Days are those of the server's time zone, here UTC."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """One session with answers in March and just now, the last one with its reasoning."""
    folder = tmp_path_factory.mktemp("usage")
    times = [at("2026-03-01T10:00"), at("2026-03-09T10:00"), time.time() - 120, time.time()]
    rows = [answer_row(ONE, n, when, cwd="/home/ada/shop") for n, when in enumerate(times)]
    thought = {"type": "thinking", "thinking": "Perhaps <b>the discount</b> is applied twice."}
    rows[-1]["message"]["content"].insert(0, thought)
    import_logs(write_rows(folder / f"{ONE}.jsonl", rows), home=folder / "home")
    with serving(folder / "home") as address:
        yield address


def page(arena, path):
    with urlopen(f"{arena}/agentic/{path}") as answer:  # noqa: S310  our own
        return answer.read().decode()


def test_usage_is_shown_by_week_and_by_month(arena):
    text = page(arena, "usage?by=week")
    assert "2026-02-23" in text
    assert "2026-03-09" in text
    assert "<bdi>2026-03</bdi>" in page(arena, "usage?by=month")


def test_a_sum_with_an_unknown_cost_has_a_plus(tmp_path):
    """As the rows of the table below it have."""
    rows = [answer_row(ONE, 0, at("2026-03-01T10:00"))]
    unpriced = [answer_row(TWO, 0, at("2026-03-01T11:00"))]
    unpriced[0]["message"]["model"] = "unheard-of"
    for name, its in ((ONE, rows), (TWO, unpriced)):
        import_logs(write_rows(tmp_path / f"{name}.jsonl", its), home=tmp_path / "home")
    with serving(tmp_path / "home", works=False) as address:
        text = page(address, "usage")
    assert re.search(r'<dt>Cost</dt><dd><div class="v num">\$[\d.]+\+</div>', text)


def test_usage_is_chosen_by_project_tool_and_kind(arena):
    assert "2026-03-01" in page(arena, "usage?project=shop&tool=claude-code")
    for words in ("project=api", "tool=codex", "of=benchmarks"):
        assert "No matching sessions." in page(arena, f"usage?{words}")


def test_usage_by_day_shows_the_blocks_of_the_last_days(arena):
    text = page(arena, "usage")
    assert "Blocks of five hours" in text
    assert text.count("2026-03-01") == 1  # in the table of days alone
    assert "Blocks of five hours" not in page(arena, "usage?by=model")


def test_days_in_the_wrong_order_are_refused_on_the_page(arena):
    with pytest.raises(HTTPError) as refused:
        page(arena, "usage?since=2026-03-05&until=2026-03-01")
    assert refused.value.code == 422
    assert "Since 2026-03-05 is after until 2026-03-01" in refused.value.read().decode()


def test_blocks_up_to_a_day_are_the_last_before_it(arena):
    text = page(arena, "usage?until=2026-03-05")
    assert "Blocks of five hours" in text
    assert "2026-03-01 10:00" in text


def test_what_is_left_out_is_counted_and_unknown_days_are_no_days(tmp_path):
    home = tmp_path / "home"
    import_logs(write_session(tmp_path, ONE, [at("2026-03-01T10:00")]), home=home)
    undated = answer_row(TWO, 0, 0.0)
    del undated["timestamp"]
    import_logs(write_rows(tmp_path / f"{TWO}.jsonl", [undated]), home=home)
    (tmp_path / "rows.json").write_text('[{"id": "1", "tool": "X", "total_tokens": 9}]')
    import_logs(tmp_path / "rows.json", home=home)
    with serving(home) as address:
        text = page(address, "usage")
        assert "1 day, 1 session of unknown day" in text
        assert "Not in these sums: 1 row of tables." in text
        assert "1 row of tables" not in page(address, "usage?of=benchmarks")
        text = page(address, "usage?project=shop")
        assert "Not in these sums: 1 session without a folder." in text


def test_texts_of_sessions_are_found_and_lead_to_the_trace(arena):
    text = page(arena, "search?q=applied+twice&in=texts")
    assert "Perhaps &lt;b&gt;the discount" in text
    assert "/agentic/submissions/1/trace?q=applied" in text
    assert "No hits." in page(arena, "search?q=nowhere&in=texts")
    assert "No hits." in page(arena, "search?q=...&in=texts")


def test_reasoning_is_folded_in_the_trace(arena):
    text = page(arena, "submissions/1/trace")
    assert "<summary>Reasoning, 45 characters</summary>" in text
    assert "Perhaps &lt;b&gt;the discount" in text


def test_sessions_without_tokens_are_in_the_sums_of_the_page_and_the_api(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("id,task_id,tool,estimated_cost,total_tokens\n1,t,X,0.5,\n2,t,X,0.5,7\n")
    import_logs(rows, home=tmp_path / "home")
    with serving(tmp_path / "home") as address:
        text = page(address, "usage?of=benchmarks")
        with urlopen(f"{address}/agentic/usage.json?of=benchmarks") as answer:  # noqa: S310  our own
            total = json.load(answer)["total"]
    assert "Without tokens: 1 session. The sums include their known cost, time and calls." in text
    assert (total["sessions"], total["cost_usd"], total["sessions_without_tokens"]) == (2, 1.0, 1)


def test_a_sum_of_some_active_times_has_the_same_plus_in_the_terminal(tmp_path):
    home = tmp_path / "home"
    times = [at("2026-03-01T10:00"), at("2026-03-01T10:02")]
    import_logs(write_session(tmp_path, ONE, times), home=home)
    undated = answer_row(TWO, 0, 0.0)
    del undated["timestamp"]
    import_logs(write_rows(tmp_path / f"{TWO}.jsonl", [undated]), home=home)
    words = ["usage", "--stored", "--by", "tool", "--home", str(home)]
    said = CliRunner().invoke(main, words).output
    with serving(home) as address:
        text = page(address, "usage?by=tool")
    note = "Active time with a plus excludes sessions without an active time."
    assert "2 min 00 s+" in said
    assert note in " ".join(said.split())
    assert text.count("2 min 00 s+") == 2  # the tile of the total, and the row
    assert note in text


def test_a_click_imports_the_logs_of_this_machine(tab, tmp_path):
    """The folders are those of ``benchmaker usage``."""
    projects = tmp_path / "me" / ".claude" / "projects"
    aside(write_session, projects, ONE, [at("2026-03-01T10:00")])
    environ = {"HOME": str(tmp_path / "me")}
    with serving(tmp_path / "home", works=False, environ=environ) as address:
        tab.goto(f"{address}/agentic/usage")
        tab.get_by_text("No sessions yet.").wait_for()
        tab.get_by_role("button", name="Import this machine's logs").click()
        tab.get_by_role("rowheader", name="2026-03-01").wait_for()
        tab.get_by_role("button", name="Import this machine's logs").click()
        tab.get_by_text("No new logs of coding tools were found").first.wait_for()
    tab.complaints.clear()  # the browser reports the status


def test_a_shared_server_reads_no_logs_of_its_machine(tmp_path):
    settings = Settings(home=tmp_path, is_shared=True)
    assert not may_collect(Workbench(settings), None)
    assert may_collect(Workbench(replace(settings, is_shared=False)), None)
