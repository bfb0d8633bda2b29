from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.boards.board import VALUES
from benchmaker.analysis.boards.leaderboard import leaderboard
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking, rules_with
from benchmaker.arenas.agentic.settling.board_keys import BoardKey, stored_keys
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.arenas.agentic.settling.stored_boards import (
    INDEX,
    Board,
    BoardMaker,
    bias_of,
    board_of,
    front_of,
    write_boards,
    write_boards_of_tasks,
)
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from benchmaker.store.agentic.boards import StoredBoard
from tests.analysis.submissions import SEEDS, a_row, random_rows
from tests.arenas.agentic.current_evaluations import evaluations_of_task
from tests.arenas.agentic.handed import a_submission

DAY_US = 86_400_000_000
CLASSIC, ROBUST = (ProfileRanking(BUILT_IN[name]) for name in ("classic", "robust"))
FAMILIES = st.sampled_from([CLASSIC, ROBUST])


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def put(store, rows, ranking=CLASSIC):
    at_work = ProfileAtWork(ranking.document)
    changed = store.agentic.put_metrics((row, at_work.input_hash(row)) for row in rows)
    settle_tasks(store, at_work, changed)


def written(ranking, rows, batches):
    """All boards after these batches, by name."""
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "store.db") as store:
        at = 0
        for size in [*batches, len(rows)]:
            put(store, rows[at : at + size], ranking)
            at += size
            if size % 2:
                write_boards(store, ranking)
        write_boards(store, ranking)
        index = store.agentic.board(ranking.profile, INDEX)
        return index, {name: store.agentic.board(ranking.profile, name) for name in index["names"]}


@settings(max_examples=4, deadline=None)
@given(FAMILIES, SEEDS, st.data())
def test_any_order_and_batches_give_the_same_boards(ranking, seed, data):
    rows = random_rows(seed, 40)
    other = data.draw(st.permutations(rows))
    batches = data.draw(st.lists(st.integers(1, 30), max_size=3))

    assert written(ranking, rows, []) == written(ranking, other, batches)


@settings(max_examples=8, deadline=None)
@given(FAMILIES, SEEDS)
def test_boards_rank_by_the_evaluations_that_are_stored(ranking, seed):
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "store.db") as store:
        put(store, random_rows(seed, 50), ranking)
        columns = collect_columns(store.agentic.metrics())
        scores = ranking.composites(columns).overall.tolist()
        stored = {
            one.submission_id: one.overall_score
            for task in store.agentic.metric_tasks()
            for one in evaluations_of_task(store, ranking.document, task)
        }
    for submission_id, score in zip(columns.ids, scores, strict=True):
        expected = stored[submission_id]
        assert (score != score) == (expected is None)  # noqa: PLR0124  NaN is no score
        if expected is not None:
            assert score == pytest.approx(expected, abs=1e-9)


def all_boards(store, ranking):
    index = store.agentic.board(ranking.profile, INDEX)
    return index, {name: store.agentic.board(ranking.profile, name) for name in index["names"]}


@settings(max_examples=4, deadline=None)
@given(FAMILIES, SEEDS, st.data())
def test_boards_written_after_each_change_are_those_of_writing_all(ranking, seed, data):
    """New rows, changed, quarantined and deleted ones; every board is the same as made anew."""
    rows = random_rows(seed, 30)
    steps = data.draw(
        st.lists(
            st.tuples(st.sampled_from(["put", "change", "hold", "delete"]), st.integers(0, 29)),
            min_size=1,
            max_size=3,
        )
    )
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "store.db") as store:
        put(store, rows[:24], ranking)
        write_boards(store, ranking)
        for what, at in steps:
            change(store, ranking, what, rows, at)
            maker = write_boards_of_tasks(store, ranking, [rows[at].task_id])
            write_boards(store, ranking, maker=maker)
        step_by_step = all_boards(store, ranking)

        assert write_boards(store, ranking, rebuild=True) == 0
        assert all_boards(store, ranking) == step_by_step


def change(store, ranking, what, rows, at):
    row = rows[at]
    if what == "delete":
        if store.agentic.metrics_of(row.submission_id) is not None:
            store.put_submission(a_submission(0, id=row.submission_id))
            store.delete_submission(row.submission_id)
            settle_tasks(store, ProfileAtWork(ranking.document), [row.task_id])
        return
    changes = {
        "put": {},
        "change": {"success": False, "seconds": 7.0},
        "hold": {"quarantined": True},
    }
    put(store, [msgspec.structs.replace(row, **changes[what])], ranking)


def test_one_more_submission_leaves_boards_alone_that_it_does_not_touch(store):
    rows = [
        a_row(n, system=f"s{n % 6}", tool=f"tool{n % 2}", task_id=f"t{n % 4}", category=None)
        for n in range(48)
    ]
    put(store, rows)
    write_boards(store, CLASSIC)
    before = store.agentic.board("classic/1", INDEX)["marks"]

    put(store, [a_row(200, system="s0", tool="tool0", task_id="t0", category=None)])
    write_boards(store, CLASSIC)
    after = store.agentic.board("classic/1", INDEX)["marks"]

    moved = {name for name in before if before[name] != after[name]}
    assert "system/success/all/tool=tool0" in moved
    assert "system/overall/all/task=t0" in moved
    assert "system/overall/all/tool=tool1" not in moved
    assert "system/overall/all/task=t1" not in moved


OWN = BoardKey(where=(("task", "t0"),)).name


def test_the_board_of_a_task_is_written_before_all_others(store):
    put(store, random_rows(3, 30, tasks=("t0", "t1")))
    write_boards(store, CLASSIC)
    _, before = all_boards(store, CLASSIC)

    put(store, [a_row(200, system="new", task_id="t0")])
    maker = write_boards_of_tasks(store, CLASSIC, ["t0"])
    _, first = all_boards(store, CLASSIC)
    write_boards(store, CLASSIC, maker=maker)
    _, after = all_boards(store, CLASSIC)

    assert {name for name in first if first[name] != before[name]} == {OWN}
    assert "new" in {row["system"] for row in first[OWN]["rows"]}
    assert after[OWN] == first[OWN]
    assert write_boards(store, CLASSIC, rebuild=True) == 0


def test_the_board_of_a_task_is_made_again_where_the_others_were_never_written(store):
    put(store, random_rows(3, 30, tasks=("t0", "t1")))
    write_boards(store, CLASSIC)
    before = all_boards(store, CLASSIC)
    put(store, [a_row(200, system="new", task_id="t0")])
    write_boards_of_tasks(store, CLASSIC, ["t0"])

    store.put_submission(a_submission(0, id=a_row(200).submission_id))
    store.delete_submission(a_row(200).submission_id)
    settle_tasks(store, ProfileAtWork(CLASSIC.document), ["t0"])
    write_boards(store, CLASSIC)

    assert all_boards(store, CLASSIC) == before


def test_a_profile_without_boards_gets_all_of_them_at_once(store):
    put(store, random_rows(3, 30))

    write_boards_of_tasks(store, CLASSIC, ["t0"])

    assert store.agentic.board("classic/1", INDEX) is None
    assert store.agentic.board("classic/1", OWN) is None


def test_boards_that_were_written_without_marks_are_made_again(store):
    put(store, random_rows(3, 30))
    write_boards(store, CLASSIC)
    index, bodies = all_boards(store, CLASSIC)
    older = {name: value for name, value in index.items() if name != "marks"}
    store.agentic.put_boards([StoredBoard("classic/1", INDEX, older)])

    write_boards(store, CLASSIC)

    assert all_boards(store, CLASSIC) == (index, bodies)


def test_a_second_writing_finds_nothing_to_do(store):
    put(store, random_rows(1, 60))

    assert write_boards(store, CLASSIC) > 0
    assert write_boards(store, CLASSIC) == 0


def test_a_stored_board_is_what_would_be_made(store):
    put(store, random_rows(2, 60))
    write_boards(store, CLASSIC)
    maker = BoardMaker(collect_columns(store.agentic.metrics()), CLASSIC)

    for key in (BoardKey(), BoardKey("success", window="week"), BoardKey(by="tool")):
        stored = board_of(store, CLASSIC, key)
        assert stored.to_dict() == maker.board(key).to_dict()
        assert Board.of_dict(stored.to_dict()) == stored


def test_every_kind_of_board_is_stored():
    columns = collect_columns(random_rows(4, 60))
    keys = list(stored_keys(columns))

    overall = {
        (key.value, key.window) for key, label in keys if label is None and key.by == "system"
    }
    assert overall == {(value, window) for value in VALUES for window in ("week", "month", "all")}
    assert {label for _, label in keys} >= {None, "task", "category", "difficulty", "tool", "model"}
    assert len({key.name for key, label in keys if label is None}) == len(
        [key for key, label in keys if label is None]
    )


def test_another_board_is_made_once_and_kept_while_the_figures_are_the_same(store):
    put(store, random_rows(5, 60))
    write_boards(store, CLASSIC)
    key = BoardKey("success", "tool", where=(("difficulty", "advanced"), ("system", "a")))
    rules = rules_with(CLASSIC.rules, policy="best")

    made = board_of(store, CLASSIC, key, rules=rules)
    kept = store.agentic.board("classic/1", key.name_under(rules, CLASSIC.rules))

    assert made.leaderboard.policy == "best"
    assert {name: kept[name] for name in made.to_dict()} == msgspec.to_builtins(made.to_dict())
    assert board_of(store, CLASSIC, key, rules=rules) == made

    put(store, [a_row(900, system="a", difficulty="advanced")])
    write_boards(store, CLASSIC)
    assert board_of(store, CLASSIC, key, rules=rules).leaderboard.submissions == (
        made.leaderboard.submissions + 1
    )


def test_a_window_ends_with_the_newest_submission():
    rows = [a_row(n, finished_us=n * DAY_US, system=f"s{n % 3}") for n in range(100)]
    rows.append(a_row(100, finished_us=None, system="s1"))
    maker = BoardMaker(collect_columns(rows), CLASSIC)

    week, month = maker.board(BoardKey(window="week")), maker.board(BoardKey(window="month"))

    assert (week.leaderboard.submissions, month.leaderboard.submissions) == (7, 30)
    assert week.until_us == 99 * DAY_US + 1
    assert week.undated == 1
    assert maker.board(BoardKey()).leaderboard.submissions == 101


def test_a_submission_from_the_future_moves_no_window():
    rows = [a_row(n, finished_us=n * DAY_US) for n in range(20)]
    rows.append(a_row(20, finished_us=10**18))
    maker = BoardMaker(collect_columns(rows), CLASSIC, now_us=30 * DAY_US)

    assert maker.board(BoardKey(window="week")).until_us == 19 * DAY_US + 1


@pytest.mark.parametrize("tasks", [1, 3])
def test_boards_made_one_after_the_other_are_those_made_alone(tasks):
    """Several are about the same submissions: all there are, or all of a window."""
    rows = [
        a_row(n, task_id=f"t{n % tasks}", system=f"s{n % 4}", finished_us=n * 3 * DAY_US)
        for n in range(24)
    ]
    columns = collect_columns(rows)
    maker = BoardMaker(columns, ROBUST)
    for key, label in stored_keys(columns):
        for scope in maker.scopes(key, label) if label else (maker.scope(key),):
            where = scope.key.to_filter(scope.since_us, scope.until_us)
            named = {"value": key.value, "unit": key.by, "where": where, "rules": maker.rules}
            alone = leaderboard(columns, maker.composites, **named)
            assert maker.make_board(scope).leaderboard == alone


def test_what_nobody_works_on_any_more_is_emptied(store):
    rows = [a_row(n, tool="old" if n < 5 else "new") for n in range(10)]
    put(store, rows)
    write_boards(store, CLASSIC)
    assert board_of(store, CLASSIC, BoardKey(where=(("tool", "old"),))).rows

    put(store, [msgspec.structs.replace(row, tool="new") for row in rows])
    write_boards(store, CLASSIC)

    assert board_of(store, CLASSIC, BoardKey(where=(("tool", "old"),))).rows == ()


def test_what_is_left_out_is_counted_by_reason():
    rows = [a_row(n, system=f"s{n % 3}") for n in range(12)]
    rows += [a_row(20 + n, total_tokens=None) for n in range(4)]
    rows += [a_row(30, tool_calls=None), a_row(31, quarantined=True)]
    board = BoardMaker(collect_columns(rows), CLASSIC).board(BoardKey())

    assert board.left_out == {"no_tool_calls": 1, "no_total_tokens": 4}
    assert board.leaderboard.quarantined == 1
    assert "classic baselines include self-reported submissions" in " ".join(
        board.leaderboard.notes
    )


def a_biased_table():
    """Tool ``b`` scores higher at the same outcome, and never tells its cost."""
    rows = []
    for n in range(160):
        is_b = n % 2 == 1
        rows.append(
            a_row(
                n,
                task_id=f"t{n // 2 % 8}",
                system="b" if is_b else "a",
                tool="b" if is_b else "a",
                total_tokens=(2_000 if is_b else 20_000) + 37 * (n % 11),
                tool_calls=5 + n % 5,
                cost=None if is_b else 0.1 + n / 1000,
            )
        )
    return rows


def test_suspicions_are_flagged_once_under_the_boards_name(store):
    put(store, a_biased_table())
    write_boards(store, CLASSIC)
    flags = store.agentic.flags("board:classic/1")

    assert {"bias_residual", "bias_missing"} <= {flag.kind for flag in flags}
    assert any("b lacks cost in 100%" in flag.evidence for flag in flags)
    assert not any("lacks cost in 0%" in flag.evidence for flag in flags)

    put(store, [a_row(999, task_id="t1")])
    write_boards(store, CLASSIC)
    again = store.agentic.flags("board:classic/1")
    assert len({(flag.kind, flag.source) for flag in again}) == len(again)


def test_the_stored_bias_report_is_what_would_be_made(store):
    put(store, a_biased_table())
    write_boards(store, CLASSIC)
    maker = BoardMaker(collect_columns(store.agentic.metrics()), CLASSIC)

    body = store.agentic.board("classic/1", "bias")

    assert body["flags"] == list(bias_of(maker).flags)
    assert body["submissions"] == 160


def test_a_front_is_stored_and_narrowed_on_demand(store):
    put(store, [a_row(n, system=f"s{n % 3}", difficulty=("odd", "even")[n % 2]) for n in range(30)])
    write_boards(store, CLASSIC)

    stored = front_of(store, CLASSIC, BoardKey(), figure="dollars")
    narrow = front_of(store, CLASSIC, BoardKey(where=(("system", "s1"),)), figure="dollars")

    assert stored == store.agentic.board("classic/1", "front/dollars")
    assert len(stored["front"]["points"]) == 3
    assert [one["system"] for one in narrow["front"]["points"]] == ["s1"]


def test_names_of_boards_hold_any_text():
    key = BoardKey.of(filters={"tool": "a/b&c=d?é", "task": "x"})
    assert key.name == "system/overall/all/task=x&tool=a%2Fb%26c%3Dd%3F%C3%A9"
    assert replace(key, value="cost").name != key.name


@pytest.mark.parametrize(
    "words", [{"value": "speeed"}, {"by": "planet"}, {"window": "day"}, {"filters": {"x": "y"}}]
)
def test_unknown_words_are_refused(words):
    with pytest.raises(SpecError):
        BoardKey.of(**words)
