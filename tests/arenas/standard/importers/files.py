"""Small files of results in the forms of other tools, and what becomes of them in a store."""

import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.importers.importing import ImportedFile, import_evaluations
from benchmaker.arenas.standard.importers.recognising import find_sources
from benchmaker.store import Store

PROMPTS = ("Plain sentence", "JSON")


def imported(store: Store, *paths: Path, model: str | None = None) -> list[ImportedFile]:
    """What became of the files; every one of them is recognised."""
    sources = find_sources(paths)
    assert sources
    return list(import_evaluations(store, sources, model=model))


def trials_of(store: Store, *files: ImportedFile) -> list[Any]:
    """The trials of the files' runs."""
    ids = dict.fromkeys(run_id for one in files for run_id in one.runs)
    return [trial for run_id in ids for trial in store.trials(run_id)]


def figures_of(file: ImportedFile) -> dict[tuple[str, str, str, str | None], float | None]:
    """The headline by scorer, metric, model and prompt."""
    return {(it.scorer, it.metric, it.model, it.prompt): it.value for it in file.headline}


def promptfoo_result(
    test: int, prompt: int = 0, *, city: str = "Oslo", failure: int = 0, score: float = 1.0,
    own_id: str | None = None, **fields: Any,
) -> dict[str, Any]:  # fmt: skip
    """One result of promptfoo; ``failure`` 1 is a failed check, 2 a failed request."""
    response = {"error": "503 upstream"} if failure == 2 else {"output": f"About {city}."}
    checks = [{"type": "contains", "value": "{{city}}", "metric": "named"}]
    return {
        "id": own_id or f"row-{test}-{prompt}",
        "promptIdx": prompt,
        "testIdx": test,
        "promptId": f"prompt-{prompt % 2}",
        "prompt": {"raw": f"{PROMPTS[prompt % 2]}: {city}?", "label": PROMPTS[prompt % 2]},
        "provider": {"id": "fake:a", "label": f"model-{'ab'[prompt // 2]}"},
        "vars": {"city": city},
        "testCase": {"vars": {"city": city}, "assert": checks},
        "response": response,
        "success": failure == 0,
        "score": 0 if failure == 2 else score,
        "failureReason": failure,
        "namedScores": {} if failure == 2 else {"named": score},
        "gradingResult": None
        if failure == 2
        else {
            "pass": failure == 0,
            "score": score,
            "reason": "graded",
            "namedScoreWeights": {"named": 2},
        },
        "latencyMs": 12,
        "cost": 0.001,
        "tokenUsage": {"prompt": 4, "completion": 7, "total": 11},
        **({"error": "503 upstream"} if failure == 2 else {}),
        **fields,
    }


def write_promptfoo(path: Path, results: list[dict[str, Any]], name: str = "eval-1") -> Path:
    """A results file of version 3."""
    stats = {
        "successes": sum(it["failureReason"] == 0 for it in results),
        "failures": sum(it["failureReason"] == 1 for it in results),
        "errors": sum(it["failureReason"] == 2 for it in results),
    }
    document = {
        "evalId": name,
        "results": {"version": 3, "prompts": [], "results": results, "stats": stats},
        "config": {"description": "cities", "env": {"API_KEY": "sk-secret"}},
        "metadata": {"promptfooVersion": "0.121.20"},
    }
    path.write_text(json.dumps(document))
    return path


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def write_promptfoo_database(path: Path, results: list[dict[str, Any]], name: str) -> Path:
    """The tool's database, with the tables and columns that hold results."""
    columns = {
        "id": "id", "prompt_idx": "promptIdx", "test_idx": "testIdx", "test_case": "testCase",
        "prompt": "prompt", "prompt_id": "promptId", "provider": "provider",
        "latency_ms": "latencyMs", "cost": "cost", "response": "response", "error": "error",
        "failure_reason": "failureReason", "success": "success", "score": "score",
        "grading_result": "gradingResult", "named_scores": "namedScores",
    }  # fmt: skip
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE evals (id, created_at, description, results, config, prompts)")
    connection.execute(f"CREATE TABLE eval_results (eval_id, {', '.join(columns)})")
    connection.execute("INSERT INTO evals VALUES (?, 1, 'cities', '{}', '{}', '[]')", (name,))
    marks = ", ".join("?" * (len(columns) + 1))
    for result in results:
        values = [result.get(field) for field in columns.values()]
        plain = [json.dumps(it) if isinstance(it, (dict, list)) else it for it in values]
        connection.execute(f"INSERT INTO eval_results VALUES ({marks})", (name, *plain))  # noqa: S608
    connection.commit()
    connection.close()
    return path


def inspect_sample(number: int, epoch: int = 1, value: Any = "C", **fields: Any) -> dict[str, Any]:
    """One sample of a log of Inspect."""
    return {
        "id": number,
        "epoch": epoch,
        "input": f"What is {number} + 1?",
        "target": str(number + 1),
        "messages": [{"role": "user", "content": f"What is {number} + 1?"}],
        "output": {
            "model": "gpt-x-2025",
            "choices": [{"message": {"content": str(number + 1)}, "stop_reason": "stop"}],
        },
        "scores": {"match": {"value": value, "answer": str(number + 1), "explanation": "same"}},
        "model_usage": {"openai/gpt-x": {"input_tokens": 9, "output_tokens": 1}},
        "total_time": 0.5,
        "uuid": f"uuid-{number}-{epoch}",
        **fields,
    }


def tool_sample(number: int) -> dict[str, Any]:
    """A sample whose model called a tool."""
    call = {"id": "1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}
    asked = {"role": "user", "content": "List the files."}
    answer = {"role": "assistant", "content": "", "tool_calls": [call]}
    result = {"role": "tool", "content": "a.txt", "tool_call_id": "1", "function": "bash"}
    return inspect_sample(number, messages=[asked, answer, result])


def inspect_log(samples: list[dict[str, Any]], **about: Any) -> dict[str, Any]:
    """A log of Inspect as one document."""
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": "ev-1",
            "run_id": "run-1",
            "created": "2025-09-23T08:09:58+00:00",
            "task": "sums",
            "task_id": "task-1",
            "dataset": {"name": "sums"},
            "model": "openai/gpt-x",
            "config": {"epochs": 1},
            "packages": {"inspect_ai": "0.3.133"},
            **about,
        },
        "results": {"total_samples": len(samples), "completed_samples": len(samples)},
        "samples": samples,
    }


def write_json(path: Path, document: Any) -> Path:
    """A JSON document."""
    path.write_text(json.dumps(document))
    return path


def write_archive(path: Path, log: dict[str, Any]) -> Path:
    """A log of Inspect as an ``.eval`` archive."""
    with zipfile.ZipFile(path, "w") as archive:
        header = {name: value for name, value in log.items() if name != "samples"}
        archive.writestr("_journal/start.json", json.dumps(header))
        for sample in log["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
        archive.writestr("header.json", json.dumps(header))
    return path


def lm_eval_line(doc: int, applied: str = "strict", right: float = 1.0) -> dict[str, Any]:
    """A line of samples of a generation with filters."""
    return {
        "doc_id": doc,
        "doc": {"question": f"{doc} + 1?"},
        "target": str(doc + 1),
        "arguments": {"gen_args_0": {"arg_0": f"Q: {doc} + 1?\nA:", "arg_1": {"until": ["\n"]}}},
        "resps": [[f"It is {doc + 1}"]],
        "filtered_resps": [str(doc + 1)],
        "filter": applied,
        "metrics": ["exact_match"],
        "doc_hash": f"d{doc}",
        "prompt_hash": f"p{doc}",
        "target_hash": f"t{doc}",
        "exact_match": right,
    }


def lm_eval_choice(doc: int, likelihoods: list[float], gold: int) -> dict[str, Any]:
    """A line of samples of a multiple-choice task, where replies are pairs of texts."""
    options = [f" option {at}" for at in range(len(likelihoods))]
    best = likelihoods.index(max(likelihoods))
    return {
        **lm_eval_line(doc, "none"),
        "target": str(gold),
        "arguments": {
            f"gen_args_{at}": {"arg_0": f"Q{doc}", "arg_1": option}
            for at, option in enumerate(options)
        },
        "resps": [[[str(value), "False"]] for value in likelihoods],
        "filtered_resps": [[str(value), "False"] for value in likelihoods],
        "metrics": ["acc"],
        "acc": float(best == gold),
    }


def deepeval_case(name: str, score: float, **fields: Any) -> dict[str, Any]:
    """A test case of DeepEval with one metric."""
    return {
        "name": name,
        "input": f"Question of {name}?",
        "actualOutput": "An answer.",
        "expectedOutput": "The answer.",
        "success": score >= 0.5,
        "metricsData": [
            {
                "name": "Faithfulness",
                "score": score,
                "threshold": 0.5,
                "success": score >= 0.5,
                "reason": "Well founded.",
                "evaluationModel": "judge-x",
                "evaluationCost": 0.002,
            }
        ],
        **fields,
    }
