"""A log that is imported early and again when it has grown counts as the whole log alone."""

import json
import random
from collections.abc import Iterator

import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.sessions.stored_usage import usage
from tests.arenas.agentic.importers.test_importer_contract import SAMPLES
from tests.arenas.agentic.test_renamed_logs import ARCHIVES, counted

REWRITTEN = {"aider_benchmark", "swe_bench", "table", "terminal_bench"}
"""The importers of tables and reports, whose files have no order in which they grow."""

LOGS = sorted(set(SAMPLES) - REWRITTEN)
FIRST_ANSWERS = {"mini_swe_agent": b'"assistant"', "swe_agent": b'"action"'}
"""A part of every answer, for importers of documents that state totals before there is one."""

GROWING = {"aider", "claude_code", "cline", "copilot", "grok", "kimi"}
"""The importers of growing logs whose sessions may have no unique id."""


def earlier(name):
    """The earlier states of an importer's log, from its first answer on."""
    sign = FIRST_ANSWERS.get(name, b"")
    return [it for it in states(sample(name)) if sign in it]


def states(raw: bytes) -> Iterator[bytes]:
    """The earlier states of a log: its first lines, or its document with fewer messages."""
    rows = raw.splitlines(keepends=True)
    if len(rows) > 1 and not raw.startswith(b"{\n"):
        yield from (b"".join(rows[:end]) for end in range(1, len(rows)))
    elif raw.startswith((b"{", b"[")):
        document = json.loads(raw)
        yield from shorter(document, document)


def shorter(document, part) -> Iterator[bytes]:
    """The document with each of its lists cut at each item; only lists outside of lists."""
    if isinstance(part, list):
        whole = part[:]
        for end in range(1, len(whole)):
            part[:] = whole[:end]
            yield json.dumps(document).encode()
        part[:] = whole
    elif isinstance(part, dict):
        for value in part.values():
            yield from shorter(document, value)


def grows_into_one(path, raw, early, tmp_path, *, renamed=False):
    """Import the states in a folder of that name, and compare the store with the whole's."""
    for number, state in enumerate((*early, raw)):
        at = path.with_name(f"{number}{''.join(path.suffixes)}") if renamed else path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(state)
        import_logs(at, home=tmp_path / "home", keep_going=True)
    path.write_bytes(raw)
    import_logs(path, home=tmp_path / "alone", keep_going=True)
    assert counted(tmp_path / "home") == counted(tmp_path / "alone")


def sample(name):
    raw = SAMPLES[name]["sample"]
    return raw if isinstance(raw, bytes) else raw.encode()


def made_path(name, tmp_path):
    return tmp_path / "logs" / SAMPLES[name].get("file_name", "log.jsonl")


@pytest.mark.parametrize("name", sorted(GROWING))
def test_a_log_that_grows_ends_in_the_sessions_of_the_whole(name, tmp_path):
    early = earlier(name)
    some = early[len(early) // 2 :][:1]
    grows_into_one(made_path(name, tmp_path), sample(name), some, tmp_path)


def adds_nothing(name, tmp_path, *, together):
    """Import the whole log and an earlier state of it in another folder."""
    early, path = earlier(name), made_path(name, tmp_path)
    before = tmp_path / "before" / path.name
    for at, raw in (path, sample(name)), (before, early[len(early) // 2]):
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(raw)
    import_logs(path, home=tmp_path / "alone", keep_going=True)
    for paths in [[before, path]] if together else [[path], [before]]:
        import_logs(paths, home=tmp_path / "home", keep_going=True)
    assert counted(tmp_path / "home") == counted(tmp_path / "alone")


@pytest.mark.parametrize("together", [True, False])
def test_an_earlier_state_adds_nothing_to_a_session_of_copilot(together, tmp_path):
    session = "96ef38f0-9d09-45c3-8124-6448c36090ed"
    started = sample("copilot").replace(b"a-session", session.encode())
    used = {"inputTokens": 900, "outputTokens": 70, "cacheReadTokens": 0, "cacheWriteTokens": 0}
    totals = {"modelMetrics": {"gpt-5": {"requests": {"count": 2}, "usage": used}}}
    ended = {"type": "session.shutdown", "timestamp": "2026-04-23T17:09:00.000Z", "data": totals}
    whole, before = tmp_path / "whole" / "events.jsonl", tmp_path / "before" / "events.jsonl"
    for path, raw in (whole, started + json.dumps(ended).encode() + b"\n"), (before, started):
        path.parent.mkdir()
        path.write_bytes(raw)
    for paths in [[before, whole]] if together else [[whole], [before]]:
        import_logs(paths, home=tmp_path / "home", keep_going=True)
    assert counted(tmp_path / "home")[:2] == (1, 970)


@pytest.mark.long
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("name", [name for name in LOGS if earlier(name)])
def test_an_earlier_state_adds_nothing_to_the_whole(name, together, tmp_path):
    adds_nothing(name, tmp_path, together=together)


def test_a_chat_that_grows_keeps_the_chats_before_it(tmp_path):
    chats = [f"# aider chat started at 2026-01-0{n} 10:00:00\n#### do {n}\n" for n in (1, 2)]
    tokens = "> Tokens: 100 sent, 9 received.\n"
    path = tmp_path / "chat.md"
    path.write_text(chats[0] + tokens + chats[1])
    first = import_logs(path, home=tmp_path / "home").submissions[0].id
    path.write_text(chats[0] + tokens + chats[1] + tokens)
    grown = import_logs(path, home=tmp_path / "home")
    assert (list(grown.kept.values()), len(grown.copies)) == (["revised"], 1)
    assert first not in grown.kept
    assert counted(tmp_path / "home")[:2] == (2, 218)


CHATS = "".join(
    f"# aider chat started at 2026-01-0{chat} 10:00:00\n\n> Main model: gpt-4o with diff format\n\n"
    + "".join(
        f"#### do {n}\n\nDone {n}.\n\n"
        f"> Tokens: {n}.{chat}k sent, 9 received. Cost: $0.0{n} message, $0.0{n} session.\n"
        for n in (1, 2, 3)
    )
    for chat in (1, 2)
).encode()
"""A history of two chats with three requests each."""

CUTS = {
    "in the first chat": CHATS.index(b"#### do 3"),
    "in a prompt": CHATS.index(b"do 2") + 2,
    "between the chats": CHATS.rindex(b"# aider"),
    "in the second header": CHATS.rindex(b"# aider") + 30,
    "in the second chat": CHATS.rindex(b"#### do 3"),
    "in the last count of tokens": len(CHATS) - 20,
    "before the last line end": len(CHATS) - 1,
}


def usage_of(home):
    total = usage(home=home).total
    return total.sessions, total.total_tokens, total.llm_calls, total.reported_usd


@pytest.mark.parametrize("order", ["part, whole", "whole, part", "together"])
@pytest.mark.parametrize("cut", CUTS)
def test_the_beginning_of_a_chat_history_beside_the_whole_counts_once(cut, order, tmp_path):
    paths = {name: tmp_path / name / "chat.md" for name in ("part", "whole")}
    for path, raw in zip(paths.values(), (CHATS[: CUTS[cut]], CHATS), strict=True):
        path.parent.mkdir()
        path.write_bytes(raw)
    calls = (
        [[*paths.values()]] if order == "together" else [[paths[it]] for it in order.split(", ")]
    )
    for given in calls * 3:
        import_logs(given, home=tmp_path / "home")
    assert usage_of(tmp_path / "home") == (2, 12_954, 6, pytest.approx(0.12))


@pytest.mark.long
@pytest.mark.parametrize("name", LOGS)
def test_a_log_imported_at_each_state_ends_in_the_sessions_of_the_whole(name, tmp_path):
    early = earlier(name)
    grows_into_one(made_path(name, tmp_path), sample(name), early, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", LOGS)
def test_a_log_that_grows_under_new_names_is_one(name, tmp_path):
    early = earlier(name)
    grows_into_one(made_path(name, tmp_path), sample(name), early, tmp_path, renamed=True)


LINES = [
    path
    for archive in ARCHIVES
    for path in sorted(archive.rglob("*"))
    if path.suffix == ".jsonl" or path.name.startswith("chat-history")
]


@pytest.mark.long
@pytest.mark.data
@pytest.mark.parametrize("path", LINES, ids=lambda it: it.name)
def test_samples_that_grow_are_the_sessions_of_the_whole(path, tmp_path):
    raw = path.read_bytes()
    rng = random.Random(7)  # noqa: S311  it samples
    cuts = sorted(rng.randrange(1, len(raw)) for _ in range(3))
    at = tmp_path / "logs" / path.name
    grows_into_one(at, raw, [raw[:cut] for cut in cuts], tmp_path)
