"""Files of one session count once, in whatever order they are imported."""

import random
import shutil

import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.errors import TranscriptError
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.store.home import Home
from tests.arenas.agentic.session_folders import FOLDERS
from tests.conftest import SHARED

KINDS = TokenUsage.__struct_fields__
SEEDS = (1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3)))
"""One order in the quick lane, more in the long one."""

SAMPLES = SHARED / "data" / "agent_logs"
SEVERAL = ("claude_code", "cline", "codex_cli", "harbor_atif", "inspect", "openhands")
"""The samples with several files."""

HARD = {"atif_without_totals", "claude_code_subagents_alone", "codex_threads"}
"""The folders whose files find each other by ids or by their totals alone."""

made = pytest.mark.parametrize("write", FOLDERS, ids=lambda it: it.__name__)
in_order = pytest.mark.parametrize("seed", SEEDS)


def stored(home):
    """The number of stored submissions, and their tokens by kind."""
    with Home.of(home).open_store() as store:
        found = list(store.submissions(with_undated=True))
    usage = [sum(getattr(it.usage, kind) or 0 for it in found) for kind in KINDS]
    return len(found), sum(it.total_tokens or 0 for it in found), usage


def take(path, home):
    """Import a file or folder; a file that is no log on its own is passed over."""
    try:
        import_logs(path, home=home)
    except TranscriptError:
        assert path.is_file()


def all_at_once(folder, home):
    take(folder, home)
    return stored(home)


def shuffled(folder, seed):
    """The files of a folder in a random order."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return random.Random(seed).sample(files, len(files))  # noqa: S311  it shuffles


def import_one_by_one(folder, home, seed):
    for path in shuffled(folder, seed):
        take(path, home)


@pytest.fixture
def folder(write, tmp_path):
    """A folder with several files of one session."""
    root = tmp_path / "logs"
    root.mkdir()
    write(root)
    return root


@made
@in_order
def test_files_imported_one_by_one_and_again_together_count_once(folder, tmp_path, seed):
    expected = all_at_once(folder, tmp_path / "reference")
    import_one_by_one(folder, tmp_path / "home", seed)
    take(folder, tmp_path / "home")
    assert stored(tmp_path / "home") == expected
    assert set(import_logs(folder, home=tmp_path / "home").kept.values()) == {"unchanged"}


PARTS = [it for it in FOLDERS if it.__name__ != "claude_code_resumed"]
"""The folders whose sessions share no answers with each other."""

PARTS_BY_LANE = [
    pytest.param(it, marks=() if it.__name__ in HARD else pytest.mark.long, id=it.__name__)
    for it in PARTS
]


@pytest.mark.parametrize("write", PARTS, ids=lambda it: it.__name__)
@in_order
def test_files_imported_one_by_one_are_the_sessions_of_their_folder(folder, tmp_path, seed):
    expected = all_at_once(folder, tmp_path / "reference")
    import_one_by_one(folder, tmp_path / "home", seed)
    assert stored(tmp_path / "home") == expected


@made
@in_order
def test_a_folder_that_is_imported_after_each_new_file_counts_once(folder, tmp_path, seed):
    expected = all_at_once(folder, tmp_path / "reference")
    for path in shuffled(folder, seed):
        copy = tmp_path / "growing" / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        take(tmp_path / "growing", tmp_path / "home")
    assert stored(tmp_path / "home") == expected


@pytest.mark.parametrize("write", PARTS_BY_LANE)
@in_order
def test_files_that_are_imported_as_they_arrive_count_once(folder, tmp_path, seed):
    expected = all_at_once(folder, tmp_path / "reference")
    for path in shuffled(folder, seed):
        copy = tmp_path / "growing" / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        take(copy, tmp_path / "home")
    assert stored(tmp_path / "home") == expected


@made
@pytest.mark.long
def test_copies_elsewhere_add_nothing(folder, tmp_path):
    expected = all_at_once(folder, tmp_path / "reference")
    for path in shuffled(folder, 1):
        copy = tmp_path / "elsewhere" / str(len(path.parts)) / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        take(copy, tmp_path / "reference")
    assert stored(tmp_path / "reference") == expected


@pytest.mark.long
@pytest.mark.data
@pytest.mark.parametrize("name", SEVERAL)
@in_order
def test_samples_imported_in_any_order_count_once(name, tmp_path, seed):
    expected = all_at_once(SAMPLES / name, tmp_path / "reference")
    import_one_by_one(SAMPLES / name, tmp_path / "home", seed)
    assert stored(tmp_path / "home") == expected
    take(SAMPLES / name, tmp_path / "home")
    assert stored(tmp_path / "home") == expected


@pytest.mark.data
def test_a_summary_imported_before_its_run_is_superseded(tmp_path):
    answers = "hello-world-context-summarization.trajectory.summarization-1-answers.json"
    run = "hello-world-context-summarization.trajectory.json"
    for name in (answers, run, ""):
        import_logs(SAMPLES / "harbor_atif" / name, home=tmp_path)
    count, total, _ = stored(tmp_path)
    assert (count, total) == (2, 11_449)
