"""The usage of a session in parts."""

import math
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.usage.session_usage import ExcludedUsage
from benchmaker.arenas.agentic.evaluation.evaluate import submit
from benchmaker.arenas.agentic.evaluation.metrics import metrics_of
from benchmaker.arenas.agentic.logs.events import Activity, LlmCall, Session, Totals
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.reduce import Reducer
from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery, sessions_of, usage
from benchmaker.arenas.agentic.sessions.usage_parts import usage_parts
from benchmaker.arenas.agentic.submissions.repricing import reprice
from benchmaker.errors import SpecError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.store.home import Home
from tests.arenas.agentic.spans import at, write_rows, write_session
from tests.draws import draws

PRICER = Pricer(Prices(), now=1_770_000_000.0)
ONE = "0b1c2d3e-0000-4000-8000-000000000001"
TWO = "1b1c2d3e-0000-4000-8000-000000000002"
TIMES = st.none() | st.floats(1.76e9, 1.7605e9)
FEW = st.integers(0, 99)
COSTS = st.none() | st.floats(0, 2, allow_subnormal=False)
CALLS = st.builds(
    LlmCall,
    at=TIMES,
    model=st.sampled_from(["claude-sonnet-4-5", "claude-haiku-4-5", "in-house", None]),
    usage=st.none() | st.builds(TokenUsage, input_uncached=FEW, output=FEW),
    cost_usd=COSTS,
)  # fmt: skip
TOTALS = st.builds(
    Totals,
    usage=st.none() | st.builds(TokenUsage, output=st.integers(0, 99)),
    cost_usd=COSTS,
    active_s=st.none() | st.just(5.0),
)
EVENTS = st.lists(CALLS | st.builds(Activity, at=st.floats(1.76e9, 1.7605e9)), max_size=12)


def reduced(events):
    reducer = Reducer(PRICER)
    reducer.read(events)
    (one,) = reducer.finish()
    return one


@given(EVENTS, st.none() | TOTALS)
def test_parts_add_up_to_their_session(events, totals):
    one = reduced([Session(session_id="s"), *events, *([totals] if totals else [])])
    if not one.parts:
        return
    submission, parts = one.submission, one.parts
    for kind in ("input_uncached", "output"):
        known = [n for it in parts if (n := getattr(it.usage, kind)) is not None]
        assert (sum(known) if known else None) == getattr(submission.usage, kind)
    assert sum(it.tokens or 0 for it in parts) == (submission.total_tokens or 0)
    for name in ("reported_usd", "computed_usd"):
        whole = getattr(submission.cost, name)
        if whole is not None:
            added = math.fsum(getattr(it, name) or 0 for it in parts)
            assert math.isclose(added, whole, rel_tol=1e-6, abs_tol=1e-9)
    active = [it.active_s for it in parts]
    if None not in active:
        assert math.isclose(math.fsum(active), submission.time.active_s or 0, abs_tol=1e-5)


@given(EVENTS)
def test_a_part_holds_what_was_answered_in_its_quarter(events):
    one = reduced([Session(session_id="s"), *events])
    for part in one.parts:
        if part.first_at is not None:
            assert part.first_at <= part.last_at
            assert part.first_at // 900 == part.last_at // 900


def imported(home, *paths):
    return import_logs(list(paths), home=home)


def test_a_session_over_three_days_is_split_by_the_time_of_its_answers(tmp_path):
    days = ("2026-03-01T23:50", "2026-03-01T23:58", "2026-03-02T00:10", "2026-03-31T09:00")
    times = [at(it) for it in days]
    imported(tmp_path / "home", write_session(tmp_path, ONE, times))
    made = usage(zone=UTC, home=tmp_path / "home")
    assert [(row.key, row.total_tokens) for row in made.rows] == [
        ("2026-03-01", 2 * 3_310),
        ("2026-03-02", 3_310),
        ("2026-03-31", 3_310),
    ]
    assert made.total.sessions == 1
    late = usage(since="2026-03-30", zone=UTC, home=tmp_path / "home")
    assert late.total.total_tokens == 3_310
    assert math.isclose(late.total.cost_usd, made.total.cost_usd / 4)
    assert [row.key for row in usage(by="week", zone=UTC, home=tmp_path / "home").rows] == [
        "2026-02-23",
        "2026-03-02",
        "2026-03-30",
    ]


def test_a_kind_that_the_whole_does_not_tell_and_answers_have_none_of_is_no_difference():
    calls = [
        LlmCall(
            at=1.76e9 + day * 86_400,
            model="claude-sonnet-4-5",
            usage=TokenUsage(input_uncached=10, cache_write_5m=7, cache_write_1h=0, output=5),
        )
        for day in range(2)
    ]
    whole = Totals(usage=TokenUsage(input_uncached=20, cache_write_5m=14, output=10), cost_usd=0.5)
    parts = reduced([Session(session_id="s"), *calls, whole]).parts
    assert [(part.first_at, part.tokens) for part in parts] == [(1.76e9, 22), (1.76e9 + 86_400, 22)]


def test_the_active_time_of_a_session_is_split_too(tmp_path):
    start = at("2026-03-01T23:58")
    log = write_session(tmp_path, ONE, [start, start + 100, start + 220])
    imported(tmp_path / "home", log)
    made = usage(zone=UTC, home=tmp_path / "home")
    assert [(row.key, row.active_s) for row in made.rows] == [
        ("2026-03-01", 100.0),
        ("2026-03-02", 120.0),
    ]
    assert made.total.active_s == 220.0


FILES = {"early": (ONE, 1), "late": (ONE, 3), "other": (TWO, 2)}
"""Two states of a session that has grown, and another session: answers by file."""

STEPS = st.tuples(
    st.sampled_from(sorted(FILES)),
    st.sampled_from([None, "t", "u"]),
    st.sampled_from([None, "ada"]),
)


@settings(max_examples=draws(8, 40), deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=5))
def test_a_session_counts_once_whatever_it_was_imported_for(steps):
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        logs = {
            name: write_session(
                Path(folder) / name, session, [at("2026-03-01T10:00") + 60 * n for n in range(many)]
            )
            for name, (session, many) in FILES.items()
        }
        for name, how, who in steps:
            import_logs([logs[name]], task=how, submitter=who, home=home)
        made = usage(zone=UTC, home=home).total
        listed = usage(by="session", zone=UTC, home=home).rows
    most = {}
    for name, *_ in steps:
        session, many = FILES[name]
        most[session] = max(many, most.get(session, 0))
    assert made.total_tokens == 3_310 * sum(most.values())
    assert made.llm_calls == sum(most.values())
    assert made.sessions == len(listed) == len(most)


def test_a_session_that_is_imported_and_then_submitted_counts_once(tmp_path):
    log = write_session(tmp_path, ONE, [at("2026-03-01T10:00")])
    imported(tmp_path / "home", log)
    submit(log, task="room-calendar", home=tmp_path / "home")
    made = usage(zone=UTC, home=tmp_path / "home").total
    assert (made.sessions, made.total_tokens) == (1, 3_310)


def test_filters_choose_tool_and_project(tmp_path):
    home = tmp_path / "home"
    imported(home, write_session(tmp_path, ONE, [at("2026-03-01T10:00")]))
    imported(
        home, write_session(tmp_path, TWO, [at("2026-03-01T11:00")] * 2, project="/home/ada/api")
    )
    assert usage(project="api", zone=UTC, home=home).total.llm_calls == 2
    assert usage(tool="Claude Code", zone=UTC, home=home).total.llm_calls == 3
    assert usage(tool="codex", zone=UTC, home=home).rows == ()


def test_parts_follow_a_session_whose_price_has_changed(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    imported(home, write_session(tmp_path, ONE, [at("2026-03-01T10:00"), at("2026-03-02T10:00")]))
    (home / "prices.yaml").write_text("prices:\n  claude-sonnet-4-5: {input: 0, output: 500}\n")
    reprice(home=home)
    made = usage(zone=UTC, home=home)
    assert [row.cost_usd for row in made.rows] == [0.5, 0.5]


def test_days_back_are_counted_from_the_clock_that_is_passed():
    window = UsageQuery(since="7d", zone=UTC).window(at("2026-03-10T10:00"))
    assert window.since == at("2026-03-03T00:00")


def test_sessions_without_stored_parts_are_divided_from_their_requests(tmp_path):
    home = tmp_path / "home"
    imported(home, write_session(tmp_path, ONE, [at("2026-03-01T10:00"), at("2026-03-02T10:00")]))
    place = Home.of(home)
    with place.open_store() as store:
        (one,) = store.submissions()
        before = [it.parts for it in sessions_of(store, UsageQuery(zone=UTC), home, now=2e9)]
        store.put_submission(
            msgspec.structs.replace(one, flags=("x",)),
            {"requests": list(store.trace(one.id, "requests"))},
        )
        after = [it.parts for it in sessions_of(store, UsageQuery(zone=UTC), home, now=2e9)]
    assert [[it.tokens for it in parts] for parts in after] == [
        [it.tokens for it in parts] for parts in before
    ]


def test_a_cost_of_the_whole_session_is_divided_and_named():
    one = reduced(
        [
            LlmCall(
                at=1.76e9, model="claude-sonnet-4-5", usage=TokenUsage(input_uncached=0, output=10)
            ),
            LlmCall(
                at=1.76e9 + 9e4,
                model="claude-sonnet-4-5",
                usage=TokenUsage(input_uncached=0, output=30),
            ),
            Totals(cost_usd=4.0),
        ]
    )
    assert [it.reported_usd for it in one.parts] == [1.0, 3.0]
    assert all(it.is_divided for it in one.parts)


def test_imported_benchmarks_are_in_a_sum_of_their_own(tmp_path):
    home = tmp_path / "home"
    imported(home, write_session(tmp_path, ONE, [at("2026-03-01T10:00")]))
    with Home.of(home).open_store() as store:
        (one,) = store.submissions()
        store.put_submission(msgspec.structs.replace(one, id="other", importer="terminal_bench"))
    assert usage(zone=UTC, home=home).total.sessions == 1
    assert [row.key for row in usage(by="session", benchmarks=True, zone=UTC, home=home).rows] == [
        "other"
    ]


def test_a_submission_in_our_form_is_of_the_reader_that_made_it(tmp_path):
    own, row = tmp_path / "own", tmp_path / "rows.json"
    imported(own, write_session(tmp_path, ONE, [at("2026-03-01T10:00")]))
    row.write_text(
        '[{"id": "1", "tool": "X", "total_tokens": 9, "started_at": "2026-03-01T10:00:00Z"}]'
    )
    import_logs(row, home=own)
    with Home.of(own).open_store() as opened:
        stored = msgspec.json.encode(list(opened.submissions()))
    (tmp_path / "printed.json").write_bytes(stored)
    import_logs(tmp_path / "printed.json", home=tmp_path / "other")
    made = usage(zone=UTC, home=tmp_path / "other")
    assert [row.tools for row in made.rows] == [("claude-code",)]
    assert made.left_out == ExcludedUsage(table_rows=1)


def test_days_in_the_wrong_order_are_refused():
    with pytest.raises(SpecError, match=r"since 2026-03-02 is after until 2026-03-01\."):
        usage(since="2026-03-02", until="2026-03-01", zone=UTC)


def test_days_of_the_readers_zone_have_the_length_that_they_have_there(tmp_path):
    """The clocks go forward in Berlin at 01:00 UTC on 2026-03-29."""
    times = [at("2026-03-28T23:30"), at("2026-03-29T21:30"), at("2026-03-29T22:30")]
    imported(tmp_path / "home", write_session(tmp_path, ONE, times))
    made = usage(zone=ZoneInfo("Europe/Berlin"), home=tmp_path / "home")
    assert [(row.key, row.llm_calls) for row in made.rows] == [("2026-03-29", 2), ("2026-03-30", 1)]
    assert datetime.fromisoformat(made.rows[0].first_at).tzinfo is not None


def test_dividing_a_long_session_holds_few_of_its_answers():
    """Of the answers outside the current quarter-hour it keeps a position: 4 bytes."""
    few, many = (held_by_division(n) for n in (2_000, 12_000))
    assert (many - few) / 10_000 < 40  # bytes


def held_by_division(answers):
    reducer = Reducer(PRICER)
    usage = TokenUsage(input_uncached=3, output=2)
    reducer.read(
        LlmCall(id=f"msg_{n:020}", at=1.76e9 + n, model="in-house", usage=usage)
        for n in range(answers)
    )
    (one,) = reducer.finish()
    tracemalloc.start()
    made = usage_parts(one.submission, one.requests, PRICER)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(it.tokens for it in made) == 5 * answers
    return peak


def test_import_usage_and_evaluation_bill_reasoning_at_its_own_rate(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "prices.yaml").write_text(
        "prices:\n  inhouse-7: {input: 0, output: 10, reasoning: 20}\n"
    )
    counted = {"input_tokens": 9, "output_tokens": 1_000_000, "reasoning_output_tokens": 500_000}
    log = write_rows(
        tmp_path / "exec.jsonl",
        [
            {"type": "thread.started", "thread_id": ONE},
            {"type": "turn.started"},
            {"type": "turn.completed", "usage": counted},
        ],
    )
    (one,) = import_logs(log, model="inhouse-7", home=home).submissions
    made = usage(by="tool", zone=UTC, home=home)
    (row,) = made.rows
    evaluated = metrics_of(one, task_id="room-calendar").cost
    assert one.cost.usd == row.cost_usd == row.models[0].cost_usd == evaluated == 15.0
