"""Human scores of generated pages against what Benchmaker makes of them: rank correlations.

    python benchmarks/human_pages.py FOLDER [--workers N] [--run RUN [--home DIR]] [--json FILE]

FOLDER holds ``pages`` (HTML files), ``human_scores.json`` (a list with ``LLM`` and
``Final-Score``) and ``model_to_page.json``, as the folder ``kcores_solar-system`` does. Each page
is rendered and scored by ``code_judge`` without a judge. The interval is that of Bonett and Wright
(2000) for Spearman's rank correlation, and Fieller's for Kendall's.

With ``--run`` nothing is rendered here: the figures are those of a run in which the same files
were judged, with the judge and without:

    benchmaker code judge FOLDER/pages/*.html --prompt "…" --vision --judge MODEL
    benchmaker code judge FOLDER/pages/*.html --prompt "…" --recorded-judge FILE
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker import results
from benchmaker.arenas.code.prepare import Pages
from benchmaker.engine.requests.preparing import PrepareRequest, rendering_key
from benchmaker.errors import RenderError
from benchmaker.record import Completion, Outcome, Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.scoring.code import score_probe, total
from benchmaker.spec import Case
from benchmaker.stats.agreement.correlation import Correlation, kendall, spearman

CASE = Case(id="page", prompt="A solar system.")
ALIASES = {
    "GPT-4.5-preview": "GPT-4.5-Preview",
    "Gemma-3-27B-BF16": "Gemma-3-27B-it-BF16",
    "Llama-4-Maverick": "Llama-4-Maverick-17B-128E(402B)",
    "Llama-4-Scout": "Llama-4-Scout-17B-16E(109B)",
    "OpenAI-o3-mini": "OpenAI-o3-mini-high",
    "QwQ-32B-BF16": "Qwen-QwQ-32B-BF16",
    "claude-3.5-sonnet": "Claude-3.5-Sonnet",
    "kimi-1.5-long-thinking": "kimi-k1.5-long-thinking",
}
"""What the scores call a model where its page calls it otherwise."""
JUDGED = ("visual", "code")
"""What a judge gives levels for; the rest is measured."""
HALF = 50.0
BROKEN = {"error_on_load", "hang", "blank"}


class Scored(NamedTuple):
    """One page: whose it is, what people gave it, and each figure that was made of it."""

    model: str
    human: float
    figures: dict[str, float]
    outcome: str
    flags: tuple[str, ...]


def read(folder: Path) -> list[tuple[str, float, Path]]:
    """Each model with its human score and the file of its page."""
    given = json.loads((folder / "human_scores.json").read_text(encoding="utf-8"))
    human = {row["LLM"]: float(row["Final-Score"]) for row in given}
    pages = json.loads((folder / "model_to_page.json").read_text(encoding="utf-8"))
    return [
        (model, human[ALIASES.get(model, model)], folder / "pages" / page)
        for model, page in sorted(pages.items())
    ]


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


async def scored(folder: Path, *, workers: int, most: int | None = None) -> list[Scored]:
    """Every page with its figures."""
    pages = Pages(workers=workers)
    slots = asyncio.Semaphore(workers)

    async def one(model: str, human: float, page: Path) -> Scored:
        async with slots:
            ready = await _prepared(pages, model, await asyncio.to_thread(_text, page))
        found = score_probe(ready)
        figures = {"total": total(found.values) or 0.0} | {
            name: value for name, value in found.values.items() if value is not None
        }
        outcome = ready.report.outcome.value if ready.report else "no code"
        return Scored(model, human, figures, outcome, found.flags)

    try:
        return list(await asyncio.gather(*(one(*it) for it in read(folder)[:most])))
    finally:
        await pages.close()


async def _prepared(pages: Pages, model: str, text: str) -> PreparedAnswer:
    trial = Trial(
        run_id="r",
        case_id=CASE.id,
        model=model,
        position=0,
        outcome=Outcome.SCORED,
        completion=Completion(text=text),
    )
    wish = PrepareRequest(CASE, trial)
    begun = await pages.begin(wish)
    place = await pages.place()
    for is_last in (False, False, True):
        try:
            made = await pages.make(
                wish, begun, key=rendering_key(begun.content or "", place), place=place
            )
        except RenderError:
            if is_last:
                raise
        else:
            return PreparedAnswer(artifact=begun.artifact, rendering=made.rendering)
    raise AssertionError


def judged(folder: Path, run: str, home: Path | None) -> list[Scored]:
    """The pages of a run of ``benchmaker code judge``; those that it left unscored are left out."""
    kept = {trial.model: trial for trial in results(run, home=home).trials()}
    return [
        _of_trial(model, human, kept[page.name])
        for model, human, page in read(folder)
        if kept[page.name].score is not None and kept[page.name].score.score is not None
    ]


def _of_trial(model: str, human: float, trial: Trial) -> Scored:
    """The probe's figures under its own names, the judge's with ``judged`` before them."""
    detail = trial.score.detail
    probe = {name: it["value"] for name, it in detail["probe"].items()}
    with_judge = {f"judged {name}": detail["criteria"][name]["value"] for name in JUDGED}
    figures = {
        "total": total(probe),
        **probe,
        "judged total": detail["total"],
        **with_judge,
    }
    known = {name: value for name, value in figures.items() if value is not None}
    return Scored(model, human, known, detail["outcome"], trial.score.flags)


def correlations(rows: list[Scored]) -> dict[str, tuple[Correlation, Correlation]]:
    """Spearman's and Kendall's of each figure with the human scores."""
    found = {}
    for name in dict.fromkeys(name for row in rows for name in row.figures):
        known = [row for row in rows if name in row.figures]
        sides = [row.figures[name] for row in known], [row.human for row in known]
        found[name] = spearman(*sides), kendall(*sides)
    return found


def told(rows: list[Scored]) -> str:
    """The table, in Markdown."""
    lines = [
        "| figure | pages | Spearman (95%) | Kendall τ-b (95%) |",
        "|---|---|---|---|",
    ]
    for name, both in correlations(rows).items():
        cells = [_cell(it) for it in both]
        lines.append(f"| {name} | {both[0].n} | {cells[0]} | {cells[1]} |")
    low = [row for row in rows if row.human <= HALF]
    high = [row for row in rows if row.human > HALF]
    caught = [sum(bool(BROKEN & set(row.flags)) for row in side) for side in (low, high)]
    lines.append("")
    lines.append(
        f"{len(rows)} pages. Flagged as broken: {caught[0]} of {len(low)} with at most 50 points "
        f"by people, {caught[1]} of {len(high)} with more."
    )
    return "\n".join(lines)


def _cell(it: Correlation) -> str:
    if it.value is None or it.low is None or it.high is None:
        return it.reason
    return f"{it.value:.2f} ({it.low:.2f} to {it.high:.2f})"


def main() -> None:
    """Score the pages and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--run", help="a run of benchmaker code judge over the same files")
    parser.add_argument("--home", type=Path, help="its data folder")
    parser.add_argument("--json", type=Path, help="write every page's figures into this file")
    given: Any = parser.parse_args()
    if given.run:
        rows = judged(given.folder, given.run, given.home)
    else:
        rows = asyncio.run(scored(given.folder, workers=given.workers))
    if given.json:
        given.json.write_text(json.dumps([row._asdict() for row in rows], indent=1))
    print(told(rows))


if __name__ == "__main__":
    main()
