"""``benchmaker usage`` over sessions that report no tokens, or no time."""

import pytest

from tests.arenas.agentic.spans import answer_row, at, write_rows, write_session

ONE = "0b1c2d3e-0000-4000-8000-000000000001"
TWO = "1b1c2d3e-0000-4000-8000-000000000002"
START = int(at("2026-03-01T10:00"))


def grok_row(at_s, **update):
    update = {"toolCallId": "write-1", **update}
    return {"method": "session/update", "params": {"update": update}, "timestamp": START + at_s}


@pytest.fixture
def grok(tmp_path, cli):
    """A stored session of a tool that reports calls and times, and no tokens."""
    given = {"file_path": "a.rs", "content": "one\ntwo\n"}
    log = write_rows(
        tmp_path / "updates.jsonl",
        [
            grok_row(0, sessionUpdate="tool_call", title="write", rawInput=given),
            grok_row(8, sessionUpdate="tool_call_update", status="completed"),
        ],
    )
    assert "Show the totals: benchmaker usage" in cli("import", str(log)).stdout


@pytest.mark.usefixtures("grok")
@pytest.mark.parametrize("words", [(), ("weekly",), ("monthly",), ("session",), ("--by", "model")])
def test_a_session_without_tokens_is_summed_up(cli, words):
    data = cli("usage", *words, "--stored", "--utc", "--json").data
    for row in (data["total"], *data["rows"]):
        assert (row["sessions"], row["sessions_without_tokens"]) == (1, 1)
        assert (row["tool_calls"], row["total_tokens"], row["wall_s"]) == (1, None, 8.0)


@pytest.mark.usefixtures("grok")
def test_the_number_of_sessions_without_tokens_is_told(cli):
    said = cli("usage", "--stored", "--utc", "--tool", "grok-cli")
    assert said.stdout.splitlines()[2].split()[:2] == ["2026-03-01", "1"]
    assert (
        "Without tokens: 1 session. The sums include their known cost, time and calls."
        in said.stdout
    )
    (block,) = cli("usage", "blocks", "--stored", "--json").data["blocks"]
    assert (block["sessions"], block["tool_calls"], block["total_tokens"]) == (1, 1, None)


def test_rows_that_are_counted_as_left_out_are_those_that_benchmarks_shows(cli, tmp_path):
    rows = tmp_path / "rows.csv"
    lines = [f"{n},t{n},X,0.5,{n % 2 or ''}" for n in range(6)]
    rows.write_text("\n".join(["id,task_id,tool,estimated_cost,total_tokens", *lines]))
    cli("import", str(rows))
    assert cli("usage", "--stored", "--json").data["left_out"]["table_rows"] == 6
    said = cli("usage", "--stored", "--benchmarks", "--json").data["total"]
    assert (said["sessions"], said["sessions_without_tokens"]) == (6, 3)
    assert (said["cost_usd"], said["total_tokens"]) == (3.0, 3)


@pytest.fixture
def timeless(tmp_path, cli):
    """A stored session with times, and one without."""
    write_session(tmp_path / "logs", ONE, [float(START)])
    row = answer_row(TWO, 0, float(START), cwd="/home/ada/shop")
    del row["timestamp"]
    write_rows(tmp_path / "logs" / "-home-ada-shop" / f"{TWO}.jsonl", [row])
    cli("import", str(tmp_path / "logs"))


@pytest.mark.usefixtures("timeless")
def test_blocks_say_what_lies_in_none_of_them(cli):
    whole = cli("usage", "--stored", "--utc", "--json").data["total"]
    said = cli("usage", "blocks", "--stored", "--json").data
    left_out = said["left_out"]
    assert left_out["sessions_without_time"] == 1
    for name, key in (("total_tokens", "tokens_without_time"), ("cost_usd", "usd_without_time")):
        assert said["total"][name] + left_out[key] == pytest.approx(whole[name])
    told = " ".join(cli("usage", "blocks", "--stored").stdout.split())
    assert "Not in these blocks: 1 session without a time (3,310 tokens, $0.0" in told
    active = cli("usage", "blocks", "--active", "--stored")
    assert "without a time" not in active.stdout + active.stderr


@pytest.mark.usefixtures("timeless")
@pytest.mark.parametrize("words", [("--since", "2026-02-01"), ("--until", "2026-04-01")])
def test_chosen_days_leave_out_what_has_no_time_and_say_so(cli, words):
    whole = cli("usage", "--stored", "--utc", "--json").data
    assert whole["left_out"]["sessions_without_time"] == 0
    data = cli("usage", *words, "--stored", "--utc", "--json").data
    left_out = data["left_out"]
    assert (data["total"]["sessions"], left_out["sessions_without_time"]) == (1, 1)
    for name, key in (("total_tokens", "tokens_without_time"), ("cost_usd", "usd_without_time")):
        assert data["total"][name] + left_out[key] == pytest.approx(whole["total"][name])
    told = " ".join(cli("usage", *words, "--stored", "--utc").stdout.split())
    assert "Not in these sums of selected days: 1 session without a time (3,310" in told
