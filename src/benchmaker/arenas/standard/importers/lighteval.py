"""lighteval: details of a task as Parquet, with the results file of the run."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedEvaluation,
    ImportedRow,
    PrintedFigure,
    as_score,
    turn,
    within_scale,
)
from benchmaker.arenas.standard.importers.lm_eval import letter
from benchmaker.arenas.standard.importers.reading import (
    FILES,
    Tally,
    a_dict,
    a_list,
    as_text,
    load_json,
    texts_of,
    without,
)
from benchmaker.errors import SpecError
from benchmaker.spec.documents.parquet import read_parquet

_MAGIC = b"PAR1"
_NAME = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.\-]+)\.parquet$")
_STDERR = "_stderr"


class Lighteval:
    """Details of lighteval: a row for each document, with its metrics."""

    tool = "lighteval"

    def claims(self, path: Path, start: bytes) -> bool:
        """By the name of a Parquet file, whose columns stand at its end."""
        return start.startswith(_MAGIC) and _NAME.match(path.name) is not None

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of a file: one task with one model."""
        found = _NAME.match(path.name)
        task, date = (found["task"], found["date"]) if found else (path.stem, "")
        results = _results_of(path, date)
        general = a_dict(results.get("config_general"))
        model = as_text(general.get("model_name")) or _model_by_folder(path) or "unknown"
        yield ImportedEvaluation(
            tool="lighteval",
            task=task,
            id=date,
            known={"task": task, "model": model},
            figures=tuple(_figures(results, task, model)),
            header=without({"config_general": general}),
            files=(path.name,),
            rows=tally.count_all(_rows(path, model, tally)),
        )


def _parts_below_details(path: Path) -> tuple[Path, tuple[str, ...]] | None:
    """The folder of the output, and the parts of the model's name in the path of the details."""
    for folder in path.parents:
        if folder.name == "details":
            return folder.parent, path.parent.relative_to(folder).parts[:-1]
    return None


def _model_by_folder(path: Path) -> str:
    found = _parts_below_details(path)
    return "/".join(found[1]) if found else ""


def _results_of(path: Path, date: str) -> dict[str, Any]:
    """The results file of the same run; empty if it is not there."""
    folders = [path.parent]
    if found := _parts_below_details(path):
        output, model = found
        folders.append(output.joinpath("results", *model))
    for folder, end in product(folders, ("", ".gz")):
        if (one := folder / f"results_{date}.json{end}").is_file():
            with suppress(SpecError):
                return a_dict(load_json(one))
    return {}


def _rows(path: Path, model: str, tally: Tally) -> Iterator[ImportedRow]:
    for number, given in read_parquet(path, limits=FILES):
        document = a_dict(given.get("doc"))
        if not document or not a_dict(given.get("metric")):
            tally.refuse(f"row {number}: no document or no metric.")
            continue
        yield _row(given, document, number, model)


def _row(given: dict[str, Any], document: dict[str, Any], number: int, model: str) -> ImportedRow:
    scores = {
        f"lighteval/{name}": as_score(value) for name, value in a_dict(given["metric"]).items()
    }
    main = next((name for name, value in scores.items() if value is not None), "")
    reply = a_dict(given.get("model_response"))
    choices = tuple(text.strip() for text in texts_of(document.get("choices")))
    values = [as_score(one) for one in a_list(reply.get("logprobs"))]
    is_choice = len(choices) > 1 and len(values) == len(choices)
    return ImportedRow(
        case=_case(document, choices, number, is_choice=is_choice),
        model=model,
        output=_likeliest(values) if is_choice else next(iter(texts_of(reply.get("text"))), None),
        scores=scores,
        score=within_scale(scores.get(main)),
        scorer=main,
        rest={
            "row": number,  # lighteval shuffles documents, and adds scores up in that order
            "doc": without(document, "query", "choices"),
            "model_response": without(reply),
        },
    )


def _case(
    document: dict[str, Any], choices: tuple[str, ...], number: int, *, is_choice: bool
) -> ImportedCase:
    gold = document.get("gold_index")
    places = [int(one) for one in (gold if isinstance(gold, list) else [gold]) if one is not None]
    right = [at for at in places if 0 <= at < len(choices)]
    return ImportedCase(
        id=as_text(document.get("id")) or str(number),
        messages=(turn("user", as_text(document.get("query"))),),
        expected=tuple(letter(at) if is_choice else choices[at] for at in right),
        choices=choices if is_choice else (),
    )


def _likeliest(values: list[float | None]) -> str | None:
    known = [one for one in values if one is not None]
    return letter(values.index(max(known))) if len(known) == len(values) else None


def _figures(results: dict[str, Any], task: str, model: str) -> Iterator[PrintedFigure]:
    for key, value in a_dict(a_dict(results.get("results")).get(task)).items():
        metric = "stderr" if key.endswith(_STDERR) else "mean"
        yield PrintedFigure(
            scorer=f"lighteval/{key.removesuffix(_STDERR)}",
            metric=metric,
            value=as_score(value),
            model=model,
            task=task,
        )
