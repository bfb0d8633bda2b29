"""Rows of tables: known by id, task, tool and submitter, whatever files they come in."""

import csv
import io
import json
import tempfile
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from benchmaker.arenas.agentic.logs.sources import submission_id
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.errors import SpecError
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.store import Store
from benchmaker.store.database.tables import older_tables
from tests.databases import direct_transaction

NOW = 1_770_000_000.0
NAMES = ("out", "txt", "csv", "json", "")
FORMS = ("csv", "json", "jsonl", "submissions")
COLUMNS = (
    *("id", "task_id", "tool", "model", "total_tokens", "tool_calls"),
    *("execution_time", "estimated_cost", "success", "note"),
)


def row(number, **more):
    made = {"id": f"r{number}", "task_id": "t", "tool": "codex", "model": "m"}
    return made | {"total_tokens": 100 + number, "tool_calls": number} | more


def text_of(rows, form):
    told = [{name: it for name, it in one.items() if it is not None} for one in rows]
    if form == "json":
        return json.dumps(told, indent=1)
    if form == "submissions":
        return json.dumps({"made": "today", "submissions": told})
    if form == "jsonl":
        return "".join(json.dumps(one) + "\n" for one in told)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(told)
    return stream.getvalue()


class Tables:
    """A store, and tables that are imported into it."""

    def __init__(self, folder):
        self.folder, self.home, self.number = folder, folder / "home", 0

    def take(self, rows, form="csv", **given):
        self.number += 1
        path = self.folder / f"table-{self.number}.{NAMES[self.number % len(NAMES)]}"
        path.write_text(text_of(rows, form))
        return import_logs(path, home=self.home, clock=lambda: NOW, **given)

    @contextmanager
    def store(self):
        with Store.open(self.home / "benchmaker.db") as opened:
            yield opened

    def stored(self):
        with self.store() as store:
            return list(store.submissions())


@pytest.fixture
def tables(tmp_path):
    return Tables(tmp_path)


def said(submissions):
    """What the rows say, under the ids of their submissions."""
    return {
        it.id: (
            *(it.row_id, it.task and it.task.id, it.system.harness, it.system.model),
            *(it.total_tokens, it.tool_calls, it.time.wall_s, it.cost.reported_usd),
            *(it.outcome.success, it.completeness, tuple(it.extra.items())),
        )
        for it in submissions
    }


# Every history comes to what its last words say


words = st.sampled_from(["a", "b", "c"])
figures = st.fixed_dictionaries(
    {
        "total_tokens": st.none() | st.integers(1, 10**6),
        "tool_calls": st.integers(1, 99),
        "execution_time": st.none() | st.floats(0.001, 1e5),
        "estimated_cost": st.none() | st.floats(1e-6, 1e3),
        "success": st.none() | st.booleans(),
        "note": st.none() | st.sampled_from(["fine", "7", "0.5", "True", "a, b", 'say "x"', "ü"]),
        "model": st.sampled_from(["m", "gpt-5"]),
    }
)
keys = st.tuples(
    st.none() | st.integers(1, 4).map(str), st.none() | words, st.sampled_from(["codex", "qwen"])
)
rows_of_any_kind = st.builds(
    lambda key, told: dict(zip(("id", "task_id", "tool"), key, strict=True)) | told, keys, figures
)
imports = st.lists(
    st.tuples(
        st.lists(rows_of_any_kind, min_size=1, max_size=5), st.sampled_from(FORMS), st.booleans()
    ),
    min_size=1,
    max_size=3,
)


def identity(one):
    """The plain rule; a row without an id is its content."""
    own = one["id"] or tuple(sorted((name, str(it)) for name, it in one.items() if it is not None))
    return own, one["task_id"], one["tool"]


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(imports, st.randoms(use_true_random=False))
def test_every_history_ends_in_the_same_store(history, rng):
    expected = {}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        grown, at_once = Tables(Path(one)), Tables(Path(other))
        for rows, form, is_twice in history:
            for _ in range(1 + is_twice):
                grown.take(rows, form)
            expected |= {identity(it): it for it in rows}
        last = list(expected.values())
        rng.shuffle(last)
        at_once.take(last, rng.choice(FORMS))
        found = grown.stored()
        assert said(found) == said(at_once.stored())
        assert len(found) == len(expected)
        assert sum(it.total_tokens or 0 for it in found) == sum(
            it["total_tokens"] or 0 for it in last
        )
        assert sorted((it.row_id or "", it.task.id if it.task else "") for it in found) == sorted(
            (it["id"] or "", it["task_id"] or "") for it in last
        )


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(rows_of_any_kind, min_size=2, max_size=6), st.sampled_from(FORMS), st.data())
def test_a_split_table_is_the_table_and_the_second_time_changes_nothing(rows, form, data):
    cut = data.draw(st.integers(1, len(rows) - 1))
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        whole, parts = Tables(Path(one)), Tables(Path(other))
        whole.take(rows, form)
        parts.take(rows[:cut], "json")
        parts.take(rows[cut:], "csv")
        assert said(whole.stored()) == said(parts.stored())
        again = whole.take(rows, "jsonl")
        assert set(again.kept.values()) <= {"unchanged"}


# By example


def test_a_grown_and_corrected_table_counts_each_row_once(tables):
    rows = [row(number) for number in range(5)]
    assert tables.take(rows).counts == {"new": 5}
    rows.append(row(5))
    assert tables.take(rows, "json").counts == {"unchanged": 5, "new": 1}
    rows[5]["total_tokens"] = 9
    assert tables.take(rows, "jsonl").counts == {"unchanged": 5, "revised": 1}
    assert len(tables.stored()) == 6
    with tables.store() as store:
        name = store.find_submission("r5")
        assert store.submission(name).total_tokens == 9
        assert store.submission(name, revision=1).total_tokens == 105


def notes_on_ids(imported):
    start = "ids also used with another task or tool, kept as "
    return [it.reason for it in imported.notes if it.reason.startswith(start)]


def test_a_known_id_of_another_task_or_tool_is_another_submission_and_is_told(tables):
    tables.take([row(1)])
    for more, place in (({"task_id": "u"}, "u, codex"), ({"tool": "qwen"}, "t, qwen")):
        imported = tables.take([row(1, **more)])
        assert imported.counts == {"new": 1}
        (reason,) = notes_on_ids(imported)
        assert reason.endswith(f": r1 ({place}; before: t, codex)")
    assert notes_on_ids(tables.take([row(1), row(1, tool="qwen")])) == []
    assert len(tables.stored()) == 3


def test_submitters_and_sources_keep_rows_apart(tables):
    for place in ({}, {"submitter": "ann"}, {"source": "nightly"}):
        assert tables.take([row(1)], **place).counts == {"new": 1}
    assert tables.take([row(1)], submitter="local").counts == {"unchanged": 1}
    assert sorted(it.source for it in tables.stored()) == ["", "", "nightly"]


def test_a_row_without_an_id_is_known_by_its_content(tables):
    bare = {"task_id": "t", "tool": "codex", "total_tokens": 5}
    assert tables.take([bare, bare]).counts == {"new": 1}
    assert tables.take([bare | {"total_tokens": "5"}], "jsonl").counts == {"unchanged": 1}
    assert tables.take([bare | {"total_tokens": 6}]).counts == {"new": 1}


def test_of_rows_of_one_id_in_a_file_the_earlier_ones_are_revisions(tables):
    rows = [row(1, total_tokens=number) for number in (7, 8, 9)]
    assert tables.take(rows).counts == {"new": 1}
    (found,) = tables.stored()
    assert (found.total_tokens, found.revision) == (9, 3)
    assert tables.take(rows, "json").counts == {"unchanged": 1}


def test_no_row_gets_another_s_task(tables):
    named = {"b": "T1", "d": "T2"}
    rows = [row(0, id=name, task_id=named.get(name)) for name in "abcde"]
    tables.take(rows)
    assert {it.row_id: it.task and it.task.id for it in tables.stored()} == {
        "a": None, "b": "T1", "c": None, "d": "T2", "e": None
    }  # fmt: skip
    found = tables.take(rows, task="TT", dry_run=True).submissions
    assert [it.task.id for it in found] == ["TT", "T1", "TT", "T2", "TT"]


def test_a_bad_line_changes_nothing_of_the_other_rows(tables):
    tables.take([row(1), row(2)])
    imported = tables.take([row(1), row(9, execution_time=-1), row(2)])
    assert imported.counts == {"unchanged": 2}
    assert imported.skipped == 1


def test_ids_of_rows_name_their_submissions(tables):
    tables.take([row(1), row(2), row(2, task_id="u")])
    with tables.store() as store:
        assert store.submission(store.find_submission("r1")).row_id == "r1"
        with pytest.raises(SpecError, match=r"'r2' may be any of table-\w+ \(t, codex\), .*u, "):
            store.find_submission("r2")
        with pytest.raises(SpecError, match="no submission 'r3'"):
            store.find_submission("r3")


# Stores from before


def known_by_its_file(tables, rows, source, *, first=2):
    """Store rows as importers did until version 1 of the table: known by the hash of the file."""
    with tables.store() as store:
        with direct_transaction(store) as connection:
            connection.execute(insert(older_tables).values(importer="table", source_sha256=source))
        for number, it in enumerate(rows, start=first):
            (read,) = tables.take([it], dry_run=True).submissions
            part = it["id"] or f"row {number}"
            old = submission_id(
                "table", session_id="", source=source, part=part, task=it["task_id"] or ""
            )
            store.put_submission(
                msgspec.structs.replace(
                    read, id=old, row_id=None, source_sha256=source, importer_version="1"
                )
            )


def test_rows_that_were_doubled_before_are_gathered_when_their_table_comes_again(tables):
    rows = [row(number) for number in range(5)]
    corrected = [*rows, row(5, total_tokens=9)]
    for source, part in (("a" * 64, rows), ("b" * 64, [*rows, row(5)]), ("c" * 64, corrected)):
        known_by_its_file(tables, part, source)
    before = tables.stored()
    assert len(before) == 17
    assert tables.take(corrected, "json").counts == {"revised": 6}
    found = tables.stored()
    assert len(found) == 6
    assert {it.id for it in found} <= {it.id for it in before}
    with tables.store() as store:
        name = store.find_submission("r5")
        kept = [store.submission(name, revision=at).total_tokens for at in (1, 2, 3)]
        assert kept == [105, 9, 9]
    assert tables.take(corrected).counts == {"unchanged": 6}


def test_a_row_without_an_id_is_found_again_where_it_says_the_same(tables):
    bare = [row(number, id=None) for number in range(3)]
    known_by_its_file(tables, bare, "a" * 64)
    tables.take([bare[0], bare[1] | {"total_tokens": 1}, bare[2], bare[0]])
    assert sorted(it.total_tokens for it in tables.stored()) == [1, 100, 101, 102]


@pytest.mark.parametrize("form", ["json", "submissions"])
def test_a_row_without_an_id_is_found_again_by_its_place_in_a_document(tables, form):
    bare = [row(number, id=None) for number in range(3)]
    known_by_its_file(tables, bare, "a" * 64, first=1)
    before = {it.id for it in tables.stored()}
    tables.take(bare, form)
    assert {it.id for it in tables.stored()} == before


def test_what_was_verified_stays_a_submission_of_its_own(tables):
    for source in ("a" * 64, "b" * 64):
        known_by_its_file(tables, [row(1)], source)
    last = tables.stored()[-1].id
    with tables.store() as store:
        store.agentic.add_verification(
            Verification(id="v", submission_id=last, task_id="t", task_digest="", isolation="none")
        )
    tables.take([row(1)])
    assert last in {it.id for it in tables.stored()}
    assert len(tables.stored()) == 2


def test_rows_of_before_are_those_of_their_tool_and_of_no_named_source(tables):
    known_by_its_file(tables, [row(1)], "a" * 64)
    assert tables.take([row(1)], source="nightly").counts == {"new": 1}
    assert tables.take([row(1, tool="qwen")]).counts == {"new": 1}
    assert tables.take([row(1)]).counts == {"revised": 1}
    assert len(tables.stored()) == 3
