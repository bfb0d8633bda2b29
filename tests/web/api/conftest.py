"""A data folder with something of everything, and a server over it."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmaker.record.label import Label, blind_id
from benchmaker.store import Store
from tests.web import agentic_data, stored
from tests.web.api.asking import Client
from tests.web.serving import serving


def _filled(home: Path) -> None:
    """Submissions, judges with calibrations, labels, and a second version of the demo's suite."""
    agentic_data.ordinary(home)
    stored.put(home, judges=("judge/a", "judge/b"))
    with Store.open(home / "benchmaker.db") as store:
        run = store.runs(limit=1)[0]
        store.add_labels([_label(trial) for trial in list(store.trials(run.id))[:12]])


def _label(trial) -> Label:
    return Label(
        run_id=trial.run_id,
        case_id=trial.case_id,
        blind_id=blind_id(trial.run_id, trial.model, trial.case_id, trial.text),
        source="random",
        score=1.0 if trial.position % 3 else 0.5,
        model=trial.model,
        raw_score=10.0,
        scale=(0.0, 10.0),
        created_at="2026-11-20T10:00:00Z",
    )


@pytest.fixture(scope="session")
def full_home(demo_home, tmp_path_factory) -> Path:
    """The demo's data and more; nobody writes to it."""
    home = Path(shutil.copytree(demo_home, tmp_path_factory.mktemp("api") / "home"))
    with ThreadPoolExecutor(1) as aside:  # Playwright runs a loop in the main thread
        aside.submit(_filled, home).result()
    return home


@pytest.fixture(scope="session")
def api(full_home) -> Iterator[Client]:
    """A client of a server that is only read from."""
    with serving(full_home, works=False) as address:
        yield Client(address)


@pytest.fixture
def own_home(full_home, tmp_path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(full_home, tmp_path / "home"))


@pytest.fixture
def own(own_home) -> Iterator[Client]:
    """A client of a server over a copy; it carries jobs out."""
    with serving(own_home) as address:
        yield Client(address)
