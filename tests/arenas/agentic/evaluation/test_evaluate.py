"""From a file to evaluations: every step once, whatever the order."""

import csv
import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker import evaluate, import_logs, leaderboard, submit
from benchmaker.arenas.agentic.classic import calculate_category_rankings
from benchmaker.arenas.agentic.evaluation import pipeline
from benchmaker.arenas.agentic.evaluation.explanation import explain_evaluation
from benchmaker.errors import Conflict, PrerequisiteError, SpecError
from benchmaker.record.submissions.submission import (
    Cost,
    CriterionResult,
    EvidenceLevel,
    OutcomeOf,
    Status,
    System,
    TimeSpent,
    TokenUsage,
)
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, load_profile
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, many, rest, the_id, write_submissions
from tests.arenas.agentic.log_data import SESSION, write_claude_log

EXAMPLES = 8 if settings().max_examples >= 100 else 3
"""An example evaluates many times; the quick suite draws few."""

TASK = """
id: look-around
prompt: Write done.txt.
category: debugging
difficulty: advanced
isolation: none
criteria:
  - {type: file_exists, path: done.txt, required: true}
"""


PASSED = CriterionResult(id="one", result="pass")
FAILED = CriterionResult(id="two", result="fail")


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "look-around"
    folder.mkdir()
    (folder / "task.yaml").write_text(TASK)
    return folder


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def evaluated(tmp_path, submissions, **given):
    path = write_submissions(tmp_path / "given.jsonl", submissions)
    return evaluate(path, home=tmp_path / "home", **{"profile": "classic", **given})


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.sampled_from(["classic", "robust"]), st.permutations(many(14)), st.data())
def test_order_and_batches_change_nothing_in_the_end(profile, shuffled, data):
    sizes = data.draw(st.lists(st.integers(1, 8), max_size=2))
    name = BUILT_IN[profile].id
    with TemporaryDirectory() as folder:
        once, often = Path(folder) / "once", Path(folder) / "often"
        file = Path(folder) / "given.jsonl"
        evaluate(write_submissions(file, many(14)), home=once, profile=profile)
        at = 0
        for size in (*sizes, len(shuffled)):
            if part := shuffled[at : at + size]:
                evaluate(write_submissions(file, part), home=often, profile=profile)
            at += size
        assert rest(often, name) == rest(once, name)
        assert len(rest(once, name)[1]) == 14


VERDICTS = (
    OutcomeOf(status=Status.COMPLETED, success=True),
    OutcomeOf(status=Status.FAILED, success=False),
    OutcomeOf(status=Status.COMPLETED, criteria=(PASSED,)),
    OutcomeOf(status=Status.COMPLETED, success=True, criteria=(PASSED, FAILED)),
    OutcomeOf(status=Status.COMPLETED),
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.sampled_from(["classic", "robust"]),
    st.lists(st.lists(st.sampled_from(VERDICTS), min_size=9, max_size=9), min_size=2, max_size=3),
)
def test_a_corrected_verdict_counts_as_if_it_had_come_first(profile, histories):
    name = BUILT_IN[profile].id
    with TemporaryDirectory() as folder:
        once, often = Path(folder) / "once", Path(folder) / "often"
        file = Path(folder) / "given.jsonl"
        for verdicts in histories:
            rows = [one_with(number, verdict) for number, verdict in enumerate(verdicts)]
            made = evaluate(write_submissions(file, rows), home=often, profile=profile)
        fresh = evaluate(file, home=once, profile=profile)
        assert rest(often, name)[:2] == rest(once, name)[:2]
        assert [score_of(row) for row in made.rows] == [score_of(row) for row in fresh.rows]
        one, other = (leaderboard(home=home, profile=profile) for home in (once, often))
        assert one.to_dict()["rows"] == other.to_dict()["rows"]


def one_with(number, verdict):
    return a_submission(number, outcome=verdict, evidence_level=EvidenceLevel.IMPORTED)


def score_of(row):
    return (
        row.submission_id, row.overall_score, row.correctness_score, row.reason, row.words,
        row.rank, row.percentile, row.upper,
    )  # fmt: skip


def test_a_corrected_verdict_of_a_table_is_explained_beside_the_score_on_arrival(tmp_path, home):
    table = tmp_path / "rows.csv"
    head = "id,task_id,tool,total_tokens,tool_calls,execution_time,success"
    rows = [f"r{n},t,cli,{5_000 + n},3,{60 + n},yes" for n in range(6)]
    table.write_text("\n".join([head, *rows]))
    first = evaluate(table, home=home, profile="robust")
    table.write_text("\n".join([head, *rows[:5], rows[5].replace("yes", "no")]))
    again = evaluate(table, home=home, profile="robust")
    assert again.stored_counts == {"new": 0, "unchanged": 5, "revised": 1}
    before, after = ({row.row_id: row for row in made.rows}["r5"] for made in (first, again))
    assert (after.overall_score, after.reason) == (0.0, "required_failed")
    assert after.words.endswith("the record reports a failure")
    with Store.open(home / "benchmaker.db") as store:
        explained = explain_evaluation(store, after.submission_id, BUILT_IN["robust"])
    assert explained.composite.overall_score == 0.0
    assert explained.arrival.overall_score == before.overall_score > 0
    assert "Its figures or weights have changed since arrival." in explained.lines()


def test_a_second_evaluation_finds_nothing_to_do(tmp_path, home):
    first = evaluated(tmp_path, many(9))
    before = rest(home, "classic/1")
    again = evaluate(home=home, profile="classic")
    assert first.settled.arrived == 9
    assert again.settled == (0, 0, ())
    assert again.rows == first.rows
    assert rest(home, "classic/1") == before


def test_each_submission_is_announced_once_under_however_many_profiles(tmp_path, home):
    evaluated(tmp_path, many(5))
    evaluate(home=home, profile="robust")
    with Store.open(home / "benchmaker.db") as store:
        notices = [one.message for one in store.pending_messages()]
    assert sorted(it.dedupe_key for it in notices) == [f"evaluated:{the_id(n)}" for n in range(5)]
    assert {it.body["profile"] for it in notices} == {"classic/1"}


def test_rows_are_placed_within_their_task(tmp_path):
    made = evaluated(tmp_path, many(9))
    of_task = [row for row in made.rows if row.task_id == "t"]
    assert [row.rank for row in of_task] == [1, 2, 3]
    scores = [row.overall_score for row in of_task]
    assert scores == sorted(scores, reverse=True)
    assert [row.percentile for row in of_task] == [66.7, 33.3, 0.0]
    assert {row.evidence_level for row in of_task} == {"self_reported"}


def test_self_reported_rows_are_listed_without_a_rank_in_robust(tmp_path):
    made = evaluated(tmp_path, many(6), profile="robust")
    assert {row.rank for row in made.rows} == {None}
    assert all(row.overall_score is not None for row in made.rows)


FAILURES = {
    "its only criterion failed": (0.0, OutcomeOf(success=False, criteria=(FAILED,))),
    "no verdict, a criterion failed": (10.0, OutcomeOf(criteria=(PASSED, FAILED))),
    "said to be solved, all criteria failed": (0.0, OutcomeOf(success=True, criteria=(FAILED,))),
    "said to have failed, all criteria passed": (
        20.0,
        OutcomeOf(success=False, criteria=(PASSED,)),
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_with_criteria_has_its_correctness_alone_everywhere(tmp_path, home, case):
    expected, outcome = FAILURES[case]
    failed = a_submission(40, system=System(harness="failing"), outcome=outcome)
    solved = OutcomeOf(status=Status.COMPLETED, success=True)
    others = [a_submission(number, outcome=solved) for number in range(6)]
    made = evaluated(tmp_path, [*others, failed], profile="robust")
    row = next(row for row in made.rows if row.submission_id == failed.id)
    assert (row.overall_score, row.reason) == (expected, "required_failed")
    with Store.open(home / "benchmaker.db") as store:
        explained = explain_evaluation(store, failed.id, BUILT_IN["robust"])
    assert explained.composite.overall_score == expected
    assert explained.composite.efficiency_score is None
    assert explained.is_same
    for value, figure in (("overall", expected), ("resolved", 0.0)):
        board = leaderboard(home=home, profile="robust", value=value).leaderboard
        assert [it.score for it in board.rows if it.system == "failing"] == [figure]


def test_what_can_not_be_evaluated_is_listed_with_its_reason(tmp_path):
    given_ = [
        a_submission(0),
        a_submission(1, total_tokens=None, usage=a_submission(1).usage.__class__()),
        a_submission(2, tool_calls=None),
        a_submission(3, task=None),
        a_submission(4, outcome=OutcomeOf(status=Status.INFRA_ERROR)),
    ]
    made = evaluated(tmp_path, given_)
    reasons = {row.submission_id: row.reason for row in made.rows}
    assert reasons == {
        the_id(0): "",
        the_id(1): "no_total_tokens",
        the_id(2): "no_tool_calls",
        the_id(3): "no_task",
        the_id(4): "infrastructure",
    }
    assert made.counts["no_task"] == 1
    assert made.rows[-1].task_id is None


def test_nothing_graded_is_unverified_in_robust(tmp_path):
    made = evaluated(tmp_path, [a_submission(0, outcome=OutcomeOf())], profile="robust")
    assert made.rows[0].reason == "unverified"
    assert made.rows[0].overall_score is None


def test_a_figure_that_can_not_be_is_refused_before_it_is_scored(home):
    wrong = a_submission(0, cost=Cost(reported_usd=-1.0))
    with Store.open(home / "benchmaker.db") as store:
        store.put_submission(wrong)
        store.put_submission(a_submission(1))
    made = evaluate(home=home, profile="classic")
    assert {row.submission_id: row.reason for row in made.rows} == {
        the_id(0): "refused",
        the_id(1): "",
    }
    assert "cost is -1.0" in next(row.words for row in made.rows if row.reason)


def test_the_validation_findings_are_warnings_in_classic(tmp_path):
    fast = a_submission(
        0,
        usage=TokenUsage(),
        total_tokens=9,
        tool_calls=1,
        iterations=1,
        time=a_submission(0).time.__class__(wall_s=1),
    )
    (row,) = evaluated(tmp_path, [fast]).rows
    assert any("Suspiciously low token count" in it for it in row.warnings)
    assert {"extremely_fast", "minimal_tool_usage"} <= set(row.flags)
    assert row.review == "open"


def test_json_has_the_published_names(tmp_path):
    data = json.loads(json.dumps(evaluated(tmp_path, many(3)).to_dict()))
    assert list(data) == ["scale", "profile", "evaluations", "stored", "left_out"]
    assert data["scale"] == "0-100"
    assert {
        "submission_id", "task_id", "overall_score", "efficiency_score", "speed_score",
        "cost_score", "correctness_score", "rank", "percentile", "evidence_level", "flags",
        "reason",
    } <= set(data["evaluations"][0])  # fmt: skip


def test_a_profile_may_be_a_file(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nweights: {efficiency: 0, speed: 0, cost: 0, correctness: 1}\nby_category: {}\n"
    )
    made = evaluated(tmp_path, many(4), profile=file)
    assert made.profile.startswith("mine/")
    assert {row.overall_score for row in made.rows} == {0.0, 100.0}


def test_a_task_in_the_store_gives_category_difficulty_and_weights(tmp_path, task):
    path = write_submissions(tmp_path / "given.jsonl", [a_submission(1, task=None)])
    (row,) = evaluate(path, task=str(task), home=tmp_path / "home", profile="classic").rows
    assert row.task_id == "look-around"
    assert row.adjusted_score == pytest.approx(min(100, row.overall_score * 1.2))


def test_a_session_is_handed_in_with_its_verified_workspace(tmp_path, task, home, claude_log):
    work = tmp_path / "work"
    work.mkdir()
    (work / "done.txt").write_text("done")
    made = submit(claude_log, task=task, workspace=work, profile="robust", home=home)
    (row,) = made.rows
    assert (row.evidence_level, row.isolation, row.rank) == ("verified", "none", 1)
    assert row.correctness_score == 100.0
    again = submit(claude_log, task=task, workspace=work, profile="robust", home=home)
    assert again.settled.arrived == 0
    (work / "done.txt").unlink()
    (failed,) = submit(claude_log, task=task, workspace=work, profile="robust", home=home).rows
    assert failed.reason == "required_failed"


def test_submit_wants_one_session_and_a_known_task(tmp_path, home, task, claude_log):
    two = write_submissions(tmp_path / "two.jsonl", many(2))
    with pytest.raises(SpecError, match="2 sessions"):
        submit(two, task=task, home=home)
    with pytest.raises(SpecError, match=r"no task 'look-arond'.*look-around"):
        submit(claude_log, task="look-arond", home=home)
    with pytest.raises(SpecError, match="folder"):
        submit(claude_log, task="look-around", workspace=tmp_path, home=home)
    with Store.open(home / "benchmaker.db") as store:
        assert list(store.submissions()) == []


def test_a_log_with_the_ids_of_a_stored_session_is_called_its_copy(tmp_path, home, task):
    first = write_claude_log(tmp_path / "a.jsonl")
    (stored,) = submit(first, task=task, home=home).rows
    renamed = first.read_text().replace(SESSION, "9e8d7c6b-0000-4000-8000-000000000000")
    second = tmp_path / "b.jsonl"
    second.write_text(renamed.replace("One file, a.py.", "Nothing of the kind."))
    with pytest.raises(SpecError) as caught:
        submit(second, task=task, home=home)
    name = stored.submission_id
    assert caught.value.message.startswith(f"the session was taken for a copy of {name}, which ")
    assert f"benchmaker delete {name}" in caught.value.hint


def test_two_submitters_of_one_log_are_both_kept_and_flagged(tmp_path, home, task):
    log = write_claude_log(tmp_path / "a.jsonl")
    rows = log.read_text().splitlines()
    more = rows[2].replace("toolu_00000000000000", "toolu_1000000000000")
    log.write_text("\n".join([*rows, more]) + "\n")
    (one,) = submit(log, task=task, submitter="ann", home=home).rows
    (two,) = submit(log, task=task, submitter="bob", home=home).rows
    assert one.submission_id != two.submission_id
    assert "duplicate_trajectory" in two.flags


def test_one_process_evaluates_at_a_time(tmp_path, home):
    path = write_submissions(tmp_path / "given.jsonl", many(2))
    import_logs(path, home=home)
    with (
        Store.open(home / "benchmaker.db") as store,
        pipeline.evaluation_lock(store),
        pytest.raises(Conflict, match="held by process"),
        pipeline.evaluation_lock(store, wait_s=0.0),
    ):
        raise AssertionError("it is held")


def test_receivers_are_looked_up_before_any_work(tmp_path, home):
    home.mkdir()
    (home / "notices.yaml").write_text("webhooks: [{url: 'https://x.test', secret_env: NONE}]\n")
    path = write_submissions(tmp_path / "given.jsonl", many(2))
    with pytest.raises(PrerequisiteError, match="NONE is not set"):
        evaluate(path, home=home, environ={})
    assert not (home / "benchmaker.db").exists()


def test_identical_figures_of_one_submitter_are_flagged(tmp_path):
    same = a_submission(1)
    made = evaluated(tmp_path, [same, replace(same, id=the_id(900)), a_submission(2)])
    flagged = {row.submission_id for row in made.rows if "identical_figures" in row.flags}
    assert flagged == {the_id(1), the_id(900)}


@pytest.mark.parametrize("metric", ["efficiency", "speed", "cost"])
def test_rankings_by_part_are_the_published_ones(tmp_path, metric):
    made = evaluated(tmp_path, many(24))
    for task in ("t", "u", "v"):
        of_task = [row.to_dict() for row in made.rows if row.task_id == task]
        in_order = sorted(of_task, key=lambda row: row["submission_id"])
        mine = {row["submission_id"]: row[f"{metric}_ranking"] for row in of_task}
        published = calculate_category_rankings(in_order, metric)
        assert mine == {row["submission_id"]: row[f"{metric}_ranking"] for row in published}
        assert sorted(mine.values()) == list(range(1, len(of_task) + 1))


def test_a_missing_figure_never_pays_in_robust(tmp_path):
    given_ = [a_submission(n, outcome=OutcomeOf(success=True)) for n in range(30)]
    hidden = [replace(given_[0], cost=Cost(), time=TimeSpent()), *given_[1:]]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    honest = evaluated(tmp_path / "a", given_, profile="robust")
    made = evaluated(tmp_path / "b", hidden, profile="robust")
    before = {row.submission_id: row for row in honest.rows}
    after = {row.submission_id: row for row in made.rows}
    own = after[the_id(0)].to_dict()
    assert own["overall_score"] < before[the_id(0)].overall_score <= own["ranges"]["overall"][1]
    assert own["ranges"]["cost"] == own["ranges"]["speed"] == [0.0, 100.0]
    assert not own["provisional"]
    for name in set(before) - {the_id(0)}:
        assert after[name].overall_score == before[name].overall_score
        assert after[name].ranges == {}


def test_the_earlier_rules_stay_computable_beside_the_present_ones(tmp_path):
    given_ = [a_submission(n, cost=Cost() if n == 3 else Cost(reported_usd=1.0)) for n in range(9)]
    first = evaluated(tmp_path, given_, profile="robust/1")
    now = evaluate(home=tmp_path / "home", profile="robust")
    assert (first.profile, now.profile) == ("robust/1", "robust/2")
    home = tmp_path / "home"
    with Store.open(home / "benchmaker.db") as store:
        for profile in ("robust/1", "robust/2"):
            document = load_profile(profile)
            assert explain_evaluation(store, the_id(3), document).is_same
    again = evaluate(home=home, profile="robust/1")
    assert again.rows == first.rows
    assert again.settled == (0, 0, ())


@pytest.mark.data
def test_some_trials_of_terminal_bench_are_evaluated_under_both_profiles(shared, tmp_path):
    whole = shared / "agent_logs" / "terminal_bench" / "leaderboard_trials.csv"
    head, *trials = whole.read_text().splitlines(keepends=True)
    table = tmp_path / "leaderboard_trials.csv"
    table.write_text("".join([head, *trials[::20]]))
    classic = evaluate(table, home=tmp_path / "home", profile="classic")
    robust = evaluate(home=tmp_path / "home", profile="robust")
    assert len(classic.rows) == len(robust.rows) == sum(robust.counts.values())
    assert set(classic.counts) == {"no_total_tokens", "no_tool_calls", "infrastructure"}
    assert {"", "required_failed", "infrastructure"} <= set(robust.counts)
    successes = sum(solved(tmp_path / "home").values())
    assert successes > 0


@pytest.mark.data
@pytest.mark.long
def test_the_trials_of_terminal_bench_are_evaluated_under_both_profiles(shared, tmp_path):
    table = shared / "agent_logs" / "terminal_bench" / "leaderboard_trials.csv"
    classic = evaluate(table, home=tmp_path, profile="classic")
    assert len(classic.rows) == 3584
    assert classic.counts == {"no_total_tokens": 3023, "no_tool_calls": 403, "infrastructure": 158}
    robust = evaluate(home=tmp_path, profile="robust")
    assert robust.counts == {"": 1516, "required_failed": 1902, "infrastructure": 158,
                             "unverified": 8}  # fmt: skip
    assert published(shared) == {name: solved(tmp_path)[name] for name in published(shared)}


def published(shared: Path) -> dict[str, float]:
    """Mean of the accuracies of each submission's runs."""
    found: dict[str, list[float]] = {}
    with (shared / "ranking" / "terminal_bench_runs.csv").open(newline="") as lines:
        for line in csv.DictReader(lines):
            found.setdefault(line["submission"], []).append(float(line["accuracy"]))
    wanted = ("20250711_openhands_claude-4-sonnet", "20250829_goose_claude-4-sonnet",
              "20250923_droid_claude-4-sonnet")  # fmt: skip
    return {
        name.partition("_")[2]: pytest.approx(sum(found[name]) / len(found[name]), abs=1e-9)
        for name in wanted
    }


def solved(home: Path) -> dict[str, float]:
    """The share of a system's trials that are solved; one without a verdict is not."""
    total, won = Counter(), Counter()
    with Store.open(home / "benchmaker.db") as store:
        for row in store.agentic.metrics():
            assert row.evidence_level is EvidenceLevel.IMPORTED
            total[row.system] += 1
            won[row.system] += row.success is True
    return {name: won[name] / n for name, n in total.items()}
