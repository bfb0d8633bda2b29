"""Rows between reading and storing: those that come in order, and those that are sorted."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.arenas.standard.importers.evaluation import ImportedCase, ImportedRow
from benchmaker.arenas.standard.importers.spool import Spool

NO_CASE = ImportedCase(id="")
ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["yes", "no", None]),
        st.sampled_from(["", "first", "second"]),
        st.sampled_from([{}, {"tool/a": 1.0}, {"tool/b": None}]),
    ),
    min_size=1,
    max_size=3,
)


def rows_of(answers, case):
    return [
        ImportedRow(
            case=case, model=model, output=output, id=name and f"{case.id}{name}", scores=scores
        )
        for model, output, name, scores in answers
    ]


def stored(blocks):
    """The cases and rows that come out of a spool, with the names of models."""
    with Spool("tool", has_prompts=False) as spool:
        spool.add_all(row for block in blocks for row in block)
        setups = list(spool.setups)
        cases = [one.case for one in spool.cases()]
        rows = [
            (at, setups[row.setup].model, case.case.id, row.key, replace(row.row, case=NO_CASE))
            for row, case, at in spool.rows()
        ]
        assert spool.n_cases == len(cases)
        assert sorted(key for page in spool.key_pages() for key in page) == sorted(
            key for *_, key, _ in rows
        )
        return cases, sorted(rows, key=lambda row: row[:2]), spool.has_choices, spool.lines


@settings(max_examples=60)
@given(blocks=st.lists(ANSWERS, min_size=1, max_size=4), choices=st.booleans())
def test_rows_in_order_give_what_the_same_rows_give_in_another_order(blocks, choices):
    made = [
        rows_of(block, ImportedCase(id=f"q{at}", choices=("x", "y") if choices else ()))
        for at, block in enumerate(blocks, 8)
    ]
    assert stored(made) == stored(made[::-1])


def test_a_late_row_of_an_earlier_case_is_sorted_into_it():
    cases = [ImportedCase(id=str(at), expected=(str(at),)) for at in range(2_500)]
    blocks = [[ImportedRow(case=case, model="m", output=case.id)] for case in cases]
    late = [ImportedRow(case=cases[3], model="m", output="again")]
    kept, rows, *_ = stored([*blocks, late])
    assert kept == cases
    assert [row.output for *_, row in rows[2:6]] == ["2", "3", "again", "4"]


def test_cases_with_one_id_and_different_keys_are_two():
    same = [ImportedCase(id="q", vars={"x": value}) for value in (1, True, 1)]
    rows = [[ImportedRow(case=case, model="m", id=str(at))] for at, case in enumerate(same)]
    cases, found, *_ = stored(rows)
    assert [case.vars["x"] for case in cases] == [1, True]
    assert len({case.id for case in cases}) == 2
    assert [at for at, *_ in found] == [0, 0, 1]


def test_a_case_without_id_and_content_is_a_case():
    cases, rows, *_ = stored([[ImportedRow(case=NO_CASE, model="m", output="x")]])
    assert cases == [NO_CASE]
    assert len(rows) == 1
