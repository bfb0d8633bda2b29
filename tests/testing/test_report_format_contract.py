"""The contract of report formats must fail whoever breaks it, by the test the fault belongs to."""

from itertools import count
from typing import ClassVar

import pytest

from benchmaker.plugins import report_format
from benchmaker.testing import ReportFormatContract
from tests.testing.test_contracts import failing

_COUNT = count()


@report_format
class Lines:
    """Lines, an answer each."""

    suffixes: ClassVar = (".lines",)
    media_type: ClassVar = "text/plain"
    takes_threshold: ClassVar = False

    def write(self, subject, stream):
        for trial in subject.trials():
            clean = subject.redactor.text(trial.text).encode("utf-8", "replace").decode()
            stream.write(f"{trial.model}: {clean}\n")


def contract_of(cls):
    return type("Contract", (ReportFormatContract,), {"report_format": cls})()


def changed(**attributes):
    return report_format(type("Changed", (Lines,), {"__doc__": Lines.__doc__, **attributes}))


def write_secrets(_, subject, stream):
    stream.writelines(trial.text.encode("utf-8", "replace").decode() for trial in subject.trials())
    stream.write("end")


def write_surrogates(_, subject, stream):
    stream.writelines(subject.redactor.text(trial.text) for trial in subject.trials())
    stream.write("end")


def write_a_count(self, subject, stream):
    Lines.write(self, subject, stream)
    stream.write(str(next(_COUNT)))


def write_and_close(self, subject, stream):
    Lines.write(self, subject, stream)
    stream.close()


def write_gate(self, subject, stream):
    Lines.write(self, subject, stream)
    stream.write(str(subject.gate))


def test_a_fine_format_passes():
    assert failing(contract_of(Lines)) == set()
    assert failing(contract_of(changed(write=write_gate, takes_threshold=True))) == set()


@pytest.mark.parametrize(
    ("attributes", "caught_by"),
    [
        ({"__doc__": "no sentence"}, "test_its_docstring_begins_with_a_sentence"),
        ({"suffixes": ()}, "test_it_describes_its_files"),
        ({"suffixes": ("lines",)}, "test_it_describes_its_files"),
        ({"media_type": "text"}, "test_it_describes_its_files"),
        ({"takes_threshold": None}, "test_it_describes_its_files"),
        ({"write": lambda *_: None}, "test_it_writes_every_kind_of_run"),
        ({"write": write_surrogates}, "test_it_writes_every_kind_of_run"),
        ({"write": write_a_count}, "test_the_same_run_gives_the_same_text"),
        ({"write": write_secrets}, "test_secrets_are_taken_out"),
        ({"write": write_and_close}, "test_the_stream_stays_open"),
        ({"write": write_gate}, "test_a_threshold_shows_where_the_format_takes_one"),
        ({"takes_threshold": True}, "test_a_threshold_shows_where_the_format_takes_one"),
    ],
)
def test_a_fault_is_caught_by_the_test_it_belongs_to(attributes, caught_by):
    assert caught_by in failing(contract_of(changed(**attributes)))


def test_a_class_without_the_mark_is_caught():
    bare = type("Bare", (), {**vars(Lines)})
    for mark in ("id", "version", "kind"):
        delattr(bare, mark)
    assert failing(contract_of(bare)) == {"test_it_has_an_id_and_a_version"}
