"""The values of the samples under the names that a submission has for them."""

import gzip
import json
from pathlib import Path

import pytest

from tests.arenas.agentic.importers.logs import read, tokens
from tests.arenas.agentic.importers.samples import figures, values_of

SLOW = Path(__file__).resolve().parents[3] / "reference" / "agent_logs_slow.json"


def summed(submissions):
    """All sums, what is missing as 0."""
    times = {
        name: sum(getattr(it.time, name) or 0 for it in submissions)
        for name in ("wall_s", "active_s", "llm_s", "tool_s")
    }
    return (
        figures(submissions)
        | times
        | {
            "sessions": len(submissions),
            "resolved": sum(bool(it.outcome.success) for it in submissions),
            "reward": sum(it.outcome.reward or 0 for it in submissions),
            "patch_bytes": sum(
                (p := it.artifacts.patch) is not None and p.bytes for it in submissions
            ),
        }
    )


def sample(importer, shared, name, **expected):
    """The submissions of a sample, which add up to the figures that are expected."""
    submissions = read(importer, shared / "agent_logs" / name)
    sums = summed(submissions)
    assert {key: sums[key] for key in expected} == pytest.approx(expected, abs=1e-3)
    return submissions


def values(shared, name):
    return values_of(shared, name)


def slow(name):
    return json.loads(SLOW.read_text())[name]


def stays_the_same_when_repeated(importer, path):
    """A copy, under another name and compressed or not, adds nothing."""
    once = read(importer, path)
    copy = path.parent / "copy" / path.name
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(path.read_bytes())
    assert summed(read(importer, path, copy))["llm_calls"] == summed(once)["llm_calls"]
    assert tokens(read(importer, path, copy)) == tokens(once)
    assert cost(read(importer, path, copy)) == pytest.approx(cost(once))


def cost(submissions):
    return sum(it.cost.reported_usd or 0 for it in submissions)


def cut(path, size):
    """The file's beginning, beside it under the same name."""
    folder = path.parent / f"cut{size}"
    folder.mkdir(exist_ok=True)
    (folder / path.name).write_bytes(path.read_bytes()[:size])
    return folder / path.name


def never_more_when_cut(importer, path):
    whole = tokens(read(importer, path))
    size = path.stat().st_size
    for part in (size - 1, size - 20, size // 2, size // 3, 10):
        assert tokens(read(importer, cut(path, max(part, 0)))) <= whole


def zipped(path):
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
    return path.with_name(path.name + ".gz")
