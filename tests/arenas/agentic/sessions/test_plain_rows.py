"""Plain rows go straight to their submissions; the road by events says what these have to be."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker import evaluate
from benchmaker.arenas.agentic.importers.table import Table
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.plain_row import PlainRow
from benchmaker.arenas.agentic.logs.skips import Skips
from benchmaker.arenas.agentic.sessions.importing import take_in
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.stored_events import EVENTS, KEYS, PRINT, REQUESTS, USAGE
from benchmaker.providers.prices.costs import Prices
from benchmaker.store import Store
from benchmaker.store.agentic.trace_words import WORDS
from tests.draws import draws

KEY = "glpat-" + "aB3dE6gH9jK2mN5pQ8sT"
PARTS = (EVENTS, WORDS, REQUESTS, KEYS, PRINT, USAGE)


class ByEvents:
    """The same importer without its way for plain rows."""

    id, version, title = "table", "2", Table.title

    def __init__(self):
        self._table = Table()
        self.sniff, self.scan, self.parse = self._table.sniff, self._table.scan, self._table.parse


PLAIN = {"id": "r", "task_id": "t", "tool": "a", "total_tokens": 7, "success": True}

COUNTS = st.one_of(
    st.integers(0, 9_000), st.sampled_from(["", "0", "7.0", "12k", "-3", "NaN", "1e3", 10**13])
)
AMOUNTS = st.one_of(
    st.floats(0, 5_000), st.sampled_from(["", "0", "0.25", "inf", "-1", "free", 3_000_000])
)
TEXTS = st.sampled_from(["", "a", " b ", "Ünï", "007", "1.5", "a\\b", "x" * 250, KEY, "true"])
TIMES = st.sampled_from(
    ["", "2026-02-01T10:00:00Z", "2026-02-01T09:00:00Z", "2026-02-03", "1770757912438", "soon"]
)
FIELDS = {
    "id": st.sampled_from(["", "r1", "r2", "r3", 17, KEY]),
    "task_id": st.sampled_from(["", "t1", "t2"]),
    "tool": TEXTS,
    "harness": TEXTS,
    "model": st.sampled_from(["", "m", "gpt-4.1"]),
    "effort": TEXTS,
    "session_id": st.sampled_from(["", "s", "0a1b2c3d-0000-4000-8000-0123456789ab", KEY]),
    "total_tokens": COUNTS,
    "llm_calls": COUNTS,
    "tool_calls": COUNTS,
    "tool_errors": COUNTS,
    "iterations": COUNTS,
    "execution_time": AMOUNTS,
    "time.active_s": AMOUNTS,
    "estimated_cost": AMOUNTS,
    "cost.reported_usd": AMOUNTS,
    "usage.output": COUNTS,
    "started_at": TIMES,
    "finished_at": TIMES,
    "created_at": TIMES,
    "success": st.sampled_from(["", "true", "0", "passed", "maybe", 1]),
    "files_created": st.sampled_from(["", "3", 2]),
    "overall_score": AMOUNTS,
    "note": TEXTS,
    "input_tokens": COUNTS,
}


@st.composite
def tables(draw):
    """Rows with the same fields, some of them nested as only JSON has it."""
    names = draw(st.lists(st.sampled_from(sorted(FIELDS)), unique=True, min_size=2))
    names += [name for name in ("tool", "total_tokens") if name not in names]
    return draw(st.lists(st.fixed_dictionaries({name: FIELDS[name] for name in names}), max_size=8))


def written(folder, rows, form):
    path = Path(folder) / f"table.{form}"
    names = list(rows[0]) if rows else ["tool", "total_tokens"]
    with path.open("w", newline="", encoding="utf-8") as stream:
        if form == "csv":
            lines = csv.DictWriter(stream, names)
            lines.writeheader()
            lines.writerows(rows)
        else:
            stream.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def taken_in(path, reader, store_path, **options):
    """What an import gives, and all that it leaves in a store."""
    skips = Skips()
    made = take_in(
        [path],
        Store.open(store_path),
        readers=[reader],
        options=Options(skip=skips, **options),
        skips=skips,
        pricer=lambda: Pricer(Prices(), now=1_770_000_000.0),
        task="other",
        clock=lambda: 1_770_000_000.0,
    )
    with Store.open(store_path) as store:
        kept = list(store.submissions())
        traces = {
            part: [(origin, bytes(body)) for origin, body in store.trace_parts(part)]
            for part in PARTS
        }
    return made, kept, traces


@settings(max_examples=draws(25, 80), deadline=None)
@given(tables(), st.sampled_from(["csv", "jsonl"]), st.booleans())
def test_both_ways_leave_the_same(rows, form, drop_content):
    with TemporaryDirectory() as folder:
        path = written(folder, rows, form)
        straight = taken_in(path, Table(), Path(folder) / "a.db", drop_content=drop_content)
        by_events = taken_in(path, ByEvents(), Path(folder) / "b.db", drop_content=drop_content)

    assert straight == by_events


@pytest.mark.parametrize("profile", ["classic", "robust"])
def test_both_ways_give_the_same_evaluations(tmp_path, profile):
    rows = [
        PLAIN
        | {"id": f"r{n}", "task_id": f"t{n % 2}", "tool": f"a{n % 3}", "success": n % 4 > 0}
        | {"total_tokens": 900 + n * n, "tool_calls": n + 1, "iterations": 1 + n % 3}
        | {"execution_time": 20.5 + n, "estimated_cost": 0.01 * n}
        | ({"usage.output": 10 * n} if n % 5 == 0 else {})
        for n in range(16)
    ]
    path = written(tmp_path, rows, "jsonl")
    found = []
    for name, reader in (("straight", Table()), ("events", ByEvents())):
        (tmp_path / name).mkdir()
        taken_in(path, reader, tmp_path / name / "benchmaker.db")
        found.append(evaluate(profile=profile, home=tmp_path / name).rows)

    assert len(found[0]) == len(rows)
    assert found[0] == found[1]


def read(folder, rows):
    path = written(folder, rows, "jsonl")
    (ref,) = Table().scan(path)
    return list(Table().plain_rows(ref, Options(skip=Skips())))


def test_a_row_of_figures_and_facts_is_plain(tmp_path):
    (row,) = read(tmp_path, [PLAIN])

    assert isinstance(row, PlainRow)
    (ref,) = Table().scan(tmp_path / "table.jsonl")
    assert list(row.events()) == list(Table().parse(ref, Options(skip=Skips())))


def test_rows_that_need_a_closer_look_are_events(tmp_path):
    closer = [{"usage.output": 9}, {"files_created": ["a.py"]}, {"note": KEY}, {"tool_calls": -1}]
    found = read(tmp_path, [PLAIN | more for more in closer])

    assert not any(isinstance(one, PlainRow) for one in found)
