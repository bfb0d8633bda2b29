"""Real runs against the faulty server, through the public API, with what both sides say of them."""

import asyncio
import functools
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmaker import Case, RunOptions, RunResult, ScorerSpec, Suite, arun, run
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import RateRules
from benchmaker.engine.requests.retry import Retry
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.prices.price_list import FILE as PRICES_FILE
from benchmaker.providers.prices.price_list import PriceList
from benchmaker.record import Trial
from benchmaker.store.home import STORE_FILE, Home
from tests.live.catalogue import RETRIES, TABLE, Expected, Scene
from tests.live.faulty import FaultyServer
from tests.live.server.journal import Entry
from tests.live.server.pace import MIB

CASES = 3
CONCURRENCY = 5
QUICK = RunLimits(
    retry=Retry(retries=RETRIES, base_s=0.02, empty_s=0.01),
    pace=RateRules(slowest=50.0),
)
BODY_BYTES = MIB
ROOMY = HttpLimits(
    connect_s=120.0, first_byte_s=120.0, idle_s=120.0, total_s=240.0, body_bytes=BODY_BYTES
)
"""Limits that no reply reaches, however busy the machine is."""
TIGHT = HttpLimits(
    connect_s=120.0, first_byte_s=1.5, idle_s=1.5, total_s=2.0, body_bytes=BODY_BYTES
)
"""Limits for a server that never answers: nothing depends on how soon they are reached."""
FIRM = HttpLimits(
    connect_s=120.0, first_byte_s=5.0, idle_s=5.0, total_s=10.0, body_bytes=BODY_BYTES
)
"""Limits for a server that hangs once, then answers: in time even where the machine is busy."""


@dataclass(frozen=True, slots=True)
class Took:
    """A run that ended: what it says, and what the server saw of it."""

    result: RunResult
    trials: tuple[Trial, ...]
    entries: tuple[Entry, ...]

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


@functools.cache
def _a_fresh_home() -> dict[str, bytes]:
    """The files of a data folder without runs: copying them takes a hundredth of making them.

    That no price of the catalogue's models is known stands in it, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with Home(home).open_store():
            pass
        known = PriceList(home)
        for expected in TABLE:
            for protocol in expected.protocols:
                assert known.entry(protocol, expected.model) is None
        return {name: (home / name).read_bytes() for name in (STORE_FILE, PRICES_FILE)}


def a_home(home: Path) -> Path:
    """A data folder as it is before the first run, unless there is one."""
    if not home.exists():
        home.mkdir(parents=True)
        for name, content in _a_fresh_home().items():
            (home / name).write_bytes(content)
    return home


async def run_scene(scene: Scene, server: FaultyServer, *, key: str, home: Path) -> Took:
    """Three cases of a model that shows one fault, asked with a key that nobody else uses."""
    expected = scene.expected
    result = await arun(
        a_suite(),
        models=[f"{scene.protocol}/{expected.model}"],
        environ=environ_for(server, key),
        home=a_home(home),
        options=RunOptions(
            concurrency=expected.concurrency or CONCURRENCY,
            limits=QUICK,
            timeouts=_timeouts(expected),
            stream=scene.stream,
        ),
    )
    entries = await asyncio.to_thread(server.settled, key=key)
    return Took(result, tuple(result.trials()), tuple(entries))


def _timeouts(expected: Expected) -> HttpLimits:
    if not expected.is_tight:
        return ROOMY
    return TIGHT if expected.is_gone else FIRM


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
    limits: RunLimits = QUICK,
) -> Took:
    """A run of the sums over the models, to its end."""
    already = len(server.settled())
    result = run(
        a_suite(cases),
        models=models,
        environ=environ,
        home=home,
        options=RunOptions(
            concurrency=concurrency, limits=limits, timeouts=timeouts, stream=stream
        ),
    )
    entries = tuple(server.settled()[already:])
    return Took(result, tuple(result.trials()), entries)


def files_with(home: Path, secret: str) -> list[Path]:
    """The files below a folder in which the secret stands, in clear."""
    files = (path for path in home.rglob("*") if path.is_file())
    return [path for path in files if secret.encode() in path.read_bytes()]


def outcomes_of(trials: tuple[Trial, ...]) -> dict[str, int]:
    """How often each outcome occurs."""
    return dict(Counter(str(trial.outcome) for trial in trials))
