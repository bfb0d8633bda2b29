"""The criteria of a submission on its page, in the words of the terminal."""

import json
import re
from html import unescape
from urllib.request import urlopen

from benchmaker.arenas.agentic import submit
from benchmaker.arenas.agentic.verify.results import kind_words
from tests.arenas.agentic.log_data import write_claude_log
from tests.web.serving import serving

CRITERIA = [
    {"id": "done", "type": "file_exists", "path": "a.md", "required": True},
    {"id": "long", "type": "file_exists", "path": "a.md", "min_bytes": 99, "visibility": "hidden"},
    {"id": "kind", "type": "human_review", "question": "Is it kind?"},
]


def page_of(tmp_path, criteria):
    """The page of one verified submission as plain words, and its criteria."""
    task, work = tmp_path / "task", tmp_path / "work"
    for folder in (task, work):
        folder.mkdir()
    body = {"id": "t", "prompt": "Write a.md.", "isolation": "none", "criteria": criteria}
    (task / "task.yaml").write_text(json.dumps(body))
    (work / "a.md").write_text("Hello.")
    log = write_claude_log(tmp_path / "session.jsonl")
    home = tmp_path / "home"
    made = submit(log, task=task, workspace=work, home=home, profile="robust")
    with serving(home, works=False) as address:
        answer = urlopen(f"{address}/agentic/submissions/1", timeout=120)  # noqa: S310  our own
        with answer:
            text = answer.read().decode()
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split()), made.graded


def test_the_page_says_of_each_criterion_what_the_terminal_says(tmp_path):
    words, graded = page_of(tmp_path, CRITERIA)
    for one in graded.criteria:
        assert f"{one.result} {one.id} {kind_words(one)} {one.weight:g} {one.evidence}" in words


def test_the_badge_says_what_waits(tmp_path):
    words, graded = page_of(tmp_path, CRITERIA)
    assert graded.verification.pending_reason == "1 of 3 criteria waits for a person"
    assert words.count("1 of 3 criteria waits for a person") == 2
    assert "no verdict yet" not in words


def test_the_evidence_in_the_table_is_that_of_the_badge(tmp_path):
    words, _ = page_of(tmp_path, CRITERIA[:1])
    assert "Evidence verified" in words
    assert "Evidence imported" not in words


def test_without_a_verdict_the_page_says_so(tmp_path):
    words, graded = page_of(tmp_path, [{**one, "required": True} for one in CRITERIA])
    assert graded.words[-1] == "no verdict yet"
    assert "1 of 3 criteria waits for a person no verdict yet" in words
