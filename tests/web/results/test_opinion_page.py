"""The second opinion on its page: the figures of the command, with links to the rows."""

import json
import re
from html import unescape
from random import Random

import pytest
from click.testing import CliRunner

from benchmaker.cli.main import main
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.arenas.standard.importers.files import imported, write_promptfoo
from tests.arenas.standard.importers.planted import (
    CASES,
    PLANTED,
    inspect_row,
    promptfoo_row,
    write_inspect,
)
from tests.web.accessible import violations
from tests.web.results_data import fetched
from tests.web.serving import serving

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A log with right answers scored wrong, and one of three epochs with few cases."""
    home = tmp_path_factory.mktemp("opinions")
    (missed,) = PLANTED["extraction_miss", "inspect"](home, Random(3))  # noqa: S311  a planted fault
    rows = [
        {**inspect_row(at, at % 3 != 0, uuid=f"e-{at}-{epoch}"), "epoch": epoch}
        for epoch in (1, 2, 3)
        for at in range(4)
    ]
    return home, missed, write_inspect(home, rows, model="openai/few")


@pytest.fixture(scope="module")
def opened(logs):
    """The address of a server over both, the run of one, and the series of the other."""
    home, *paths = logs
    with Store.open(home / STORE_FILE) as store:
        (run,), (first, *_) = (imported(store, path)[0].runs for path in paths)
        series = store.run(first).series_id
    with serving(home) as address:
        yield address, f"/runs/{run}", f"/series/{series}"


def terminal(path, *words):
    """What the command prints of a file."""
    return CliRunner().invoke(main, ["opinion", str(path), *words]).stdout


def texts(page):
    """The cells of each row of the table of findings."""
    table = re.search(r"<table.*?Faults behind the figure.*?</table>", page, re.DOTALL)[0]
    rows = re.findall(r"<tr><th.*?</tr>", table.partition("<tbody>")[2], re.DOTALL)
    return [
        [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in rows
    ]


def test_the_page_has_the_figures_of_the_terminal_the_json_and_plain_arithmetic(opened, logs):
    address, run, _ = opened
    page = fetched(f"{address}{run}/opinion")[2].decode()
    data = json.loads(fetched(f"{address}{run}/opinion.json")[2])
    said = json.loads(terminal(logs[1], "--json"))
    assert data["findings"] == said["findings"]
    assert data["ours"] == said["ours"]

    rows = json.loads(logs[1].read_text())["samples"]
    tool = [row["scores"]["match"]["value"] == "C" for row in rows]
    right = [
        row["output"]["choices"][0]["message"]["content"] == f"The answer is {row['target']}."
        for row in rows
    ]
    effect = 100 * (sum(tool) - sum(right)) / len(rows)
    (found,) = data["findings"]
    assert found["effect_points"] == pytest.approx(effect)
    wrong = sum(is_right != scored for is_right, scored in zip(right, tool, strict=True))
    shown = f"−{-effect:.1f}"
    assert texts(page) == [["Right answers scored wrong", str(wrong), shown]]
    printed = terminal(logs[1])
    assert shown in printed
    assert printed.splitlines()[0] in unescape(page)


def test_examples_and_all_cases_of_a_finding_lead_to_the_answers(opened):
    address, run, _ = opened
    page = fetched(f"{address}{run}/opinion?finding=extraction_miss")[2].decode()
    links = set(re.findall(rf'href="({run}/cases/\d+)"', page))
    assert len(links) == 12
    shown = fetched(f"{address}{min(links)}")
    assert shown[0] == 200
    assert "The answer is" in shown[2].decode()


def test_a_series_has_one_opinion_of_its_runs(opened, logs):
    address, _, series = opened
    data = json.loads(fetched(f"{address}{series}/opinion.json")[2])
    assert data["ours"] == json.loads(terminal(logs[2], "--json"))["ours"]
    assert data["ours"]["n_cases"] == 4


def write_repeats(folder):
    """A file of two repeats by two models with two prompts each."""
    repeats = [(at, place) for at in range(30) for place in (at, at + CASES)]
    rows = [
        promptfoo_row(at, (at + prompt) % 3 != 0, model=model, place=place)
        for prompt, model in enumerate("aabb")
        for at, place in repeats
    ]
    for number, row in enumerate(rows):
        prompt = number // len(repeats)
        asked = {"raw": f"{prompt % 2} {row['vars']['sum']}", "label": f"prompt {prompt % 2}"}
        row |= {"promptIdx": prompt, "id": f"row-{number}", "prompt": asked}
    return write_promptfoo(folder / "repeats.json", rows)


@pytest.mark.parametrize("model", [None, 1])
def test_the_page_of_a_run_of_a_series_has_the_opinion_on_its_whole_evaluation(tmp_path, model):
    path = write_repeats(tmp_path)
    with Store.open(tmp_path / STORE_FILE) as store:
        runs = [store.run(it) for it in imported(store, path)[0].runs]
    assert len(runs) == 2
    words = () if model is None else ("--model", runs[0].models[model])
    said = json.loads(terminal(path, "--json", *words))
    known = {it["kind"] for it in said["findings"] + said["notes"]}
    assert known == {"repeats_counted_as_cases", "too_few_cases"}
    places = [f"/series/{runs[0].series_id}", *(f"/runs/{run.id}" for run in runs)]
    with serving(tmp_path) as address:
        for place in places:
            page = f"{address}{place}/opinion"
            asked = f"{page}.json" if model is None else f"{page}.json?model={model}"
            assert json.loads(fetched(asked)[2]) == said
            is_of_run = place.startswith("/runs/")
            assert ("over all runs of the" in fetched(page)[2].decode()) == is_of_run


def test_its_html_is_that_of_the_command(opened, logs):
    address, run, _ = opened
    status, headers, body = fetched(f"{address}{run}/opinion.html")
    assert status == 200
    assert "attachment" in headers["content-disposition"]
    assert body.decode() == terminal(logs[1], "--html")
    assert fetched(f"{address}{run}/opinion.pdf")[0] == 404


def test_the_page_of_a_run_leads_to_it(opened):
    address, run, _ = opened
    assert f'href="{run}/opinion"' in fetched(f"{address}{run}")[2].decode()


def test_axe_finds_nothing(tab, opened):
    address, run, _ = opened
    assert violations(tab, f"{address}{run}/opinion?finding=extraction_miss") == []


def test_own_runs_have_opinions_too(demo, demo_home):
    with Store.open(demo_home / STORE_FILE) as store:
        run = store.runs()[0]
        trials = list(store.trials(run.id))
    data = json.loads(fetched(f"{demo}/runs/{run.id}/opinion.json?model=1")[2])
    scores = [
        it.score.score
        for it in trials
        if it.model == run.models[1] and it.score and it.score.score is not None
    ]
    assert data["model"] == run.models[1]
    assert data["headline"]["value"] == pytest.approx(sum(scores) / len(scores))
    assert data["ours"]["mean"] == pytest.approx(sum(scores) / len(scores))
