"""Every surface shows the figures of the summary, and the summary those of the rows."""

import csv
import io
import json
import re
import statistics
from dataclasses import dataclass
from html import unescape
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

import benchmaker
from benchmaker.cli import main
from benchmaker.report import write_summary_csv
from benchmaker.report.text import summary_text
from benchmaker.store import Store
from tests.draws import draws
from tests.web.aside import aside
from tests.web.drawn_runs import MODELS, REASON, REFUSED, drawn_series
from tests.web.intervals import faults_of
from tests.web.results_data import fetched
from tests.web.serving import serving

SEEDS = (1, 2, 3)
SHOWN = 0.0501
"""How far a figure of one decimal may lie from what it was rounded from."""


@pytest.fixture(scope="module", params=SEEDS[: draws(2, 3)])
def drawn(request, tmp_path_factory):
    """A random series, which nobody changes."""
    return drawn_series(tmp_path_factory.mktemp("drawn") / "home", request.param)


@pytest.fixture(scope="module")
def address(drawn):
    with serving(drawn.home, works=False) as address:
        yield address


@dataclass
class Plain:
    """One model's figures in plain Python, out of rows; scores from 0 to 1."""

    mean: float | None
    strict: float | None
    n_cases: int
    n_scored: int
    n_strict: int
    n_trials: int
    cost: float | None
    known_cost: float
    cost_known: int
    latency: float | None
    outcomes: dict


def plain(trials):
    """Each model's figures, by a loop over its rows and nothing of the product's."""
    return {model: plain_of([it for it in trials if it.model == model]) for model in MODELS}


def plain_of(rows):
    scores, weights = {}, {}
    for row in rows:
        if row.score is not None and row.score.score is not None:
            scores.setdefault(row.case_id, []).append(row.score.score)
            weights[row.case_id] = row.weight
    costs = [cost_of(row) for row in rows]
    known = [cost for cost in costs if cost is not None]
    taken = [row.completion.latency_s for row in rows if row.completion]
    every = [score for case in scores.values() for score in case]
    return Plain(
        mean=weighted(scores, weights),
        strict=weighted({at: [s == 1 for s in it] for at, it in scores.items()}, weights),
        n_cases=len(scores),
        n_scored=len(every),
        n_strict=sum(score == 1 for score in every),
        n_trials=len(rows),
        cost=sum(known) if len(known) == len(rows) else None,
        known_cost=sum(known),
        cost_known=len(known),
        latency=statistics.median(taken) if taken else None,
        outcomes={
            outcome: n
            for outcome in sorted({str(row.outcome) for row in rows})
            if (n := sum(row.outcome == outcome for row in rows))
        },
    )


def weighted(values, weights):
    """Over cases, each with its mean over runs and its weight; None without any."""
    means = {case: sum(it) / len(it) for case, it in values.items()}
    whole = sum(weights[case] for case in means)
    return sum(weights[case] * mean for case, mean in means.items()) / whole if whole else None


def cost_of(row):
    """What all requests of a row cost; None where one is not known."""
    costs = [one.cost_usd for one in row.attempts]
    return None if None in costs else sum(costs)


def close(value):
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)


def told(model):
    """What a summary in JSON or CSV has to say of it."""
    return {
        "mean": close(model.mean),
        "strict_accuracy": close(model.strict),
        "n_cases": model.n_cases,
        "n_scored": model.n_scored,
        "n_strict": model.n_strict,
        "n_trials": model.n_trials,
        "cost_usd": close(model.cost),
        "cost_usd_at_least": close(model.known_cost or None) if model.cost is None else None,
        "cost_known_trials": model.cost_known,
        "median_latency_s": close(model.latency),
    }


def same(rows, expected):
    """Rows of data hold just the figures of these models."""
    found = {row["model"]: row for row in rows}
    assert found.keys() == expected.keys()
    for name, model in expected.items():
        wanted = told(model)
        assert {key: found[name][key] for key in wanted} == wanted, name


def numbers_in(rows):
    """Rows of CSV with their figures as numbers; an empty cell is None."""
    texts = {"model", "measure", "sd_over", "provisional", "outcomes", "run_scores"}
    return [
        {
            key: value if key in texts or not re.fullmatch(r"-?[\d.]+(e-?\d+)?", value)
            else float(value) if value else None
            for key, value in row.items()
        }
        | {key: None for key, value in row.items() if not value}
        for row in rows
    ]  # fmt: skip


def text_of(html):
    """What a page says, without tags."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def page_of(address, path):
    status, _, body = fetched(address + path)
    assert status == 200, path
    return body.decode()


def cells_of(html, heading):
    """The rows of the first table behind a heading, cell by cell; the heads are the first."""
    table = re.search(r"<table.*?</table>", html[html.index(heading) :], re.DOTALL)[0]
    lines = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    return [
        [text_of(cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", line, re.DOTALL)]
        for line in lines
    ]


def tiles_of(html):
    """The tiles of a page: value and context by name."""
    found = re.findall(r'<div class="tile"><dt>(.*?)</dt><dd>(.*?)</dd></div>', html, re.DOTALL)
    return {text_of(name): text_of(value) for name, value in found}


def shown_mean(text):
    """The first number of a cell; None where it holds none."""
    found = re.match(r"[-+]?[\d.]+", text)
    return float(found[0]) if found else None


def agrees(shown, value, scale=100):
    return shown is None if value is None else shown == pytest.approx(scale * value, abs=SHOWN)


@pytest.fixture(scope="module")
def expected(drawn):
    """The figures of the series."""
    return plain(drawn.trials())


@pytest.fixture(scope="module")
def summary(drawn):
    return benchmaker.results(drawn.series, home=drawn.home).summary


def test_the_draw_is_one_that_tells(drawn, expected):
    means = [one.mean for one in expected.values() if one.mean is not None]
    assert means != sorted(means, reverse=True), "the models stand in the order of their rank"
    assert expected[REFUSED].mean is None
    assert any(len(row.attempts) > 1 for row in drawn.trials())
    assert len({row.weight for row in drawn.trials()}) > 1
    assert any(row.score and row.score.scorer == "llm_judge" for row in drawn.trials())


def test_the_summary_is_that_of_the_rows(summary, expected):
    same([one.to_dict() for one in summary.models], expected)
    for one in summary.models:
        outcomes = {kind: n for kind, n in one.outcomes.items() if n}
        assert dict(sorted(outcomes.items())) == expected[one.model].outcomes


def test_python_cli_page_and_api_give_one_summary(drawn, address, summary):
    data = json.loads(json.dumps(summary.to_dict()))
    said = CliRunner().invoke(main, ["results", drawn.series, "--json", "--home", str(drawn.home)])
    assert json.loads(said.stdout) == data
    assert json.loads(page_of(address, f"/series/{drawn.series}.json")) == data
    assert json.loads(page_of(address, f"/api/v1/runs/{drawn.series}/summary")) == data


def test_tables_of_models_are_one_table(drawn, address, summary, expected):
    stream = io.StringIO(newline="")
    write_summary_csv(summary, stream)
    from_python = list(csv.DictReader(io.StringIO(stream.getvalue())))
    from_page = list(csv.DictReader(io.StringIO(page_of(address, f"/series/{drawn.series}.csv"))))
    assert from_page == from_python
    same(numbers_in(from_page), expected)
    rows = json.loads(page_of(address, f"/series/{drawn.series}/tables/means.json"))["means"]
    assert [list(row) for row in rows] == [list(row) for row in from_page]
    same(rows, expected)


def test_rows_add_up_to_the_summary(drawn, address, expected):
    for form, read in (
        ("csv", lambda text: numbers_in(csv.DictReader(io.StringIO(text)))),
        ("jsonl", lambda text: [json.loads(line) for line in text.splitlines()]),
    ):
        rows = read(page_of(address, f"/series/{drawn.series}/export/{form}"))
        for name, model in expected.items():
            own = [row for row in rows if row["model"] == name]
            costs = [row["cost_usd"] for row in own]
            assert len(own) == model.n_trials
            assert sum(it for it in costs if it is not None) == close(model.known_cost)
            assert sum(it is not None for it in costs) == model.cost_known
            scores = [row["score"] for row in own if row["score"] is not None]
            assert (len(scores), scores.count(1)) == (model.n_scored, model.n_strict)


@pytest.mark.parametrize("heading", ['id="h-forest"', 'id="h-spread"'])
def test_the_page_of_a_series_shows_the_means_and_each_run(drawn, address, expected, heading):
    heads, *rows = cells_of(page_of(address, f"/series/{drawn.series}"), heading)
    assert {row[0] for row in rows} == set(MODELS)
    for row in rows:
        cells = dict(zip(heads, row, strict=True))
        if "Mean" in cells:
            assert agrees(shown_mean(cells["Mean"]), expected[row[0]].mean), row
            assert agrees(shown_mean(cells["Strict"]), expected[row[0]].strict), row
        shown = {
            run_id: mean
            for number, run_id in enumerate(drawn.run_ids, 1)
            if (mean := shown_mean(cells.get(f"Run {number}", "unscored"))) is not None
        }
        for run_id, mean in over_common_cases(drawn, row[0], shown).items():
            assert agrees(shown[run_id], mean), (row, run_id)


def over_common_cases(drawn, model, run_ids):
    """By run: a model's mean over the cases that have a score in each of these runs."""
    scored = {
        run_id: [
            it
            for it in drawn.trials(run_id)
            if it.model == model and it.score is not None and it.score.score is not None
        ]
        for run_id in run_ids
    }
    cases = [{it.case_id for it in rows} for rows in scored.values()]
    common = set.intersection(*cases) if cases else set()
    return {
        run_id: plain_of([it for it in rows if it.case_id in common]).mean
        for run_id, rows in scored.items()
    }


def test_html_markdown_and_terminal_show_the_means(drawn, address, summary, expected):
    base = f"/series/{drawn.series}/export"
    tables = {"html": cells_of(page_of(address, f"{base}/html"), 'id="h-forest"')}
    lines = [it for it in page_of(address, f"{base}/markdown").splitlines() if it[:2] == "| "]
    cells = [[it.strip(" *\\") for it in line.strip("|").split("|")] for line in lines]
    tables["markdown"] = [row for row in cells if len(row) == 7 and not row[0].startswith("---")]
    for name, (heads, *rows) in tables.items():
        found = {row[0].replace("\\", ""): dict(zip(heads, row, strict=True)) for row in rows}
        assert found.keys() == expected.keys(), name
        for model, one in expected.items():
            mean = next(it for head, it in found[model].items() if head.startswith("Mean"))
            assert agrees(shown_mean(mean), one.mean), (name, model)
            assert agrees(shown_mean(found[model]["Strict"]), one.strict), (name, model)
    text = summary_text(summary, width=160)
    table = text.partition("───")[2].partition("\n\n")[0]
    lines = {line.split()[0]: line.split()[1] for line in table.splitlines()[1:]}
    assert lines.keys() == expected.keys()
    for model, one in expected.items():
        assert agrees(shown_mean(lines[model]), one.mean), lines[model]


def test_junit_counts_the_rows(drawn, address, expected):
    root = ET.fromstring(page_of(address, f"/series/{drawn.series}/export/junit"))  # noqa: S314  ours
    suites = {suite.get("name"): suite for suite in root.iter("testsuite")}
    assert suites.keys() == expected.keys()
    infrastructure = {"timeout", "bad_response", "provider_error"}
    for name, model in expected.items():
        failed = sum(n for kind, n in model.outcomes.items() if kind in infrastructure)
        got = {key: int(suites[name].get(key)) for key in ("tests", "failures", "errors")}
        below = model.n_scored - model.n_strict
        assert got == {"tests": model.n_trials, "failures": below, "errors": failed}, name


def live_means(html):
    """The mean under each head of the live page: None where it says that there is none."""
    heads = re.findall(r'<th scope="col" id="h(\d+)">(.*?)</th>', html)
    shown = dict(re.findall(r'<div id="figure(\d+)"[^>]*>(.*?)</div>', html, re.DOTALL))
    found = {}
    for column, head in heads:
        value = re.search(r'<b class="num">([\d.]+)%?</b>', shown[column])
        found[text_of(head)] = None if value is None else float(value[1])
    return found


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_live_page_shows_each_mean_under_its_model(drawn, address, number):
    html = page_of(address, f"/arena/{drawn.series}?run={number}")

    wanted = plain(drawn.trials(drawn.run_ids[number - 1]))
    shown = live_means(html)
    assert list(shown) == list(MODELS)
    for model, one in wanted.items():
        assert agrees(shown[model], one.mean), model


def test_the_stream_sends_each_mean_to_the_place_of_its_model(drawn, address):
    path = f"/arena/{drawn.series}/events?run=2&after=0"
    html = page_of(address, path)

    wanted = list(plain(drawn.trials(drawn.run_ids[1])).values())
    sent = re.findall(r'<div id="figure(\d+)" hx-swap-oob="true">(.*?)</div>', html, re.DOTALL)
    assert [int(column) for column, _ in sent] == list(range(len(MODELS)))
    for (_, text), one in zip(sent, wanted, strict=True):
        value = re.search(r'<b class="num">([\d.]+)%?</b>', text)
        assert agrees(None if value is None else float(value[1]), one.mean)


def test_trials_and_cost_are_counted_alike_on_every_page(drawn, address, expected, summary):
    pages = [page_of(address, f"/{kind}/{drawn.series}") for kind in ("series", "arena")]
    html = page_of(address, f"/series/{drawn.series}/export/html")
    results, live, exported = (tiles_of(page) for page in (*pages, html))

    done = sum(one.n_trials for one in expected.values())
    of = f"{done:,} of {sum(run.planned for run in summary.runs):,}"
    assert results["Trials"].startswith(of)
    assert exported["Trials"] == results["Trials"]
    assert live["Trials done"].startswith(of)
    assert "Not finished" not in text_of(pages[0])  # only the refused model's trials are left
    assert {run.state for run in summary.runs} == {"finished"}
    with Store.open(drawn.home / "benchmaker.db") as store:
        judged = [it for run_id in drawn.run_ids for it in store.each_judgment(run_id)]
    assert judged
    known = sum(one.known_cost for one in expected.values()) + sum(it.cost_usd for it in judged)
    assert summary.spent.usd == close(known)
    shown = {tile["Cost"].split(" models")[0] for tile in (results, live, exported)}
    (cost,) = shown
    assert float(cost.removeprefix("at least $")) == pytest.approx(known, rel=0.005)


def test_a_share_and_a_count_beside_it_do_not_contradict_each_other(drawn, address, expected):
    tile = tiles_of(page_of(address, f"/series/{drawn.series}"))["Highest strict accuracy"]
    best = max(expected.values(), key=lambda one: one.strict or 0.0)
    share, count = float(tile.split("%")[0]), re.search(r"(\d+) of (\d+) answers(.*)", tile)
    assert agrees(share, best.strict)
    assert (int(count[1]), int(count[2])) == (best.n_strict, best.n_scored)
    if f"{100 * best.n_strict / best.n_scored:.1f}" != f"{share:.1f}":
        assert "by weight" in tile


def test_where_every_answer_is_right_or_wrong_the_page_has_one_column_for_it(tmp_path):
    cases = [benchmaker.Case(id=f"c{n}", prompt=f"{n}?", expected=str(n)) for n in range(6)]
    suite = benchmaker.Suite("sums", cases, scorer="exact", profile="robust")
    made = aside(
        benchmaker.run,
        suite,
        provider=lambda it: it.case_id[1:] if it.model == "a" or it.case_id < "c4" else "wrong",
        models=["a", "b"],
        home=tmp_path,
    )
    with serving(tmp_path, works=False) as address:
        page = page_of(address, f"/runs/{made.run_ids[0]}")
    heads, *rows = cells_of(page, 'id="h-forest"')
    shown = {row[0]: dict(zip(heads, row, strict=True)) for row in rows}
    assert "Accuracy" in heads
    assert not [head for head in heads if head.startswith(("Mean", "Strict", "SD"))]
    assert agrees(shown_mean(shown["a"]["Accuracy"]), 1.0)
    assert agrees(shown_mean(shown["b"]["Accuracy"]), 4 / 6)
    assert "Highest accuracy" in tiles_of(page)
    assert not {"Highest mean", "Highest strict accuracy"} & tiles_of(page).keys()


def test_no_interval_leaves_its_scale_and_no_verdict_stands_against_one(drawn, address):
    name = drawn.series
    answers = (
        f"/series/{name}.json", f"/api/v1/runs/{name}/groups?by=tag",
        *(f"/api/v1/{way}?run={name}" for way in ("compare", "rank", "power")),
        *(f"/api/v1/compare?run={name}&correction={way}" for way in ("max_t", "bh")),
        f"/api/v1/compare?run={name}&metric=strict", f"/api/v1/compare/groups?run={name}&by=tag",
        f"/series/{name}/export/json",
    )  # fmt: skip
    faults = []
    for path in answers:
        status, _, body = fetched(address + path)
        if status == 200:
            faults += faults_of(json.loads(body), path)
    rows = numbers_in(csv.DictReader(io.StringIO(page_of(address, f"/series/{name}.csv"))))
    faults += faults_of({"scale": "0-1", "rows": rows}, "csv")
    assert not faults, "\n".join(faults)


def test_failures_are_told_in_words_and_not_by_the_names_of_classes(drawn, address):
    failed = {str(it.outcome): it for it in drawn.trials() if it.error}
    surfaces = [f"/series/{drawn.series}", f"/arena/{drawn.series}", f"/runs/{drawn.run_ids[0]}"]
    for it in failed.values():
        rank = list(MODELS).index(it.model)
        surfaces.append(f"/runs/{it.run_id}/trials/{it.position}-{rank}")
        surfaces.append(f"/arena/{drawn.series}?run=1&at={it.position}-{rank}")
    surfaces += [f"/series/{drawn.series}/export/{form}" for form in ("junit", "html", "markdown")]
    shown = {path: text_of(page_of(address, path)) for path in surfaces}
    for it in failed.values():
        words = ["show", it.run_id, it.case_id, "--model", it.model, "--home", str(drawn.home)]
        shown[f"show {it.outcome}"] = CliRunner().invoke(main, words).stdout
        assert str(it.error) in shown[f"show {it.outcome}"]
    assert {"provider_error", "bad_response"} <= failed.keys()
    for path, text in shown.items():
        named = re.findall(r"AuthError|BadResponse|[Ii]nfrastructure|provider_error", text)
        assert not named or path.endswith("junit"), path


def test_a_refused_model_is_named_with_the_reason(drawn, address):
    for kind in ("arena", "series"):
        said = text_of(page_of(address, f"/{kind}/{drawn.series}"))
        assert REFUSED in said
        assert REASON in said, kind
