"""Events of many sessions into submissions, each thing counted once.

All sessions that are imported together share one :class:`~.seen.Seen`. Submissions are made when
all events are in, since a later file may hold the larger row of an answer that an earlier session
brought.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import MappingProxyType

from benchmaker.arenas.agentic.logs.events import Event, Totals
from benchmaker.arenas.agentic.sessions.assembling import assemble_submission, to_price
from benchmaker.arenas.agentic.sessions.deduplication import SeenRecords
from benchmaker.arenas.agentic.sessions.memory_tables import CountedAnswer, Request
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.sums import Share, session_shares
from benchmaker.arenas.agentic.sessions.tally import Tally
from benchmaker.arenas.agentic.sessions.usage_parts import usage_parts
from benchmaker.record.submissions.submission import Submission
from benchmaker.record.submissions.usage_part import QUARTER_S, UsagePart

GAP_LIMIT_S = 300.0
"""Seconds above which a gap does not count as activity."""


@dataclass(slots=True)
class Reduced:
    """One session: its submission, without id and sources, and the input of its cost.

    ``keys`` are the digests of its globally unique ids, the first ``answers`` of which are those of
    the requests (0 if some have none, or are not single answers). ``is_copy`` is true if each
    answer and call in it was counted for another session; ``copies`` are the numbers of the copies
    of this one.
    ``parts`` divide its usage by time and model.
    """

    submission: Submission
    requests: Sequence[Request]
    keys: "array[int]"
    is_copy: bool
    parts: tuple[UsagePart, ...] = ()
    copies: tuple[int, ...] = ()
    answers: int = 0


@dataclass(slots=True)
class Reducer:
    """Reduces sessions of one import.

    Feed it the sessions in a fixed order: shared records belong to the first.
    """

    pricer: Pricer
    gap_limit_s: float = GAP_LIMIT_S
    seen: SeenRecords = field(default_factory=SeenRecords)
    tallies: list[Tally] = field(default_factory=list)

    def session(self) -> Tally:
        """A new session, to which events are added."""
        tally = Tally(len(self.tallies), self.seen)
        self.tallies.append(tally)
        return tally

    def read(self, events: Iterable[Event]) -> Tally:
        """A new session with all these events."""
        tally = self.session()
        for event in events:
            tally.add(event)
        tally.end()
        return tally

    def finish(
        self,
        counted: AbstractSet[int] = frozenset(),
        answers: Mapping[int, CountedAnswer] = MappingProxyType({}),
    ) -> Iterator[Reduced]:
        """Yield every session reduced, in the order of reading.

        Records with a key in ``counted`` were counted earlier, and are skipped. Of the ``answers``
        a part was; only tokens beyond it count.
        """
        self.seen.forget(counted, answers)
        parts = session_shares(self.seen, len(self.tallies))
        copies = self._copies(parts)
        for tally, part in zip(self.tallies, parts, strict=True):
            yield self._reduce_part(tally, part, tuple(copies.get(tally.number, ())))

    def _copies(self, parts: Iterable[Share]) -> dict[int, list[int]]:
        """The copies of each session, by number; without copies of sessions counted earlier."""
        found: dict[int, list[int]] = {}
        for tally, part in zip(self.tallies, parts, strict=True):
            original = self._owner(tally.first_key) if _is_copy(tally, part) else None
            if original is not None:
                found.setdefault(original, []).append(tally.number)
        return found

    def _owner(self, key: int | None) -> int | None:
        """The number of the session for which an answer or a call counts."""
        if key is None:
            return None
        record = self.seen.requests.get(key) or self.seen.calls.get(key)
        return None if record is None else record.session

    def _reduce_part(self, tally: Tally, part: Share, copies: tuple[int, ...]) -> Reduced:
        submission = assemble_submission(tally, part, self.pricer, gap_limit_s=self.gap_limit_s)
        requests, _ = to_price(part, submission.usage, submission.llm_calls, tally)
        is_keyed = requests is part.requests and part.has_common_ids
        return Reduced(
            submission,
            requests,
            part.keys,
            _is_copy(tally, part),
            self._parts(tally, submission, requests),
            copies,
            len(part.requests) if is_keyed else 0,
        )

    def _parts(
        self, tally: Tally, submission: Submission, requests: Sequence[Request]
    ) -> tuple[UsagePart, ...]:
        """The parts of its usage by time and model; none without requests."""
        if not requests:
            return ()
        is_stated = "active_s" in tally.facts.totals
        active = (
            _active_by_run(tally.facts.runs.values())
            if is_stated
            else tally.moments.active_by(QUARTER_S, self.gap_limit_s)
        )
        return usage_parts(submission, requests, self.pricer, active)


def _is_copy(tally: Tally, part: Share) -> bool:
    """True if each answer and call of a session was counted for another one."""
    return tally.identified > 0 and not part.requests and not part.calls


def _active_by_run(runs: Iterable[Totals]) -> dict[int, float]:
    """Active seconds by the quarter-hour in which a run began; empty if one doesn't tell."""
    found: dict[int, float] = {}
    for run in runs:
        if run.began is None or run.active_s is None:
            return {}
        quarter = int(run.began // QUARTER_S)
        found[quarter] = found.get(quarter, 0.0) + run.active_s
    return found
