"""The changes between the versions of a suite in its history, in sentences."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchmaker.store import Store
from benchmaker.store.runs.target_pages import Target
from benchmaker.web.suites.changes import changes

CASES, PROFILE = "cases", "scoring profile"
_PARTS = {
    "prompts": "prompts",
    "system_prompt": "system prompt",
    "parameters": "parameters",
    "models": "models",
    "efforts": "efforts",
    **dict.fromkeys(
        ("scorer", "checks", "threshold", "checks_only", "judge", "judge_prompt", "policies",
         "metric", "gate"),
        "scoring",
    ),
}  # fmt: skip
_NAMED_OTHERWISE = frozenset({"profile"})
"""Parts of a header that a run has, too."""

_REST = "other parts"


def version_steps(store: Store, targets: Sequence[Target]) -> tuple[str, ...]:
    """Return the parts that differ between versions that follow each other; () without any.

    Args:
        store: the store.
        targets: the series and runs of a suite, in the order of time.
    """
    steps = [found for pair in pairwise(targets) if (found := tuple(_parts(store, *pair)))]
    if not steps:
        return ()
    parts = list(dict.fromkeys(part for step in steps for part in step))
    said = [f"Dashed: {_join(parts, 'or')} changed."]
    if CASES in parts:
        said.append(
            "Where cases changed, means on both sides are over different cases; a change is over "
            "the cases that are equal in both versions."
        )
    others = list(dict.fromkeys(part for step in steps if CASES not in step for part in step))
    if others:
        where = f"Where only {_join(others, 'or')} changed, both" if CASES in parts else "Both"
        said.append(f"{where} sides have the same cases.")
    if PROFILE in parts:
        said.append("No change is tested across profiles.")
    return tuple(said)


def _parts(store: Store, before: Target, after: Target) -> Iterator[str]:
    """Yield the parts that differ between two series or runs, those of their suite first."""
    old, new = before[0], after[0]
    if old.suite_hash != new.suite_hash:
        found = changes(store, store.suite(old.suite_hash), store.suite(new.suite_hash))
        if found.added or found.removed or found.number_changed:
            yield CASES
        elif found.moved:
            yield "order of cases"
        for field in found.header:
            if field.name not in _NAMED_OTHERWISE:
                yield _PARTS.get(field.name, _REST)
    if old.profile_id != new.profile_id:
        yield PROFILE


def _join(parts: Sequence[str], word: str) -> str:
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last
