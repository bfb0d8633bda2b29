"""``benchmaker validate``: all faults of a suite together."""

from collections import Counter
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import say, say_beside, say_hash, say_json, tell
from benchmaker.errors import Finding, SpecError

if TYPE_CHECKING:
    from benchmaker.spec import Suite

_SHOWN = 12


@declare(
    "validate", examples=("benchmaker validate suite.yaml", "benchmaker validate *.yaml --json")
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option("--profile", metavar="NAME", help="Check under this profile instead of the suite's.")
@click.option(
    "--judge", "judges", metavar="MODEL", multiple=True, help="Judge model that the run will use."
)
def command(
    context: Context, *, files: tuple[Path, ...], profile: str | None, judges: tuple[str, ...]
) -> ExitCode:
    """Report all errors in suite files.

    Each error has its file, line, column and remedy. For a suite without errors, the command prints
    its cases, weight, scorers, categories and the content hash that identifies it in every result.

    Everything that would stop a run is an error: a scorer that needs a judge when neither the suite
    nor --judge names one, an empty prompt, or the exact scorer without an expected text. The scorer
    code_judge also runs without a judge; a note says so.
    """
    reports = [_report(file, profile, judges, context.home) for file in files]
    if context.use_json:
        say_json({"files": reports})
    else:
        for report in reports:
            _say(report)
    return ExitCode.OK if all(report["ok"] for report in reports) else ExitCode.USAGE


def _report(file: Path, profile: str | None, judges: tuple[str, ...], home: Path) -> dict[str, Any]:
    from benchmaker.engine.runs.unsent_efforts import note_unsent_efforts
    from benchmaker.scoring.check import load_checked
    from benchmaker.scoring.suite_notes import notes_on

    try:
        suite = load_checked(file, profile=profile)
        unjudged = _refuse_unjudged(suite, judges)
    except SpecError as error:
        findings = error.findings or (_as_finding(file, error),)
        data = list(map(_data, findings))
        return {"file": str(file), "ok": False, "findings": data, "notes": []}
    notes = list(map(_data, [*unjudged, *notes_on(suite), *note_unsent_efforts(suite, home)]))
    return {"file": str(file), "ok": True, **_summed_up(suite), "findings": [], "notes": notes}


def _refuse_unjudged(suite: "Suite", judges: tuple[str, ...]) -> list[Finding]:
    """Raise the error of a run in which a scorer would have no judge, at the suite's scorer.

    If every such scorer also works without judges, return a note instead.
    """
    from benchmaker.engine.judges.judge_makers import asking_scorers, judges_of
    from benchmaker.spec import JudgeSpec
    from benchmaker.spec.documents.findings import refusal

    if not asking_scorers(suite, None):
        return []
    try:
        judges_of(suite, JudgeSpec(models=judges) if judges else None)
    except SpecError as error:
        if not judges and _runs_unjudged(suite):
            return [_unjudged_note(suite)]
        if suite.places is None or suite.default_scorer is None:
            raise
        place = suite.places.locate(("scorer",) if suite.scorer else ("checks",))
        raise refusal(place, error.message, error.hint) from error
    return []


def _runs_unjudged(suite: "Suite") -> bool:
    """True if every scorer of the suite also works without judges."""
    from benchmaker.engine.judges.judge_makers import judges_of
    from benchmaker.spec import JudgeSpec

    try:
        return not judges_of(suite, JudgeSpec(models=()))
    except SpecError:
        return False


def _unjudged_note(suite: "Suite") -> Finding:
    words = "no judge is named, so pages are scored by their checks alone."
    hint = "Name one with --judge MODEL, or run with --no-judge: benchmaker code run"
    return Finding(suite.source or "", 0, 0, words, hint)


def _as_finding(file: Path, error: SpecError) -> Finding:
    return Finding(error.where or str(file), 0, 0, error.message, error.hint)


def _data(finding: Finding) -> dict[str, Any]:
    return {
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
        "hint": finding.hint,
    }


def _summed_up(suite: "Suite") -> dict[str, Any]:
    """Return the summary of a suite; one pass over the cases, without keeping them."""
    scorers: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    cases, weight = 0, 0.0
    for case in suite:
        spec = suite.scorer_of(case)
        scorers[spec.id if spec else "none"] += 1
        categories[case.category or "none"] += 1
        cases, weight = cases + 1, weight + case.weight
    return {
        "suite": suite.name,
        "profile": suite.profile,
        "cases": cases,
        "dimensions": _dimensions(suite),
        "weight": weight,
        "scorers": dict(scorers.most_common()),
        "categories": dict(categories.most_common()),
        "content_hash": suite.content_hash,
    }


def _dimensions(suite: "Suite") -> dict[str, int]:
    """The sizes of the dimensions and the number of setups; empty without prompts and efforts."""
    if not suite.prompts and not suite.efforts:
        return {}
    counts = {
        "prompts": len(suite.prompts),
        "models": len(suite.models),
        "efforts": len(suite.efforts),
    }
    known = {noun: number for noun, number in counts.items() if number}
    return known | {"setups": prod(known.values())}


def _say(report: dict[str, Any]) -> None:
    if not report["ok"]:
        for finding in report["findings"]:
            tell(str(Finding(**finding)))
        return
    cases = f"{report['cases']:,} case{'' if report['cases'] == 1 else 's'}"
    say(f"{report['file']}: ok")
    weight = f"total weight {report['weight']:g}"
    say_beside("  ", f"{report['suite']}: {cases}, {weight}, {report['profile']}")
    if report["dimensions"]:
        say_beside("  ", _setups(report))
    say_beside("  scorers: ", _counts(report["scorers"]))
    if set(report["categories"]) != {"none"}:
        say_beside("  categories: ", _counts(report["categories"]))
    say_hash("  content hash: ", report["content_hash"])
    for note in report["notes"]:
        say_beside("  note: ", str(Finding(**note)))


def _setups(report: dict[str, Any]) -> str:
    """The setups of a suite and its cases: 3 prompts × 2 models × 2 efforts = 12 setups."""
    from benchmaker.record.counts import count

    *factors, setups = [
        count(number, noun.removesuffix("s")) for noun, number in report["dimensions"].items()
    ]
    noun = "" if "models" in report["dimensions"] else " of each model"
    return f"{' × '.join(factors)} = {setups}{noun}, {count(report['cases'], 'case')}"


def _counts(counts: dict[str, int]) -> str:
    shown = [f"{name} {number:,}" for name, number in list(counts.items())[:_SHOWN]]
    more = len(counts) - len(shown)
    return ", ".join([*shown, f"{more} more"] if more else shown)
