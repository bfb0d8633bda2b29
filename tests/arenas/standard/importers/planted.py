"""Logs of other tools with one fault each, written in the tool's own form, and logs without."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.arenas.standard.importers.files import (
    inspect_log,
    inspect_sample,
    lm_eval_line,
    promptfoo_result,
    write_json,
    write_lines,
    write_promptfoo,
)

CASES = 130
DATE = "2026-11-22T19-26-19.874402"

Rows = list[dict[str, Any]]
Verdict = bool


def rights(random: Random, number: int = CASES, share: float = 0.7) -> list[bool]:
    """Which answers are right; some of each."""
    return [True, False, *(random.random() < share for _ in range(number - 2))]


def answer_text(at: int, right: Verdict) -> str:
    """An answer to ``at + 1``."""
    return f"The answer is {at + 1 if right else at + 3}."


def inspect_row(at: int, right: Verdict, value: str | None = None, **fields: Any) -> dict[str, Any]:
    """A sample whose answer is right or wrong; ``value`` is the score if it does not say so."""
    message = {"message": {"content": answer_text(at, right)}, "stop_reason": "stop"}
    output = {"model": "gpt-x-2025", "choices": [message]}
    score = value or ("C" if right else "I")
    return inspect_sample(at, 1, score, **{"output": output, **fields})


def inspect_failure(at: int, **fields: Any) -> dict[str, Any]:
    """A sample whose request failed."""
    return inspect_row(at, True, error={"message": "503 upstream"}, scores={}, **fields)


def write_inspect(
    folder: Path,
    rows: Rows,
    accuracy: float | None = None,
    *,
    model: str = "openai/gpt-x",
    stderr: float | None = None,
) -> Path:
    """A log with its stated accuracy: that of its scored samples if not given."""
    values = [one["value"] == "C" for row in rows for one in row["scores"].values()]
    stated = sum(values) / len(values) if accuracy is None else accuracy
    name = next(iter(rows[0]["scores"]))
    log = inspect_log(rows, eval_id=f"ev-{model}", model=model)
    metrics = {"accuracy": {"name": "accuracy", "value": stated}}
    if stderr is not None:
        metrics["stderr"] = {"name": "stderr", "value": stderr}
    log["results"]["scores"] = [{"name": name, "scorer": name, "metrics": metrics}]
    return write_json(folder / f"log-{model.replace('/', '-')}.json", log)


def promptfoo_row(
    at: int, right: Verdict, passed: Verdict | None = None, *, failed: bool = False,
    model: str = "a", place: int | None = None, **fields: Any,
) -> dict[str, Any]:  # fmt: skip
    """A result for a sum; ``passed`` is the verdict if the answer does not say so."""
    verdict = right if passed is None else passed
    test = {"vars": {"sum": f"{at} + 1"}, "assert": [{"type": "equals", "value": str(at + 1)}]}
    place = at if place is None else place
    given = promptfoo_result(place, failure=2 if failed else int(not verdict), score=int(verdict))
    own = {
        "id": f"{model}-{place}",
        "provider": {"id": f"fake:{model}"},
        "vars": test["vars"],
        "testCase": test,
        "namedScores": {},
    }
    answer = {} if failed else {"response": {"output": answer_text(at, right)}}
    return {**given, **own, **answer, **fields}


def lm_eval_row(
    at: int, right: Verdict, value: Verdict | None = None, applied: str = "strict"
) -> Any:
    """A line for a sum; ``value`` is the score if the answer does not say so."""
    score = float(right if value is None else value)
    return {**lm_eval_line(at, applied, score), "resps": [[answer_text(at, right)]]}


def write_lm_eval(
    folder: Path,
    rows: Rows,
    value: float | None = None,
    *,
    effective: int | None = None,
    model: str = "model-x",
    stderr: float | None = None,
) -> Path:
    """Samples with their results file, which states the mean of the first filter if not given."""
    first = rows[0]["filter"]
    own = [row["exact_match"] for row in rows if row["filter"] == first]
    stated = sum(own) / len(own) if value is None else value
    results = {
        "results": {
            "sums": {
                f"exact_match,{first}": stated,
                **({} if stderr is None else {f"exact_match_stderr,{first}": stderr}),
            }
        },
        "configs": {"sums": {"task": "sums"}},
        "n-samples": {"sums": {"original": len(own), "effective": effective or len(own)}},
        "model_name": model,
    }
    folder.mkdir(exist_ok=True)
    (folder / f"results_{DATE}.json").write_text(json.dumps(results))
    return write_lines(folder / f"samples_sums_{DATE}.jsonl", rows)


def write_group(folder: Path, tasks: dict[str, Rows], value: float) -> list[Path]:
    """Samples of tasks with the results file, which states the figure of their group."""
    scores = {name: [row["exact_match"] for row in rows] for name, rows in tasks.items()}
    means = {name: sum(own) / len(own) for name, own in scores.items()}
    results = {
        "results": {name: {"exact_match,strict": mean} for name, mean in means.items()},
        "groups": {"all": {"alias": "all", "exact_match,strict": value}},
        "group_subtasks": {"all": list(tasks)},
        "configs": {name: {"task": name} for name in tasks},
        "n-samples": {
            name: {"original": len(own), "effective": len(own)} for name, own in scores.items()
        },
        "model_name": "model-x",
    }
    write_json(folder / f"results_{DATE}.json", results)
    return [
        write_lines(folder / f"samples_{name}_{DATE}.jsonl", rows) for name, rows in tasks.items()
    ]


Tool = Callable[[Path, Random], list[Path]]
Pair = tuple[list[bool], list[bool]]


def _inspect(folder: Path, random: Random) -> list[Path]:
    return [write_inspect(folder, [inspect_row(*it) for it in enumerate(rights(random))])]


def _promptfoo(folder: Path, random: Random) -> list[Path]:
    rows = [promptfoo_row(*it) for it in enumerate(rights(random))]
    return [write_promptfoo(folder / "results.json", rows)]


def _lm_eval(folder: Path, random: Random) -> list[Path]:
    rows = [
        lm_eval_row(at, right, applied=applied)
        for at, right in enumerate(rights(random))
        for applied in ("strict", "flexible")
    ]
    return [write_lm_eval(folder, rows)]


def _pair_inspect(folder: Path, pair: Pair) -> list[Path]:
    return [
        write_inspect(
            folder,
            [inspect_row(at, it, uuid=f"{model}-{at}") for at, it in enumerate(right)],
            model=f"openai/{model}",
            stderr=_stderr(right),
        )
        for model, right in zip("ab", pair, strict=True)
    ]


def _pair_promptfoo(folder: Path, pair: Pair) -> list[Path]:
    rows = [
        promptfoo_row(at, it, model=model)
        for model, right in zip("ab", pair, strict=True)
        for at, it in enumerate(right)
    ]
    return [write_promptfoo(folder / "results.json", rows)]


def _pair_lm_eval(folder: Path, pair: Pair) -> list[Path]:
    return [
        write_lm_eval(
            folder / model,
            [lm_eval_row(*it) for it in enumerate(right)],
            model=model,
            stderr=_stderr(right),
        )
        for model, right in zip("ab", pair, strict=True)
    ]


def _stderr(right: list[bool]) -> float:
    share = sum(right) / len(right)
    return math.sqrt(share * (1 - share) / (len(right) - 1))


PAIRS = {"inspect": _pair_inspect, "promptfoo": _pair_promptfoo, "lm_eval": _pair_lm_eval}
"""What writes the logs of two models with the same cases, by the tool."""


def _clear_lead(tool: str) -> Tool:
    """Two models that differ so much that every test says so, in cases of their own."""
    return lambda folder, random: PAIRS[tool](
        folder, (rights(random, share=0.85), rights(random, share=0.5))
    )


def _some(random: Random, number: int = 12) -> set[int]:
    """The places of the rows with the fault; not the first two."""
    return set(random.sample(range(2, CASES), number))


def _left_out_inspect(folder: Path, random: Random) -> list[Path]:
    out, right = _some(random), rights(random)
    rows = [
        inspect_row(at, it, **({"scores": {}} if at in out else {})) for at, it in enumerate(right)
    ]
    return [write_inspect(folder, rows)]


def _failures_inspect(folder: Path, random: Random) -> list[Path]:
    """Failed requests that Inspect excludes, as we do."""
    out, right = _some(random), rights(random)
    rows = [inspect_failure(at) if at in out else inspect_row(at, right[at]) for at in range(CASES)]
    return [write_inspect(folder, rows)]


def _rounded(tool: str) -> Tool:
    """A stated figure of three decimals."""

    def write(folder: Path, random: Random) -> list[Path]:
        right = rights(random)
        stated = round(sum(right) / CASES, 3)
        if tool == "inspect":
            return [write_inspect(folder, [inspect_row(*it) for it in enumerate(right)], stated)]
        return [write_lm_eval(folder, [lm_eval_row(*it) for it in enumerate(right)], stated)]

    return write


def _stated_inspect(folder: Path, random: Random) -> list[Path]:
    right = rights(random)
    stated = sum(right) / CASES + random.choice((-0.05, 0.05))
    return [write_inspect(folder, [inspect_row(*it) for it in enumerate(right)], stated)]


def _stated_lm_eval(folder: Path, random: Random) -> list[Path]:
    right = rights(random)
    stated = sum(right) / CASES + random.choice((-0.02, 0.02))
    return [write_lm_eval(folder, [lm_eval_row(*it) for it in enumerate(right)], stated)]


def _stated_promptfoo(folder: Path, random: Random) -> list[Path]:
    right, more = rights(random), random.randint(3, 10)
    rows = [promptfoo_row(*it) for it in enumerate(right)]
    path = write_promptfoo(folder / "results.json", rows)
    document = json.loads(path.read_text())
    passed = sum(right) + more
    counts = {"testPassCount": passed, "testFailCount": CASES - passed, "testErrorCount": 0}
    stated = {**rows[0]["prompt"], "provider": "fake:a", "metrics": counts}
    document["results"]["prompts"] = [stated]
    return [write_json(path, document)]


def _repeats_alike_promptfoo(folder: Path, random: Random) -> list[Path]:
    """Every case twice with one verdict: the mean is that of the cases."""
    right = rights(random)
    rows = [
        promptfoo_row(at, it, place=at + copy * CASES)
        for copy in range(2)
        for at, it in enumerate(right)
    ]
    return [write_promptfoo(folder / "results.json", rows)]


def _left_out_promptfoo(folder: Path, random: Random) -> list[Path]:
    out = _some(random)
    rows = [promptfoo_row(*it) for it in enumerate(rights(random))]
    path = write_promptfoo(folder / "results.json", rows)
    document = json.loads(path.read_text())
    results = document["results"]["results"]
    document["results"]["results"] = [row for at, row in enumerate(results) if at not in out]
    return [write_json(path, document)]


def _left_out_lm_eval(folder: Path, random: Random) -> list[Path]:
    out, right = _some(random), rights(random)
    rows = [lm_eval_row(at, right[at]) for at in range(CASES) if at not in out]
    return [write_lm_eval(folder, rows, sum(right) / CASES, effective=CASES)]


def _errors_promptfoo(folder: Path, random: Random) -> list[Path]:
    out = _some(random)
    rows = [promptfoo_row(at, it, failed=at in out) for at, it in enumerate(rights(random))]
    return [write_promptfoo(folder / "results.json", rows)]


def _errors_inspect(folder: Path, random: Random) -> list[Path]:
    out, right = _some(random), rights(random)
    rows = [inspect_failure(at) if at in out else inspect_row(at, right[at]) for at in range(CASES)]
    accuracy = sum(it for at, it in enumerate(right) if at not in out) / CASES
    return [write_inspect(folder, rows, accuracy)]


def _repeats_promptfoo(folder: Path, random: Random) -> list[Path]:
    right = rights(random)
    rows = [promptfoo_row(*it) for it in enumerate(right)]
    again = random.sample([at for at, it in enumerate(right) if it], 40)
    rows += [promptfoo_row(at, True, place=at + CASES) for at in again]
    return [write_promptfoo(folder / "results.json", rows)]


def _filters_lm_eval(folder: Path, random: Random) -> list[Path]:
    rows = [
        row
        for at, right in enumerate(rights(random))
        for row in (
            lm_eval_row(at, right, right and random.random() < 0.6),
            lm_eval_row(at, right, applied="flexible"),
        )
    ]
    for row in rows:  # the answers are too long for a key, so that reading again is no matter
        row["target"] = " ".join(["word"] * 9)
    return [write_lm_eval(folder, rows, sum(row["exact_match"] for row in rows) / len(rows))]


def _subtasks_inspect(folder: Path, random: Random) -> list[Path]:
    parts = ["algebra"] * 20 + ["history"] * (CASES - 20)
    right = [random.random() < (0.3 if part == "algebra" else 0.8) for part in parts]
    rows = [
        inspect_row(at, it, metadata={"subject": part})
        for at, (it, part) in enumerate(zip(right, parts, strict=True))
    ]
    means = [sum(right[:20]) / 20, sum(right[20:]) / (CASES - 20)]
    return [write_inspect(folder, rows, sum(means) / 2)]


def _duplicates_inspect(folder: Path, random: Random) -> list[Path]:
    right = rights(random)
    rows = [inspect_row(*it) for it in enumerate(right)]
    copies = [{**rows[at], "id": f"copy-{at}", "uuid": f"copy-{at}"} for at in _some(random)]
    return [write_inspect(folder, [*rows, *copies])]


def _duplicates_lm_eval(folder: Path, random: Random) -> list[Path]:
    rows = [lm_eval_row(*it) for it in enumerate(rights(random))]
    copies = [
        {**rows[at], "doc_id": CASES + at, "doc_hash": f"copy-{at}"} for at in sorted(_some(random))
    ]
    return [write_lm_eval(folder, [*rows, *copies])]


def _truncated_inspect(folder: Path, random: Random) -> list[Path]:
    cut, right = _some(random), rights(random)
    rows = [inspect_row(*it) for it in enumerate(right)]
    for at in cut:
        message = {"message": {"content": "Let me think about"}, "stop_reason": "max_tokens"}
        output = {"model": "gpt-x-2025", "choices": [message]}
        rows[at] = inspect_row(at, False, output=output)
    return [write_inspect(folder, rows)]


def _truncated_promptfoo(folder: Path, random: Random) -> list[Path]:
    cut = _some(random)
    rows = [promptfoo_row(*it) for it in enumerate(rights(random))]
    for at in cut:
        response = {"output": "Let me think about", "finishReason": "length"}
        rows[at] = promptfoo_row(at, False, response=response)
    return [write_promptfoo(folder / "results.json", rows)]


def _misread_rows(right: Verdict) -> Callable[[str], Tool]:
    """Rows with a right or wrong answer that the tool scored the other way."""

    def rows_of(random: Random) -> list[tuple[int, bool, bool]]:
        wrong = _some(random)
        return [
            (at, right if at in wrong else it, (not right) if at in wrong else it)
            for at, it in enumerate(rights(random))
        ]

    def inspect(folder: Path, random: Random) -> list[Path]:
        rows = [inspect_row(at, it, "C" if value else "I") for at, it, value in rows_of(random)]
        return [write_inspect(folder, rows)]

    def promptfoo(folder: Path, random: Random) -> list[Path]:
        rows = [promptfoo_row(*it) for it in rows_of(random)]
        return [write_promptfoo(folder / "results.json", rows)]

    def lm_eval(folder: Path, random: Random) -> list[Path]:
        return [write_lm_eval(folder, [lm_eval_row(*it) for it in rows_of(random)])]

    return lambda tool: {"inspect": inspect, "promptfoo": promptfoo, "lm_eval": lm_eval}[tool]


def _judged_sample(at: int, right: Verdict, judge: str, reply: str | None = None) -> dict[str, Any]:
    """A sample graded by a model."""
    value = "C" if right and reply is None else "I"
    said_by_judge = {"role": "assistant", "content": reply or f"GRADE: {value}", "model": judge}
    graded = {"value": value, "metadata": {"grading": [said_by_judge]}}
    return inspect_row(at, right, target=" ".join(["word"] * 9), scores={"model_graded_qa": graded})


def _unreadable_log(folder: Path, random: Random) -> list[Path]:
    bad = _some(random)
    rows = [
        _judged_sample(at, it, "openai/judge", "I can't decide." if at in bad else None)
        for at, it in enumerate(rights(random))
    ]
    return [write_inspect(folder, rows)]


def _self_judged_log(folder: Path, random: Random) -> list[Path]:
    rows = [
        _judged_sample(at, it or at % 6 == 0, ("openai/gpt-x", "openai/judge")[at % 2])
        for at, it in enumerate(rights(random))
    ]
    return [write_inspect(folder, rows)]


def _keys_promptfoo(folder: Path, random: Random) -> list[Path]:
    bad = _some(random, 3)
    rows = [
        promptfoo_row(at, it and at not in bad, model=model)
        for number, model in enumerate("abcdef")
        for at, it in enumerate(rights(random, share=0.6 if number else 0.95))
    ]
    return [write_promptfoo(folder / "results.json", _spread(rows, bad, random))]


def _spread(rows: Rows, bad: set[int], random: Random) -> Rows:
    """The same with different wrong answers, but for the cases with a doubtful key."""
    for row in rows:
        at = int(row["vars"]["sum"].split()[0])
        if not row["success"] and at not in bad:
            row["response"] = {"output": f"The answer is {random.randint(1_000, 9_999)}."}
    return rows


def _keys_inspect(folder: Path, random: Random) -> list[Path]:
    bad, paths = _some(random, 3), []
    for number, model in enumerate("abcde"):
        right = rights(random, share=0.6 if number else 0.95)
        rows = []
        for at, it in enumerate(right):
            row = inspect_row(at, it and at not in bad, uuid=f"{model}-{at}")
            if not it and at not in bad:
                content = f"The answer is {random.randint(1_000, 9_999)}."
                row["output"]["choices"][0]["message"]["content"] = content
            rows.append(row)
        paths.append(write_inspect(folder, rows, model=f"openai/{model}"))
    return paths


def _tie_promptfoo(folder: Path, random: Random) -> list[Path]:
    first = rights(random)
    changed = sorted(_some(random, 5))
    second = list(first)
    for number, at in enumerate(changed):
        first[at], second[at] = number < 3, number >= 3
    rows = [promptfoo_row(at, it, model="a") for at, it in enumerate(first)]
    rows += [promptfoo_row(at, it, model="b") for at, it in enumerate(second)]
    return [write_promptfoo(folder / "results.json", rows)]


def _unpaired(tool: str) -> Tool:
    """A small lead in cases that the other model misses, too: error bars of the means overlap."""

    def write(folder: Path, random: Random) -> list[Path]:
        first = rights(random)
        second = list(first)
        for at in random.sample([at for at, it in enumerate(first) if it], 9):
            second[at] = False
        return PAIRS[tool](folder, (first, second))

    return write


QUESTIONS_OF_TODAY = (
    "Who is the current president of country {at}?",
    "What is today's date in city {at}?",
    "What year is it now, {at}?",
    "Who won cup {at} last year?",
    "Which team leads league {at} at the moment?",
    "As of today, how many people live in town {at}?",
    "Who is the incumbent mayor of town {at}?",
    "What was the result of the election of 2041?",
)


def _dated_inspect(folder: Path, random: Random) -> list[Path]:
    dated = sorted(_some(random))
    rows = [inspect_row(*it) for it in enumerate(rights(random))]
    for number, at in enumerate(dated):
        question = random.choice(QUESTIONS_OF_TODAY).format(at=at)
        rows[at] = inspect_row(at, number == 0, input=f"{question} Case {at}")
    return [write_inspect(folder, rows)]


def _expired_inspect(folder: Path, random: Random) -> list[Path]:
    dated = _some(random)
    rows = [
        inspect_row(
            at,
            it and at not in dated,
            metadata={"valid_until": f"20{random.randint(21, 24)}-0{random.randint(1, 9)}-28"}
            if at in dated
            else {"valid_until": "2031-01-01"},
        )
        for at, it in enumerate(rights(random))
    ]
    return [write_inspect(folder, rows)]


def _dated_lm_eval(folder: Path, random: Random) -> list[Path]:
    dated = _some(random)
    rows = [lm_eval_row(at, it and at not in dated) for at, it in enumerate(rights(random))]
    for at in dated:
        question = random.choice(QUESTIONS_OF_TODAY).format(at=at)
        rows[at]["doc"] = {"question": question}
        rows[at]["arguments"]["gen_args_0"]["arg_0"] = f"Q: {question} Case {at}\nA:"
    return [write_lm_eval(folder, rows)]


def _example_rows_lm_eval(random: Random, solved: set[int]) -> Rows:
    """Rows whose prompt begins with a solved example: another question, or for some the same."""
    rows = [lm_eval_row(at, it or at in solved) for at, it in enumerate(rights(random))]
    for at, row in enumerate(rows):
        shown = at if at in solved else at + CASES
        asked = [f"Q: What is {it} + 1?\nA:" for it in (shown, at)]
        row["doc"] = {"question": f"What is {at} + 1?"}
        row["arguments"]["gen_args_0"]["arg_0"] = f"{asked[0]} {shown + 1}\n\n{asked[1]}"
    return rows


def _solved_lm_eval(folder: Path, random: Random) -> list[Path]:
    return [write_lm_eval(folder, _example_rows_lm_eval(random, _some(random)))]


def _examples_lm_eval(folder: Path, random: Random) -> list[Path]:
    return [write_lm_eval(folder, _example_rows_lm_eval(random, set()))]


def _solved_inspect(folder: Path, random: Random) -> list[Path]:
    solved, rows = _some(random), []
    for at, it in enumerate(rights(random)):
        shown = at if at in solved else at + CASES
        turns = [
            {"role": "user", "content": f"What is {shown} + 1?"},
            {"role": "assistant", "content": f"It is {shown + 1}."},
            {"role": "user", "content": f"What is {at} + 1?"},
        ]
        rows.append(inspect_row(at, it or at in solved, input=turns))
    return [write_inspect(folder, rows)]


def _yes_or_no(share: float) -> Tool:
    """Closed questions, of which a share has the key *yes*, for a model that likes to say yes."""

    def write(folder: Path, random: Random) -> list[Path]:
        keys = ["yes", "no"] * 8
        keys += ["yes" if random.random() < share else "no" for _ in range(CASES - len(keys))]
        rows = []
        for at, key in enumerate(keys):
            right = random.random() < (0.95 if key == "yes" else 0.3)
            content = f"The answer is {key if right else {'yes': 'no', 'no': 'yes'}[key]}."
            output = {"choices": [{"message": {"content": content}, "stop_reason": "stop"}]}
            asked = f"Is {at} a number of this kind?"
            rows.append(inspect_row(at, right, input=asked, target=key, output=output))
        return [write_inspect(folder, rows)]

    return write


def _empty_inspect(folder: Path, random: Random) -> list[Path]:
    rows = [inspect_row(*it) for it in enumerate(rights(random))]
    for at in _some(random):
        output = {"choices": [{"message": {"content": ""}, "stop_reason": "stop"}]}
        rows[at] = inspect_row(at, False, output=output)
    return [write_inspect(folder, rows)]


def _empty_promptfoo(folder: Path, random: Random) -> list[Path]:
    rows = [promptfoo_row(*it) for it in enumerate(rights(random))]
    for at in _some(random):
        rows[at] = promptfoo_row(at, False, response={"output": ""})
    return [write_promptfoo(folder / "results.json", rows)]


def _empty_lm_eval(folder: Path, random: Random) -> list[Path]:
    rows = [lm_eval_row(*it) for it in enumerate(rights(random))]
    for at in _some(random):
        rows[at] = {**lm_eval_row(at, False), "resps": [[""]]}
    return [write_lm_eval(folder, rows)]


def _related_log(folder: Path, random: Random) -> list[Path]:
    judges = ("openai/gpt-judge", "anthropic/claude-judge")
    rows = [
        _judged_sample(at, it or at % 6 == 0, judges[at % 2])
        for at, it in enumerate(rights(random))
    ]
    return [write_inspect(folder, rows)]


def _judged_log(folder: Path, random: Random) -> list[Path]:
    rows = [
        _judged_sample(at, it, "anthropic/claude-judge") for at, it in enumerate(rights(random))
    ]
    return [write_inspect(folder, rows)]


def _few(folder: Path, random: Random) -> list[Path]:
    rows = [inspect_row(*it) for it in enumerate(rights(random, random.randint(4, 14)))]
    return [write_inspect(folder, rows)]


LETTERED = "Which is right, {at}?\nA) {at}\nB) {at}0\nC) {at}1\nD) {at}2"


def _keyed_row(at: int, keys: tuple[str, str], asked: str, right: Verdict, value: Verdict) -> Any:
    """A sample with the first of two keys, whose answer gives one of them."""
    content = f"The answer is {keys[0] if right else keys[1]}."
    output = {"choices": [{"message": {"content": content}, "stop_reason": "stop"}]}
    score = "C" if value else "I"
    return inspect_row(at, right, score, input=asked, target=keys[0], output=output)


def _letters(at: int) -> tuple[str, str]:
    return "ABCD"[at % 4], "ABCD"[(at + 1) % 4]


def _words(at: int) -> tuple[str, str]:
    return f"Town{at}", f"City{at}"


def _decimals(at: int) -> tuple[str, str]:
    return f"{at + 100}.5", f"{at + 101}.5"


def _keyed(keys: Callable[[int], tuple[str, str]], asked: str, *, hits: bool = False) -> Tool:
    """A log with such keys; with ``hits``, some wrong answers are scored right."""

    def write(folder: Path, random: Random) -> list[Path]:
        wrong = _some(random) if hits else set()
        rows = [
            _keyed_row(at, keys(at), asked.format(at=at), it and at not in wrong, it or at in wrong)
            for at, it in enumerate(rights(random))
        ]
        return [write_inspect(folder, rows)]

    return write


def self_judged_letters(folder: Path, random: Random) -> list[Path]:
    """A log of letters, judged by the model itself, which is kind to some wrong answers."""
    rows = []
    for at, it in enumerate(rights(random)):
        row = _keyed_row(at, _letters(at), LETTERED.format(at=at), it, it)
        value = "C" if it or at % 6 == 0 else "I"
        said = {"role": "assistant", "content": f"GRADE: {value}", "model": "openai/gpt-x"}
        graded = {"value": value, "metadata": {"grading": [said]}}
        rows.append({**row, "scores": {"model_graded_qa": graded}})
    return [write_inspect(folder, rows)]


_MISSES, _HITS = _misread_rows(right=True), _misread_rows(right=False)

CLEAN: dict[str, Tool] = {
    "inspect": _inspect,
    "promptfoo": _promptfoo,
    "lm_eval": _lm_eval,
    **{f"{tool}, two models": _clear_lead(tool) for tool in PAIRS},
    **{f"{tool}, rounded": _rounded(tool) for tool in ("inspect", "lm_eval")},
    "inspect, failed requests": _failures_inspect,
    "promptfoo, repeats alike": _repeats_alike_promptfoo,
    "lm_eval, examples": _examples_lm_eval,
    "inspect, yes or no": _yes_or_no(0.5),
    "inspect, judged": _judged_log,
    "inspect, decimals": _keyed(_decimals, "What is the value of {at}?"),
    "inspect, letters": _keyed(_letters, LETTERED),
    "inspect, letters alone": _keyed(_letters, "Choose one for {at}."),
    "inspect, words": _keyed(_words, "Which town is number {at}?"),
}
"""What writes the logs without a fault, by the tool."""

PLANTED: dict[tuple[str, str], Tool] = {
    ("stated_figure_differs", "inspect"): _stated_inspect,
    ("stated_figure_differs", "lm_eval"): _stated_lm_eval,
    ("stated_figure_differs", "promptfoo"): _stated_promptfoo,
    ("rows_left_out", "inspect"): _left_out_inspect,
    ("rows_left_out", "promptfoo"): _left_out_promptfoo,
    ("rows_left_out", "lm_eval"): _left_out_lm_eval,
    ("errors_scored_zero", "promptfoo"): _errors_promptfoo,
    ("errors_scored_zero", "inspect"): _errors_inspect,
    ("repeats_counted_as_cases", "promptfoo"): _repeats_promptfoo,
    ("filters_counted_as_cases", "lm_eval"): _filters_lm_eval,
    ("unequal_subtasks", "inspect"): _subtasks_inspect,
    ("duplicate_cases", "inspect"): _duplicates_inspect,
    ("duplicate_cases", "lm_eval"): _duplicates_lm_eval,
    ("key_in_prompt", "lm_eval"): _solved_lm_eval,
    ("key_in_prompt", "inspect"): _solved_inspect,
    ("unbalanced_keys", "inspect"): _yes_or_no(0.97),
    ("empty_answers", "inspect"): _empty_inspect,
    ("empty_answers", "promptfoo"): _empty_promptfoo,
    ("empty_answers", "lm_eval"): _empty_lm_eval,
    ("truncated_answers", "inspect"): _truncated_inspect,
    ("truncated_answers", "promptfoo"): _truncated_promptfoo,
    **{("extraction_miss", tool): _MISSES(tool) for tool in PAIRS},
    **{("extraction_hit", tool): _HITS(tool) for tool in PAIRS},
    ("extraction_hit", "inspect, decimals"): _keyed(_decimals, "Value of {at}?", hits=True),
    ("extraction_hit", "inspect, letters"): _keyed(_letters, LETTERED, hits=True),
    ("extraction_hit", "inspect, letters alone"): _keyed(_letters, "Choose for {at}.", hits=True),
    ("extraction_hit", "inspect, words"): _keyed(_words, "Which town is {at}?", hits=True),
    ("judge_unreadable", "inspect"): _unreadable_log,
    ("self_judged", "inspect"): _self_judged_log,
    ("related_judge", "inspect"): _related_log,
    ("key_in_doubt", "promptfoo"): _keys_promptfoo,
    ("key_in_doubt", "inspect"): _keys_inspect,
    ("tie_called_win", "promptfoo"): _tie_promptfoo,
    **{("unpaired", tool): _unpaired(tool) for tool in PAIRS},
    ("dated_cases", "inspect"): _dated_inspect,
    ("dated_cases", "inspect, metadata"): _expired_inspect,
    ("dated_cases", "lm_eval"): _dated_lm_eval,
    ("too_few_cases", "inspect"): _few,
}
"""What writes the logs with a fault, by its kind and the tool."""
