"""Runs of one suite read together: each answer once, over the cases that all versions share."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
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
from benchmaker.spec.suites.prompts import Prompt
from benchmaker.store import Store

_CODED = {"run_ids", "models", "case_ids", "flag_sets", "metrics", "repeat_runs"}
_SCORING = {"checks", "threshold", "checks_only"}
_QUESTION_FIELDS = ("system_prompt", "judge_prompt", "judge", "policies")
"""Parts of a suite that belong to each of its cases."""

_NAMED = 10
"""So many of the cases that are left out have their names in the sentence."""

_BY_ROW = tuple(one.name for one in fields(ScoreColumns) if one.name not in _CODED)


@dataclass(frozen=True, slots=True)
class JoinedRuns:
    """Runs with their scores as one table.

    For several versions of a suite, ``columns`` holds the cases equal in all of them, at the
    positions in the latest one, whose hash ``runs`` then have; ``stored`` are the same runs with
    their original versions. ``sentence`` states the number of these cases, and is empty for one
    version. ``places`` maps by run the positions in its own version, if different. Of runs with the
    same answers, only the one scored last is included; ``counted_once`` names the excluded ones,
    and is empty if there are none. ``other_prompts`` names the prompts of these runs whose text is
    not the same in all versions.
    """

    runs: tuple[Run, ...]
    stored: tuple[Run, ...]
    columns: ScoreColumns
    sentence: str = ""
    places: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    counted_once: str = ""
    other_prompts: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Notes that belong with any figure of these runs."""
        said = (self.counted_once, self.sentence, self.other_prompts)
        return tuple(one for one in said if one)


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """Runs as a point of a trend: read together, with the digests of their cases.

    ``digests`` are empty if all points have the same version of the suite.
    """

    found: JoinedRuns
    digests: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records of the runs."""
        return self.found.runs

    def columns(self) -> ScoreColumns:
        """The scores, one row a trial."""
        return self.found.columns

    def case_digests(self) -> Mapping[str, bytes]:
        """The digests of the cases of their version, by id."""
        return self.digests


def read_together(store: Store, run_ids: Sequence[str]) -> JoinedRuns:
    """Read runs of one suite together, of any of its versions, each answer once.

    Raises:
        NotComparable: different suites, or versions without a common case.
    """
    given = tuple(store.run(run_id) for run_id in run_ids)
    _refuse_other_suites(given)
    scorings = newest_scorings(given, lambda run_id: _source_of(store, run_id))
    return replace(_read(store, scorings.runs), counted_once=scorings.sentence)


def read_points(store: Store, sets: Iterable[Sequence[str]]) -> list[StoredPoint]:
    """Read sets of runs, each as a point of a trend.

    Raises:
        NotComparable: a set has different suites, or versions without a common case.
    """
    found = [read_together(store, run_ids) for run_ids in sets]
    versions = {one.runs[0].suite_hash for one in found}
    if len(versions) <= 1:
        return [StoredPoint(one) for one in found]
    digests = {content: case_digests(store.suite(content)) for content in versions}
    return [StoredPoint(one, digests[one.runs[0].suite_hash]) for one in found]


def case_digests(suite: Suite) -> dict[str, bytes]:
    """Return a digest of everything that is sent and scored for each case, by id.

    The same digest in two versions of a suite means that answers are comparable.
    """
    header = suite.header()
    shared = {name: header.get(name) for name in _QUESTION_FIELDS}
    prefix = suite.encode_part(shared, "the header")
    return {
        case_id: hashlib.blake2b(prefix + digest, digest_size=16).digest()
        for case_id, (_, digest) in _cases(suite).items()
    }


def labels_of(store: Store, found: JoinedRuns) -> tuple[Label, ...]:
    """Return the labels of the answers; empty if versions of a suite were joined."""
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
        suites = [f"{run.id} ({run.suite_name})" for run in (runs[0], other)]
        raise NotComparable(
            "These runs have different suites",
            where=", ".join(suites),
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
        tuple(_as_version(run, hashes[0], len(common)) for run in runs),
        runs,
        columns_of(parts),
        _sentence(len(common), _left_out(known, common), len(hashes), runs[0].suite_name),
        places,
        other_prompts=_other_prompts(suites, runs),
    )


def _as_version(run: Run, suite_hash: str, cases: int) -> Run:
    """The run as one of that version, with the trials of so many cases planned at most."""
    planned = min(run.planned, cases * len(run.models))
    return msgspec.structs.replace(run, suite_hash=suite_hash, planned=planned)


def _other_prompts(suites: Sequence[Suite], runs: Sequence[Run]) -> str:
    """The prompts of these runs that versions share by id but not by text; else empty."""
    used = {setup.prompt_id for run in runs for setup in run.setups}
    texts: dict[str, list[Prompt]] = {}
    for prompt in (one for suite in suites for one in suite.prompts if one.id in used):
        texts.setdefault(str(prompt.id), []).append(prompt)
    other = [name for name, found in texts.items() if any(one != found[0] for one in found)]
    if not other:
        return ""
    named = f"prompt {other[0]}" if len(other) == 1 else f"prompts {', '.join(other)}"
    verb = "differs" if len(other) == 1 else "differ"
    return f"the text of {named} {verb} in these {len(suites)} versions of {suites[0].name}"


def _refuse_other_questions(suites: Sequence[Suite]) -> None:
    """Refuse different headers, which are sent with each case."""
    headers = [suite.header() for suite in suites]
    differing = [
        name
        for name in _QUESTION_FIELDS
        if any(one.get(name) != headers[0].get(name) for one in headers)
    ]
    if differing:
        raise NotComparable(
            f"These versions of {suites[0].name} share no case: they differ in "
            f"{', '.join(differing)}, which is part of every case.",
            hint="Run the newest version with the other models.",
        )


def _cases(suite: Suite) -> dict[str, tuple[int, bytes]]:
    """Return the position of each case, and a digest of its question and scoring."""
    return {case.id: (place, _digest(suite, case)) for place, case in enumerate(suite)}


def _digest(suite: Suite, case: Case) -> bytes:
    scorer = suite.scorer_of(case)
    plain = {**case.model_dump(exclude=_SCORING), "scorer": scorer.model_dump() if scorer else None}
    encoded = suite.encode_part(plain, f"case {case.id!r}")
    return hashlib.blake2b(encoded, digest_size=16).digest()


def _move_cases(columns: ScoreColumns, places: Mapping[int, int]) -> ScoreColumns:
    """The rows of the cases in ``places``, at the places that these lead to."""
    kept = np.isin(columns.position, list(places))
    named = {place: columns.case_ids[own] for own, place in places.items()
             if own in columns.case_ids}  # fmt: skip
    rows = {name: getattr(columns, name)[kept] for name in _BY_ROW}
    rows["position"] = np.array([places[own] for own in rows["position"].tolist()], dtype=np.int32)
    metrics = {name: values[kept] for name, values in columns.metrics.items()}
    return replace(columns, case_ids=named, metrics=metrics, **rows)


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
    """Return the share of the compared cases, and the excluded ones."""
    said = f"{common} of {common + len(left_out)} cases are the same in these {versions} versions"
    if not left_out:
        return f"{said} of {name}"
    rest = len(left_out) - _NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return f"{said} of {name}; excluded: {', '.join(left_out[:_NAMED])}{more}"
