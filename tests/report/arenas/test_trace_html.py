"""Traces as one page, under hostile logs."""

import base64
import hashlib
import io
import re

import pytest

from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    Failure,
    FileChange,
    Interruption,
    LlmCall,
    Session,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.traces.trace import trace
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.redact import Redactor
from benchmaker.report.arenas.trace_html import write_trace_html
from tests.arenas.agentic.log_data import SESSION, write_claude_log
from tests.arenas.agentic.traces.test_trace import a_trace, an_id, answer
from tests.report.runs.test_html import ATTRIBUTES, PAYLOADS, TAGS, Reader

OWN_TAGS = TAGS | {"a", "article", "rect"}
OWN_ATTRIBUTES = ATTRIBUTES | {"aria-label", "width"}


def written(made, **given):
    stream = io.StringIO()
    write_trace_html(made, stream, **given)
    return stream.getvalue()


@pytest.fixture
def small(tmp_path):
    return trace(write_claude_log(tmp_path / f"{SESSION}.jsonl"), home=tmp_path)


def hostile(payload):
    return a_trace(
        Session(session_id=payload, harness=payload, harness_version=payload, cwd=payload),
        UserTurn(text=payload, at=1e9),
        LlmCall(id=an_id(1), model=payload, text=payload, usage=TokenUsage(output=5), at=1e9 + 5),
        ToolCall(id="a", name=payload, arguments=payload * 20, at=1e9 + 5),
        ToolResult(call_id="a", text=payload * 50, is_error=True, at=1e9 + 9),
        FileChange(path=payload, call_id="a", failed=True),
        SubagentStart(id=payload, name=payload, call_id="a"),
        answer(2, agent=payload, text=payload),
        Failure(message=payload),
        Compaction(),
        Interruption(),
    )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_logs_add_no_tag_no_attribute_and_no_link(payload):
    page = written(hostile(payload))
    read = Reader(page)
    assert read.tags <= OWN_TAGS
    assert {name for name, _ in read.attributes} <= OWN_ATTRIBUTES
    links = [value for name, value in read.attributes if name == "href"]
    assert all(link == "data:," or re.fullmatch(r"#s\d+", link) for link in links)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", page)
    page.encode()


def test_hostile_text_is_shown_as_it_is():
    payload = "</pre><b onclick=x>&amp;"
    shown = Reader(written(hostile(payload))).inside["bdi"]
    assert shown.count(payload) > 10


def test_nothing_hostile_stands_in_an_attribute():
    payload = "evil-marker"
    read = Reader(written(hostile(payload)))
    held = {name for name, value in read.attributes if payload in (value or "")}
    assert held == set()


def test_the_page_loads_nothing_and_runs_nothing(small):
    page = written(small)
    assert "<script" not in page.lower()
    assert "//" not in page.replace("<!doctype", "")
    assert "@import" not in page
    assert "url(" not in page
    assert " style=" not in page


def test_the_policy_allows_the_one_style_sheet_by_its_hash(small):
    read = Reader(written(small))
    (css,) = read.inside["style"]
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    (policy,) = [value for _, value in read.attributes if "default-src" in (value or "")]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")


def test_names_are_unique_and_every_link_leads_somewhere(small):
    read = Reader(written(small))
    assert len(read.ids) == len(set(read.ids))
    links = {value[1:] for name, value in read.attributes if name == "href" and value != "data:,"}
    assert links <= set(read.ids)
    assert {"s2"} <= links
    labels = {value for name, value in read.attributes if name == "aria-labelledby"}
    assert labels <= set(read.ids)


def test_links_to_steps_that_are_left_out_are_no_links(small):
    read = Reader(written(small, steps=list(small.select(text="one file"))))
    assert "s3" in read.ids
    links = {value for name, value in read.attributes if name == "href"}
    assert links == {"data:,", "#s3"}


def test_the_head_has_the_submissions_own_totals(small):
    page = written(small)
    for figure in ("1,900", "3 steps", "9.00 s", "98.9%", "50.0%", "no file changed"):
        assert figure in page


def test_long_texts_are_there_in_full_and_folded():
    text = "word " * 9_000
    page = written(a_trace(UserTurn(text=text), answer(1, text="short")))
    assert text.strip() in page
    assert "Text, 1 line, 45,000 characters" in page
    assert page.count("<details>") == 1


def test_known_secrets_are_taken_out():
    made = a_trace(UserTurn(text="my key is hunter2hunter2"))
    assert "hunter2" not in written(made, redactor=Redactor(("hunter2hunter2",)))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_may_be_fixed(small, theme):
    assert f'data-theme="{theme}"' in written(small, theme=theme)
    assert "data-theme" not in {name for name, _ in Reader(written(small)).attributes}


def test_a_session_without_steps_says_so():
    made = a_trace(Session(harness="X"))
    assert "no steps" in written(made)
