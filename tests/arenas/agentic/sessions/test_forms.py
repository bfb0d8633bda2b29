"""Several forms of one session: whatever lies together, in whatever order, is counted once.

The real sessions were made by current releases against a scripted model, so that every figure of
them is known beforehand.
"""

import gzip
import json
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.importers.base import Options, SessionRef
from benchmaker.arenas.agentic.logs.events import LlmCall, Session, ToolCall, Totals, UserTurn
from benchmaker.arenas.agentic.sessions.forms import Member, join_members
from benchmaker.arenas.agentic.sessions.reduce import Reducer
from benchmaker.arenas.agentic.sessions.scan import importers, scan
from benchmaker.record.submissions.submission import Status, TokenUsage
from benchmaker.store.home import Home
from tests.arenas.agentic.importers.logs import PRICER, written
from tests.arenas.agentic.importers.test_importer_contract import SAMPLES
from tests.arenas.agentic.spans import at
from tests.conftest import SHARED

FOLDER = SHARED / "data" / "agent_logs_t2"
KNOWN = FOLDER / "expected.json"
SESSIONS = json.loads(KNOWN.read_text())["sessions"] if KNOWN.is_file() else {}
WHOLE = {"log", "export", "database"}
"""Forms that tell everything; prints do not."""
NOT_PRINTED = {
    "claude_code": {"prompts"},
    "codex_cli": {"llm_calls", "model", "prompts", "days"},
    "gemini_cli": {"llm_calls"},
    "qwen_code": {"reasoning", "prompts", "days"},
    "opencode": {"model", "prompts"},
}
CUT = {"codex_cli", "gemini_cli"}
"""Whose prints count tokens at the end alone, which an interrupted one has not."""
KINDS = ("input_uncached", "cache_read", "cache_write_5m", "output", "reasoning")


def found_in(paths, name):
    """The session of that name among what lies at the paths."""
    options = Options(skip=lambda _: None)
    found = scan(paths, options, readers=importers()).found
    return [it for it in found if it.ref.session == name] if name else found


def reduced(found):
    reducer, options = Reducer(PRICER), Options(skip=lambda _: None)
    events = list(found.importer.parse(found.ref, options))
    reducer.read(events)
    (one,) = reducer.finish()
    return events, one


def figures(found):
    """What the session comes to, under the names of the known figures."""
    events, one = reduced(found)
    submission, usage = one.submission, one.submission.usage
    calls = {it.id: it.arguments for it in events if isinstance(it, ToolCall)}
    days = Counter()
    for part in one.parts:
        if part.first_at is not None and part.tokens is not None:
            days[f"{datetime.fromtimestamp(part.first_at, UTC):%Y-%m-%d}"] += part.tokens
    return {
        **{kind: getattr(usage, kind) or 0 for kind in KINDS},
        "total_tokens": submission.total_tokens or 0,
        "llm_calls": submission.llm_calls,
        "tool_calls": submission.tool_calls,
        "tool_errors": submission.tool_errors,
        "iterations": submission.iterations,
        "tool": submission.system.harness,
        "model": submission.system.model,
        "days": dict(days),
        "prompts": [it.text for it in events if isinstance(it, UserTurn)],
        "texts": [it.text for it in events if isinstance(it, LlmCall) and it.text],
        "arguments": list(calls.values()),
        "reported_usd": submission.cost.reported_usd,
    }


def known(session):
    """The known figures under the same names."""
    return {
        **session["usage"],
        "total_tokens": session["total_tokens"],
        "llm_calls": session["llm_calls"],
        "tool_calls": session["tool_calls"],
        "tool_errors": 0,
        "iterations": len(session["prompts"]),
        "tool": session["tool"],
        "model": session["model"],
        "days": {day: it["total_tokens"] for day, it in session["days"].items()},
    }


def names_of(session):
    """The name of its session in the database, which holds others, too."""
    export = session["forms"].get("export")
    return export[0].split("/")[-1].removesuffix(".json") if export else ""


def left_out(name, forms):
    """The figures that none of the forms tells."""
    if WHOLE & set(forms):
        return set()
    tool, kind = name.split("/")
    missing = NOT_PRINTED[tool]
    return missing | {*KINDS, "total_tokens", "days"} if kind == "cut" and tool in CUT else missing


def check(name, forms, paths):
    session = SESSIONS[name]
    (found,) = found_in(paths, names_of(session))
    told, missing = figures(found), left_out(name, forms)
    expected = known(session)
    if "model" not in missing:
        assert told["model"].split("/")[-1] == expected["model"]
    for figure in expected.keys() - missing - {"model"}:
        assert told[figure] == expected[figure], figure
    if "days" in missing:
        assert told["days"] == {}
    said = "\n".join(told["texts"])
    assert all(text in said for text in session["texts"])
    asked = [json.dumps(it)[1:-1] for it in session["commands"]]
    run = [it for it in told["arguments"] if "COMPLETE_TASK" not in it]
    for command, plain, arguments in zip(asked, session["commands"], run, strict=True):
        assert command in arguments.replace("\\\\", "\\") or plain in arguments
    if "prompts" not in missing:
        pairs = zip(session["prompts"], told["prompts"], strict=True)
        assert all(prompt in asked for prompt, asked in pairs)
    costs = {"claude_code": "stream", "opencode": "", "mini_swe_agent": ""}
    if costs.get(name.split("/")[0], "-") in ("", *forms) and "reported_usd" in session:
        assert told["reported_usd"] == pytest.approx(session["reported_usd"])


def files_of(session, forms):
    return [FOLDER / file for form in forms for file in session["forms"][form]]


ONE_FORM = [(name, form) for name, it in SESSIONS.items() for form in it["forms"]]
SEVERAL = [name for name, it in SESSIONS.items() if len(it["forms"]) > 1]


@pytest.mark.data
@pytest.mark.parametrize(("name", "form"), ONE_FORM)
def test_each_form_alone_gives_the_known_figures(name, form):
    check(name, [form], files_of(SESSIONS[name], [form]))


@pytest.mark.data
@pytest.mark.parametrize("name", SEVERAL)
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_forms_in_any_order_and_number_are_one_session(name, tmp_path_factory, data):
    session = SESSIONS[name]
    forms = data.draw(st.permutations(list(session["forms"])))[:2]
    paths = data.draw(st.permutations(files_of(session, forms)))
    twice = data.draw(st.lists(st.sampled_from(paths), max_size=2))
    folder = tmp_path_factory.mktemp("again")
    for number, path in enumerate(twice):
        copy = folder / f"{number}.out"
        copy.write_bytes(path.read_bytes())
        paths.append(copy)
    check(name, forms, paths)


LOGS = [name for name in SEVERAL if not name.startswith("opencode")]


@pytest.mark.data
@pytest.mark.parametrize("name", LOGS)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_log_that_is_cut_beside_the_whole_one_adds_nothing(name, tmp_path_factory, data):
    session = SESSIONS[name]
    (log,) = files_of(session, ["log"])
    lines = log.read_bytes().splitlines(keepends=True)
    part = tmp_path_factory.mktemp("cut") / log.name
    part.write_bytes(b"".join(lines[: data.draw(st.integers(1, len(lines)))]))
    paths = data.draw(st.permutations([log, part, *files_of(session, ["stream"])]))
    check(name, ["log", "stream"], paths)


AMONG = ("qwen_code/sum", "claude_code/two-days", "codex_cli/sum", "opencode/cut")


@pytest.mark.data
@pytest.mark.parametrize("name", AMONG)
@pytest.mark.parametrize("is_print_first", [True, False])
def test_forms_that_are_imported_one_after_the_other_are_one_session(
    tmp_path, name, is_print_first
):
    session = SESSIONS[name]
    log, told = (files_of(session, [form]) for form in (next(iter(session["forms"])), "stream"))
    home = tmp_path / "home"
    for paths in (told, log) if is_print_first else (log, told):
        import_logs(paths, home=home)
    again = import_logs(told, home=home)
    assert set(again.kept.values()) == {"unchanged"}
    with Home.of(home).open_store() as store:
        known_as = names_of(session) or again.submissions[0].session_id
        (stored,) = (it for it in store.submissions() if it.session_id == known_as)
    assert stored.total_tokens == session["total_tokens"]
    assert stored.llm_calls == session["llm_calls"]
    assert stored.iterations == len(session["prompts"])
    assert stored.outcome.status is not (Status.COMPLETED if session["interrupted"] else None)


class Made:
    """An importer whose sessions are given."""

    id = "made"
    version = "1"
    title = "Made"

    def __init__(self, events):
        self.events = events

    def sniff(self, _head):
        return 1.0

    def scan(self, root):
        raise NotImplementedError

    def parse(self, _ref, _options):
        yield from self.events


def member(tmp_path, form, *events, name="a"):
    path = written(tmp_path / f"{form}-{name}", [])
    ref = SessionRef("made", "s", (path,), session="s", form=form)
    return Member(ref, Made(events))


def answer(name, tokens, **more):
    return LlmCall(id=name, usage=TokenUsage(input_uncached=tokens, output=0), **more)


def run(began, tokens):
    """A run of a minute that prints its sum of tokens at the end; without times if it has none."""
    ended = None if began is None else began + 60
    usage = TokenUsage(input_uncached=tokens, output=0)
    yield Session(at=began, session_id="s", model="claude-sonnet-4-5")
    yield LlmCall(at=ended, id=f"{tokens}", requests=None, text="Done.")
    yield Totals(at=ended, began=began, run=f"{tokens}", usage=usage, cost_usd=0.5)


def reduced_of(*members):
    ref, reader = join_members(members)
    reducer = Reducer(PRICER)
    reducer.read(reader.parse(ref, Options(skip=lambda _: None)))
    (one,) = reducer.finish()
    return one


def submission_of(*members):
    return reduced_of(*members).submission


def test_a_form_without_cost_takes_that_of_another(tmp_path):
    log = member(tmp_path, "log", Session(session_id="s"), answer("one", 100))
    run = TokenUsage(input_uncached=100, output=0)
    told = member(tmp_path, "print", Totals(run="r", usage=run, cost_usd=0.5))
    for order in ((log, told), (told, log)):
        found = submission_of(*order)
        assert (found.total_tokens, found.llm_calls) == (100, 1)
        assert found.cost.reported_usd == 0.5
        assert "reported_cost_partial" not in found.flags


def test_the_cost_of_a_run_among_others_is_part_of_the_sessions(tmp_path):
    log = member(tmp_path, "log", answer("one", 100), answer("two", 300))
    run = TokenUsage(input_uncached=100, output=0)
    told = member(tmp_path, "print", Totals(run="r", usage=run, cost_usd=0.5))
    found = submission_of(log, told)
    assert found.total_tokens == 400
    assert found.cost.reported_usd is None
    assert "reported_cost_partial" in found.flags


def test_runs_of_one_session_add_up(tmp_path):
    usage = TokenUsage(input_uncached=100, output=0)
    first = member(tmp_path, "print", Totals(run="r", usage=usage, cost_usd=0.5), name="a")
    then = member(tmp_path, "print", Totals(run="t", usage=usage, cost_usd=0.25), name="b")
    found = submission_of(then, first)
    assert (found.total_tokens, found.cost.reported_usd) == (200, 0.75)


def test_a_running_sum_is_the_largest_of_those_told(tmp_path):
    sums = [TokenUsage(input_uncached=n, output=0) for n in (100, 250)]
    first, then = (
        member(tmp_path, "print", answer(f"{n}", n.total), Totals(usage=n), name=str(n.total))
        for n in sums
    )
    assert submission_of(first, then).total_tokens == 250
    assert submission_of(then, first).total_tokens == 250


def test_where_a_log_is_cut_the_print_tells_more(tmp_path):
    log = member(tmp_path, "log", answer("one", 100), UserTurn(id="u", text="Do it."))
    told = member(tmp_path, "print", answer("1", 100), answer("2", 40), UserTurn(id="p"))
    found = submission_of(log, told)
    assert (found.total_tokens, found.llm_calls, found.iterations) == (140, 2, 1)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_the_tokens_of_each_run_count_on_the_day_on_which_it_began(tmp_path, is_reversed):
    noon, late = at("2026-03-01T12:00"), at("2026-03-02T23:59")
    members = [
        member(tmp_path, "print", *run(began, tokens), name=str(tokens))
        for began, tokens in ((noon, 100), (late, 250))
    ]
    one = reduced_of(*(reversed(members) if is_reversed else members))
    assert [(part.first_at, part.tokens) for part in one.parts] == [(noon, 100), (late, 250)]
    assert one.submission.total_tokens == 350
    assert [part.reported_usd for part in one.parts] == [0.5, 0.5]


def test_a_run_alone_counts_on_the_day_on_which_it_began(tmp_path):
    late = at("2026-03-02T23:59")
    one = reduced_of(member(tmp_path, "print", *run(late, 250)))
    assert [(part.first_at, part.tokens) for part in one.parts] == [(late, 250)]


def test_runs_without_times_have_no_day(tmp_path):
    runs = (member(tmp_path, "print", *run(None, n), name=str(n)) for n in (100, 250))
    one = reduced_of(*runs)
    assert [(part.first_at, part.tokens) for part in one.parts] == [(None, 350)]
    assert one.submission.started_at is None


@pytest.mark.parametrize("names", [("a.jsonl.gz", "b.jsonl"), ("a.jsonl.gz", "b.jsonl.gz")])
@pytest.mark.parametrize("name", ["codex_exec", "codex", "gemini"])
def test_an_earlier_state_is_a_part_of_the_log_if_they_are_compressed(tmp_path, name, names):
    raw = SAMPLES[name]["sample"]
    alone = written_log(tmp_path / "alone" / "b.jsonl", raw)
    (expected,) = import_logs(alone, dry_run=True).submissions
    for lines in range(1, raw.count(b"\n")):
        folder = tmp_path / str(lines)
        for file, content in zip(
            names, (raw.splitlines(keepends=True)[:lines], [raw]), strict=True
        ):
            written_log(folder / file, b"".join(content))
        (found,) = import_logs(folder, dry_run=True).submissions
        assert figures_of(found) == figures_of(expected)


@pytest.mark.data
@pytest.mark.parametrize("is_copied", [True, False])
def test_a_print_is_read_with_the_log_that_was_moved(tmp_path, is_copied):
    """The log is imported at its first place, then, or copied beforehand, at its second one."""
    known = SESSIONS["codex_cli/sum"]
    (log,), (printed,) = (known["forms"][it] for it in ("log", "stream"))
    first, second = tmp_path / "first" / "log.jsonl", tmp_path / "second" / "log.jsonl"
    home, raw = tmp_path / "home", (FOLDER / log).read_bytes()
    import_logs(written_log(first, raw), home=home)
    if not is_copied:
        first.unlink()
    import_logs(written_log(second, raw), home=home)
    (second if is_copied else first).unlink(missing_ok=True)
    import_logs(written_log(tmp_path / "printed.jsonl", (FOLDER / printed).read_bytes()), home=home)
    with Home(home).open_store() as store:
        (stored,) = store.submissions()
    assert (stored.llm_calls, stored.total_tokens) == (known["llm_calls"], known["total_tokens"])
    assert stored.revision == 2


def written_log(path, raw):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def figures_of(submission):
    return (
        submission.usage,
        submission.llm_calls,
        submission.tool_calls,
        submission.iterations,
        submission.cost.reported_usd,
    )
