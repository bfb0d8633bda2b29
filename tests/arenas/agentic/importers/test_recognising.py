"""Whose file is whose: no two readers claim one, and no name tells."""

import shutil

import pytest

from benchmaker.arenas.agentic.heads import head_of
from benchmaker.arenas.agentic.scan import importers
from tests.conftest import SHARED

FOLDERS = ("agent_logs", "agent_logs_t2", "incoming-t2")
NO_LOGS = {
    *("SOURCES.md", "values.json", "expected.json", "usage_shapes.json"),
    *("LICENSE", "LICENSE.scout"),
}
OTHERS = {"promptfoo", "lm_eval", "helm", "deepeval", "openai_evals"}
"""What other tools' evaluations leave behind is no log of an agent."""

FILES = [
    path
    for folder in FOLDERS
    for path in sorted((SHARED / "data" / folder).rglob("*"))
    if path.is_file()
]


@pytest.fixture(scope="module")
def readers():
    return importers()


def claims(readers, path):
    head = head_of(path)
    return {reader.id for reader in readers if reader.sniff(head) > 0}


@pytest.mark.data
@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_each_file_is_one_readers_whatever_it_is_called(readers, tmp_path, path):
    found = claims(readers, path)
    is_log = path.name not in NO_LOGS and not OTHERS & set(path.parts)
    assert len(found) == is_log
    renamed = tmp_path / "claude.out"
    shutil.copyfile(path, renamed)
    assert claims(readers, renamed) == found


def test_words_in_a_text_are_no_fields(readers, tmp_path):
    path = tmp_path / "notes.json"
    path.write_text('{"notes": "\\"trajectory_format\\": \\"mini-swe-agent-1\\", ATIF-v1.5"}')
    assert claims(readers, path) == set()
