"""The board selected by an address, and its filter values."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from fastapi import Request

from benchmaker.analysis.boards.board import VALUES
from benchmaker.arenas.agentic.evaluation.profiles import listed_profiles
from benchmaker.arenas.agentic.settling.board_keys import UNITS, WINDOWS, BoardKey
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, EARLIER, OPENING, AgenticProfile
from benchmaker.store import Store
from benchmaker.web.query import View, read_view

NARROWED: Final = (
    "task",
    "category",
    "difficulty",
    "tool",
    "model",
    "effort",
    "submitter",
    "system",
)
LEVELS: Final = tuple(str(level) for level in EVIDENCE_LEVELS)
Known = Mapping[str, tuple[AgenticProfile, str]]
POLICIES: Final = ("mean", "first", "last", "best")


class BoardSelection(NamedTuple):
    """A selected board: its key, its profile, its rules.

    ``is_shown`` is true if the profile was just seen not to be in shadow; ``profiles`` are the
    names of all profiles with visible boards.
    """

    view: View
    key: BoardKey
    profile: AgenticProfile
    evidence: str | None
    policy: str | None
    is_shown: bool = False
    profiles: tuple[str, ...] = ()

    @property
    def name(self) -> tuple[str, ...]:
        """The same for the same board."""
        return (self.key.name, self.profile.id, self.evidence or "", self.policy or "")


def board_selection(request: Request, store: Store) -> BoardSelection:
    """The board of an address.

    Raises:
        SpecError: an unknown word; with the nearest that is known.
    """
    filters: dict[str, Any] = {
        "profile": None,
        "metric": VALUES,
        "by": UNITS,
        "window": tuple(WINDOWS),
        "evidence": LEVELS,
        "policy": POLICIES,
        **dict.fromkeys(NARROWED),
    }
    view = read_view(request, filters=filters)
    chosen = view.filters
    key = BoardKey.of(
        value=chosen["metric"] or "overall",
        by=chosen["by"] or "system",
        window=chosen["window"] or "all",
        filters={label: chosen[label] or None for label in NARROWED},
    )
    known = listed_profiles(store)
    profile = _find_profile(known, chosen["profile"] or OPENING)
    shown = _visible_names(known)
    return BoardSelection(
        view,
        key,
        profile,
        chosen["evidence"] or None,
        chosen["policy"] or None,
        is_shown=profile.name in shown,
        profiles=shown,
    )


def named_profile(store: Store, name: str) -> AgenticProfile:
    """Return a profile of the store, by name or id; an address never names a file.

    Raises:
        SpecError: unknown name.
    """
    bundled = BUILT_IN.get(name)  # no profile of one's own has such a name
    return _find_profile(listed_profiles(store), name) if bundled is None else bundled


def _find_profile(known: Known, name: str) -> AgenticProfile:
    found = next((one for one, _ in known.values() if name in {one.name, one.id}), None)
    found = found or EARLIER.get(name)
    if found is None:
        hint = did_you_mean(name, known) or f"Choose one of: {', '.join(known)}."
        raise SpecError(f"there is no profile {name!r}.", hint=hint)
    return found


def visible_profiles(store: Store) -> tuple[str, ...]:
    """The names of the profiles that boards are shown of."""
    return _visible_names(listed_profiles(store))


def _visible_names(known: Known) -> tuple[str, ...]:
    return tuple(name for name, (_, state) in known.items() if state != "shadow")
