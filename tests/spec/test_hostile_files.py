# ruff: noqa: E501  faults stand on one line, as people see them
"""Files that are wrong or that mean harm: each is refused in words, at once, in little memory."""

import csv
import gzip
import json
import os
import resource
import time

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec import CaseFields
from benchmaker.spec.suites.load import load_suite

CASE = "  - {id: a, prompt: x}\n"
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{n}: &{n} [{', '.join([f'*{p}'] * 9)}]\n"
    for p, n in zip("abcdefghi", "bcdefghij", strict=True)
)
LINE = '{"id": "a", "prompt": "x"}\n'

# what is large is made when it is asked for
DOCUMENTS = {
    # YAML that means harm
    "laughs.yaml": (LAUGHS, "the document has more than 500,000 values"),
    "aliases.yaml": ("a: &a 1\nb: [" + "*a, " * 500 + "]", "more than 100 aliases are used"),
    "circle.yaml": ("cases: &a [*a]", "circle.yaml:1:12: the alias *a is inside its own anchor"),
    "python.yaml": (
        "name: !!python/object/apply:os.system [touch owned]\ncases:\n" + CASE,
        "python.yaml:1:7: unsupported tag !!python/object/apply:os.system. Remove the tag.",
    ),
    "local.yaml": ("name: !x y\ncases:\n" + CASE, "local.yaml:1:7: unsupported tag !x"),
    "twice.yaml": ("name: a\nname: b\ncases:\n" + CASE, "twice.yaml:2:1: duplicate key 'name'; first at"),
    "deep.yaml": ("cases: " + "[" * 100_000, "deep.yaml:1:57: values are nested more than 50 deep"),
    "deepmap.yaml": ("cases: " + "{a: " * 60, "nested more than 50 deep"),
    "big.yaml": (lambda: "# " + "x" * (10 * 2**20), "big.yaml: the file is larger than 10 MiB"),
    "nan.yaml": ("cases:\n  - {id: a, prompt: x, weight: .nan}", "nan.yaml:2:32: .nan is not a valid number"),
    "inf.yaml": ("cases:\n  - {id: a, prompt: x, weight: .inf}", ".inf is not a valid number"),
    "control.yaml": ("name: a\x07b", "control.yaml:1:8: the control character U+0007 is not allowed"),
    "escape.yaml": ('name: "a\\0b"\ncases:\n' + CASE, "escape.yaml:1:7: the control character U+0000"),
    "bytes.yaml": (b"name: caf\xe9\n", "bytes.yaml:1:10: invalid UTF-8: byte 0xe9 at offset 9. Save it as UTF-8."),
    "wide.yaml": ("name: x".encode("utf-16"), "the file is UTF-16 (little-endian), not UTF-8"),
    "two.yaml": ("name: a\n---\nname: b\n", "two.yaml:2:1: a second document starts here"),
    "syntax.yaml": ("cases: [\n", "invalid YAML"),
    "tab.yaml": ("cases:\n\t- a", "tab.yaml:2:1: tabs are not allowed for indentation"),
    "zip.yaml": (lambda: gzip.compress(b"#" * 50_000_000), "zip.yaml: the file is larger than 10 MiB"),
    # wrong suites
    "empty.yaml": ("", "a suite must be a mapping with a list of cases, not an empty value. Start with: cases:"),
    "list.yaml": ("- a\n", "a suite must be a mapping with a list of cases, not a list"),
    "none.yaml": ("name: x\n", "the suite has no cases. Add at least one case with id and prompt."),
    "nocases.yaml": ("cases: []\n", "nocases.yaml:1:8: the suite has no cases"),
    "text.yaml": ("cases: many\n", "text.yaml:1:8: cases must be a list, not 'many'"),
    "zero.yaml": (
        "cases:\n  - {id: a, prompt: x, weight: 0}\n",
        "zero.yaml:2:3: the weights of all cases add up to 0. Give at least one case a weight above 0.",
    ),
    "infinite.yaml": (
        "cases:\n" + "".join(f"  - {{id: {i}, prompt: x, weight: 1e308}}\n" for i in range(3)),
        "the sum of the weights is too large",
    ),
    "negative.yaml": ("cases:\n  - {id: a, prompt: x, weight: -0.5}\n", "weight must be at least 0, not -0.5"),
    "ids.yaml": (
        "cases:\n" + CASE + CASE,
        "ids.yaml:3:10: duplicate id 'a'; first at",
    ),
    "promt.yaml": ("cases:\n  - {id: a, promt: x}\n", "promt.yaml:2:13: unknown field 'promt'. Did you mean 'prompt'?"),
    "noprompt.yaml": ("cases:\n  - {id: a}\n", "noprompt.yaml:2:5: prompt is missing; add prompt or messages"),
    "both.yaml": (
        "cases:\n  - {id: a, prompt: x, messages: [{role: user, content: y}]}\n",
        "both.yaml:2:5: both prompt and messages are given; remove one of them.",
    ),
    "policy.yaml": (
        "policies: {truncated: drop}\ncases:\n" + CASE,
        "policy.yaml:1:23: policies.truncated must be 'score', 'zero' or 'leave_out', not 'drop'.",
    ),
    "profile.yaml": ("profile: Robust\ncases:\n" + CASE, "unknown profile 'Robust'. Did you mean 'robust'?"),
    "longid.yaml": (f"cases:\n  - {{id: {'x' * 600}, prompt: x}}\n", "id is longer than 512 characters"),
    "escid.yaml": ('cases:\n  - {id: "\\e[31m", prompt: x}\n', "the control character U+001B is not allowed here"),
    # JSON
    "twice.json": ('{"cases": [], "cases": []}', "twice.json:1:15: duplicate key 'cases'"),
    "nan.json": ('{"cases": [{"id": 1, "prompt": "x", "weight": NaN}]}', "nan.json:1:47: NaN is not a valid number"),
    "huge.json": ('{"cases": [{"id": 1, "prompt": "x", "weight": 1e999}]}', "1e999 is too large"),
    "digits.json": ('{"cases": ' + "9" * 100_000 + "}", "the number is too long (100000 digits)"),
    "deep.json": (lambda: "[" * 1_000_000, "deep.json:1:51: values are nested more than 50 deep"),
    "cut.json": ('{"cases": [{"id"', "cut.json:1:17: invalid JSON: unexpected end of file"),
    "comma.json": ('{"cases": [1,]}', "comma.json:1:14: invalid JSON: missing or unquoted value"),
    "half.json": ('{"cases": [{"id": "a", "prompt": "\\ud800"}]}', "lone surrogate U+D800"),
    "meta.json": (
        '{"cases": [{"id": "a", "prompt": "x", "metadata": {"n": 99999999999999999999}}]}',
        "meta.json:1:57: a whole number beyond 64 bits can't be kept",
    ),
    "values.json": (lambda: "[" + "1," * 600_000 + "1]", "the document has more than 500,000 values"),
    # data files alone
    "bad.jsonl": ("{\n", "bad.jsonl:1:2: invalid JSON: unexpected end of file"),
    "empty.json": ("", "the file is empty"),
    "void.jsonl": ("\n\n", "void.jsonl has no cases"),
    "line.jsonl": (lambda: "x" * (16 * 2**20 + 1), "line.jsonl:1:1: line longer than 16 MiB"),
    "bomb.jsonl.gz": (lambda: gzip.compress(b" " * 40_000_000), "decompresses to more than 200 times its size"),
    "ratio.jsonl.gz": (lambda: gzip.compress((b" " * 9999 + b"\n") * 4000), "decompresses to more than 200 times its size"),
    "cut.jsonl.gz": (lambda: gzip.compress(LINE.encode() * 99)[:-9], "cut.jsonl.gz: unexpected end of the gzip file"),
    "plain.jsonl.gz": (LINE, "name ends in .gz, but the file is not gzip-compressed"),
    "open.csv": ('id,prompt\na,"x\nb,y\n', "open.csv:2:1: unclosed quote in this row"),
    "ragged.csv": ("id,prompt\na,b,c\n", "ragged.csv:2:1: the row has 3 cells, but the header has 2"),
    "double.csv": ("id,id\na,b\n", "double.csv:1:1: duplicate column 'id'"),
    "cell.csv": (lambda: 'id,prompt\na,"' + ("x" * 999 + "\n") * 20_000, "a cell is longer than 16 MiB, or its quote is not closed"),
    "nul.csv": ("id,prompt\na,x\0y\n", "nul.csv:2:1: the control character U+0000 is not allowed"),
    "odd.xlsx": (b"PK\x03\x04", "odd.xlsx: the workbook can't be read: File is not a zip file"),
    "odd.parquet": (b"PAR1PAR1", "odd.parquet: the Parquet file can't be read"),
    "odd.xls": (b"PK\x03\x04", "unknown format of data file. Known endings: .yaml"),
}  # fmt: skip

SLOW = {"values.json"}
"""Which take seconds; the limit that they are held to is tried on shorter documents too."""

SOURCES = {
    "up": ("file: ../q.jsonl", "s.yaml:2:10: '../q.jsonl' is outside the folder of the suite. Use a file in"),
    "root": ("file: /etc/passwd", "s.yaml:2:10: '/etc/passwd' is an absolute path"),
    "link": ("file: out.jsonl", "'out.jsonl' is outside the folder of the suite"),
    "nul": ('file: "a\\0.jsonl"', "is not a file name"),
    "loop": ("file: loop.jsonl", "loop.jsonl' can't be opened"),
    "fifo": ("file: fifo.jsonl", "fifo.jsonl: this is a pipe. Use a regular file."),
    "folder": ("file: sub.jsonl", "sub.jsonl: this is a folder"),
    "device": ("file: zero.jsonl", "is outside the folder of the suite"),
    "missing": ("file: no.jsonl", "s.yaml:2:10: no file 'no.jsonl' in the suite's folder."),
    "kind": ("file: s.yaml", "unknown format of data file"),
    "keys": ("file: q.jsonl, feilds: {}", "s.yaml:2:19: unknown field 'feilds'. Did you mean 'fields'?"),
    "nofile": ("fields: {}", "s.yaml:2:3: file is missing. Add file or hf."),
    "field": ("file: q.jsonl, fields: {promt: q}", "s.yaml:2:28: unknown field 'promt'. Did you mean 'prompt'?"),
    "path": ("file: q.jsonl, fields: {prompt: qestion}", "q.jsonl:1:1: missing field 'qestion'. Did you mean 'question'?"),
    "braces": ("file: q.jsonl, fields: {id: '{a'}", "s.yaml:2:32: unbalanced braces in '{a'"),
    "default": ("file: q.jsonl, defaults: {weight: -1}", "s.yaml:2:38: weight must be at least 0, not -1"),
    "idfault": ("file: q.jsonl, defaults: {id: a}", "an id can't be a default"),
    "unknown": ("file: q.jsonl, defaults: {wieght: 1}", "unknown field 'wieght'. Did you mean 'weight'?"),
}  # fmt: skip


@pytest.fixture
def in_little():
    """Time of the processor and memory are measured; what is read to its end takes minutes."""
    begun, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.process_time() - begun < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 400_000


@pytest.mark.usefixtures("in_little")
@pytest.mark.parametrize(
    "name",
    [pytest.param(it, marks=pytest.mark.long if it in SLOW else ()) for it in DOCUMENTS],
)
def test_a_wrong_file_is_refused_in_words(write, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv.field_size_limit(2**17)  # Python's own; it is one for the process, and others raise it
    content, words = DOCUMENTS[name]
    content = content() if callable(content) else content
    with pytest.raises(SpecError) as caught:
        load_suite(write(name, content))
    assert words in str(caught.value).replace(f"{tmp_path}/", "")
    assert all(finding.file.endswith(name) for finding in caught.value.findings)
    assert not (tmp_path / "owned").exists()


@pytest.mark.usefixtures("in_little")
@pytest.mark.parametrize("name", SOURCES)
def test_a_wrong_source_of_cases_is_refused_in_words(write, tmp_path, name):
    (tmp_path / "q.jsonl").write_text(LINE)
    write("suite/q.jsonl", '{"id": "a", "question": "x"}\n')
    folder = tmp_path / "suite"
    os.mkfifo(folder / "fifo.jsonl")
    (folder / "sub.jsonl").mkdir()
    (folder / "out.jsonl").symlink_to(tmp_path / "q.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    content, words = SOURCES[name]
    with pytest.raises(SpecError) as caught:
        load_suite(write("suite/s.yaml", f"cases:\n  {{{content}}}\n"))
    assert words in str(caught.value).replace(f"{folder}/", "")


def test_a_byte_order_mark_is_no_fault(write):
    mark = b"\xef\xbb\xbf"
    for name, text in {
        "a.yaml": "cases:\n" + CASE,
        "a.json": json.dumps({"cases": [{"id": "a", "prompt": "x"}]}),
        "a.jsonl": LINE,
        "a.csv": "id,prompt\na,x\n",
    }.items():
        (case,) = load_suite(write(name, mark + text.encode()))
        assert (case.id, case.prompt) == ("a", "x")


def test_templates_read_fields_and_nothing_else(write):
    path = write("q.jsonl", LINE)
    for template in ("{id.__class__}", "{id!r}", "{{{id}}}{7*7}", "${id}{os.environ}"):
        with pytest.raises(SpecError, match="missing field"):
            load_suite(path, fields=CaseFields(id=template))
