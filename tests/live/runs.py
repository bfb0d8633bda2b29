"""Real runs against the faulty server, through the public API, with what both sides say of them."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmaker import Case, RunResult, ScorerSpec, Suite, run
from benchmaker.engine.limits import Limits
from benchmaker.engine.pace import PaceRules
from benchmaker.engine.retry import Retry
from benchmaker.providers.transport import HttpLimits
from benchmaker.record import Trial
from tests.live.catalogue import RETRIES, Scene
from tests.live.faulty import FaultyServer
from tests.live.server.journal import Entry
from tests.live.server.pace import MIB

CASES = 3
CONCURRENCY = 5
QUICK = Limits(
    retry=Retry(retries=RETRIES, base_s=0.02, empty_s=0.01),
    pace=PaceRules(slowest=50.0),
)
BODY_BYTES = MIB
ROOMY = HttpLimits(
    connect_s=5.0, first_byte_s=10.0, idle_s=10.0, total_s=20.0, body_bytes=BODY_BYTES
)
TIGHT = HttpLimits(
    connect_s=5.0, first_byte_s=0.25, idle_s=0.25, total_s=0.5, body_bytes=BODY_BYTES
)


@dataclass(frozen=True, slots=True)
class Took:
    """A run that ended: what it says, what the server saw of it, how long it took."""

    result: RunResult
    trials: tuple[Trial, ...]
    entries: tuple[Entry, ...]
    seconds: float

    def entries_of(self, trial: Trial) -> list[Entry]:
        """The requests for this trial, as the server saw them."""
        named = trial.model.partition("/")[2]
        return [
            entry for entry in self.entries if (entry.case, entry.model) == (trial.case_id, named)
        ]


def a_suite(cases: int = CASES) -> Suite:
    """Sums with two digits; each prompt names its case for the server's journal."""
    made = [
        Case(id=f"c{n}", prompt=f"[c{n}] {40 + n} + 2?", expected=str(42 + n)) for n in range(cases)
    ]
    return Suite("sums", made, scorer=ScorerSpec(id="exact"))


def environ_for(server: FaultyServer, key: str) -> dict[str, str]:
    """The variables that lead both protocols to the server, with this key."""
    return {
        "OPENAI_API_KEY": key,
        "OPENAI_BASE_URL": server.openai_url,
        "ANTHROPIC_API_KEY": key,
        "ANTHROPIC_BASE_URL": server.anthropic_url,
    }


def run_scene(scene: Scene, server: FaultyServer, *, key: str, home: Path) -> Took:
    """Three cases of a model that shows one fault."""
    expected = scene.expected
    return run_models(
        [f"{scene.protocol}/{expected.model}"],
        server,
        environ=environ_for(server, key),
        home=home,
        concurrency=expected.concurrency or CONCURRENCY,
        timeouts=TIGHT if expected.is_tight else ROOMY,
        stream=scene.stream,
    )


def run_models(
    models: list[str],
    server: FaultyServer,
    *,
    environ: Mapping[str, str],
    home: Path,
    cases: int = CASES,
    concurrency: int = CONCURRENCY,
    timeouts: HttpLimits = ROOMY,
    stream: bool = True,
    limits: Limits = QUICK,
) -> Took:
    """A run of the sums over the models, to its end."""
    already = len(server.settled())
    started = time.monotonic()
    result = run(
        a_suite(cases),
        models=models,
        environ=environ,
        home=home,
        concurrency=concurrency,
        limits=limits,
        timeouts=timeouts,
        stream=stream,
    )
    seconds = time.monotonic() - started
    entries = tuple(server.settled()[already:])
    return Took(result, tuple(result.trials()), entries, seconds)


def files_with(home: Path, secret: str) -> list[Path]:
    """The files below a folder in which the secret stands, in clear."""
    files = (path for path in home.rglob("*") if path.is_file())
    return [path for path in files if secret.encode() in path.read_bytes()]


def outcomes_of(trials: tuple[Trial, ...]) -> dict[str, int]:
    """How often each outcome occurs."""
    return dict(Counter(str(trial.outcome) for trial in trials))
