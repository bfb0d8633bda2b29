"""Boards of coding agents and their analyses: fronts, baselines, bias, trends, profiles."""

from typing import Annotated, Any

from fastapi import Path, Query

from benchmaker.analysis.boards.board import VALUES
from benchmaker.arenas.agentic.boards.leaderboard import stored_bias, stored_board, stored_front
from benchmaker.arenas.agentic.boards.trending import SystemTrends, system_trends
from benchmaker.arenas.agentic.evaluation.profile_comparison import compared_profiles
from benchmaker.arenas.agentic.settling.board_keys import UNITS, WINDOWS, BoardKey
from benchmaker.arenas.agentic.settling.stored_boards import BIAS, FRONT_FIGURES, INDEX
from benchmaker.arenas.agentic.unknown_names import unknown_in_board
from benchmaker.record.submissions.submission import EvidenceLevel
from benchmaker.spec.tasks.agentic_profile import OPENING
from benchmaker.web.agentic.board_view import NARROWED, POLICIES, named_profile
from benchmaker.web.api.name_lookup import refuse_unknown
from benchmaker.web.api.paging import PagedQuery, QueryModel, Word, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import boards as shapes
from benchmaker.web.pages.agentic.analysis import all_newest, known_snapshots
from benchmaker.web.workbench import Bench

api = Api("agentic")
router = api.router


def _one_of(words: Any) -> str:  # noqa: ANN401  names
    return f"^({'|'.join(words)})$"


class ProfileQuery(QueryModel):
    """Under which profile."""

    profile: Word = OPENING


class BoardIndexQuery(PagedQuery):
    """The stored boards of which profile."""

    profile: Word = OPENING


class NarrowedBoardQuery(PagedQuery):
    """Select a board: its unit, its window, its submissions."""

    profile: Word = OPENING
    by: Annotated[str, Query(pattern=_one_of(UNITS))] = "system"
    window: Annotated[str, Query(pattern=_one_of(WINDOWS))] = "all"
    evidence: EvidenceLevel | None = None
    task: Word = ""
    category: Word = ""
    difficulty: Word = ""
    tool: Word = ""
    model: Word = ""
    effort: Word = ""
    submitter: Word = ""
    system: Word = ""

    def key(self, value: str = "overall") -> BoardKey:
        """The board's key."""
        where = {label: getattr(self, label) or None for label in NARROWED}
        return BoardKey.of(value=value, by=self.by, window=self.window, filters=where)


class BoardQuery(NarrowedBoardQuery):
    """The board's value, and the policy that selects a system's attempts at a task."""

    metric: Annotated[str, Query(pattern=_one_of(VALUES))] = "overall"
    policy: Annotated[str | None, Query(pattern=_one_of(POLICIES))] = None


class FrontQuery(NarrowedBoardQuery):
    """Against which figure."""

    metric: Annotated[str, Query(pattern=_one_of(FRONT_FIGURES))] = "dollars"


class AgentTrendQuery(ProfileQuery):
    """The value to follow, and the width of the windows in days."""

    metric: Annotated[str, Query(pattern=_one_of(VALUES))] = "overall"
    days: Annotated[int, Query(ge=1, le=366)] = 7


class ProfilePairQuery(QueryModel):
    """Two profiles."""

    a: Word = "classic"
    b: Word = "robust"


@api.get("/agentic/board", shapes.BoardPage)
def board(bench: Bench, query: Annotated[BoardQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """A leaderboard, as `leaderboard --json` prints it, its rows a page at a time."""
    key = query.key(query.metric)
    document = stored_board(
        bench.store,
        key,
        named_profile(bench.store, query.profile),
        policy=query.policy,
        evidence=query.evidence,
    ).to_dict()
    rows = document.pop("rows")
    if not rows:
        refuse_unknown(unknown_in_board(bench.store, key))
    return part(rows, query, **document, count=len(rows))


@api.get("/agentic/boards", shapes.BoardIndex)
def boards(bench: Bench, query: Annotated[BoardIndexQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The names of the boards that are kept ready."""
    profile = named_profile(bench.store, query.profile).id
    index = bench.store.agentic.board(profile, INDEX) or {"names": {}}
    return part(sorted(index["names"]), query, profile=profile)


@api.get("/agentic/front", shapes.FrontOut)
def front(bench: Bench, query: Annotated[FrontQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Return the cost of success: the front, cost per success, budgets, repeats."""
    key, document = query.key(), named_profile(bench.store, query.profile)
    body = stored_front(bench.store, key, document, figure=query.metric, evidence=query.evidence)
    if not body["per_success"]:
        refuse_unknown(unknown_in_board(bench.store, key))
    return body


@api.get("/agentic/baselines", shapes.Baselines)
def baselines(bench: Bench, query: Annotated[ProfileQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The newest baseline of every task, as `baselines --json` prints them."""
    profile = named_profile(bench.store, query.profile).id
    return {"profile": profile, "task": None, "baselines": all_newest(bench.store, profile)}


@api.get("/agentic/baselines/{task:path}", shapes.Baselines)
def baselines_of(
    bench: Bench,
    task: Annotated[str, Path(max_length=300)],
    query: Annotated[ProfileQuery, Query()],
) -> Any:  # noqa: ANN401  its shape
    """A task's baselines over time."""
    profile = named_profile(bench.store, query.profile).id
    found = known_snapshots(bench.store, profile, task)
    return {"profile": profile, "task": task, "baselines": found}


@api.get("/agentic/bias", shapes.Bias)
def bias(bench: Bench, query: Annotated[ProfileQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Return four tests of a board for bias towards a tool, as printed by `bias --json`."""
    document = named_profile(bench.store, query.profile)
    kept = bench.store.agentic.board(document.id, BIAS)
    return kept or stored_bias(bench.store, document)


@api.get("/agentic/trend", SystemTrends)
def trend(bench: Bench, query: Annotated[AgentTrendQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Every system over time, as `trend --systems --json` prints it."""
    profile = named_profile(bench.store, query.profile).name
    return system_trends(bench.store, profile, value=query.metric, days=query.days).to_dict()


@api.get("/agentic/profiles/compare", shapes.ProfilesCompared)
def profiles_compared(bench: Bench, query: Annotated[ProfilePairQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Two profiles on all submissions, as `profile compare --json` prints it."""
    pair = named_profile(bench.store, query.a), named_profile(bench.store, query.b)
    made, submissions = compared_profiles(bench.store, *pair)
    return {"submissions": submissions, **made.to_dict()}
