"""Random boards read from every surface: equal everywhere, and equal to a plain computation.

The rows have missing, zero and impossible figures, ties, failures of the infrastructure, rows in
quarantine, every level of evidence, and a system with too few submissions.
"""

import csv
import io
import json
import math
import re
import statistics
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import benchmaker
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profiles import settle_boards
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.cli import main
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel, Status
from benchmaker.report.result_tables.board import BOARD
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from tests.analysis.submissions import a_row, random_rows
from tests.arenas.agentic.current_evaluations import evaluations_of_task
from tests.draws import draws
from tests.web.results_data import fetched
from tests.web.serving import serving

SEEDS = (1, 2, 3, 4)
SYSTEMS = ("weak", "cli·a-vendor/with-a-long-name-20250929", "mid", "strong")
PROFILES = ("classic", "robust")
SCORES = ("overall", "efficiency", "speed", "cost", "correctness")
OTHERS = ("success", "resolved", "dollars", "seconds", "tokens")
ADDRESSES = (
    *(f"metric={value}" for value in (*SCORES, *OTHERS)),
    "metric=overall&task=t1",
    "metric=overall&by=tool",
    "metric=overall&policy=best",
    "metric=overall&evidence=verified",
)


@dataclass(frozen=True)
class Drawn:
    """The rows, what each is scored under each profile, and where they can be looked at."""

    rows: list
    scores: dict
    address: str
    home: Path


@pytest.fixture(scope="module", params=SEEDS[: draws(2, 4)])
def drawn(request, tmp_path_factory):
    home = tmp_path_factory.mktemp("surfaces") / "home"
    home.mkdir()
    seed = request.param
    number = (60, 200, 24)[seed % 3]
    rows = random_rows(seed, number, systems=SYSTEMS)
    rows += [
        a_row(900 + n, system="few", tool="FEW", task_id=f"t{1 + n % 2}", cost=None)
        for n in range(3)
    ]
    with serving(home, works=False) as address:
        scores = {name: settled(home, rows, BUILT_IN[name]) for name in PROFILES}
        yield Drawn(rows, scores, address, home)


def settled(home, rows, document):
    """Every submission's evaluation under a profile, after rows and boards are in the store."""
    with Store.open(home / "benchmaker.db") as store:
        at_work = ProfileAtWork(document)
        store.agentic.put_metrics((row, at_work.input_hash(row)) for row in rows)
        settle_tasks(store, at_work, store.agentic.metric_tasks())
        settle_boards(store, document)
        return {
            one.submission_id: one
            for task in store.agentic.metric_tasks()
            for one in evaluations_of_task(store, document, task)
        }


def said(drawn, words, *form):
    """What the command prints for the words of an address."""
    options = [part for pair in words.split("&") for part in ("--" + pair).split("=", 1)]
    made = CliRunner().invoke(main, ["leaderboard", *options, *form, "--home", str(drawn.home)])
    assert made.exit_code == 0, made.output
    return made.stdout


def body(drawn, path):
    status, _, text = fetched(drawn.address + path)
    assert status == 200, path
    return text.decode()


def from_python(drawn, words):
    options = dict(pair.split("=", 1) for pair in words.split("&"))
    options["value"] = options.pop("metric")
    return msgspec.to_builtins(benchmaker.leaderboard(home=drawn.home, **options).to_dict())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("words", ADDRESSES)
def test_every_surface_shows_the_same_board(drawn, profile, words):
    words = f"{words}&profile={profile}"
    board = json.loads(said(drawn, words, "--json"))
    assert json.loads(body(drawn, f"/agentic.json?{words}")) == board
    assert from_python(drawn, words) == board
    api = json.loads(body(drawn, f"/api/v1/agentic/board?{words}&limit=500"))
    assert api["items"] == board["rows"]
    assert {key: api[key] for key in board if key != "rows"} == {
        key: board[key] for key in board if key != "rows"
    }
    for text in (said(drawn, words, "--csv"), body(drawn, f"/agentic.csv?{words}")):
        assert list(csv.DictReader(io.StringIO(text))) == [csv_of(row) for row in board["rows"]]

    markdown = markdown_rows(said(drawn, words, "--markdown"))
    html = html_rows(said(drawn, words, "--html"))
    assert [line[:5] for line in markdown] == [line[:5] for line in html]
    page = page_rows(body(drawn, f"/agentic?{words}"))
    text = said(drawn, words)
    assert len(markdown) == len(page) == len(board["rows"])
    for line, shown, row in zip(markdown, page, board["rows"], strict=True):
        rank, name, score, interval, counted = line[:5]
        agrees(row, board, rank=rank, score=score, interval=interval, counted=counted)
        assert shown["system"] == name == row["system"]
        assert (shown["rank"], shown["score"], shown["counted"]) == (rank, score, counted)
        assert shown["interval"] in {interval, ""}
        if len(name) < 10:  # a longer one is broken over lines
            lines = (" ".join(it.split()) for it in text.splitlines())
            assert any(it.startswith(f"{rank} {name} {score} {interval}") for it in lines)
    notes = " ".join(text.split())
    for note in board["notes"]:
        assert note[1:] in notes


def csv_of(row):
    """A row of JSON as a spreadsheet has it."""
    low, high = row["rank_interval"] or (None, None)
    cells = row | {"rank_low": low, "rank_high": high, "isolation": row["isolation"]}
    text = io.StringIO()
    writer = csv.DictWriter(text, BOARD.keys, extrasaction="ignore")
    writer.writeheader()
    writer.writerow({key: plain_cell(cells[key]) for key in BOARD.keys})
    return next(csv.DictReader(io.StringIO(text.getvalue())))


def plain_cell(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, list) else value


def markdown_rows(text):
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    return [[unescaped(cell) for cell in line[2:-2].split(" | ")] for line in lines]


def unescaped(cell):
    return re.sub(r"\\(.)", r"\1", unescape(cell))


def html_rows(text):
    inside = re.findall(r"<tbody>(.*?)</tbody>", text, re.DOTALL)
    lines = inside[0].strip().split("</tr>")[:-1] if inside else []
    return [[unescape(cell) for cell in re.findall(r"<bdi>(.*?)</bdi>", line)] for line in lines]


def page_rows(text):
    found = re.findall(r"<tbody>(.*?)</tbody>", text, re.DOTALL)
    return [page_row(line) for line in found[0].split("</tr>")[:-1]] if found else []


def page_row(line):
    cells = [unescape(cell) for cell in re.findall(r'<td class="r num">(.*?)</td>', line)]
    score = re.findall(r'<b class="num">(.*?)</b>', line)[0]
    interval = re.findall(r'<span class="ci-t num">(.*?)</span>', line)[0]
    return {
        "system": unescape(re.findall(r"<bdi>(.*?)</bdi>", line)[0]),
        "rank": cells[0],
        "score": unescape(score),
        "interval": unescape(interval),
        "counted": cells[1],
    }


def agrees(row, board, *, rank, score, interval, counted):
    """The printed figures are those of the JSON."""
    assert counted == f"{row['n']:,} of {row['attempts']:,}"
    if row["rank"] is None:
        assert rank == plain_reason(row)
    else:
        assert rank == f"{row['rank']} [{row['rank_interval'][0]}–{row['rank_interval'][1]}]"
    assert ("†" in score) == (row["stood_in"] > 0 and row["score"] is not None)
    if board["scale"] == "0-100" and row["score"] is not None:
        ends = [float(one) for one in re.findall(r"[\d.]+", score)]
        expected = [one for one in (row["score"], row["score_high"]) if one is not None]
        assert ends == pytest.approx(expected, abs=0.0501)
        if row["low"] is not None:
            ends = [float(one) for one in re.findall(r"[\d.]+", interval)]
            assert ends == pytest.approx([row["low"], row["high"]], abs=0.0501)


def plain_reason(row):
    return "provisional" if row["provisional"] else "not ranked"


# The plain computation.


def plain_value(drawn, profile, value, row):
    """A submission's value at both ends, or None."""
    one = drawn.scores[profile][row.submission_id]
    if value in SCORES:
        low = getattr(one, f"{value}_score")
        return None if low is None else (low, one.upper.get(value, low))
    if value == "resolved":
        return (100.0 * (row.success is True),) * 2
    if row.faults or row.outcome is Status.INFRA_ERROR:
        return None
    if value == "success":
        return None if row.success is None else (100.0 * row.success,) * 2
    read = row.valid_figure if profile == "robust" else row.figure
    found = read(BOARD_FIGURES[value], tokens=BUILT_IN[profile].tokens)
    return None if found is None or math.isnan(found) else (found,) * 2


def plain_board(drawn, profile, value):
    """Each line by (system, hollow): its attempts, scored ones, stand-ins and both means."""
    ranked = set(BUILT_IN[profile].evidence)
    found = {}
    for row in drawn.rows:
        if row.quarantined:
            continue
        key = row.system, EvidenceLevel(row.evidence_level) not in ranked
        line = found.setdefault(key, {"attempts": 0, "tasks": {}, "stood_in": 0, "lacking": 0})
        line["attempts"] += 1
        both = plain_value(drawn, profile, value, row)
        if both is None:
            line["lacking"] += value in BOARD_FIGURES and row.outcome is not Status.INFRA_ERROR
            continue
        line["tasks"].setdefault(row.task_id, []).append(both)
        stand_ins = set(drawn.scores[profile][row.submission_id].detail.get("stand_ins", ()))
        wanted = {"efficiency": "iterations"}.get(value, value)
        meant = stand_ins if value == "overall" else stand_ins & {wanted}
        line["stood_in"] += value in SCORES and bool(meant)
    return found


def means(tasks, end):
    return statistics.fmean(statistics.fmean(one[end] for one in it) for it in tasks.values())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("value", [*SCORES, *OTHERS])
def test_a_board_is_the_plain_computation_from_the_rows(drawn, profile, value):
    board = json.loads(said(drawn, f"metric={value}&profile={profile}", "--json"))
    expected = plain_board(drawn, profile, value)
    assert {(row["system"], row["hollow"]) for row in board["rows"]} == expected.keys()
    for row in board["rows"]:
        line = expected[row["system"], row["hollow"]]
        assert row["attempts"] == line["attempts"]
        assert row["n"] == row["evaluated"] == sum(map(len, line["tasks"].values()))
        assert row["stood_in"] == line["stood_in"], row["system"]
        assert row["lacking"] == line["lacking"], row["system"]
        if not line["tasks"]:
            assert row["score"] is None
            continue
        low, high = means(line["tasks"], 0), means(line["tasks"], 1)
        assert row["score"] == pytest.approx(low, rel=1e-9, abs=1e-9)
        shown = row["score"] if row["score_high"] is None else row["score_high"]
        assert shown == pytest.approx(high, rel=1e-9, abs=1e-8)
    ranks_are_plain(board)


def ranks_are_plain(board):
    """Ranks count the better ones, and intervals cover every order that ranges allow."""
    enough = [
        row
        for row in board["rows"]
        if not row["hollow"] and row["evaluated"] >= 5 and row["score"] is not None
    ]
    assert board["provisional"] == (len(enough) < 3)
    ranked = [row for row in enough if board["family"] == "classic" or not row["lacking"]]
    assert bool(board["method"]) == (bool(ranked) and not board["provisional"])
    for row in board["rows"]:
        is_ranked = row in ranked and not board["provisional"]
        assert (row["rank"] is not None) == is_ranked == (row["rank_interval"] is not None)
        is_incomplete = board["family"] == "robust" and row["lacking"] > 0
        assert row["provisional"] == (not (row["hollow"] or is_ranked or is_incomplete))
        if row["score"] is not None and row["low"] is not None:
            assert row["low"] <= row["score"] <= top(row) <= row["high"] + 1e-9
    sign = 1 if board["higher_is_better"] else -1
    for row in ranked if not board["provisional"] else ():
        others = [one for one in ranked if one is not row]
        assert row["rank"] == 1 + sum(sign * it["score"] > sign * row["score"] for it in others)
        best, worst = row["rank_interval"]
        assert best <= row["rank"] <= worst
        if board["higher_is_better"]:
            assert best <= 1 + sum(it["score"] > top(row) for it in others)
            assert worst >= 1 + sum(top(it) > row["score"] for it in others)


def top(row):
    return row["score"] if row["score_high"] is None else row["score_high"]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_board_without_ranks_claims_none(drawn, profile):
    words = f"metric=overall&task=t1&evidence=verified&profile={profile}"
    board = json.loads(said(drawn, words, "--json"))
    page = body(drawn, f"/agentic?{words}")
    for text in (page, said(drawn, words, "--explain"), said(drawn, words, "--html")):
        assert ("rank intervals from differences" in text) == (not board["provisional"])
        assert ("equal scores share a place" in " ".join(text.split())) != board["provisional"]
    if board["provisional"]:
        assert "best first" not in page
        scores = [row["score"] for row in board["rows"] if not row["hollow"]]
        known = [one for one in scores if one is not None]
        assert known == sorted(known, reverse=True)
