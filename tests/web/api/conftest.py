"""A data folder with something of everything, and a server over it."""

import hashlib
import itertools
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmaker.arenas.code.duels import draw_pair
from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.arenas.code.voting import cast
from benchmaker.record import ProbeOutcome, ProbeReport, Run, Shot
from benchmaker.record.label import Label, blind_id
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.record.probe import CheckResult
from benchmaker.store import Store
from benchmaker.store.runs.renders import Blob
from tests.web import agentic_data, stored
from tests.web.agent_series_data import a_system, put_series
from tests.web.api.asking import Client
from tests.web.serving import serving

PICTURE = b"\x89PNG\r\n\x1a\nillustrative"
SHA = hashlib.sha256(PICTURE).hexdigest()
NOBODY_WINS = {3: "tie", 4: "both_bad"}


def _filled(home: Path) -> None:
    """Submissions, judges with calibrations, labels, pages and votes on them."""
    agentic_data.ordinary(home)
    stored.put(home, judges=("judge/a", "judge/b"))
    with Store.open(home / "benchmaker.db") as store:
        run = store.runs(limit=1)[0]
        store.add_labels([_label(trial) for trial in list(store.trials(run.id))[:12]])
        _pages(store, run)
        _votes(store, run)
        systems = [a_system("cli", "x/model"), a_system("oracle")]
        put_series(store, "agents-20261120-7f3k2m", ["t", "u"], systems)


def _pages(store: Store, run: Run) -> None:
    """The first answers hold pages, one of which was rendered; the rest were not made ready."""
    for number, trial in enumerate(store.trials(run.id)):
        if trial.position > 1:
            break
        page = extract_artifact(f"```html\n<h1>{trial.position}</h1><p>{number}</p>\n```")
        store.renders.put_artifact(trial.key, PreparedAnswer(artifact=page))
        if number == 0:
            seen = _rendering(page.sha256)
            store.renders.put_rendering(seen, {SHA: Blob("image/png", PICTURE)})
            store.renders.put_artifact(trial.key, PreparedAnswer(artifact=page, rendering=seen))


def _rendering(sha: str) -> Rendering:
    checks = (CheckResult(index=1, text="counts", passed=True),
              CheckResult(index=2, text="stops", passed=False, message="it goes on"))  # fmt: skip
    report = ProbeReport(
        sha=sha[:12],
        outcome=ProbeOutcome.RENDERED,
        checks=checks,
        screenshots=(Shot(viewport=375, width=375, height=667, sha256=SHA),),
    )
    return Rendering(key="5" * 64, content="6" * 64, place="none", artifact_sha=sha, report=report)


def _votes(store: Store, run: Run) -> None:
    """Two people vote on every pair of the first prompt, and differ, so that it can be rated."""
    case_id = next(iter(store.trials(run.id))).case_id
    pairs = list(itertools.combinations(run.models, 2))
    for voter in ("ada", "ben"):
        for number, pair in enumerate(pairs):
            duel = draw_pair(run.id, case_id, pair, voter=voter)
            first_wins = voter == "ada" or number % 2 == 1
            side = "left" if (duel.left == pair[0]) is first_wins else "right"
            cast(store, duel, NOBODY_WINS.get(number, side), voter=voter, ms_on_page=9_000)


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
