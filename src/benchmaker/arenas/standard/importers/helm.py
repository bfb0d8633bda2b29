"""HELM: the folder of a run, with its requests and statistics."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedEvaluation,
    ImportedRow,
    PrintedFigure,
    as_score,
    turn,
    within_scale,
)
from benchmaker.arenas.standard.importers.reading import (
    Tally,
    a_dict,
    a_list,
    as_text,
    load_json,
    without,
)
from benchmaker.errors import SpecError
from benchmaker.record import Outcome, Usage

STATE: Final = "scenario_state.json"
"""The file by which the folder of a run is recognised."""

PARTS: Final = frozenset(
    {
        STATE, "run_spec.json", "scenario.json", "stats.json", "per_instance_stats.json",
        "instances.json", "display_predictions.json", "display_requests.json",
    }
)  # fmt: skip
"""The files of a run's folder."""

_MAIN = (
    "exact_match", "quasi_exact_match", "final_number_exact_match", "math_equiv",
    "math_equiv_chain_of_thought", "ifeval_strict_accuracy", "chain_of_thought_correctness",
    "classification_macro_f1", "f1_score", "rouge_l", "bleu_4",
)  # fmt: skip
"""The statistics that score an answer, the main one first."""

_CORRECT = "correct"


def is_state(path: Path) -> bool:
    """True for the file by which the folder of a run is recognised, compressed or not."""
    return path.name.removesuffix(".gz") == STATE


class _Place(NamedTuple):
    """An instance, perturbed or not, in one train trial."""

    instance: str
    perturbation: str
    trial: int


class Helm:
    """Runs of HELM; train trials are repeats."""

    tool = "helm"

    def claims(self, path: Path, start: bytes) -> bool:
        """By the name of the requests' file, and its keys."""
        return is_state(path) and b'"adapter_spec"' in start

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of the folder with this file."""
        folder, state = path.parent, a_dict(load_json(path, tally))
        about = _optional(folder / "run_spec.json", tally)
        adapter = a_dict(about.get("adapter_spec")) or a_dict(state.get("adapter_spec"))
        model = as_text(adapter.get("model") or adapter.get("model_deployment")) or "unknown"
        name = as_text(about.get("name")) or folder.name
        statistics = _by_place(_optional_list(folder / "per_instance_stats.json", tally))
        states = a_list(state.get("request_states"))
        if not states:
            raise SpecError("the run has no requests.", where=str(path))
        yield ImportedEvaluation(
            tool="helm",
            task=_task(name),
            known={"run": name, "model": model},
            parameters=_parameters(adapter),
            figures=tuple(_figures(_optional_list(folder / "stats.json", tally), model)),
            header=without({"run_spec": about, "scenario": _optional(folder / "scenario.json")}),
            files=(folder.name,),
            rows=tally.count_all(_rows(states, statistics, model, name, tally)),
        )


def _optional(path: Path, tally: Tally | None = None) -> dict[str, Any]:
    """The object of a file beside the requests; empty, with a note, if it can't be read."""
    return a_dict(_read(path, tally))


def _optional_list(path: Path, tally: Tally) -> list[Any]:
    return a_list(_read(path, tally))


def _read(path: Path, tally: Tally | None) -> Any:  # noqa: ANN401  any JSON
    packed = path.with_name(f"{path.name}.gz")
    try:
        return load_json(packed if packed.is_file() and not path.is_file() else path)
    except SpecError as exc:
        if tally is not None:
            tally.note(f"{path.name}: {exc.findings[0].message if exc.findings else exc.message}")
        return None


def _task(name: str) -> str:
    """The scenario with its arguments, without the model.

    >>> _task("mmlu:subject=anatomy,model=openai_gpt")
    'mmlu:subject=anatomy'
    """
    scenario, _, arguments = name.partition(":")
    kept = [one for one in arguments.split(",") if one and not one.startswith("model")]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


def _rows(
    states: list[Any], statistics: dict[_Place, list[Any]], model: str, name: str, tally: Tally
) -> Iterator[ImportedRow]:
    groups: dict[_Place, list[dict[str, Any]]] = {}
    for number, state in enumerate(states, 1):
        instance = a_dict(a_dict(state).get("instance"))
        if instance.get("id") is None:
            tally.refuse(f"request state {number}: no instance.")
            continue
        place = _Place(
            as_text(instance["id"]),
            _perturbation(instance.get("perturbation")),
            int(as_score(state.get("train_trial_index")) or 0),
        )
        groups.setdefault(place, []).append(state)
    for place, some in groups.items():
        yield _row(place, some, statistics.get(place, []), model, name)


def _row(
    place: _Place, states: list[dict[str, Any]], statistics: list[Any], model: str, name: str
) -> ImportedRow:
    first = states[0]
    result = a_dict(first.get("result"))
    failed = next((it for it in states if a_dict(it.get("result")).get("success") is False), None)
    completions = a_list(result.get("completions"))
    scores = {} if failed else _scores(statistics)
    main = next((it for it in _MAIN if scores.get(f"helm/{it}") is not None), "")
    scorer = f"helm/{main}" if main else next(iter(scores), "")
    return ImportedRow(
        case=_case(place, first),
        model=model,
        epoch=place.trial + 1,
        output=None if failed or not completions else as_text(a_dict(completions[0]).get("text")),
        scores=scores,
        score=within_scale(scores.get(f"helm/{main}")) if main else None,
        scorer=scorer,
        outcome=Outcome.PROVIDER_ERROR if failed else Outcome.SCORED,
        error=as_text(a_dict(failed.get("result")).get("error")) if failed else None,
        usage=_usage(scores),
        latency_s=as_score(result.get("request_time")),
        identity=[name, *place, [[it.get("request"), it.get("result")] for it in states]],
        lines=len(states),
        rest=_rest_of(states),
    )


def _rest_of(states: list[dict[str, Any]]) -> dict[str, Any]:
    known = ("instance", "train_trial_index")
    requests = [without(one, *known) for one in states]
    return {"request_states": requests, **without(a_dict(states[0].get("instance")), "id")}


def _case(place: _Place, state: dict[str, Any]) -> ImportedCase:
    instance, request = a_dict(state.get("instance")), a_dict(state.get("request"))
    right = [
        as_text(a_dict(one.get("output")).get("text"))
        for one in map(a_dict, a_list(instance.get("references")))
        if _CORRECT in a_list(one.get("tags"))
    ]
    letters = a_dict(state.get("output_mapping"))
    mapping = {str(key): as_text(value) for key, value in letters.items()}
    choices, expected = _choices(mapping, right)
    question = as_text(request.get("prompt")) or as_text(a_dict(instance.get("input")).get("text"))
    messages = [
        turn(as_text(one.get("role")), as_text(one.get("content")))
        for one in map(a_dict, a_list(request.get("messages")))
    ]
    changed = f"/{place.perturbation}" if place.perturbation else ""
    return ImportedCase(
        id=f"{place.instance}{changed}",
        messages=tuple(messages) or (turn("user", question),),
        expected=expected,
        choices=choices,
        group=place.instance if changed else None,
        category=as_text(instance.get("sub_split")) or None,
    )


def _choices(mapping: dict[str, str], right: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options by letter, and the letters of the right ones; texts without a mapping."""
    if not mapping:
        return (), tuple(right)
    letters = sorted(mapping)
    return (
        tuple(mapping[one] for one in letters),
        tuple(one for one in letters if mapping[one] in right),
    )


def _scores(statistics: list[Any]) -> dict[str, float | None]:
    """The means of the statistics, those that score an answer first."""
    found: dict[str, float | None] = {}
    for one in map(a_dict, statistics):
        if one.get("count"):
            found[_name_of(a_dict(one.get("name")))] = as_score(one.get("mean"))
    main = {name: found[name] for it in _MAIN if (name := f"helm/{it}") in found}
    return main | found


def _name_of(name: dict[str, Any]) -> str:
    """The name of a statistic; a perturbation or another split than test is part of it."""
    parts = [as_text(name.get("name"))]
    if as_text(name.get("split")) not in ("", "test"):
        parts.append(f"split={as_text(name['split'])}")
    if changed := _perturbation(name.get("perturbation")):
        parts.append(f"perturbation={changed}")
    return "helm/" + ",".join(parts)


def _perturbation(given: Any) -> str:  # noqa: ANN401  any JSON
    """The name of a perturbation, with what it is computed on; empty without one."""
    known = a_dict(given)
    name = as_text(known.get("name"))
    computed = as_text(known.get("computed_on"))
    return f"{name} ({computed})" if name and computed else name


def _by_place(listed: list[Any]) -> dict[_Place, list[Any]]:
    found: dict[_Place, list[Any]] = {}
    for one in map(a_dict, listed):
        place = _Place(
            as_text(one.get("instance_id")),
            _perturbation(one.get("perturbation")),
            int(as_score(one.get("train_trial_index")) or 0),
        )
        found.setdefault(place, []).extend(a_list(one.get("stats")))
    return found


def _usage(scores: dict[str, float | None]) -> Usage | None:
    """The tokens that HELM counts itself, among its statistics."""
    sent, received = scores.get("helm/num_prompt_tokens"), scores.get("helm/num_output_tokens")
    if not sent and not received:
        return None
    return Usage(
        input_tokens=int(sent) if sent else None,
        output_tokens=int(received) if received else None,
    )


def _parameters(adapter: dict[str, Any]) -> dict[str, Any]:
    return {
        name: adapter[name]
        for name in ("temperature", "max_tokens", "top_p")
        if adapter.get(name) is not None
    }


def _figures(listed: list[Any], model: str) -> Iterator[PrintedFigure]:
    """Yield the means of the statistics, without those of the worst perturbation."""
    for one in map(a_dict, listed):
        given = a_dict(one.get("name"))
        if one.get("count") and not a_dict(given.get("perturbation")).get("computed_on"):
            name = _name_of(given)
            value = as_score(one.get("mean"))
            yield PrintedFigure(scorer=name, metric="mean", value=value, model=model)
