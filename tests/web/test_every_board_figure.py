"""Every surface of a board shows the same figures, and those of a plain computation."""

import csv
import io
import json
import random
import re
import statistics
from html import unescape

import pytest
from click.testing import CliRunner

import benchmaker
from benchmaker.cli import main
from benchmaker.record.submissions.submission import Cost, OutcomeOf, Status, System, TimeSpent
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.draws import draws
from tests.web.intervals import faults_of
from tests.web.results_data import fetched
from tests.web.serving import serving

SEEDS = (1, 2, 3)
MODELS = ("middle", "a-vendor/with-a-long-name-20250929-preview", "weak", "strong")
TASKS = ("t", "u", "v")
FIGURES = {
    "success": lambda it: 100.0 * it.outcome.success,
    "dollars": lambda it: it.cost.reported_usd,
    "seconds": lambda it: it.time.wall_s,
    "tokens": lambda it: float(it.total_tokens),
}


def drawn_submissions(seed, number=40):
    """Submissions of systems of different skill, as they come."""
    rnd = random.Random(seed)  # noqa: S311  a draw, no secret
    return [_drawn(at, rnd) for at in range(number)]


def _drawn(at, rnd):
    model = rnd.choice(MODELS)
    is_right = rnd.random() < (0.5, 0.7, 0.2, 0.95)[MODELS.index(model)]
    return a_submission(
        at,
        task=rnd.choice(TASKS),
        system=System(harness="cli", model=model),
        time=TimeSpent(wall_s=rnd.uniform(1, 900)),
        cost=Cost(reported_usd=rnd.uniform(0.001, 2)),
        outcome=OutcomeOf(status=Status.COMPLETED, success=is_right),
    )


def plain(submissions, figure):
    """Each system's mean over tasks of its mean over the attempts at a task."""
    found = {}
    for model in {it.system.model for it in submissions}:
        own = [it for it in submissions if it.system.model == model]
        tasks = sorted({it.task.id for it in own})
        each = [[FIGURES[figure](it) for it in own if it.task.id == task] for task in tasks]
        found[f"cli · {model}"] = (statistics.fmean(map(statistics.fmean, each)), len(own))
    return found


@pytest.fixture(scope="module", params=SEEDS[: draws(1, 3)])
def drawn(request, tmp_path_factory):
    """The submissions, and the address and folder of a workbench that holds them."""
    home = tmp_path_factory.mktemp("boards") / "home"
    submissions = drawn_submissions(request.param)
    path = write_submissions(home.with_name("drawn.jsonl"), submissions)
    for profile in ("classic", "robust"):
        benchmaker.evaluate(path, home=home, profile=profile)
    with serving(home, works=False) as address:
        yield submissions, address, home


def body(address, path):
    status, _, text = fetched(address + path)
    assert status == 200, path
    return text.decode()


def rows_of(html):
    """System, score and interval of each row of the page."""
    lines = re.findall(r"<tbody>(.*?)</tbody>", html, re.DOTALL)[0].split("</tr>")[:-1]
    cells = [re.findall(r"<(?:bdi|b class=\"num\")>(.*?)</(?:bdi|b)>", line) for line in lines]
    return {unescape(name): value for name, value in (row[:2] for row in cells)}


@pytest.mark.parametrize("profile", ["classic", "robust"])
@pytest.mark.parametrize("figure", FIGURES)
def test_page_file_terminal_api_and_python_show_the_plain_figures(drawn, profile, figure):
    submissions, address, home = drawn
    words = f"metric={figure}&profile={profile}"
    data = json.loads(body(address, f"/agentic.json?{words}"))
    said = CliRunner().invoke(
        main,
        ["leaderboard", "--metric", figure, "--profile", profile, "--json", "--home", str(home)],
    )
    assert json.loads(said.stdout)["rows"] == data["rows"]
    api = json.loads(body(address, f"/api/v1/agentic/board?{words}&limit=500"))
    assert api["items"] == data["rows"]

    expected = plain(submissions, figure)
    shown = {row["system"]: (row["score"], row["n"]) for row in data["rows"]}
    assert shown.keys() == expected.keys()
    for system, (mean, n) in expected.items():
        assert shown[system] == (pytest.approx(mean, rel=1e-9), n), system

    table = list(csv.DictReader(io.StringIO(body(address, f"/agentic.csv?{words}"))))
    assert {row["system"]: float(row["score"]) for row in table} == {
        system: score for system, (score, _) in shown.items()
    }


@pytest.mark.parametrize("profile", ["classic", "robust"])
@pytest.mark.parametrize(
    "path", ["board?metric=success", "board?by=tool", "bias?", "trend?", "front?"]
)
def test_no_interval_leaves_its_scale_and_no_verdict_stands_against_one(drawn, profile, path):
    data = json.loads(body(drawn[1], f"/api/v1/agentic/{path}&profile={profile}"))
    faults = list(faults_of(data, path))
    assert not faults, "\n".join(faults)


def test_the_page_shows_each_score_beside_its_system(drawn):
    submissions, address, _ = drawn
    shown = rows_of(body(address, "/agentic?metric=success"))
    for system, (mean, _) in plain(submissions, "success").items():
        assert float(shown[system]) == pytest.approx(mean, abs=0.0501), system
