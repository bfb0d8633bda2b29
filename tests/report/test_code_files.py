"""Generated pages as files: a report that runs nothing, a zip whose pages open by themselves."""

import io
import zipfile
from functools import partial

import pytest
from msgspec.structs import replace

from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.arenas.code.generated_pages import GatheredPage
from benchmaker.record import Completion, Run, Score
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.formats.code_report import write_code_report
from benchmaker.report.formats.code_zip import write_pages_zip
from benchmaker.spec import Case
from benchmaker.store.runs.renders import Blob
from tests.store.filled import a_trial

EVIL = "<script>alert(1)</script>"
COMPONENT = "```jsx\nexport default () => <button>Go</button>\n```"
SPLIT = (
    f"```html index.html\n<!doctype html><link rel=stylesheet href=style.css><h1>{EVIL}</h1>\n```\n"
    "```css style.css\nh1 { color: red }\n```"
)


def page(text, *, case="card", model="one", number=1, rank=0):
    return GatheredPage(
        Case(id=case, prompt=f"A card {EVIL}"), number, model, rank,
        a_trial(completion=Completion(text=text), score=Score.of(0.5, notes=EVIL)),
        PreparedAnswer(artifact=extract_artifact(text)),
    )  # fmt: skip


@pytest.fixture
def run():
    return Run(
        id="20261120-abcdef", suite_name=EVIL, suite_hash="0" * 64, models=("one",),
        started_at="2026-11-20T12:00:00Z", profile="robust",
        profile_version="1",
    )  # fmt: skip


def shots(found, _):
    return found


def test_the_report_holds_pictures_and_runs_nothing(run):
    stream = io.StringIO()
    pictures = [(375, Blob("image/png", b"\x89PNG")), (768, Blob("text/html", EVIL.encode()))]
    write_code_report(run, [page(SPLIT, model=EVIL)], stream, pictures=partial(shots, pictures))
    text = stream.getvalue()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert text.count("data:image/png;base64,") == 1
    assert "data:text/html" not in text
    assert "default-src &#39;none&#39;" in text
    assert "h1 { color: red }" in text


def test_the_zip_holds_answers_pages_and_the_libraries_they_ask_for():
    stream = io.BytesIO()
    pages = [page(SPLIT), page(COMPONENT, model="../../two", rank=1), page("no", number=2)]
    assert write_pages_zip(pages, stream) == 2
    packed = zipfile.ZipFile(stream)
    names = packed.namelist()
    assert "001-card/01-one/page/index.html" in names
    assert "001-card/02-two/page/index.html" in names
    assert packed.read("002-card/01-one/answer.txt") == b"no"
    assert "002-card/01-one/page/index.html" not in names
    document = packed.read("001-card/02-two/page/index.html").decode()
    libraries = [name for name in names if name.startswith("v/")]
    assert libraries
    assert all(f"../../../{name}" in document for name in libraries)


def test_no_name_leads_out_of_the_zip():
    stream = io.BytesIO()
    evil = page(SPLIT, case="../../etc", model="/root")
    assert evil.prepared is not None
    files = tuple(replace(file, path=f"../../{file.path}") for file in evil.prepared.artifact.files)
    artifact = replace(evil.prepared.artifact, files=files, entry=files[0].path)
    write_pages_zip([evil._replace(prepared=PreparedAnswer(artifact=artifact))], stream)
    assert not [
        name for name in zipfile.ZipFile(stream).namelist() if ".." in name or name[0] == "/"
    ]
