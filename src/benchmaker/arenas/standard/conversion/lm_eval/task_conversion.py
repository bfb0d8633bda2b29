"""A task or a group of lm-evaluation-harness as a suite."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import DraftSuite, NotTranslated
from benchmaker.arenas.standard.conversion.lm_eval.contexts import ContextBuilder, Question
from benchmaker.arenas.standard.conversion.lm_eval.scoring import (
    TaskScoring,
    golds_of,
    is_corpus_metric,
    metrics_of,
    scoring_of,
    unused_keys,
)
from benchmaker.arenas.standard.conversion.lm_eval.task_files import TaskFile, task_files
from benchmaker.arenas.standard.conversion.original_file import Keys
from benchmaker.errors import SpecError
from benchmaker.scoring.extract.options import LETTERS

TOOL = "lm-eval"
MAX_TOKENS = 256
"""The limit of an answer in the harness unless a task says otherwise."""

_USED = frozenset(
    {"task", "task_alias", "tag", "group", "dataset_path", "dataset_name", "dataset_kwargs",
     "training_split", "validation_split", "test_split", "fewshot_split", "doc_to_text",
     "doc_to_target", "doc_to_choice", "description", "target_delimiter",
     "fewshot_delimiter", "fewshot_config", "num_fewshot", "metric_list", "output_type",
     "generation_kwargs", "filter_list", "gen_prefix", "metadata", "should_decontaminate",
     "doc_to_decontamination_query", "unsafe_code"}
)  # fmt: skip
_PREPARING = ("process_docs", "custom_dataset", "doc_to_text", "doc_to_choice", "description",
              "gen_prefix", "fewshot_config", "dataset_kwargs", "doc_to_target")  # fmt: skip
_SAME = ("temperature", "top_p", "top_k", "min_p", "seed")
_LIMITS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
_MOST_STOPS = 16
_OF_CHOICES = {"temperature": 0}


def convert_task(path: Path) -> DraftSuite:
    """Return the suite of a task file, or of the tasks of a group.

    Raises:
        SpecError: documents or prompts are made by Python functions, data are missing, or the
            tasks of a group have different parameters.
    """
    tasks = task_files(path)
    draft = DraftSuite(TOOL, path.name)
    several = len(tasks) > 1
    name = path.stem if several else tasks[0].name
    draft.header = {"name": name[:200], "profile": "robust"}
    for task in tasks:
        _add_task(task, draft, several=several)
    _lift_checks(draft)
    return draft


def _add_task(task: TaskFile, draft: DraftSuite, *, several: bool) -> None:
    _refuse_functions(task)
    _note_keys(task, draft)
    _set_parameters(task, draft)
    try:
        cases = list(_cases(task, draft))
    except NotTranslated as exc:
        raise SpecError(
            f"the task {task.name} is not carried over: {exc}.", where=str(task.path)
        ) from exc
    draft.cases += [_of_group(task, it) for it in cases] if several else cases


def _of_group(task: TaskFile, case: dict[str, Any]) -> dict[str, Any]:
    """A case of a task of a group, under an id that is unique in the group."""
    return {**case, "id": f"{task.name}/{case['id']}"[:512], "category": task.name[:200]}


def _refuse_functions(task: TaskFile) -> None:
    """Refuse a task whose documents or prompts are made by Python functions."""
    found = [
        f"{'.'.join(map(str, keys))}: {name}" for keys, name in task.functions()
        if keys[0] in _PREPARING
    ]  # fmt: skip
    if found:
        raise SpecError(
            f"Python functions make its documents or prompts, and are not run: {', '.join(found)}.",
            where=str(task.path),
            hint="Write the documents that they make into a file beside the task, and remove them.",
        )
    kind = task.values.get("output_type", "generate_until")
    if kind not in {"generate_until", "multiple_choice"}:
        raise SpecError(f"tasks of the type {kind} have no counterpart.", where=str(task.path))
    for key in ("doc_to_image", "doc_to_audio", "use_prompt"):
        if task.values.get(key) is not None:
            raise SpecError(f"{key} has no counterpart.", where=str(task.path))


def _note_keys(task: TaskFile, draft: DraftSuite) -> None:
    for key in task.values:
        if key == "process_results":
            what = "the Python function of the results is not run: its cases have no verdict"
            draft.omit(("checks",), task.omission((key,), what))
        elif key == "repeats":
            if task.values[key] != 1:
                what = "repeat the suite when you run it: --runs"
                draft.omit((), task.omission((key,), what))
        elif key not in _USED:
            draft.omit((), task.omission((key,), f"{key} has no counterpart"))


def _set_parameters(task: TaskFile, draft: DraftSuite) -> None:
    """Set the parameters of generated answers; choices are read under any of them."""
    made = _parameters(task, draft)
    before = draft.header.get("parameters", _OF_CHOICES)
    if before == _OF_CHOICES:
        draft.header["parameters"] = made
    elif made not in (before, _OF_CHOICES):
        raise SpecError(
            "the tasks of the group have different parameters.",
            where=str(task.path),
            hint="Convert each task on its own.",
        )


def _parameters(task: TaskFile, draft: DraftSuite) -> dict[str, Any]:
    if task.values.get("output_type") == "multiple_choice":
        return dict(_OF_CHOICES)
    given = task.values.get("generation_kwargs")
    options = dict(given) if isinstance(given, Mapping) else {}
    until = options.pop("until", [task.values.get("fewshot_delimiter", "\n\n")])
    options.pop("do_sample", None)
    made: dict[str, Any] = {"temperature": 0, "max_tokens": MAX_TOKENS}
    for key, value in options.items():
        if key in _SAME and isinstance(value, (int, float)):
            made[key] = value
        elif key in _LIMITS and type(value) is int:
            made["max_tokens"] = value
        else:
            where = task.omission(("generation_kwargs", key), f"no parameter is like {key}")
            draft.omit(("parameters",), where)
    stops = [it for it in ([until] if isinstance(until, str) else until or ()) if it]
    if len(stops) > _MOST_STOPS:
        where = task.omission(("generation_kwargs", "until"), f"only {_MOST_STOPS} stops are sent")
        draft.omit(("parameters",), where)
    return made | ({"stop": stops[:_MOST_STOPS]} if stops else {})


def _cases(task: TaskFile, draft: DraftSuite) -> Iterator[dict[str, Any]]:
    if task.values.get("output_type") == "multiple_choice":
        yield from _choice_cases(task, draft)
        return
    scoring = scoring_of(task)
    _note_scoring(scoring, draft)
    is_foreign = "process_results" in task.values
    for place, question in enumerate(ContextBuilder(task).questions()):
        made: dict[str, Any] = {"id": str(place), "prompt": question.prompt}
        if is_foreign:
            reason = "the Python function of the results is not run"
            yield {**made, "checks": [{"type": "no_verdict", "reason": reason}]}
            continue
        made["expected"] = _one_or_several(scoring.expected_texts(question))
        document = question.document if scoring.needs_choices else None
        yield {**made, "checks": scoring.checks(document)}


def _one_or_several(texts: list[str]) -> Any:  # noqa: ANN401  a text or a list
    return texts[0] if len(texts) == 1 else texts


def _note_scoring(scoring: TaskScoring, draft: DraftSuite) -> None:
    """Note the filters and metrics that are not carried over."""
    task = scoring.task
    if "process_results" in task.values:
        return
    for pipeline in scoring.pipelines:
        if pipeline.fault is not None:
            keys, reason = pipeline.fault
            draft.omit(("checks",), task.omission(keys, f"the filter {pipeline.name}: {reason}"))
    for metric in scoring.metrics:
        if is_corpus_metric(metric.name):
            what = f"{metric.name} is computed for each answer, not over all of them together"
            draft.omit(("checks",), task.omission(metric.keys, what))
        elif metric.name != "exact_match":
            what = f"no check is similar to the metric {metric.name}"
            draft.omit(("checks",), task.omission(metric.keys, what))
        for key in unused_keys(metric):
            where = task.omission((*metric.keys, key), f"{key} of {metric.name} is not used")
            draft.omit(("checks",), where)
        _note_aggregation(task, metric.values, metric.keys, draft)


def _note_aggregation(
    task: TaskFile,
    values: Mapping[str, Any],
    keys: Keys,
    draft: DraftSuite,
) -> None:
    name = values.get("aggregation", "mean")
    metric = str(values.get("metric"))
    if name != "mean" and not (is_corpus_metric(metric) and name == metric):
        what = f"the aggregation {str(name).removeprefix('!function ')} is not used, but the mean"
        draft.omit(("checks",), task.omission((*keys, "aggregation"), what))


def _choice_cases(task: TaskFile, draft: DraftSuite) -> Iterator[dict[str, Any]]:
    """The cases of a task that compares the likelihoods of its choices."""
    by_letters = True
    for place, question in enumerate(ContextBuilder(task).questions()):
        choices = question.choices
        if not choices:
            raise NotTranslated("the task has no doc_to_choice")
        if not 1 < len(choices) <= len(LETTERS):
            raise NotTranslated(f"a document has {len(choices)} choices")
        is_lettered = [it.strip() for it in choices] == list(LETTERS[: len(choices)])
        by_letters = by_letters and is_lettered
        yield {
            "id": str(place),
            "prompt": question.prompt,
            "choices": choices,
            "expected": _one_or_several([LETTERS[it] for it in _gold_places(question)]),
            "scorer": {"id": "choice", "whole": True} | ({"by": "auto"} if is_lettered else {}),
        }
    _note_choices(task, draft, by_letters=by_letters)


def _gold_places(question: Question) -> list[int]:
    """The places of the right choices."""
    choices, target = question.choices or [], question.target
    if isinstance(target, (list, tuple)):
        places = [it for it in target if isinstance(it, int) and 0 <= it < len(choices)]
    elif isinstance(target, int):
        places = [target] if 0 <= target < len(choices) else []
    else:
        places = [choices.index(it) for it in golds_of(question) if it in choices]
    if not places:
        raise NotTranslated("a target lies outside of the choices")
    return places


def _note_choices(task: TaskFile, draft: DraftSuite, *, by_letters: bool) -> None:
    if not by_letters:
        what = (
            "the likelihoods of the choices' texts are not compared; a generated answer that is "
            "none of them, word for word, has no score"
        )
        key = "output_type" if "output_type" in task.values else "doc_to_choice"
        draft.omit(("cases",), task.omission((key,), what))
    for metric in metrics_of(task):
        is_same = metric.name == "acc" or (metric.name in {"acc_norm", "acc_bytes"} and by_letters)
        if not is_same:
            what = f"the metric {metric.name} has no counterpart"
            draft.omit(("cases",), task.omission(metric.keys, what))


def _lift_checks(draft: DraftSuite) -> None:
    """Move checks, a scorer or choices that all cases share into the suite."""
    for name in ("checks", "scorer"):
        values = [one.get(name) for one in draft.cases]
        if values and values[0] and all(it == values[0] for it in values):
            draft.header[name] = values[0]
            for one in draft.cases:
                del one[name]
