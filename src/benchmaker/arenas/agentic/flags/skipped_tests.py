"""Success where every test was skipped."""

import re
from collections.abc import Iterator

from benchmaker.arenas.agentic.flags.clue import Clue, RuleContext
from benchmaker.arenas.agentic.logs.events import Event, ToolResult

KIND = "all_tests_skipped"

_PYTEST = re.compile(
    r"^=+ (?P<told>[^=\n]*\d+ (?:passed|failed|skipped|error)[^=\n]*) in [\d.]+s", re.MULTILINE
)
_UNITTEST = re.compile(r"^Ran (?P<ran>\d+) tests? in [^\n]*\n+(?P<told>OK[^\n]*)$", re.MULTILINE)
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|errors?)")
_SKIPPED = re.compile(r"skipped=(\d+)")


class SkippedTestsRule:
    """The last run of tests that is seen ran none of them, and yet it counts as solved."""

    def __init__(self, context: RuleContext) -> None:
        self._context = context
        self._last: tuple[Event, str, bool] | None = None

    def see(self, event: Event) -> Iterator[Clue]:
        """Read the summary of a test run."""
        if isinstance(event, ToolResult) and event.text:
            for text, is_nothing in _summaries(event.text):
                self._last = event, text, is_nothing
        return iter(())

    def end(self) -> Iterator[Clue]:
        """Compare with how it counts."""
        if not self._context.row.success:
            return
        criteria = self._context.submission.outcome.criteria
        if criteria and all(one.result == "skipped" for one in criteria):
            yield Clue(KIND, f"all {len(criteria)} criteria of the record were skipped")
        elif self._last and self._last[2]:
            yield self._context.clue(KIND, self._last[0], self._last[1])


def _summaries(text: str) -> Iterator[tuple[str, bool]]:
    for found in _PYTEST.finditer(text):
        counts = {what.rstrip("s"): int(n) for n, what in _COUNT.findall(found["told"])}
        ran = sum(n for what, n in counts.items() if what != "skipped")
        yield found["told"], bool(counts.get("skipped")) and not ran
    for found in _UNITTEST.finditer(text):
        skipped = _SKIPPED.search(found["told"])
        n = int(skipped[1]) if skipped else 0
        yield found[0], 0 < n == int(found["ran"])
