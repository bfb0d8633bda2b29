"""Logs of Aider."""

import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.importers.aider import Aider
from benchmaker.arenas.agentic.logs.events import LlmCall, UserTurn
from benchmaker.record.submissions.submission import Provenance
from benchmaker.store.home import Home
from tests.arenas.agentic.importers.logs import events_of, head_of, read, read_one, written
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    stays_the_same_when_repeated,
    values,
)

AIDER = Aider()
ANALYTICS = "aider/analytics_first500.jsonl"
CHAT = "aider/chat-history_part1.md"


def row(event, at, **properties):
    return {"event": event, "properties": properties, "user_id": "u", "time": 1755099880 + at}


def sent(at, prompt):
    used = {"prompt_tokens": prompt, "completion_tokens": 5, "cost": 0.1}
    return row("message_send", at, main_model="gpt-4o", **used)


def history(folder, *lines):
    path = folder / ".aider.chat.history.md"
    path.write_text("\n".join(("# aider chat started at 2024-08-05 19:33:32", *lines, "")))
    return path


@pytest.mark.data
def test_the_analytics_have_the_values_of_the_reference(shared):
    expected = values(shared, ANALYTICS)
    sample(
        AIDER,
        shared,
        ANALYTICS,
        llm_calls=expected["llm_calls"],
        input_tokens_uncached=expected["prompt_tokens"],
        output_tokens=expected["completion_tokens"],
        total_tokens=expected["total_tokens"],
        cost_usd_reported=expected["cost_usd"],
    )


@pytest.mark.data
def test_the_chats_have_the_values_of_the_reference(shared):
    expected = values(shared, CHAT)
    found = sample(
        AIDER,
        shared,
        CHAT,
        sessions=expected["sessions"],
        llm_calls=expected["token_lines"],
        user_turns=expected["user_turns"],
    )
    labels = {it.provenance.get("usage.output") for it in found if it.total_tokens}
    assert labels == {Provenance.ESTIMATED}


def test_each_launch_that_sent_a_message_is_a_session(tmp_path):
    rows = [row("launched", 0), sent(1, 10), row("launched", 2), row("launched", 3), sent(9, 20)]
    found = read(AIDER, written(tmp_path / "analytics.jsonl", rows))
    assert [it.usage.input_uncached for it in found] == [10, 20]


def test_rounded_tokens_with_cache_are_read(tmp_path):
    told = "> Tokens: 12k sent, 1k cache write, 8.5k cache hit, 604 received."
    found = read_one(AIDER, history(tmp_path, "> Model: gpt-4o with whole", told))
    usage = found.usage
    assert (usage.input_uncached, usage.cache_write_5m, usage.cache_read) == (2500, 1000, 8500)
    assert (usage.output, found.system.model, found.cost.reported_usd) == (604, "gpt-4o", None)


def test_lines_of_one_prompt_are_one_turn(tmp_path):
    assert read_one(AIDER, history(tmp_path, "#### a", "#### b", "so", "#### c")).iterations == 2


TOKENS = "> Tokens: 5,244 sent, 604 received."


def test_a_chat_has_its_prompts_and_answers_whole(tmp_path):
    lines = (
        "#### a  ",
        "#### ",
        "#### b  ",
        "",
        "One.",
        "",
        "Two.  ",
        TOKENS,
        "> Applied edit to x.py",
    )
    events = events_of(AIDER, history(tmp_path, *lines, "#### c", TOKENS))
    assert [it.text for it in events if isinstance(it, UserTurn)] == ["a\n\nb", "c"]
    assert [it.text for it in events if isinstance(it, LlmCall)] == ["One.\n\nTwo.", None]


@pytest.mark.parametrize(
    ("before", "sessions"), [("", 1), ("Notes of mine.\n\n", 1), (f"#### a\n{TOKENS}\n", 2)]
)
def test_a_chat_is_known_wherever_its_header_stands(tmp_path, before, sessions):
    path = history(tmp_path, "#### b", TOKENS)
    path.write_text(before + path.read_text())
    assert AIDER.sniff(head_of(path)) > 0.9
    found = read(AIDER, path)
    assert (len(found), sum(it.llm_calls for it in found)) == (sessions, sessions)


def test_a_chat_without_its_header_is_a_session(tmp_path):
    path = tmp_path / "part.md"
    path.write_text(f"the end of an answer\n{TOKENS}\n\n#### b\n\nyes\n{TOKENS}\n")
    assert AIDER.sniff(head_of(path)) > 0.9
    found = read_one(AIDER, path)
    assert (found.llm_calls, found.iterations, found.usage.output) == (2, 1, 1208)


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    log = written(tmp_path / "analytics.jsonl", [row("launched", 0), sent(1, 10), sent(2, 20)])
    told = "> Tokens: 5,244 sent, 604 received. Cost: $0.02 request, $0.02 session."
    for path in (log, history(tmp_path, "#### a", told, "#### b", told)):
        stays_the_same_when_repeated(AIDER, path)
        never_more_when_cut(AIDER, path)


def attempt(folder, name, answer):
    """A chat of one second with the same prompt, and the same tokens, in a folder of its own."""
    (folder / name).mkdir(parents=True)
    return history(folder / name, "#### solve it", "", answer, "", TOKENS)


@pytest.mark.parametrize("is_one_import", [True, False])
def test_chats_that_start_in_the_same_second_are_several_sessions(tmp_path, is_one_import):
    paths = [attempt(tmp_path / "logs", name, f"Idea {name}.") for name in ("a", "b", "c")]
    home = tmp_path / "home"
    for _ in range(2):
        for given in [[tmp_path / "logs"]] if is_one_import else [[it] for it in paths]:
            import_logs(given, home=home)
    with Home(home).open_store() as store:
        stored = list(store.submissions())
    figures = [(it.llm_calls, it.iterations, it.total_tokens) for it in stored]
    assert figures == [(1, 1, 5848)] * 3
    assert len({it.session_id for it in stored}) == 3


def test_a_copy_of_a_chat_counts_once(tmp_path):
    first = attempt(tmp_path / "logs", "a", "Idea.")
    copy = tmp_path / "logs" / "copy.md"
    copy.write_text(f"# aider chat started at 2024-08-05 19:30:00\n{TOKENS}\n{first.read_text()}")
    found = import_logs(tmp_path / "logs", dry_run=True)
    assert sum(it.llm_calls for it in found.submissions) == 2
    assert sum(it.iterations or 0 for it in found.submissions) == 1
