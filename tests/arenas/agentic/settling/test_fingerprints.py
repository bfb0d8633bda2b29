import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.boards.board import VALUES
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.settling.fingerprints import BoardFingerprints
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import NUMBERS
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled

ROBUST = ProfileRanking(BUILT_IN["robust"])


def mark(rows, value="success", about=()):
    columns = MetricColumns.of(rows)
    marks = BoardFingerprints(columns, ROBUST.composites(columns), ROBUST.rules, ROBUST.profile)
    return marks.value_fingerprint(value, np.arange(len(columns)), about)


@settings(max_examples=20, deadline=None)
@given(SEEDS, SEEDS, st.sampled_from(VALUES))
def test_any_order_of_the_submissions_has_the_same_mark(seed, other, value):
    rows = random_rows(seed, 30)
    assert mark(rows, value) == mark(shuffled(rows, other), value)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_names_of_others_do_not_change_a_mark(seed):
    rows = random_rows(seed, 20)
    longer = a_row(900, submission_id="s" * 60, system="aa", tool="zz", model="0")
    columns = MetricColumns.of([*rows, longer])
    marks = BoardFingerprints(columns, ROBUST.composites(columns), ROBUST.rules, ROBUST.profile)
    assert marks.value_fingerprint("tokens", np.arange(20), ()) == mark(rows, "tokens")


@pytest.mark.parametrize(
    "given",
    [
        *({name: 0.25} for name in NUMBERS),
        *({name: None} for name in NUMBERS),
        {"system": "z"},
        {"tool": ""},
        {"model": None},
        {"effort": ""},
        {"task_id": "other"},
        {"submission_id": "other"},
        {"finished_us": None},
        {"success": None},
        {"success": False},
        {"required_passed": None},
        {"quarantined": True},
        {"isolation": "namespace"},
        {"flags": ("odd",)},
    ],
    ids=str,
)
def test_each_change_of_a_submission_changes_the_mark(given):
    rows = [a_row(n) for n in range(6)]
    other = [msgspec.structs.replace(rows[0], **given), *rows[1:]]
    assert mark(rows) != mark(other)


def test_a_submission_that_is_there_twice_is_not_one_that_is_not_there():
    rows = [a_row(n) for n in range(6)]
    assert len({mark(rows), mark(rows[:-1]), mark([*rows, rows[0]]), mark([])}) == 4


def test_what_else_a_board_tells_is_in_its_mark():
    rows = [a_row(1)]
    assert mark(rows, about=("week", 1, 2)) != mark(rows, about=("week", 1, 3))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=20), min_size=2, max_size=2, unique=True))
def test_submissions_of_other_ids_have_other_marks(ids):
    one, other = (mark([a_row(1, submission_id=it)]) for it in ids)
    assert one != other
