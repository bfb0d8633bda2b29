"""Filters and metrics of a task as checks with the same verdict for each document.

Sources: lm_eval/filters, ``exact_match_hf_evaluate`` in lm_eval/api/metrics.py and
``process_results`` in lm_eval/api/task.py of lm-evaluation-harness 0.4.13.
"""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated
from benchmaker.arenas.standard.conversion.lm_eval.contexts import Question
from benchmaker.arenas.standard.conversion.lm_eval.task_files import TaskFile
from benchmaker.arenas.standard.conversion.original_file import Keys
from benchmaker.scoring.checks.filter_work import apply_filters

Check = dict[str, Any]

FALLBACK = "[invalid]"
_IDENTITIES = frozenset({"take_first", "majority_vote", "take_first_k"})
_BARE = {"remove_whitespace": "trim", "lowercase": "lower", "uppercase": "upper"}
_CORPUS = frozenset({"bleu", "chrf", "f1"})
_MATCH_KEYS = frozenset(
    {"ignore_case", "ignore_punctuation", "ignore_numbers", "regexes_to_ignore"}
)
_NEUTRAL = frozenset({"metric", "aggregation", "higher_is_better", "hf_evaluate"})
_PUNCTUATION = f"[{re.escape(string.punctuation)}]"


class Pipeline(NamedTuple):
    """A filter of a task: its name, its steps, and the place of a step that is not translated."""

    name: str
    steps: tuple[Any, ...]
    needs_choices: bool = False
    fault: tuple[Keys, str] | None = None


class Metric(NamedTuple):
    """A metric of a task by name, with its parameters and its place."""

    name: str
    values: Mapping[str, Any]
    keys: Keys


@dataclass(frozen=True, slots=True)
class TaskScoring:
    """The checks of a task: those of every document, and those of one."""

    task: TaskFile
    pipelines: tuple[Pipeline, ...]
    metrics: tuple[Metric, ...]

    @property
    def match(self) -> Metric | None:
        """The metric ``exact_match``, if the task has it."""
        return next((it for it in self.metrics if it.name == "exact_match"), None)

    @property
    def needs_choices(self) -> bool:
        """True if a filter reads the choices of each document."""
        return any(it.needs_choices for it in self.pipelines)

    def expected_texts(self, question: Question) -> list[str]:
        """Return the texts that count as right, as ``exact_match`` compares them."""
        ignoring = ignoring_filters(self.match.values) if self.match else []
        return [apply_filters(list(ignoring), it) for it in golds_of(question)]

    def checks(self, document: Mapping[str, Any] | None = None) -> list[Check]:
        """Return the checks; the first counts, the others report as metrics."""
        made = [
            it
            for metric in self.metrics
            for pipeline in self.pipelines
            if (it := _check(metric, pipeline, document)) is not None
        ]
        for place, one in enumerate(made):
            if place:
                one["weight"] = 0
        return made


def scoring_of(task: TaskFile) -> TaskScoring:
    """Return the scoring of a task whose answers are generated."""
    given = task.values.get("filter_list")
    listed = given if isinstance(given, list) else [{"name": "none", "filter": []}]
    pipelines = tuple(_pipeline(it, ("filter_list", place)) for place, it in enumerate(listed))
    return TaskScoring(task, pipelines, tuple(metrics_of(task, "exact_match")))


def metrics_of(task: TaskFile, *usual: str) -> list[Metric]:
    """Return the metrics of a task; ``usual`` ones if it names none."""
    given = task.values.get("metric_list")
    if not isinstance(given, list):
        return [Metric(name, {}, ()) for name in usual]
    return [
        Metric(str(one.get("metric")), one, ("metric_list", place))
        for place, one in enumerate(given)
        if isinstance(one, Mapping)
    ]


def golds_of(question: Question) -> list[str]:
    """Return the texts that a document counts as right.

    Raises:
        NotTranslated: the target is no text.
    """
    target = question.target
    if question.choices is not None and isinstance(target, int):
        if not 0 <= target < len(question.choices):
            raise NotTranslated("a target lies outside of the choices")
        return [question.choices[target]]
    if isinstance(target, (list, tuple)):
        return [str(it) for it in target] or [""]
    if isinstance(target, Mapping):
        raise NotTranslated("a target is no text")
    return [str(target)]


def ignoring_filters(values: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the filters that remove what ``exact_match`` ignores.

    >>> ignoring_filters({"ignore_case": True, "regexes_to_ignore": [","]})
    ({'replace': ','}, 'lower')
    """
    made: list[Any] = [{"replace": it} for it in values.get("regexes_to_ignore") or () if it]
    if values.get("ignore_case"):
        made.append("lower")
    if values.get("ignore_punctuation"):
        made.append({"replace": _PUNCTUATION})
    if values.get("ignore_numbers"):
        made.append({"replace": "[0-9]"})
    return tuple(made)


def unused_keys(metric: Metric) -> list[str]:
    """The parameters of a metric that have no counterpart."""
    known = _NEUTRAL | (_MATCH_KEYS if metric.name == "exact_match" else frozenset())
    return [key for key in metric.values if key not in known]


def is_corpus_metric(name: str) -> bool:
    """True for a metric that the harness computes over all documents together."""
    return name in _CORPUS


def _check(metric: Metric, pipeline: Pipeline, document: Mapping[str, Any] | None) -> Check | None:
    """The check of a metric on a filter's text; None for what is named as left out."""
    name = {"metric": f"{metric.name},{pipeline.name}"}
    if pipeline.fault is not None:
        reason = f"the filter {pipeline.name} is not carried over: {pipeline.fault[1]}"
        return {"type": "no_verdict", "reason": reason, **name}
    filters = [_with_choices(it, document) for it in pipeline.steps]
    if metric.name == "exact_match":
        filters += ignoring_filters(metric.values)
        made: Check = {"type": "equals", "keep_spaces": True}
    elif metric.name in _CORPUS:
        made = {"type": metric.name}
    else:
        return {"type": "no_verdict", "reason": f"no check is similar to {metric.name}", **name}
    return {**made, **({"filters": filters} if filters else {}), **name}


def _with_choices(step: Any, document: Mapping[str, Any] | None) -> Any:  # noqa: ANN401  a filter
    if not isinstance(step, Mapping) or "option" not in step:
        return step
    choices = (document or {}).get("choices")
    if not isinstance(choices, Sequence) or isinstance(choices, str):
        raise NotTranslated("multi_choice_regex needs a column choices with a list")
    return {**step, "choices": list(map(str, choices))}


def _pipeline(given: Any, keys: Keys) -> Pipeline:  # noqa: ANN401  any JSON
    name = str(given.get("name", "none")) if isinstance(given, Mapping) else "none"
    listed = given.get("filter") if isinstance(given, Mapping) else None
    steps: list[Any] = []
    for place, one in enumerate(listed or ()):
        try:
            steps += _steps(one)
        except NotTranslated as exc:
            return Pipeline(name, (), fault=((*keys, "filter", place), str(exc)))
    needs_choices = any(isinstance(it, Mapping) and "option" in it for it in steps)
    return Pipeline(name, tuple(steps), needs_choices)


def _steps(given: Any) -> list[Any]:  # noqa: ANN401  a filter of the harness
    function = given.get("function") if isinstance(given, Mapping) else None
    if function in _IDENTITIES:
        if given.get("k", 1) != 1:
            raise NotTranslated(f"{function} of several answers has no counterpart")
        return []
    if function in _BARE:
        return [_BARE[function]]
    if function == "regex":
        return [_find(given)]
    if function == "multi_choice_regex":
        return [_option(given)]
    if function == "map":
        return [_map(given)]
    raise NotTranslated(f"the filter function {function} has no counterpart")


def _find(given: Mapping[str, Any]) -> dict[str, Any]:
    made = {"find": str(given.get("regex_pattern", r"#### (\-?[0-9\.\,]+)"))}
    return made | _selection(given)


def _selection(given: Mapping[str, Any]) -> dict[str, Any]:
    number = given.get("group_select", 0)
    if type(number) is not int:
        raise NotTranslated("group_select is no whole number")
    fallback = str(given.get("fallback", FALLBACK))
    return ({"match": number} if number else {}) | {"otherwise": fallback}


def _option(given: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"option": str(given.get("regex_pattern", r"#### (\-?[0-9\.\,]+)"))}
    made |= _selection(given)
    flags = {key: True for key in ("ignore_case", "ignore_punctuation") if given.get(key)}
    ignored = list(given.get("regexes_to_ignore") or ())
    return made | flags | ({"ignore": ignored} if ignored else {})


def _map(given: Mapping[str, Any]) -> dict[str, Any]:
    mapping = given.get("mapping_dict") or {}
    if not isinstance(mapping, Mapping) or given.get("default_value") is None:
        raise NotTranslated("map without a default value has no counterpart")
    texts = {str(key): str(value) for key, value in mapping.items()}
    return {"map": texts, "otherwise": str(given["default_value"])}
