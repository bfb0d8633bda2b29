"""Other scores for stored answers, from Python."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmaker.arenas.standard.blocking import blocking
from benchmaker.arenas.standard.place import Place
from benchmaker.arenas.standard.result import RunResult, result_of
from benchmaker.engine.rescore import rescore as rescore_run
from benchmaker.errors import SpecError
from benchmaker.spec import ScorerSpec


async def arescore(
    run_id: str = "latest",
    *,
    profile: str | None = None,
    scorer: ScorerSpec | Mapping[str, Any] | str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> RunResult:
    """Score the stored answers of a run or a series anew; no model is asked.

    Every score becomes a further version; the earlier ones stay, and the newest counts.

    Args:
        run_id: a run or a series: its id, the beginning of one, or ``latest``.
        profile: the scoring profile, instead of the run's.
        scorer: stands in for the suite's default scorer; cases that name their own keep it.
        home: the data folder; ``~/.local/share/benchmaker`` without it.
        store: the URL of the store, instead of the file in ``home``.

    Raises:
        SpecError: there is no such run, profile or scorer.
        Conflict: another process works on it.
    """
    place = Place.of(home, store)
    spec = _spec(scorer)
    with place.opened() as opened:
        run_ids = opened.resolve(run_id).run_ids
        for member in run_ids:
            await rescore_run(opened, member, profile=profile, scorer=spec)
        return result_of(opened, run_ids, place)


rescore = blocking(
    "rescore",
    """Score the stored answers of a run or a series anew; no model is asked.

    Takes what :func:`arescore` takes, and waits for the end.

    >>> from tempfile import TemporaryDirectory
    >>> from benchmaker import Case, ScorerSpec, Suite, run
    >>> from benchmaker.providers.scripted import Scripted
    >>> sums = Suite(
    ...     "sums", [Case(id="a", prompt="40 + 2?", expected="42")], scorer=ScorerSpec(id="exact")
    ... )
    >>> with TemporaryDirectory() as home:
    ...     before = run(sums, provider=Scripted({("m", "a"): "It is 42."}), home=home)
    ...     after = rescore(before.run_ids[0], scorer="numeric", home=home)
    >>> before.mean("m") < after.mean("m")
    True
    """,
    arescore,
)


def _spec(scorer: ScorerSpec | Mapping[str, Any] | str | None) -> ScorerSpec | None:
    try:
        return None if scorer is None else ScorerSpec.model_validate(scorer)
    except ValidationError as exc:
        raise SpecError(
            f"{scorer!r} is not a scorer.", hint="Give its id, or {'id': …} with its parameters."
        ) from exc
