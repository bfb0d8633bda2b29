"""The profiles of a store: bundled, promoted, and shadow ones.

A shadow profile is computed for new submissions but shown on no board until it is promoted. The
document of a profile given as a file is stored by name and version with its evaluations.
"""

from collections.abc import Collection, Iterable
from typing import Literal, cast

from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking, own_weights
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.arenas.agentic.settling.stored_boards import (
    INDEX,
    BoardMaker,
    write_boards,
    write_boards_of_tasks,
)
from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import is_there
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.tasks.agentic_profile import (
    BUILT_IN,
    EARLIER,
    OPENING,
    AgenticProfile,
    load_profile,
)
from benchmaker.store import Store
from benchmaker.store.agentic.profiles import StoredProfile

State = Literal["bundled", "active", "shadow", "dropped", "kept"]

_SHIPPED = {**EARLIER, **{one.id: one for one in BUILT_IN.values()}}

_FEW_TASKS = 10
"""The boards of more tasks are written with all others."""


def known_profiles(store: Store | None) -> dict[str, tuple[AgenticProfile, State]]:
    """Return every profile by name with its state; bundled ones first."""
    found: dict[str, tuple[AgenticProfile, State]] = {
        name: (one, "bundled") for name, one in BUILT_IN.items()
    }
    for one in store.agentic.own_profiles() if store else ():
        if one.state not in {"dropped", "kept"}:
            document = AgenticProfile.model_validate(one.document)
            found[one.name] = (document, cast("State", one.state))  # as put_profile kept it
    return found


def kept_profiles(store: Store | None) -> dict[str, AgenticProfile]:
    """The profiles of one's own that evaluated anything, by name and version; the oldest first."""
    own = store.agentic.own_profiles() if store else ()
    return {
        one.name: AgenticProfile.model_validate(one.document) for one in own if one.state == "kept"
    }


def listed_profiles(store: Store) -> dict[str, tuple[AgenticProfile, State]]:
    """Return the known profiles, and those given as files: the latest of each name."""
    known = known_profiles(store)
    kept: dict[str, tuple[AgenticProfile, State]] = {
        name: (one, "kept") for name, one in _kept_by_name(store).items() if name not in known
    }
    return known | kept


def _kept_by_name(store: Store | None) -> dict[str, AgenticProfile]:
    """The newest of each name among the profiles that evaluated anything, without dropped ones."""
    own = store.agentic.own_profiles() if store else ()
    dropped = {one.name for one in own if one.state == "dropped"}
    return {one.name: one for one in kept_profiles(store).values() if one.name not in dropped}


def profiles_by_id(store: Store | None) -> dict[str, AgenticProfile]:
    """Every known profile by name and version, and the earlier versions of bundled ones."""
    known = {one.id: one for one, _ in known_profiles(store).values()}
    return {**EARLIER, **kept_profiles(store), **known}


def with_boards(store: Store) -> list[AgenticProfile]:
    """Return the profiles with boards; the opening one if there are no boards yet.

    A profile with boards of an earlier version is returned in its current version.
    """
    names = {one.name for one in profiles_by_id(store).values() if has_boards(store, one)}
    made = [one for one, _ in known_profiles(store).values() if one.name in names]
    return made or [BUILT_IN[OPENING]]


def opening_among(profiles: Iterable[str]) -> str:
    """Return the profile to open with, by name and version; "" if there is none.

    >>> opening_among(["classic/1", "robust/2"]), opening_among(["classic/1", "debugging/2"])
    ('robust/2', 'classic/1')
    """
    listed = list(profiles)
    opening = BUILT_IN[OPENING].id
    return opening if opening in listed else next(iter(listed), "")


def has_boards(store: Store, document: AgenticProfile) -> bool:
    """True if this profile has boards."""
    return store.agentic.board(document.id, INDEX) is not None


def profile_named(store: Store | None, given: str) -> AgenticProfile:
    """Return a profile by its name or id in the store, or from a file.

    Raises:
        SpecError: no such name or file.
    """
    known, kept = known_profiles(store), kept_profiles(store)
    for document, _ in known.values():
        if given in {document.name, document.id}:
            return document
    if given in kept:
        return kept[given]
    newest = _kept_by_name(store)
    if given in newest and not is_there(given):
        return newest[given]
    try:
        return load_profile(given)
    except SpecError as error:
        near = did_you_mean(given, [*known, *newest])
        raise (SpecError(error.message, hint=near) if near else error) from error


def put_profile(store: Store, document: AgenticProfile, state: State) -> None:
    """Store a custom profile in this state.

    Raises:
        SpecError: it is a bundled one, or another is stored with its name and version.
    """
    if document.name in BUILT_IN:
        raise SpecError(
            f"{document.name!r} is built in and always shown.",
            hint="Use a profile of your own with another name.",
        )
    if state != "dropped":
        keep_profile(store, document)
    made = StoredProfile(document.name, state, document.model_dump(mode="json"))
    store.agentic.put_profile(made)


def keep_profile(store: Store, document: AgenticProfile) -> None:
    """Store the document of a profile with its evaluations, under its name and version.

    Raises:
        SpecError: another document is stored under the same name and version.
    """
    if _SHIPPED.get(document.id) == document:
        return
    kept = kept_profiles(store).get(document.id)
    if kept is None:
        made = StoredProfile(document.id, "kept", document.model_dump(mode="json"))
        store.agentic.put_profile(made)
    elif kept != document:
        raise SpecError(
            f"{document.id} already has evaluations with different content.",
            hint="Change the version in the file, or remove it to use the content as version.",
        )


def refuse_shadow(store: Store | None, document: AgenticProfile) -> None:
    """Boards of a profile in shadow are not shown.

    Raises:
        SpecError: it is in shadow.
    """
    known = known_profiles(store).get(document.name)
    if known is not None and known[1] == "shadow":
        raise SpecError(
            f"{document.id} is a shadow profile: computed, but not shown.",
            hint=f"Promote it with: benchmaker profile promote {document.name}",
        )


def settle_boards(
    store: Store,
    document: AgenticProfile,
    *,
    now_us: int | None = None,
    maker: BoardMaker | None = None,
) -> int:
    """Write the boards of a profile after its tasks have settled; return the number changed.

    Findings of a shadow profile are not flagged. ``maker`` is that of
    :func:`settle_boards_of_tasks`, if it wrote the first boards.
    """
    ranking = ProfileRanking.of_store(store, document)
    known = known_profiles(store).get(document.name)
    is_shown = known is None or known[1] != "shadow"
    return write_boards(store, ranking, now_us=now_us, raise_flags=is_shown, maker=maker)


def settle_boards_of_tasks(
    store: Store, document: AgenticProfile, tasks: Collection[str], *, now_us: int | None = None
) -> BoardMaker | None:
    """Write the boards of a few tasks before all others; None for too many tasks."""
    if not 0 < len(tasks) <= _FEW_TASKS:
        return None
    ranking = ProfileRanking.of_store(store, document)
    return write_boards_of_tasks(store, ranking, sorted(tasks), now_us=now_us)


def settle_all_boards(
    store: Store,
    document: AgenticProfile,
    tasks: Iterable[str],
    *,
    now_us: int | None = None,
    maker: BoardMaker | None = None,
) -> None:
    """Write the boards of a profile, and of every other that has boards, after tasks changed.

    Submissions to these tasks are evaluated, too, under profiles of one's own that were promoted
    or are in shadow; no notices are sent.
    """
    settle_boards(store, document, now_us=now_us, maker=maker)
    changed = sorted(set(tasks))
    known = known_profiles(store)
    ids = {document.id, *(one.id for one, _ in known.values())}
    for name, other in profiles_by_id(store).items():
        if name not in ids and has_boards(store, other):
            settle_boards(store, other, now_us=now_us)
    for one, state in known.values():
        if one.id == document.id:
            continue
        if state in {"active", "shadow"}:
            at_work = ProfileAtWork(one, own_weights(store.agentic.tasks()))
            settle_tasks(store, at_work, changed)
        elif not has_boards(store, one):
            continue
        settle_boards(store, one, now_us=now_us)
