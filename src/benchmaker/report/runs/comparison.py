"""A comparison of models as text, Markdown and CSV."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TextIO

from benchmaker.analysis.comparison.planning import more_cases, why_no_more_cases
from benchmaker.analysis.comparison.results import Comparison
from benchmaker.record import Run, RunState
from benchmaker.record.counts import count
from benchmaker.record.points import points
from benchmaker.report.result_tables.comparisons import (
    COMPARED_MODELS,
    PAIRS,
    PairsView,
    has_letters,
)
from benchmaker.report.runs.differences import displayed_pairs, models_table
from benchmaker.report.runs.within_margin import (
    within_margin_claim,
    within_margin_markdown,
    within_margin_notes,
    within_margin_sentence,
    within_margin_tables,
)
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.pair_verdicts import first_verdict, pairs_verdict
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import bullets, omission_note, wrap_paragraphs, write_rows
from benchmaker.report.tables.width import WIDTH
from benchmaker.stats.power.power import AdditionalCases

_DECIDED = frozenset({"ahead", "equivalent"})
_SHOWN = 5
_FEW_CASES = ("provisional: ", "too few cases for ")
"""How warnings about too few cases begin."""

_EXPLAINED = "Methods and notes: add --explain."


def comparison_text(
    comparison: Comparison,
    runs: Sequence[Run] = (),
    *,
    explain: bool = False,
    width: int = WIDTH,
    styled: bool = False,
) -> str:
    """The verdict with its warnings, the models, and the pairs.

    The cheapest setup within a margin comes first, with its table above the others.

    Args:
        comparison: the comparison.
        runs: the records of its runs.
        explain: add notes, methods, and hidden columns.
        width: in columns.
        styled: bold heads.
    """
    within = comparison.within_margin
    tables = (
        *within_margin_tables(within),
        models_table(comparison),
        displayed_pairs(comparison, width),
    )
    verdict = [
        *within_margin_sentence(within),
        *comparison_verdict(comparison),
        *more_notes(comparison)[:1],
    ]
    joined = joined_runs_note([one.model for one in comparison.models], runs)
    warnings = [*_warnings(comparison), *unfinished_runs(runs), joined]
    below = [*within_margin_claim(within), _EXPLAINED]
    if explain:
        below = [*within_margin_notes(within), *_notes_below(comparison, runs)]
    return "\n".join(
        [
            wrap_paragraphs([*verdict, *warnings], width),
            *(table.grid_text(width=width, styled=styled) for table in tables),
            wrap_paragraphs([omission_note(tables, width), *below], width),
        ]
    )


def brief_text(comparison: Comparison, *, width: int = WIDTH, styled: bool = False) -> str:
    """The verdict, the pairs and the warnings: one group of cases among others."""
    warnings = _warnings(comparison)
    within = comparison.within_margin
    cheapest = within_margin_sentence(within) if within and within.within else []
    verdict = [*cheapest, *comparison_verdict(comparison)]
    return "\n".join(
        [
            wrap_paragraphs(verdict, width),
            displayed_pairs(comparison, width).text(width=width, styled=styled),
            *([wrap_paragraphs(warnings, width)] if warnings else []),
        ]
    )


def comparison_markdown(comparison: Comparison, runs: Sequence[Run] = ()) -> str:
    """The same for pull requests."""
    below = [
        *_warnings(comparison),
        *unfinished_runs(runs),
        joined_runs_note([one.model for one in comparison.models], runs),
        *more_notes(comparison)[:1],
        *_notes_below(comparison, runs),
    ]
    first, *others = comparison_verdict(comparison)
    warned = 1 if comparison.headline.by_labels else 0
    return "\n".join(
        [
            *within_margin_markdown(comparison.within_margin),
            f"**{bullets([first])[2:].rstrip()}**\n",
            *([bullets(others[:1])] if warned else []),
            models_table(comparison).markdown(),
            displayed_pairs(comparison).markdown(),
            bullets([*others[warned:], *below]),
        ]
    )


def write_comparison_csv(
    comparisons: Mapping[str, Comparison],
    stream: TextIO,
    *,
    table: Literal["pairs", "models"] = "pairs",
    by: str | None = None,
) -> None:
    """One of both tables with every figure in full, scores from 0 to 1; groups by label."""
    columns = COMPARED_MODELS.keys if table == "models" else PAIRS.keys
    rows = (
        {**row, **({by: group} if by else {})}
        for group, one in comparisons.items()
        for row in (
            COMPARED_MODELS.records(one) if table == "models" else PAIRS.records(PairsView(one))
        )
    )
    write_rows(stream, (*((by,) if by else ()), *columns), rows)


def comparison_verdict(comparison: Comparison) -> list[str]:
    """Return the best compared with the next, and the state of the rest."""
    first = first_verdict(comparison, comparison.headline.sentence)
    said = [numbers.with_minus(name_in(first)), _common_cases(comparison), _left_out(comparison)]
    if comparison.headline.by_labels:
        said.append(_sentence(comparison, comparison.headline.by_labels))
    said.append(pairs_verdict(comparison))
    return [sentence for sentence in said if sentence]


def _common_cases(comparison: Comparison) -> str:
    """The cases that are compared, where some model lacks some; else empty."""
    best = comparison.headline
    if comparison.has_left_out(best):
        cases = f"{best.n:,} of {count(comparison.n_cases, 'case')}"
        return f"{name(best.model_a)} and {name(best.model_b)} have {cases} in common."
    if not comparison.is_paired or comparison.n_common == comparison.n_cases:
        return ""
    of = count(comparison.n_cases, "case")
    every = "all other" if comparison.left_out else "all"
    return (
        f"Compared over the {comparison.n_common:,} of {of} scored for {every} {comparison.noun}s."
    )


def _left_out(comparison: Comparison) -> str:
    """The models that the others are compared without, with the reasons; else empty."""
    each = [f"{name(one)} ({reason})" for one, reason in comparison.left_out.items()]
    return f"Left out: {', '.join(each)}." if each else ""


def _left_out_pairs(comparison: Comparison) -> list[str]:
    """The basis of the pairs with a model that is left out."""
    own = [pair for pair in comparison.pairs if comparison.has_left_out(pair)]
    if not own:
        return []
    names = ", ".join(map(name, comparison.left_out))
    by = f"; {own[0].adjustment}" if own[0].adjustment else ""
    return [f"Pairs with {names}: over the cases that both {comparison.noun}s have{by}."]


def too_few_note(comparison: Comparison) -> str:
    """Return the warning that too few cases differ between the best two; else empty."""
    said = comparison.too_few_differ
    return _sentence(comparison, said) if said else ""


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return warnings, reasons, and the numbers of cases needed for significance."""
    return [
        *_warnings(comparison),
        *_pair_notes(comparison),
        *more_notes(comparison),
    ]


def _warnings(comparison: Comparison) -> list[str]:
    """Return the warnings on the whole comparison, except those next to the verdict.

    That cases are too few is said once: not beside the number of cases needed. A sentence may begin
    with a model's name.
    """
    above = comparison.headline.by_labels
    few = [said for said in comparison.warnings if said.startswith(_FEW_CASES)]
    repeated = few if more_notes(comparison) else few[1:]
    left = [said for said in comparison.warnings if said != above and said not in repeated]
    return [_sentence(comparison, said) for said in left]


def _sentence(comparison: Comparison, said: str) -> str:
    names = [one.model for one in comparison.models]
    return name_in(f"{capitalise(said, names)}{'' if said.endswith('.') else '.'}")


def _hidden_pairs_note(comparison: Comparison) -> str:
    rest = len(comparison.pairs) - len(displayed_pairs(comparison).rows)
    if not rest:
        return ""
    return f"{rest:,} more pairs: choose another --reference, or use --csv or --json."


def more_notes(comparison: Comparison) -> list[str]:
    """Return the numbers of further cases needed for pairs without a significant difference."""
    pairs = comparison.family_of(comparison.headline)
    open_pairs = [pair for pair in pairs if pair.verdict not in _DECIDED]
    found = [(pair, more_cases(comparison, pair)) for pair in open_pairs]
    said = [
        f"To detect a true difference of {points(abs(pair.diff))} points between "
        f"{name(pair.model_a)} and {name(pair.model_b)}, you need about "
        f"{more_cases_text(more.more)} like these (power 80%, {more.method})."
        for pair, more in found
        if more and more.more
    ]
    rest = len(said) - _SHOWN
    return said[:_SHOWN] + ([f"{rest:,} more pairs: see --json."] if rest > 0 else [])


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison for JSON, each pair with the cases that would decide it."""
    data = comparison.to_dict()
    for pair, row in zip(comparison.pairs, data["pairs"], strict=True):
        row["more_cases"] = _more_of(more_cases(comparison, pair))
        row["more_cases_reason"] = why_no_more_cases(comparison, pair) or None
    return data


def _more_of(found: AdditionalCases | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "more": found.more,
        "needed": found.needed,
        "power": found.power,
        "if_the_difference_is": found.delta,
        "method": found.method,
    }


def more_cases_text(more: int) -> str:
    """Return the number of further cases, to two digits, the precision of the estimate.

    >>> more_cases_text(1), more_cases_text(1234), more_cases_text(98_765_432)
    ('1 more case', '1,200 more cases', '99,000,000 more cases')
    """
    return count(int(float(f"{more:.2g}")), "more case")


def comparison_legend(comparison: Comparison) -> list[str]:
    """Return the meaning of figures and differences, and the test method."""
    words = WORDS[comparison.figure]
    figures, every = words.plural.capitalize(), "all other" if comparison.left_out else "all"
    common = (
        f"{figures} and differences: in points (0–100), over the "
        f"{count(comparison.n_common, 'case')} scored for {every} {comparison.noun}s"
        if comparison.n_common
        else f"{figures}: in points (0–100), over each {comparison.noun}'s own cases"
    )
    weights = "weighted" if comparison.is_weighted else "equal weights"
    clusters = (
        f", in {count(comparison.clusters, 'group')}"
        if comparison.clusters < comparison.n_common
        else ""
    )
    figures_of = f"{common}, {weights}{clusters}."
    return [figures_of, *_left_out_pairs(comparison), f"Method: {comparison.method}."]


def _notes_below(comparison: Comparison, runs: Sequence[Run]) -> list[str]:
    letters = f"Letters: {comparison.noun}s that share a letter do not differ significantly."
    return [
        _hidden_pairs_note(comparison),
        *_pair_notes(comparison),
        *more_notes(comparison)[1:],
        *([letters] if has_letters(comparison) else []),
        *comparison_legend(comparison),
        *run_facts(comparison.run_ids, runs),
    ]


def name_in(text: str) -> str:
    """A sentence with names in it, made harmless on one line."""
    from benchmaker.report.tables.sanitize import sanitise  # noqa: PLC0415  beside its only use

    return sanitise(text)


def run_facts(run_ids: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Return the runs behind the figures.

    ``runs`` are the records with their versions of the suite.
    """
    if not runs:
        return []
    run = runs[0]
    source = f"Data: {count(len(run_ids), 'run')} of {name(run.suite_name)}"
    return [f"{source}, {suite_versions(runs)}, profile {run.profile}/{run.profile_version}."]


def unfinished_runs(runs: Sequence[Run]) -> list[str]:
    """Return a warning that names the runs that have not finished; empty where all have."""
    open_ids = [name(one.id) for one in runs if one.state is not RunState.FINISHED]
    return [f"Unfinished: {', '.join(open_ids)}."] if open_ids else []


def joined_runs_note(models: Sequence[str], runs: Sequence[Run]) -> str:
    """Return a note on models with several runs, which count as one; empty without any.

    The runs of one series are repeats of each other, and not noted.
    """
    units = [(run.series_id or run.id, run.models) for run in runs]
    several = [
        f"{name(model)} ({count(number, 'run')})"
        for model in models
        if (number := len({unit for unit, of in units if model in of})) > 1
    ]
    if not several:
        return ""
    more = f" and {len(several) - _SHOWN:,} more" if len(several) > _SHOWN else ""
    return (
        f"Runs joined: {', '.join(several[:_SHOWN])}{more}. A model counts once, each case with "
        "its mean over the runs. trend compares runs of a model."
    )


def suite_versions(runs: Sequence[Run]) -> str:
    """Return the versions of the runs' suite; many are counted."""
    hashes = [found[:8] for found in dict.fromkeys(run.suite_hash for run in runs)]
    if len(hashes) == 1:
        return f"suite {hashes[0]}"
    if len(hashes) > _SHOWN:
        return f"{len(hashes):,} versions of the suite"
    return f"suite versions {', '.join(hashes[:-1])} and {hashes[-1]}"


def _pair_notes(comparison: Comparison) -> list[str]:
    """Return remarks on single pairs, each once with its pairs."""
    by: dict[str, list[str]] = {}
    known = set(comparison.warnings)
    for pair in comparison.pairs:
        both = f"{name(pair.model_a)} and {name(pair.model_b)}"
        for said in dict.fromkeys((pair.reason, *pair.warnings)):
            if said and not {said, f"{pair.model_a} and {pair.model_b}: {said}"} & known:
                by.setdefault(said, []).append(both)
    names = [one.model for one in comparison.models]
    return [capitalise(f"{said} ({_join_pairs(pairs)}).", names) for said, pairs in by.items()]


def _join_pairs(pairs: Sequence[str]) -> str:
    rest = len(pairs) - _SHOWN
    return "; ".join(pairs[:_SHOWN]) + (f"; and {rest:,} more pairs" if rest > 0 else "")
