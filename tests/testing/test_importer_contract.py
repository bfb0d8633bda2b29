"""The contract of importers must fail whoever breaks it, by the test the fault belongs to."""

import json
from itertools import count
from typing import ClassVar

import msgspec
import pytest

from benchmaker.arenas.agentic.importers.base import SessionRef
from benchmaker.arenas.agentic.logs.events import LlmCall, Session, UserTurn
from benchmaker.arenas.agentic.logs.lines import json_lines
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.testing import ImporterContract
from tests.testing.test_contracts import failing

_COUNT = count()
SIGN = b'{"my-tool":'
TEXT = "Fix the failing test."


class Row(msgspec.Struct):
    id: str | None = None
    at: float | None = None
    prompt: str | None = None
    output: int | None = None


@importer
class MyTool:
    """Logs of a tool."""

    title: ClassVar = "My tool"

    def sniff(self, head):
        return 0.9 if head.start.startswith(SIGN) else 0.0

    def scan(self, root):
        yield SessionRef(importer=self.id, id=root.stem, files=(root,))

    def parse(self, ref, options):
        yield Session(session_id="0a1b2c3d-0000-4000-8000-000000000001", harness="my tool")
        for number, row in json_lines(ref.files[0], options, Row):
            if row.prompt is not None:
                yield UserTurn(at=row.at, line=number, text=options.text(row.prompt))
            if row.output is not None:
                usage = TokenUsage(input_uncached=0, output=row.output)
                yield LlmCall(at=row.at, line=number, id=row.id, usage=usage)


def log(n):
    rows = [{"my-tool": 1}, {"at": 1_770_000_000, "prompt": TEXT}]
    rows += [{"id": f"msg_{it:020}", "at": 1_770_000_001 + it, "output": 10} for it in range(n)]
    return "\n".join(map(json.dumps, rows)) + "\n"


def contract_of(cls, **attributes):
    body = {
        "importer": cls,
        "sample": log(3),
        "total_tokens": 30,
        "text": TEXT,
        "repeated": staticmethod(log),
        **attributes,
    }
    return type("Contract", (ImporterContract,), body)()


def changed(**attributes):
    return importer(id="my_tool")(
        type("Changed", (MyTool,), {"__doc__": MyTool.__doc__, **attributes})
    )


def parse_all_at_once(self, ref, options):
    yield from list(MyTool.parse(self, ref, options))


def parse_without_ids(self, ref, options):
    for event in MyTool.parse(self, ref, options):
        if isinstance(event, LlmCall):
            yield msgspec.structs.replace(event, id=f"msg_{next(_COUNT):020}")
        else:
            yield event


def parse_and_keep_texts(self, ref, options):
    yield UserTurn(text=ref.files[0].read_text())
    yield from MyTool.parse(self, ref, options)


def parse_silently(self, ref, options):
    yield from MyTool.parse(self, ref, quiet(options))


def quiet(options):
    return type(options)(skip=lambda _: None, drop_content=options.drop_content)


def parse_a_time_of_1970(self, ref, options):
    yield from MyTool.parse(self, ref, options)
    yield Session(at=100.0)


def raise_on_nul(_, head):
    if b"\0" in head.start:
        raise ValueError("NUL")
    return MyTool().sniff(head)


def test_a_fine_importer_passes():
    assert failing(contract_of(MyTool)) == set()


@pytest.mark.parametrize(
    ("attributes", "caught_by"),
    [
        ({"title": ""}, "test_it_has_an_id_a_version_and_a_title"),
        ({"__doc__": "no sentence"}, "test_its_docstring_begins_with_a_sentence"),
        ({"sniff": lambda *_: 0.0}, "test_the_sample_is_recognised_by_this_importer_alone"),
        ({"sniff": lambda *_: 0.9}, "test_other_files_are_not_recognised"),
        ({"sniff": raise_on_nul}, "test_other_files_are_not_recognised"),
        ({"scan": lambda *_: iter(())}, "test_it_names_the_sessions_of_the_file"),
        ({"parse": parse_without_ids}, "test_a_copy_counts_once"),
        ({"parse": parse_silently}, "test_a_cut_file_is_read_in_part_or_refused"),
        (
            {"parse": parse_and_keep_texts},
            "test_texts_are_left_out_where_they_are_not_wanted",
        ),
        ({"parse": parse_all_at_once}, "test_memory_does_not_grow_with_the_file"),
        ({"parse": parse_a_time_of_1970}, "test_times_are_in_order"),
    ],
)
def test_a_fault_is_caught_by_the_test_it_belongs_to(attributes, caught_by):
    assert caught_by in failing(contract_of(changed(**attributes)))


def test_a_sample_that_another_importer_takes_is_caught():
    claude = '{"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}}\n'
    contract = contract_of(changed(sniff=lambda *_: 0.9), sample=claude)
    with pytest.raises(AssertionError, match="claude_code takes the sample"):
        contract.test_the_sample_is_recognised_by_this_importer_alone()


def test_a_wrong_figure_is_caught():
    with pytest.raises(AssertionError, match="total_tokens is 30"):
        contract_of(MyTool, total_tokens=31).test_the_sample_has_its_figures()
