"""Boards from Python: stored ones, or made of whatever holds figures."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmaker.arenas.agentic.evaluation.profile_columns import (
    ProfileRanking,
    own_weights,
    rules_with,
)
from benchmaker.arenas.agentic.evaluation.profiles import profile_named, refuse_shadow
from benchmaker.arenas.agentic.settling.board_keys import BoardKey
from benchmaker.arenas.agentic.settling.stored_boards import (
    Board,
    BoardMaker,
    bias_body,
    bias_of,
    board_of,
    front_of,
    now_us,
    read_figures,
)
from benchmaker.record.submissions.metric_tables import columns_of
from benchmaker.spec.tasks.agentic_profile import OPENING, AgenticProfile
from benchmaker.store import Store
from benchmaker.store.home import Home


def leaderboard(
    source: Any = None,  # noqa: ANN401  a store, columns, rows, or a data frame
    *,
    profile: str | AgenticProfile = OPENING,
    value: str = "overall",
    by: str = "system",
    task: str | None = None,
    category: str | None = None,
    difficulty: str | None = None,
    system: str | None = None,
    tool: str | None = None,
    model: str | None = None,
    effort: str | None = None,
    submitter: str | None = None,
    window: str = "all",
    policy: str | None = None,
    evidence: str | Iterable[str] | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> Board:
    """Rank systems, tools or models by a score, with the ranks that the data support.

    Args:
        source: None for the store in the data folder; an open store; or figures, one row a
            submission: a data frame of polars, pandas or pyarrow, columns by name, rows, as the
            fields of ``Metrics`` (``task_id`` and ``system`` are required).
        profile: ``robust``, ``classic``, a category's, a custom one by name or file.
        value: ``overall``, ``adjusted``, a part, ``success``, ``resolved``, ``tokens``,
            ``tool_calls``, ``iterations``, ``seconds`` or ``dollars``.
        by: the ranked unit: ``system``, ``tool``, ``model``, ``effort`` or ``submitter``.
        task: only submissions to this task; the other filters likewise.
        category: category of the task.
        difficulty: difficulty of the task.
        system: the tool with its model and effort.
        tool: the coding tool.
        model: the language model.
        effort: the tool's name of the effort.
        submitter: the submitter.
        window: ``week``, ``month`` or ``all``, up to the latest submission.
        policy: the selection of a system's attempts: ``mean``, ``first``, ``last``, ``best``;
            default is the profile's.
        evidence: the weakest ranked level, or all ranked levels; default is the
            profile's.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.

    Returns:
        The board: ``rows``, ``leaderboard`` with its notes, ``to_dict()``.

    Raises:
        SpecError: an unknown word, or figures that do not fit.
        StoreError: the store is unusable.
    """
    key = BoardKey.of(
        value=value,
        by=by,
        window=window,
        filters={
            "task": task, "category": category, "difficulty": difficulty, "system": system,
            "tool": tool, "model": model, "effort": effort, "submitter": submitter,
        },
    )  # fmt: skip
    if source is None:
        with Home.of(home, store).open_store() as opened:
            return stored_board(opened, key, profile, policy=policy, evidence=evidence)
    if isinstance(source, Store):
        return stored_board(source, key, profile, policy=policy, evidence=evidence)
    ranking = ProfileRanking(_document(None, profile))
    rules = rules_with(ranking.rules, policy=policy, evidence=evidence)
    return BoardMaker(columns_of(source), ranking, rules=rules, now_us=now_us()).board(key)


def stored_board(
    store: Store,
    key: BoardKey,
    profile: str | AgenticProfile = OPENING,
    *,
    policy: str | None = None,
    evidence: str | Iterable[str] | None = None,
) -> Board:
    """A board of a store, as :func:`leaderboard`.

    Raises:
        SpecError: an unknown word, or a profile in shadow.
    """
    document = _document(store, profile)
    refuse_shadow(store, document)
    ranking = ProfileRanking(document, own_weights(store.agentic.tasks()))
    rules = rules_with(ranking.rules, policy=policy, evidence=evidence)
    return board_of(store, ranking, key, rules=rules, now_us=now_us())


def stored_front(
    store: Store,
    key: BoardKey,
    profile: str | AgenticProfile = OPENING,
    *,
    figure: str = "dollars",
    evidence: str | Iterable[str] | None = None,
) -> dict[str, Any]:
    """Success against a figure, as plain data; the key's value does not matter.

    Raises:
        SpecError: an unknown word, or a profile in shadow.
    """
    document = _document(store, profile)
    refuse_shadow(store, document)
    ranking = ProfileRanking(document, own_weights(store.agentic.tasks()))
    rules = rules_with(ranking.rules, evidence=evidence)
    return front_of(store, ranking, key, figure=figure, rules=rules, now_us=now_us())


def stored_bias(store: Store, profile: str | AgenticProfile = OPENING) -> dict[str, Any]:
    """The four looks at bias over all figures of a store, made now, as plain data."""
    ranking = ProfileRanking(_document(store, profile), own_weights(store.agentic.tasks()))
    maker = BoardMaker(read_figures(store), ranking)
    return bias_body(bias_of(maker), maker)


def _document(store: Store | None, profile: str | AgenticProfile) -> AgenticProfile:
    return profile if isinstance(profile, AgenticProfile) else profile_named(store, profile)
