import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.composite.baselines import (
    Members,
    category_priors,
    classic_snapshot,
    classic_snapshots,
    robust_snapshot,
    robust_snapshots,
    rows_used,
)
from benchmaker.analysis.composite.counting_figures import RANKED_EVIDENCE
from benchmaker.analysis.composite.snapshot_columns import classic_snapshots_of, robust_snapshots_of
from benchmaker.arenas.agentic import classic
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.scored_figures import FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel, Status
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled
from tests.draws import draws


def as_published(row):
    """The row as the document has it."""
    names = {"total_tokens": "total_tokens", "tool_calls": "tool_calls", "iterations": "iterations"}
    names |= {"seconds": "execution_time", "cost": "estimated_cost"}
    found = {published: getattr(row, own) for own, published in names.items()}
    return {name: value for name, value in found.items() if value is not None}


@settings(max_examples=draws(20, 40), deadline=None)
@given(SEEDS, SEEDS, st.integers(0, 120))
def test_any_order_gives_the_same_snapshots(seed, other, count):
    rows = random_rows(seed, count)
    again = shuffled(rows, other)
    assert classic_snapshots(rows) == classic_snapshots(again)
    assert robust_snapshots(rows) == robust_snapshots(again)


def test_hashes_are_those_that_stores_hold():
    rows = random_rows(7, 60, tasks=("t1",))

    assert classic_snapshot("t1", rows).hash == (
        "821adb38be0f65eea6125b61125dac6a733bb3928d61f05d329fab78f5ef2ac9"
    )
    assert robust_snapshot("t1", rows).hash == (
        "b380c9eba853761c46b89de998a74b5bf2b02c40ccd9f5f047afc8f4dcffef08"
    )


FIGURE = st.one_of(
    st.none(),
    st.integers(0, 10**12),
    st.floats(0, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1e-4, 9.999e-5, 1e16, 9999999999999998.0, 5e-324]),
)


@settings(max_examples=draws(100, 300), deadline=None)
@given(st.lists(FIGURE, max_size=20))
def test_a_hash_is_made_of_the_repr_of_every_figure(figures):
    count = len(figures)
    members = Members(ids=["a"] * count, ends=[7] * count, figures={"cost": figures})

    expected = ["" if one is None else repr(float(one)) for one in figures]
    assert members.lines() == [f"'a'\t7\t{text}" for text in expected]


@settings(max_examples=draws(20, 40), deadline=None)
@given(SEEDS, st.integers(1, 80))
def test_the_classic_snapshot_is_the_published_baseline_of_the_eligible(seed, count):
    rows = random_rows(seed, count, tasks=("t1",))
    snapshot = classic_snapshot("t1", rows)
    eligible = [
        row
        for row in rows
        if not row.quarantined
        and row.outcome is not Status.INFRA_ERROR
        and row.total_tokens is not None
        and row.tool_calls is not None
        and (row.cost is None or row.cost >= 0)
    ]
    expected = classic.calculate_task_baseline("t1", [as_published(row) for row in eligible])
    expected.pop("last_updated", None)
    assert snapshot.published_fields() == expected
    assert snapshot.is_default == (len(eligible) < 5)


def test_below_five_eligible_rows_the_default_stands_in_and_its_hash_stays():
    hashes = {classic_snapshot("t1", [a_row(n) for n in range(count)]).hash for count in range(5)}
    assert len(hashes) == 1
    assert classic_snapshot("t1", []).published_fields() == classic.get_default_baseline("t1")


@pytest.mark.parametrize(
    "change",
    [
        {"quarantined": True},
        {"outcome": Status.INFRA_ERROR},
        {"total_tokens": None},
        {"tool_calls": None},
        {"cost": -1.0},
        {"seconds": math.inf},
    ],
)
def test_rows_that_are_not_eligible_change_no_classic_snapshot(change):
    rows = [a_row(n) for n in range(6)]
    assert classic_snapshot("t1", [*rows, a_row(9, **change)]) == classic_snapshot("t1", rows)


@pytest.mark.parametrize(
    "change",
    [
        {"quarantined": True},
        {"outcome": Status.INFRA_ERROR},
        {"success": False},
        {"success": None},
        {"evidence_level": EvidenceLevel.IMPORTED},
        {"evidence_level": EvidenceLevel.SELF_REPORTED},
        {"cost": -1.0},
    ],
)
def test_rows_that_are_not_eligible_change_no_robust_snapshot(change):
    rows = [a_row(n) for n in range(6)]
    assert robust_snapshot("t1", [*rows, a_row(9, **change)]) == robust_snapshot("t1", rows)


def test_classic_counts_every_evidence_level():
    rows = [a_row(n, evidence_level=EvidenceLevel.SELF_REPORTED) for n in range(5)]
    assert classic_snapshot("t1", rows).n == 5


@settings(max_examples=draws(15, 30), deadline=None)
@given(SEEDS, st.integers(0, 100))
def test_robust_ends_equal_numpys_quantiles_of_the_rows_used(seed, count):
    rows = random_rows(seed, count, tasks=("t1",))
    snapshot = robust_snapshot("t1", rows)
    for name in FIGURES:
        field = "fresh_tokens" if name == "tokens" else name
        having = [
            row
            for row in sorted(rows, key=lambda row: row.order)
            if row.success is True
            and row.evidence_level in {EvidenceLevel.VERIFIED, EvidenceLevel.ATTESTED}
            and not row.quarantined
            and row.outcome is not Status.INFRA_ERROR
            and (row.cost is None or row.cost >= 0)
            and getattr(row, field)
        ]
        used = [getattr(row, field) for row in having[: rows_used(len(having))]]
        ends = snapshot.figures[name]
        assert ends.n == len(used)
        low, high = {
            "tokens": (1e3, 1e5),
            "tool_calls": (1, 100),
            "iterations": (1, 10),
            "seconds": (60, 1800),
            "cost": (0.01, 0.2),
        }[name]
        w = len(used) / (len(used) + 5) if len(used) < 20 else 1
        for share, default, got in ((0.1, low, ends.ln_q10), (0.9, high, ends.ln_q90)):
            own = math.log(np.quantile(used, share)) if used else 0
            assert got == pytest.approx(w * own + (1 - w) * math.log(default), abs=1e-12)


@given(st.integers(0, 10_000))
def test_rows_are_used_in_steps_that_double(count):
    used = rows_used(count)
    assert used <= count
    assert count < 20 or (used % 20 == 0 and 2 * used > count)


def test_between_two_steps_a_later_row_changes_no_robust_snapshot():
    rows = [a_row(n) for n in range(25)]
    assert robust_snapshot("t1", rows) == robust_snapshot("t1", rows[:20])
    assert robust_snapshot("t1", [a_row(n) for n in range(40)]) != robust_snapshot("t1", rows)


def test_below_twenty_the_prior_of_the_category_is_part_of_the_snapshot():
    full = [a_row(n, task_id="t2") for n in range(20)]
    few = [a_row(100 + n) for n in range(4)]
    alone, beside = robust_snapshots(few)["t1"], robust_snapshots(few + full)["t1"]
    assert alone.hash != beside.hash
    assert alone.members == beside.members
    seconds = beside.figures["seconds"]
    assert seconds.prior.source == "median over 1 task of the category"
    assert seconds.weight == 4 / 9
    assert seconds.prior.ln_q10 == robust_snapshots(full)["t2"].figures["seconds"].ln_q10


def test_a_prior_is_the_median_over_the_tasks_that_have_reached_twenty():
    tasks = [
        robust_snapshot("t", [a_row(n, task_id="t", seconds=60.0 * k + n) for n in range(count)])
        for k, count in ((1, 20), (2, 30), (3, 40), (9, 19))
    ]
    found = category_priors(tasks)["seconds"]
    assert found.tasks == 3
    assert found.ln_q90 == statistics.median(t.figures["seconds"].ln_q90 for t in tasks[:3])


def test_a_task_without_a_category_takes_the_default_prior():
    rows = [a_row(n, task_id="t2", category=None) for n in range(25)] + [a_row(90, category=None)]
    assert robust_snapshots(rows)["t1"].figures["cost"].prior.source == "default"


def test_rows_of_another_task_and_equal_ids_are_refused():
    with pytest.raises(SpecError, match="is for task 't2', not 't1'"):
        classic_snapshot("t1", [a_row(task_id="t2")])
    with pytest.raises(SpecError, match="Two submissions to task 't1' have the same id"):
        robust_snapshot("t1", [a_row(1), a_row(1)])


def test_a_snapshot_names_its_figures():
    before = classic_snapshot("t1", [a_row(n) for n in range(6)])
    after = classic_snapshot("t1", [a_row(n, cost=0.5) if n == 3 else a_row(n) for n in range(6)])
    assert before.hash != after.hash
    assert before.to_dict()["figures"]["tokens"]["median"] == 5250


@settings(max_examples=draws(10, 60), deadline=None)
@given(SEEDS, st.integers(0, 120), st.sampled_from(["fresh", "total"]), st.booleans())
def test_snapshots_out_of_columns_are_those_out_of_rows(seed, count, tokens, is_counted):
    rows = random_rows(seed, count)
    ranked = RANKED_EVIDENCE if is_counted else None
    columns = MetricColumns.of(rows)

    assert classic_snapshots_of(columns) == classic_snapshots(rows)
    assert robust_snapshots_of(columns, tokens=tokens, ranked=ranked) == robust_snapshots(
        rows, tokens=tokens, ranked=ranked
    )
