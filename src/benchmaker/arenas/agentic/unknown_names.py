"""Unknown names of tasks, tools and systems in requests."""

from typing import TYPE_CHECKING, NamedTuple

from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery, plain_name
from benchmaker.plugins import list_plugins
from benchmaker.store import Store

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.settling.board_keys import BoardKey


class UnknownName(NamedTuple):
    """The kind of object, the unknown name, and the known names."""

    what: str
    name: str
    known: frozenset[str]


def unknown_in_board(store: Store, key: "BoardKey") -> UnknownName | None:
    """The first filter that no submission has and, for a task, that no stored task is."""
    for label, name in key.where:
        known = {of for part in store.agentic.metric_columns() for of in part.names(label)}
        if label == "task":
            known |= _stored_tasks(store)
        if name not in known:
            return UnknownName(label, name, frozenset(known))
    return None


def unknown_in_usage(store: Store, query: UsageQuery) -> UnknownName | None:
    """A tool that no importer reads and no submission is of, or an unknown task."""
    found = unknown_tool(store, query.tool) if query.tool else None
    if found is None and query.task:
        known = store.submission_pages.every_name("task") | _stored_tasks(store)
        if query.task not in known:
            return UnknownName("task", query.task, known)
    return found


def unknown_tool(store: Store, name: str) -> UnknownName | None:
    """A tool that no importer reads and no submission is of."""
    tools = store.submission_pages.every_name("tool")
    readers = {it.id for it in list_plugins("importer")}
    is_known = plain_name(name) in map(plain_name, tools | readers)
    return None if is_known else UnknownName("tool", name, tools)


def _stored_tasks(store: Store) -> frozenset[str]:
    return frozenset(one.id for one in store.agentic.tasks())
