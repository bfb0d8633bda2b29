"""What tests of agents' logs may use."""

from pathlib import Path

import pytest

from tests.arenas.agentic.log_data import SESSION, write_claude_log


@pytest.fixture
def claude_log(tmp_path: Path) -> Path:
    return write_claude_log(tmp_path / f"{SESSION}.jsonl")
