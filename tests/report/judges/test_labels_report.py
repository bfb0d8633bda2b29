import csv
import io
import json

from benchmaker.record.label import Label
from benchmaker.report.judges.labels import write_labels
from benchmaker.report.result_tables.label_tables import LABELS
from benchmaker.spec.documents.formula_cells import unprotect_cell


def a_label(**fields):
    defaults = {"run_id": "r", "case_id": "c", "model": "m", "blind_id": "0" * 12}
    return Label(**{**defaults, "source": "random", "score": 0.5, **fields})


def written(*labels, form):
    stream = io.StringIO(newline="")
    write_labels(labels, stream, form=form)
    return stream.getvalue()


def test_a_line_of_json_holds_every_column():
    (row,) = map(json.loads, written(a_label(note="fine"), form="jsonl").splitlines())
    assert tuple(row) == LABELS.keys
    assert (row["score"], row["known"], row["note"]) == (0.5, None, "fine")


def test_formulas_do_nothing_in_a_spreadsheet_and_come_back():
    text = written(a_label(case_id="=1+1", note="@x"), form="csv")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["case"], row["note"], row["known"]) == ("'=1+1", "'@x", "")
    assert unprotect_cell(row["case"]) == "=1+1"


def test_secrets_in_remarks_and_halves_of_characters_are_not_written():
    secret = "sk-proj-" + "a1B2" * 12
    for form in ("csv", "jsonl"):
        said = written(a_label(note=f"see {secret}", case_id="\ud800"), form=form)
        assert secret not in said
        said.encode()
