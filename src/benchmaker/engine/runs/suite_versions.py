"""Runs of one suite read together: each answer once, over the cases that all versions share."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import msgspec
import numpy as np

from benchmaker.analysis.columns import columns_of
from benchmaker.analysis.scorings import newest_scorings
from benchmaker.errors import NotComparable, StoreError, Unreachable
from benchmaker.record import Run
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.spec import Case, Suite
from benchmaker.store import Store

_CODED = ("run_ids", "models", "case_ids")
_ASKED = ("system_prompt", "judge_prompt", "judge", "policies")
"""Parts of a suite that belong to each of its cases."""

_NAMED = 10
"""So many of the cases that are left out have their names in the sentence."""

_BY_ROW = tuple(
    one.name for one in fields(ScoreColumns) if one.name not in {*_CODED, "flag_counts"}
)


@dataclass(frozen=True, slots=True)
class JoinedRuns:
    """Runs with their scores as one table.

    Of several versions of a suite, ``columns`` holds the cases that are the same in all of them,
    at the places of the newest one, whose hash ``runs`` then bear; ``stored`` are the same runs
    with the versions that they asked. ``sentence`` says how many cases these are, and is empty
    where there is one version. ``places`` says by run where a case stands in its own version,
    where that is another place. Of runs with the same answers, only the one scored last is
    included; ``counted_once`` says which are left out, and is empty if none is.
    """

    runs: tuple[Run, ...]
    stored: tuple[Run, ...]
    columns: ScoreColumns
    sentence: str = ""
    places: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    counted_once: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that belong next to any figure of these runs."""
        return tuple(said for said in (self.counted_once, self.sentence) if said)


def read_together(store: Store, run_ids: Sequence[str]) -> JoinedRuns:
    """Read runs of one suite together, of any of its versions, each answer once.

    Raises:
        NotComparable: they asked different suites, or the versions have no case in common.
    """
    given = tuple(store.run(run_id) for run_id in run_ids)
    _refuse_other_suites(given)
    scorings = newest_scorings(given, lambda run_id: _source_of(store, run_id))
    return replace(_read(store, scorings.runs), counted_once=scorings.sentence)


def labels_of(store: Store, found: JoinedRuns) -> tuple[Label, ...]:
    """What people say of the answers; nothing where versions of a suite were joined."""
    return () if found.sentence else store.labels([run.id for run in found.runs])


def _source_of(store: Store, run_id: str) -> str | None:
    """The run whose answers this one scored again; None also if it is not stored."""
    try:
        return store.run(run_id).rescored_from
    except Unreachable:
        raise
    except StoreError:  # deleted since, or never stored here
        return None


def _read(store: Store, runs: tuple[Run, ...]) -> JoinedRuns:
    hashes = list(dict.fromkeys(run.suite_hash for run in runs))
    if len(hashes) == 1:
        return JoinedRuns(runs, runs, store.columns([run.id for run in runs]))
    newest = max(runs, key=lambda run: run.order).suite_hash
    return _join_versions(store, runs, [newest, *(one for one in hashes if one != newest)])


def _refuse_other_suites(runs: Sequence[Run]) -> None:
    other = next((run for run in runs if run.suite_name != runs[0].suite_name), None)
    if other is not None:
        told = [f"{run.id} asked {run.suite_name}" for run in (runs[0], other)]
        raise NotComparable(
            f"These runs have different suites: {', '.join(told)}.",
            hint="Choose runs of one suite.",
        )


def _join_versions(store: Store, runs: tuple[Run, ...], hashes: Sequence[str]) -> JoinedRuns:
    """The scores of all versions, at the places of the first of them."""
    suites = [store.suite(content) for content in hashes]
    _refuse_other_questions(suites)
    known = [_cases(suite) for suite in suites]
    common = {
        case_id: place
        for case_id, (place, digest) in known[0].items()
        if all(case_id in cases and cases[case_id][1] == digest for cases in known[1:])
    }
    if not common:
        raise NotComparable(
            f"No case is the same in these {len(hashes)} versions of {runs[0].suite_name}.",
            hint="Run the newest version with the other models.",
        )
    parts: list[ScoreColumns] = []
    places: dict[str, dict[int, int]] = {}
    for content, cases in zip(hashes, known, strict=True):
        ids = [run.id for run in runs if run.suite_hash == content]
        moved = {cases[case_id][0]: place for case_id, place in common.items()}
        parts.append(_move_cases(store.columns(ids), moved))
        elsewhere = {place: own for own, place in moved.items() if own != place}
        places |= {run_id: elsewhere for run_id in ids if elsewhere}
    return JoinedRuns(
        tuple(msgspec.structs.replace(run, suite_hash=hashes[0]) for run in runs),
        runs,
        columns_of(parts),
        _sentence(len(common), _left_out(known, common), len(hashes), runs[0].suite_name),
        places,
    )


def _refuse_other_questions(suites: Sequence[Suite]) -> None:
    """What stands in a suite's header and goes with each case has to be the same."""
    headers = [suite.header() for suite in suites]
    differing = [
        name for name in _ASKED if any(one.get(name) != headers[0].get(name) for one in headers)
    ]
    if differing:
        raise NotComparable(
            f"These versions of {suites[0].name} share no case: they differ in "
            f"{', '.join(differing)}, which is part of every case.",
            hint="Run the newest version with the other models.",
        )


def _cases(suite: Suite) -> dict[str, tuple[int, bytes]]:
    """The place of each case, and a digest of what is asked and how it is scored."""
    return {case.id: (place, _digest(suite, case)) for place, case in enumerate(suite)}


def _digest(suite: Suite, case: Case) -> bytes:
    scorer = suite.scorer_of(case)
    plain = {**case.model_dump(), "scorer": scorer.model_dump() if scorer else None}
    encoded = suite.encode_part(plain, f"case {case.id!r}")
    return hashlib.blake2b(encoded, digest_size=16).digest()


def _move_cases(columns: ScoreColumns, places: Mapping[int, int]) -> ScoreColumns:
    """The rows of the cases in ``places``, at the places that these lead to."""
    kept = np.isin(columns.position, list(places))
    named = {place: columns.case_ids[own] for own, place in places.items()
             if own in columns.case_ids}  # fmt: skip
    rows = {name: getattr(columns, name)[kept] for name in _BY_ROW}
    rows["position"] = np.array([places[own] for own in rows["position"].tolist()], dtype=np.int32)
    return replace(columns, case_ids=named, **rows)


def _left_out(
    known: Sequence[Mapping[str, tuple[int, bytes]]], common: Mapping[str, int]
) -> list[str]:
    """The cases that are not the same in all versions, the newest first, each with the reason."""
    named = []
    for case_id in dict.fromkeys(case_id for cases in known for case_id in cases):
        if case_id in common:
            continue
        is_everywhere = all(case_id in cases for cases in known)
        why = "changed" if is_everywhere else "new" if case_id in known[0] else "removed"
        named.append(f"{case_id} ({why})")
    return named


def _sentence(common: int, left_out: Sequence[str], versions: int, name: str) -> str:
    """How much of all that stands in the versions is compared, and which cases are not."""
    said = f"{common} of {common + len(left_out)} cases are the same in these {versions} versions"
    if not left_out:
        return f"{said} of {name}"
    rest = len(left_out) - _NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return f"{said} of {name}; excluded: {', '.join(left_out[:_NAMED])}{more}"
