"""Archives of logs are refused with the reason; formats that are archives are not."""

import json
import tarfile
import zipfile

import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.errors import TranscriptError
from tests.arenas.agentic.importers.claude_rows import answer, prompt


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (prompt("Go."), answer())))
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_of_logs_is_refused(tmp_path, log, method):
    with zipfile.ZipFile(tmp_path / "logs.zip", "w", method) as archive:
        archive.write(log, "log.jsonl")
    with pytest.raises(TranscriptError, match="ZIP archive"):
        import_logs(tmp_path / "logs.zip", home=tmp_path / "home")


def test_a_tar_of_logs_is_refused_in_a_folder_too(tmp_path, log):
    folder = tmp_path / "folder"
    folder.mkdir()
    with tarfile.open(folder / "logs.tar", "w") as archive:
        archive.add(log, "log.jsonl")
    (folder / "log.jsonl").write_bytes(log.read_bytes())
    made = import_logs(folder, home=tmp_path / "home")
    assert len(made.submissions) == 1
    (skipped,) = made.skipped_lines
    assert "tar archive. Unpack it" in skipped.reason
