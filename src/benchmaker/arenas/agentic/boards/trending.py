"""Systems over time, with the versions of their tools as markers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated

from benchmaker.analysis.boards.agent_trends import DAY_US, AgentTrend, Marker, agent_trends
from benchmaker.analysis.boards.board import VALUES
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking, own_weights
from benchmaker.arenas.agentic.evaluation.profiles import profile_named, refuse_shadow
from benchmaker.documents import Document, Key
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.record.submissions.submission import Submission
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.tasks.agentic_profile import OPENING
from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class SystemTrends(Document, scale="0-100"):
    """Every system's trend under a profile."""

    profile: str
    value: str
    days: Annotated[int, Key("window_days")]
    trends: Annotated[tuple[AgentTrend, ...], Key("systems")]


def system_trends(
    store: Store,
    profile: str = OPENING,
    *,
    value: str = "overall",
    days: int = 7,
    systems: Sequence[str] = (),
    level: float = 0.95,
) -> SystemTrends:
    """The trend of every system, or of the named ones.

    Raises:
        SpecError: an unknown profile, value or system.
    """
    document = profile_named(store, profile)
    refuse_shadow(store, document)
    if value not in VALUES:
        hint = did_you_mean(value, VALUES) or f"Use one of {', '.join(VALUES)}."
        raise SpecError(f"unknown value {value!r} for a trend.", hint=hint)
    columns = collect_columns(store.agentic.metrics())
    for name in systems:
        if name not in columns.systems:
            raise SpecError(
                f"there is no system {name!r}.", hint=did_you_mean(name, columns.systems) or ""
            )
    ranking = ProfileRanking(document, own_weights(store.agentic.tasks()))
    composites = ranking.composites(columns)
    markers = version_markers(store.submissions())
    made = agent_trends(
        columns,
        composites,
        value=value,
        window_us=days * DAY_US,
        rules=ranking.rules,
        level=level,
        markers=[marker for own in markers.values() for marker in own],
    )
    found = [
        _own_markers(one, markers.get(one.system, ()))
        for one in made
        if not systems or one.system in systems
    ]
    return SystemTrends(document.id, value, days, tuple(found))


def version_markers(submissions: Iterable[Submission]) -> dict[str, tuple[Marker, ...]]:
    """When a system's tool first came in another version, by system."""
    seen: dict[str, dict[str, int]] = {}
    for one in submissions:
        version, at = one.system.harness_version, _microseconds(one.finished_at)
        if version and at is not None:
            own = seen.setdefault(one.system.name, {})
            own[version] = min(own.get(version, at), at)
    return {
        system: tuple(
            Marker(at, f"version {version}")
            for at, version in sorted((at, version) for version, at in own.items())
        )
        for system, own in seen.items()
        if len(own) > 1
    }


def _own_markers(one: AgentTrend, own: Sequence[Marker]) -> AgentTrend:
    """Only the system's own markers, beside the windows and beside the change."""
    markers = tuple(marker for marker in one.markers if marker in own)
    if one.change is None:
        return replace(one, markers=markers)
    before = [marker for marker in markers if marker.at_us <= one.change.at_us]
    text = max(before, key=lambda marker: marker.at_us).text if before else ""
    return replace(one, markers=markers, change=replace(one.change, marker=text))


def _microseconds(stamp: str | None) -> int | None:
    if not stamp:
        return None
    at = datetime.fromisoformat(stamp)
    since = (at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
