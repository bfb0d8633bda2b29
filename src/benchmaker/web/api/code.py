"""Generated pages: runs that have some, their analyses, screenshots, standings."""

from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Response
from pydantic import ConfigDict, Field

from benchmaker.arenas.code.prompt_suite import (
    MOST_CHARACTERS,
    suite_of_prompt,
    suite_of_stored_page,
)
from benchmaker.arenas.code.totals import judge_shares
from benchmaker.engine.runs.code_runs import refuse_outside_code_arena
from benchmaker.errors import SpecError, StoreError
from benchmaker.record import Run, Trial
from benchmaker.record.vote import VoteCategory
from benchmaker.report.sentences.code_words import trouble_of
from benchmaker.store import Store
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.store.runs.code_pages import CodeRunRow
from benchmaker.web.api.name_lookup import Position, Rank, RunName, one_run, resolve_runs
from benchmaker.web.api.paging import (
    AGAIN,
    BodyModel,
    PagedQuery,
    QueryModel,
    SearchQuery,
    checked_cursor,
    page_data,
)
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import code as shapes
from benchmaker.web.api.shapes import runs as run_shapes
from benchmaker.web.code.comparison_view import preview_address
from benchmaker.web.code.plain_data import page_row, score_lines
from benchmaker.web.code.prompt_form import (
    FEWEST_MODELS,
    MOST_MODELS,
    PromptForm,
    refuse_unready,
    start_run,
)
from benchmaker.web.code.run_ratings import MOST_RUNS, newest_code_runs, standings_of
from benchmaker.web.faults import Missing
from benchmaker.web.tickets import PreviewOf
from benchmaker.web.workbench import Bench

api = Api("code")
router = api.router

PICTURE = "image/png"
_START = (-1, -1)
_WIDEST = 2**31
_SHOTS = "The report of a page names its own."
_FOR_GOOD = "private, max-age=31536000, immutable"

Digest = Annotated[
    str, Path(pattern="^[0-9a-f]{64}$", description="SHA-256 from a report's screenshots.")
]


ModelName = Annotated[str, Field(min_length=1, max_length=300)]


class StandingsQuery(QueryModel):
    """The runs whose votes count; the newest with generated pages where none is named.

    `category` counts the verdicts on a part of the pages alone; `style` adjusts the ratings for
    features of the pages.
    """

    run: Annotated[
        list[Annotated[str, Query(max_length=300)]],
        Query(max_length=MOST_RUNS, default_factory=list),
    ]
    category: VoteCategory | None = None
    style: Annotated[list[Literal["length", "libraries"]], Query(default_factory=list)]


class PageOrderIn(BodyModel):
    """A prompt for a page, the models that write it, and the judges; without any, none judges."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    prompt: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
    models: Annotated[
        list[ModelName],  # their number is checked with the rest of the form, with its message
        Field(json_schema_extra={"minItems": FEWEST_MODELS, "maxItems": MOST_MODELS}),
    ]
    judges: Annotated[list[ModelName], Field(max_length=10, default_factory=list)]


class ImprovementIn(BodyModel):
    """The requested changes to a page, and the judges; without any, none judges."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    request: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
    judges: Annotated[list[ModelName], Field(max_length=10, default_factory=list)]


@api.get("/code/runs", shapes.CodeRunPage)
def code_runs(bench: Bench, query: Annotated[SearchQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Runs with generated pages, the newest first."""
    after = checked_cursor(query.after, str)
    found = bench.store.code_pages.page(after=after, limit=query.limit, text=query.q)
    return page_data(map(_run, found.rows), found.after)


@api.post("/code/runs", run_shapes.Begun, name="page", status=202)
def start_page_run(bench: Bench, order: PageOrderIn) -> Any:  # noqa: ANN401  its shape
    """Store a prompt for a page as a suite of one case, and queue a run over its models."""
    form = PromptForm(order.prompt, _unique(order.models), judges=_unique(order.judges))
    refuse_unready(bench, form)
    suite = suite_of_prompt(form.prompt)
    run, job = start_run(bench, suite, models=form.models, judges=form.judges)
    return {"job": job, "run_ids": [run.id], "series_id": run.series_id}


def _unique(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


@api.get("/code/runs/{run}/pages", shapes.GeneratedPages)
def code_pages(bench: Bench, run: RunName, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """A run's pages in the order of prompts, then of models; models are named here."""
    store, found = bench.store, one_run(bench.store, run)
    read = store.trials(found.id, after=_place(query.after))
    rows = list(islice(read, query.limit + 1))
    shown = [_row(store, found, it) for it in rows[: query.limit]]
    after = (
        encode_cursor(shown[-1]["position"], shown[-1]["rank"]) if len(rows) > len(shown) else ""
    )
    return page_data(shown, after, scale="0-100")


@api.get("/code/runs/{run}/pages/{position}/{rank}", shapes.GeneratedPage)
def code_page(bench: Bench, run: RunName, position: Position, rank: Rank) -> Any:  # noqa: ANN401  its shape
    """Return one page with its code, the probe's facts, and the derivation of its score."""
    found = one_run(bench.store, run)
    trial = _trial(bench.store, found, position, rank)
    made = bench.store.renders.find_prepared(trial.key)
    shown = preview_address(bench, PreviewOf(found.id, trial.case_id, trial.model))
    case = bench.store.case(found.suite_hash, position)
    return {
        **page_row(found, trial, made),
        "scale": "0-100",
        "case": case.model_dump(mode="json", exclude_defaults=True),
        "artifact": made.artifact if made else None,
        "report": made.report if made else None,
        "match": made.rendering.match if made and made.rendering else None,
        "trouble": trouble_of(made) if made else "",
        "preview": (shown or None) if made else None,
        "lines": score_lines(trial.score),
    }


@api.post(
    "/code/runs/{run}/pages/{position}/{rank}/improvements",
    run_shapes.Begun,
    name="improvement",
    status=202,
)
def start_improvement(
    bench: Bench, run: RunName, position: Position, rank: Rank, wanted: ImprovementIn
) -> Any:  # noqa: ANN401  its shape
    """Queue a run in which the model of a page improves it in a second turn.

    The request follows the prompt and the first answer. The new case keeps the page's checks; its
    metadata `improves` names the first page.
    """
    found = one_run(bench.store, run)
    trial = _trial(bench.store, found, position, rank)
    judges = _unique(wanted.judges)
    suite = suite_of_stored_page(bench.store, trial.key, wanted.request)
    model = found.setup(trial.model).model
    made, job = start_run(bench, suite, models=[model], judges=judges)
    return {"job": job, "run_ids": [made.id], "series_id": made.series_id}


@api.image("/code/shots/{sha256}", PICTURE)
def code_shot(bench: Bench, sha256: Digest) -> Response:
    """A screenshot by its content."""
    try:
        blob = bench.store.renders.find_blob(sha256)
    except StoreError as exc:
        raise Missing(
            "there is no such screenshot.", hint="A page's report names its own."
        ) from exc
    if blob.type != PICTURE:
        raise Missing("that is no screenshot.", hint=_SHOTS)
    return Response(blob.body, media_type=PICTURE, headers={"cache-control": _FOR_GOOD})


@api.get("/code/standings", shapes.CodeStandings)
def code_standings(bench: Bench, query: Annotated[StandingsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Return models by blind votes, with judge and checks, as printed by `code rate --json`."""
    store = bench.store
    named = [it for name in query.run for it in resolve_runs(store, name).run_ids]
    for run_id in named:
        refuse_outside_code_arena(store, [run_id])
    run_ids = named or newest_code_runs(store)
    made = standings_of(store, run_ids, category=query.category, style=tuple(query.style))
    scored_by = [one.to_dict() for one in judge_shares(store, run_ids)]
    return {"runs": list(run_ids), "scored_by": scored_by, **made.to_dict()}


def _run(row: CodeRunRow) -> dict[str, Any]:
    return {
        "run_id": row.run.id,
        "suite": row.run.suite_name,
        "suite_hash": row.run.suite_hash,
        "models": list(row.run.models),
        "state": row.run.state,
        "started_at": row.run.started_at,
        "planned": row.run.planned,
        "pages": row.pages,
        "votes": row.votes,
    }


def _row(store: Store, run: Run, trial: Trial) -> dict[str, Any]:
    return page_row(run, trial, store.renders.find_prepared(trial.key))


def _trial(store: Store, run: Run, position: int, rank: int) -> Trial:
    wanted = run.models[rank] if rank < len(run.models) else None
    found = (one for one in store.trials_at(run.id, position) if one.model == wanted)
    trial = next(found, None)
    if trial is None:
        raise Missing("there is no such page.", hint=f"See /api/v1/code/runs/{run.id}/pages.")
    return trial


def _place(after: str) -> tuple[int, int]:
    """Behind which case and model to go on."""
    found = decode_cursor(checked_cursor(after, int))
    if found is None:
        return _START
    if not all(0 <= part < _WIDEST for part in found):
        raise SpecError("after is no place in this list.", where="query.after", hint=AGAIN)
    return found[0], found[1]
