"""Generated pages, votes on them, standings; totals and criteria from 0 to 100."""

from typing import Literal, TypedDict

from benchmaker.analysis.ratings.odd_voters import RatingsWithoutVoter
from benchmaker.analysis.ratings.ranking import Ranking as RankingOfBattles
from benchmaker.analysis.ratings.vote_ratings import Standings
from benchmaker.record import RunState
from benchmaker.record.artifact import Artifact, ArtifactKind, CodeFile
from benchmaker.record.prepared_answer import VisualMatch
from benchmaker.record.probe import ProbeReport
from benchmaker.record.vote import Vote
from benchmaker.web.api.paging import extend_type, page_type
from benchmaker.web.api.shapes.suites import CaseOut
from benchmaker.web.api.suite_fields import MessageOut

HUNDRED = Literal["0-100"]


class CodeRunOut(TypedDict):
    """A run with generated pages: the numbers of answers with a page and of counted votes."""

    run_id: str
    suite: str
    suite_hash: str
    models: list[str]
    state: RunState
    started_at: str
    planned: int
    pages: int
    votes: int


CodeRunPage = page_type("CodeRunPage", CodeRunOut)


class ChecksOut(TypedDict):
    """The number of task checks passed."""

    passed: int
    n: int


class PageCriterion(TypedDict):
    """One criterion: its weight in the total, its value, its basis."""

    name: str
    weight: float
    value: float | None
    source: str


class PageRow(TypedDict):
    """A model's page for one prompt, with its position: case and model, both from 0.

    `state` is the outcome in words: of the render, `no code`, or else of the trial. `score` is that
    of the run's results, and `notes` its reason: 0 without a page, else `judge_total` in a judged
    run, else `checks_passed`, the share of passed checks. Null means unscored.
    """

    run_id: str
    position: int
    rank: int
    case_id: str
    model: str
    kind: ArtifactKind | None
    state: str
    checks: ChecksOut | None
    criteria: list[PageCriterion]
    score: float | None
    notes: str
    judge_total: float | None
    checks_passed: float | None


GeneratedPages = page_type("GeneratedPages", PageRow, scale=HUNDRED)


class GeneratedPage(PageRow):
    """A page with its code and all observations; `preview` is its address, if it can run.

    `lines` is the arithmetic of its score; `match` is its similarity to the reference.
    """

    scale: HUNDRED
    case: CaseOut
    artifact: Artifact | None
    report: ProbeReport | None
    match: VisualMatch | None
    trouble: str
    preview: str | None
    lines: list[str]


class BlindPage(TypedDict):
    """One of two pages, by a number that does not reveal its model."""

    number: int
    preview: str | None
    waits: bool
    files: list[CodeFile]
    trouble: str
    notes: list[str]


class BlindPair(TypedDict):
    """Two pages for one prompt; `a` is on the left. `at` is its position in the voter's order."""

    position: int
    case_id: str
    messages: list[MessageOut]
    at: int
    a: BlindPage
    b: BlindPage


class NextPair(TypedDict):
    """The next pair without a vote of this voter, null where they have voted on all."""

    by: str
    pairs: int
    waiting: int
    pair: BlindPair | None


class Voted(TypedDict):
    """A vote with the models' names; `undo_s` is the time left to withdraw it."""

    by: str
    vote: Vote
    undo_s: int
    waiting: int


VotePage = page_type("VotePage", Vote)


class JudgeShareOut(TypedDict):
    """The number of pages whose score is by these judges together."""

    judges: list[str]
    answers: int


VoteRanking = extend_type("VoteRanking", RankingOfBattles)
VoterInfluence = extend_type("VoterInfluence", RatingsWithoutVoter)
_INFLUENCES = list[VoterInfluence]  # type: ignore[valid-type]  # made of a dataclass

CodeStandings = extend_type(
    "CodeStandings",
    Standings,
    runs=list[str],
    scored_by=list[JudgeShareOut],
    ranking=VoteRanking | None,
    influences=_INFLUENCES,
)
