"""The glossary explains every word that names something in code, commands and pages."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "glossary.md"

TERMS = """
suite, case, model, provider, endpoint, parameters, run, series, trial, attempt, completion, usage,
scorer, score, judge, rubric, panel, calibration, task, criterion, submission, baseline, snapshot,
scoring profile, composite, evaluation, comparison, battle, verdict, vote, rating, rank, percentile,
leaderboard, board, flag, provenance, confidence level, evidence level, isolation, prompt, metric,
gate, agent, request, queue, scheduler, cache, session, worker, label, judgment, outcome, weight,
importer, probe, sandbox, trace, system, team, arena, policy, profile, home, price, setup,
variables, effort, matrix
"""


def rows():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line.startswith("| ")]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines][1:]


def test_every_domain_term_is_explained():
    explained = dict(rows())
    terms = [term.strip() for term in TERMS.replace("\n", " ").split(",")]
    assert [term for term in terms if not explained.get(term)] == []


def test_each_word_stands_once_in_alphabetical_order():
    words = [word.lower() for word, _ in rows()]
    assert words == sorted(set(words))
