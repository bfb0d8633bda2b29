"""Folders that hold several files of one session, in the layout of each tool."""

from tests.arenas.agentic.importers import claude_rows as claude
from tests.arenas.agentic.importers import codex_rows as codex
from tests.arenas.agentic.importers import test_gemini as gemini
from tests.arenas.agentic.importers.benchmarks.test_harbor import trial
from tests.arenas.agentic.importers.logs import written
from tests.arenas.agentic.importers.test_atif import step, trajectory

RESUMED = "22222222-2222-4333-8444-555555555555"
SHORT = "00000000-2222-4333-8444-555555555555"
CALL = "call_UtYwHmwWekzvq83m8Rb9K8jJ"


def subagents(*names):
    """The observation of a step that started these subagents."""
    refs = [
        {"session_id": f"a-long-session-{name}", "trajectory_path": f"trajectory.{name}.json"}
        for name in names
    ]
    return {"results": [{"content": "done", "subagent_trajectory_ref": refs}]}


def totals(prompt, completion):
    return {"total_prompt_tokens": prompt, "total_completion_tokens": completion}


def atif(root, *, has_totals=True):
    """A run with a continuation, two subagents and one of theirs; and another run."""

    def write(name, *steps, final, session="", **more):
        trajectory(
            root / f"trajectory{name}.json",
            *steps,
            final=totals(*final) if has_totals else None,
            session_id=f"a-long-session{session}",
            **more,
        )

    seen = subagents("summary", "answers")
    write("", step(1, calls=("a", "b", "c")), step(2, observation=seen), step(3),
          final=(900, 90), continued_trajectory_ref="trajectory.cont-1.json")  # fmt: skip
    write(".cont-1", step(1, copied=True), step(4), final=(900, 90), session="-cont-1")
    write(".summary", step(5), final=(100, 10), session="-summary")
    inner = step(7, observation=subagents("inner"))
    write(".answers", step(6), inner, final=(300, 30), session="-answers")
    write(".inner", step(8), final=(100, 10), session="-inner")
    trajectory(root / "other.json", step(9), session_id="another-session")


def atif_without_totals(root):
    atif(root, has_totals=False)


def main_rows(session=claude.SESSION):
    """A session of Claude Code that started a subagent."""
    task = claude.call("toolu_0000000000000000001", name="Task", prompt="Look.")
    rows = [
        claude.prompt("Do it."),
        claude.answer("msg_00000000000000000001", 1, content=[task]),
        claude.result(task["id"], 30, outcome={"agentId": "a1"}),
        claude.answer("msg_00000000000000000002", 31),
    ]
    return [row | {"sessionId": session} for row in rows]


def agents(folder):
    """The files of two subagents, one of which repeats an answer of the other."""

    def said(number, second, agent, *, used=None):
        name = f"msg_{number:020}"
        return claude.answer(name, second, isSidechain=True, agentId=agent, used=used)

    shared = claude.usage(7, 8, 9, 10)
    written(folder / "agent-a1.jsonl", [said(3, 3, "a1", used=shared), said(4, 5, "a1")])
    larger = said(5, 6, "a2", used=claude.usage(70, 80, 90, 100))
    written(folder / "agent-a2.jsonl", [larger, said(3, 3, "a2", used=shared)])


def claude_code(root):
    written(root / "project" / f"{claude.SESSION}.jsonl", main_rows())
    agents(root / "project" / claude.SESSION / "subagents")


def claude_code_before_2_1(root):
    written(root / "project" / f"{claude.SESSION}.jsonl", main_rows())
    agents(root / "project")


def claude_code_subagents_alone(root):
    agents(root / "project" / claude.SESSION / "subagents")


def claude_code_resumed(root):
    """A session, one that resumed it under another id, and a copy of its beginning."""
    more = claude.answer("msg_00000000000000000009", 61, sessionId=RESUMED)
    written(root / "project" / f"{claude.SESSION}.jsonl", main_rows())
    written(root / "project" / f"{RESUMED}.jsonl", [*main_rows(RESUMED), more])
    written(root / "project" / f"{SHORT}.jsonl", main_rows(SHORT)[:2])


def codex_threads(root):
    """A thread, one that it started, one that this started, and a fork of the first."""
    first, child = codex.uuid_of(0, 1), codex.uuid_of(1_000, 2)
    inner, fork = codex.uuid_of(1_500, 3), codex.uuid_of(2_000, 4)
    requests = (codex.tokens(100), codex.tokens(200, output=20))
    base = [codex.meta(first), *codex.turn(1, turn_id=codex.uuid_of(1)),
            codex.call(CALL, second=8), *codex.counts(*requests)]  # fmt: skip

    def write(thread, *rows):
        written(root / "2026" / "03" / "01" / f"rollout-{thread}.jsonl", rows)

    def copied(second):
        when = codex.moment(second)
        return [row | {"timestamp": when} for row in base]

    def more(second, new, *, start=None):
        counts = codex.counts(codex.tokens(new), start=start, second=second + 5)
        return [*codex.turn(second, turn_id=codex.uuid_of(second)), *counts]

    total = codex.plus(*requests)
    started = {"thread_source": "subagent"}
    write(first, *base)
    write(child, codex.meta(child, 1_000, parent_thread_id=first, **started), *copied(1_000),
          *more(1_001, 50, start=total))  # fmt: skip
    write(inner, codex.meta(inner, 1_500, parent_thread_id=child, **started), *more(1_501, 70))
    write(fork, codex.meta(fork, 2_000, forked_from_id=first), *copied(2_000),
          *more(2_001, 30, start=total))  # fmt: skip


def gemini_chat(root):
    """A chat, its state before it was resumed, and a subagent."""
    chats, name = root / "project" / "chats", "session-2026-04-23T12-52-0ab84937"
    calls = [gemini.call(f"c{number}") for number in range(3)]
    first, second = gemini.said(calls=calls), gemini.said("m2", 5)
    written(chats / f"{name}.jsonl", [gemini.HEADER, gemini.asked(), first, second])
    written(chats / f"{name}.json", [gemini.HEADER | {"messages": [gemini.asked(), gemini.said()]}])
    agent = gemini.HEADER | {"sessionId": "agent-1", "kind": "subagent"}
    written(chats / gemini.SESSION / "agent-1.jsonl", [agent, gemini.said("m7", 7)])


def harbor(root):
    """A trial with the trajectory and the log of its agent, which repeat it."""
    trial(root)
    (root / "agent").mkdir()
    trajectory(root / "agent" / "trajectory.json", step(1, calls=("a",)), step(2))
    written(root / "agent" / "sessions" / f"{claude.SESSION}.jsonl", main_rows())


FOLDERS = (
    atif,
    atif_without_totals,
    claude_code,
    claude_code_before_2_1,
    claude_code_subagents_alone,
    claude_code_resumed,
    codex_threads,
    gemini_chat,
    harbor,
)
"""What writes each folder."""
