"""Logs of Inspect."""

import json
import zipfile

import pytest
from backports.zstd import zipfile as newer

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.importers.benchmarks.inspect_log import InspectLog
from benchmaker.arenas.agentic.logs.events import LlmCall, UserTurn
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import events_of, head_of, read, read_one
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    stays_the_same_when_repeated,
    values,
)

INSPECT = InspectLog()
SAMPLES = [
    "inspect/2025-05-12T20-28-13-04-00_popularity_cancelled.json",
    "inspect/2025-05-12T20-28-26-04-00_security-guide.json",
    "inspect/2024-11-05T13-32-37-05-00_input-task.eval",
]
RESULTS = {"C": "pass", "I": "fail"}


def log(**sample):
    return {
        "version": 2,
        "status": "success",
        "eval": {"eval_id": "an-eval-id-of-some-length", "task": "t", "model": "openai/gpt-4o"},
        "samples": [{"id": 1, "epoch": 1} | sample],
    }


def written(folder, **sample):
    path = folder / "log.json"
    path.write_text(json.dumps(log(**sample)))
    return path


def used(**usage):
    return {"model_usage": {"openai/gpt-4o": usage}}


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_have_the_values_of_the_reference(shared, name):
    expected = values(shared, name)
    (usage,) = expected["model_usage"].values()
    found = sample(
        INSPECT,
        shared,
        name,
        sessions=expected["samples"],
        input_tokens_uncached=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        total_tokens=usage["total_tokens"],
        tool_calls=expected["tool_calls"],
        **({"wall_s": expected["sum_total_time"]} if expected["sum_total_time"] else {}),
    )
    ((scorer, letters),) = expected["scores"].items()
    results = [it.outcome.criteria[0].result for it in found]
    assert sorted(results) == sorted(RESULTS[letter] for letter in letters)
    assert {it.outcome.criteria[0].id for it in found} == {scorer}


def test_samples_without_calls_of_tools_are_called_answers_to_questions(tmp_path):
    path = tmp_path / "log.json"
    one = {"epoch": 1, "messages": TURNS, "events": []} | used(input_tokens=5, output_tokens=3)
    path.write_text(json.dumps(log() | {"samples": [one | {"id": n} for n in range(3)]}))
    (note,) = import_logs(path, dry_run=True, importer="inspect_log").notes
    assert note.path == path
    assert note.reason.startswith("3 samples called no tools: answers to questions")


TURNS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Who?"}]},
    {"role": "user", "content": "And where?"},
]


@pytest.mark.parametrize(("asked", "text"), [("Why?", "Why?"), (TURNS, "Who?\n\nAnd where?")])
def test_a_sample_has_its_prompt_and_what_the_model_thought(tmp_path, asked, text):
    hidden = {"type": "reasoning", "reasoning": "c2VjcmV0", "redacted": True}
    parts = [{"type": "reasoning", "reasoning": "Hm."}, hidden, {"type": "text", "text": "Yes."}]
    output = {"choices": [{"message": {"role": "assistant", "content": parts}}]}
    model = {"event": "model", "uuid": "an-event-of-some-length", "output": output}
    path = written(tmp_path, input=asked, events=[model])
    events = events_of(INSPECT, path)
    assert [it.text for it in events if isinstance(it, UserTurn)] == [text]
    answers = [(it.text, it.reasoning) for it in events if isinstance(it, LlmCall)]
    assert answers == [("Yes.", "Hm.")]
    assert read_one(INSPECT, path).iterations == 1


def test_the_total_tells_whether_input_includes_the_cache(tmp_path):
    cached = {"input_tokens": 15235, "output_tokens": 281, "input_tokens_cache_read": 9088}
    inside = read_one(INSPECT, written(tmp_path, **used(**cached, total_tokens=15516)))
    beside = read_one(INSPECT, written(tmp_path, **used(**cached, total_tokens=24604)))
    assert (inside.usage.input_uncached, inside.total_tokens) == (6147, 15516)
    assert (beside.usage.input_uncached, beside.total_tokens) == (15235, 24604)


def test_a_limit_is_an_end(tmp_path):
    found = read_one(INSPECT, written(tmp_path, limit={"type": "time"}))
    assert found.outcome.status is Status.TIMEOUT


def test_tools_come_from_the_events(tmp_path):
    events = [{"event": "tool", "id": "c1", "function": "bash", "arguments": {}, "error": {}}]
    found = read_one(INSPECT, written(tmp_path, events=events))
    assert (found.tools_by_name, found.tool_errors) == ({"bash": 1}, 1)


def archive(path, **parts):
    whole = log(**used(input_tokens=5, output_tokens=2, total_tokens=7))
    (sample_part,) = whole.pop("samples")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(whole))
        file.writestr("samples/1_epoch_1.json", json.dumps(sample_part))
        for name, content in parts.items():
            file.writestr(name.replace("__", "/"), content)
    return path


def test_an_archive_is_read(tmp_path):
    path = archive(tmp_path / "log.eval")
    assert INSPECT.sniff(head_of(path)) > 0
    assert read_one(INSPECT, path).total_tokens == 7


@pytest.mark.parametrize("parts", [{"..__out.json": "{}"}, {"bomb.json": b"0" * 2**25}])
def test_archives_with_tricks_are_refused(tmp_path, parts):
    skipped = []
    found = read(INSPECT, archive(tmp_path / "log.eval", **parts), skipped=skipped)
    assert sum(it.total_tokens or 0 for it in found) == 0
    assert "in the archive" in skipped[0].reason


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = written(tmp_path, **used(input_tokens=5, output_tokens=2, total_tokens=7))
    stays_the_same_when_repeated(INSPECT, path)
    never_more_when_cut(INSPECT, path)
    never_more_when_cut(INSPECT, archive(tmp_path / "log.eval"))


def older(folder, name, run, **more):
    """A log of 2024: neither the run nor its samples have an id of their own."""
    about = {"run_id": run, "created": "2024-10-15T12:53:13-04:00", "task_id": "t", "task": "t"}
    usage = {"input_tokens": 66, "output_tokens": 2, "total_tokens": 68}
    output = {"model": "m", "choices": [{"message": {"content": "No"}}], "usage": usage}
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "No"}]
    sample = {"id": 1, "epoch": 1, "messages": messages, "output": output} | more
    path = folder / f"{name}.json"
    log = {"version": 2, "status": "success", "eval": about | {"model": "m"}, "samples": [sample]}
    path.write_text(json.dumps(log))
    return path


def test_logs_without_an_id_are_told_apart_by_their_run(tmp_path):
    paths = [older(tmp_path, name, f"run-{name}") for name in ("a", "b")]
    found = import_logs(paths, dry_run=True)
    assert (len(found.submissions), found.copies) == (2, ())
    assert {it.total_tokens for it in found.submissions} == {68}
    again = older(tmp_path, "c", "run-a")
    assert len(import_logs([*paths, again], dry_run=True).submissions) == 2


def test_a_log_without_events_has_the_calls_of_its_messages(tmp_path):
    call = {"id": "call_1", "function": "bash", "arguments": {"cmd": "ls"}}
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "none", "tool_call_id": "call_1", "error": {"type": "x"}},
        {"role": "assistant", "content": "Done."},
    ]
    found = read_one(INSPECT, older(tmp_path, "a", "run", messages=messages))
    assert (found.tool_calls, found.tool_errors) == (1, 1)
    assert (found.total_tokens, found.llm_calls) == (None, None)
    assert found.started_at == "2024-10-15T16:53:13.000Z"


def result_of(name, **more):
    return {"role": "tool", "content": "x", "function": "bash", "tool_call_id": name} | more


def test_results_without_a_named_call_count_as_calls(tmp_path):
    bad = {"error": {"type": "timeout", "message": "late"}}
    messages = [result_of(f"bash_{n}", **bad) for n in range(10)]
    path = older(tmp_path, "a", "run", messages=[*messages, result_of("bash_10")])
    read = import_logs(path, dry_run=True, importer="inspect_log")
    (found,) = read.submissions
    assert (found.tool_calls, found.tool_errors) == (11, 10)
    assert found.behaviour.tool_error_rate == 10 / 11
    (note,) = read.notes
    assert note.reason == (
        "Counted by their results: 11 tool calls of 1 sample. "
        "The messages of the log do not name the calls."
    )


@pytest.mark.parametrize(
    ("messages", "calls", "by_results"),
    [
        (
            [
                {"role": "assistant", "tool_calls": [{"id": "a", "function": "bash"}]},
                result_of("a"),
                result_of("b"),
                result_of("b"),
            ],
            2,
            1,
        ),
        (
            [
                {"role": "assistant", "tool_calls": [{"function": "bash"}, {"function": "bash"}]},
                result_of(None),
                result_of(None),
                result_of(None),
            ],
            3,
            1,
        ),
        ([result_of(None), result_of(None)], 2, 2),
    ],
)
def test_a_result_belongs_to_its_call_or_is_one(tmp_path, messages, calls, by_results):
    found = read_one(INSPECT, older(tmp_path, "a", "run", messages=messages))
    assert found.tool_calls == calls
    assert found.extra["calls_by_results"] == by_results


def test_an_archive_may_be_packed_with_zstd(tmp_path):
    path = tmp_path / "renamed.zip"
    header = {"status": "success", "eval": log()["eval"]}
    sample = log(**used(input_tokens=3, output_tokens=4))["samples"][0]
    with newer.ZipFile(path, "w", compression=newer.ZIP_ZSTANDARD) as archive:
        archive.writestr("_journal/start.json", json.dumps(header))
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(header))
    assert INSPECT.sniff(head_of(path)) > 0.5
    assert read_one(INSPECT, path).total_tokens == 7


@pytest.mark.data
def test_no_sample_is_lost(shared):
    folder = shared / "incoming-t2" / "inspect"
    found = import_logs(folder, dry_run=True)
    assert len(found.submissions) == 119
    assert found.skipped == 0
    (copy,) = found.copies  # one log in both formats
    assert copy.stem == "log_formats"
