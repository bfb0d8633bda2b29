"""Every surface shows the figures of the summary, and the summary those of the rows."""

import csv
import io
import json
import re
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from scipy import stats

import benchmaker
from benchmaker.analysis.summary.gate import Gate
from benchmaker.cli import main
from benchmaker.report import write_markdown, write_summary_csv
from benchmaker.report.runs.comparison import comparison_text
from benchmaker.report.runs.ranking import ranking_text
from benchmaker.report.runs.text import summary_text
from benchmaker.report.runs.trend import trend_text
from benchmaker.store import Store
from tests.draws import draws
from tests.web.aside import aside
from tests.web.drawn_runs import MODELS, REASON, REFUSED, drawn_series
from tests.web.intervals import faults_of
from tests.web.plain_figures import (
    SHOWN,
    agrees,
    case_means,
    cells_of,
    close,
    mean_of_run,
    numbers_in,
    page_of,
    plain,
    same,
    shown_mean,
    text_of,
    tiles_of,
    weighted,
)
from tests.web.results_data import fetched
from tests.web.serving import serving

SEEDS = (1, 2, 3)


@pytest.fixture(scope="module", params=SEEDS[: draws(1, 3)])
def drawn(request, tmp_path_factory):
    """A random series, which nobody changes."""
    return drawn_series(tmp_path_factory.mktemp("drawn") / "home", request.param)


@pytest.fixture(scope="module")
def address(drawn):
    with serving(drawn.home, works=False) as address:
        yield address


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
    ended = [row[0] for row in rows if re.search(r" stopped after 0 of \d+ cases$", row[0])]
    assert len(ended) == (heading == 'id="h-forest"')
    rows = [[row[0].split(" stopped after ")[0], *row[1:]] for row in rows]
    assert {row[0] for row in rows} == set(MODELS)
    assert all(one.startswith(REFUSED) for one in ended)
    for row in rows:
        cells = dict(zip(heads, row, strict=True))
        if "Mean 95% CI" in cells:
            assert agrees(shown_mean(cells["Mean 95% CI"]), expected[row[0]].mean), row
            assert agrees(shown_mean(cells["Strict 95% CI"]), expected[row[0]].strict), row
        else:
            assert heading == 'id="h-spread"'
        shown = {
            run_id: mean
            for number, run_id in enumerate(drawn.run_ids, 1)
            if (mean := shown_mean(cells.get(f"Run {number}", "unscored"))) is not None
        }
        for run_id, mean in shown.items():
            assert agrees(mean, mean_of_run(drawn, row[0], run_id)), (row, run_id)


def test_html_markdown_and_terminal_show_the_means(drawn, address, summary, expected):
    base = f"/series/{drawn.series}/export"
    tables = {"html": cells_of(page_of(address, f"{base}/html"), 'id="h-forest"')}
    blocks = page_of(address, f"{base}/markdown").split("\n\n")
    heads, _, *lines = next(it for it in blocks if it.startswith("| Model | Mean")).splitlines()
    tables["markdown"] = [
        [it.strip(" *\\") for it in line.strip("|").split("|")] for line in (heads, *lines)
    ]
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
    assert "Unfinished" not in text_of(pages[0])  # only the refused model's trials are left
    assert {run.state for run in summary.runs} == {"finished"}
    with Store.open(drawn.home / "benchmaker.db") as store:
        judged = [it for run_id in drawn.run_ids for it in store.each_judgment(run_id)]
    assert judged
    known = sum(one.known_cost for one in expected.values()) + sum(it.cost_usd for it in judged)
    assert summary.spending.usd == close(known)
    shown = {tile["Cost"].split(" models")[0] for tile in (results, live, exported)}
    (cost,) = shown
    assert float(cost.removeprefix("at least $")) == pytest.approx(known, rel=0.005)


def test_a_share_and_a_count_beside_it_do_not_contradict_each_other(drawn, address, expected):
    report = page_of(address, f"/series/{drawn.series}/export/html")
    tile = tiles_of(report)["Highest strict accuracy"]
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
    assert "Accuracy 95% CI" in heads
    assert not [head for head in heads if head.startswith(("Mean", "Strict", "SD"))]
    assert agrees(shown_mean(shown["a"]["Accuracy 95% CI"]), 1.0)
    assert agrees(shown_mean(shown["b"]["Accuracy 95% CI"]), 4 / 6)
    assert tiles_of(page).keys() == {"Trials", "Cost"}


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


def scored_rows(rows, name):
    """The rows of a model that have a score."""
    return [it for it in rows if it.model == name and it.score and it.score.score is not None]


def scored_of(expected):
    """The models with a score, the best first."""
    with_mean = {name: one for name, one in expected.items() if one.mean is not None}
    return sorted(with_mean, key=lambda name: -with_mean[name].mean)


@pytest.fixture(scope="module")
def cases(drawn):
    """By model and case: the mean over runs."""
    rows = drawn.trials()
    return {model: case_means([it for it in rows if it.model == model]) for model in MODELS}


@pytest.fixture(scope="module")
def weights(drawn):
    return {it.case_id: it.weight for it in drawn.trials()}


@pytest.mark.parametrize("metric", ["mean", "strict"])
def test_the_comparison_is_that_of_the_rows(drawn, address, expected, metric):
    path = f"/api/v1/compare?run={drawn.series}&metric={metric}"
    data = json.loads(page_of(address, path))
    scored, rows = scored_of(expected), drawn.trials()
    own = {name: {it.case_id for it in scored_rows(rows, name)} for name in scored}
    common = set.intersection(*own.values())
    over_common = plain([it for it in rows if it.case_id in common])
    found = {one["model"]: one for one in data["models"]}
    assert found.keys() == expected.keys()
    assert (data["n_common"], found[REFUSED]["mean"]) == (len(common), None)
    for name in scored:
        assert found[name]["mean"] == close(getattr(over_common[name], metric)), name
        assert found[name]["mean_of_own"] == close(getattr(expected[name], metric)), name
        assert found[name]["n_scored"] == expected[name].n_cases
    assert [one["mean"] for one in data["models"][: len(scored)]] == sorted(
        (found[name]["mean"] for name in scored), reverse=True
    )
    assert len(data["pairs"]) == len(scored) * (len(scored) - 1) // 2
    for pair in data["pairs"]:
        a, b = (found[pair[key]]["mean"] for key in ("model_a", "model_b"))
        assert pair["diff"] == pytest.approx(a - b, abs=1e-12)
        assert pair["n"] == len(common)


def test_the_pairs_of_the_comparison_count_the_cases(drawn, address, expected, cases):
    data = json.loads(page_of(address, f"/api/v1/compare?run={drawn.series}"))
    common = set.intersection(*(set(cases[name]) for name in scored_of(expected)))
    for pair in data["pairs"]:
        a, b = cases[pair["model_a"]], cases[pair["model_b"]]
        signs = [0 if abs(a[it] - b[it]) < 1e-9 else a[it] > b[it] or -1 for it in common]
        found = (pair["wins"], pair["losses"], pair["ties"])
        assert found == (signs.count(1), signs.count(-1), signs.count(0))


def test_the_ranks_rest_on_the_battles_of_the_cases(drawn, address, expected, cases, weights):
    data = json.loads(page_of(address, f"/api/v1/rank?run={drawn.series}"))
    found = {one["model"]: one for one in data["models"]}
    scored = scored_of(expected)
    assert set(scored) <= found.keys()
    for name in scored:
        counts, sums = fought(name, [it for it in scored if it != name], cases, weights)
        one = found[name]
        assert [one["wins"], one["losses"], one["ties"]] == counts, name
        shown = [one[f"weighted_{way}"] for way in ("wins", "losses", "ties")]
        assert shown == pytest.approx(sums), name
    ratings = [one["score"] for one in data["models"] if one["score"] is not None]
    assert ratings == sorted(ratings, reverse=True)
    for one in data["models"]:
        if one["rank"] is not None:
            above = [it for it in ratings if it > one["score"] + 1e-9]
            assert one["rank"] == 1 + len(above)
            assert one["best"] is None or one["best"] <= one["rank"] <= one["worst"]


def fought(name, others, cases, weights):
    """Battles that a model won, lost and tied, by number and by weight."""
    counts, sums = [0, 0, 0], [0.0, 0.0, 0.0]
    for other in others:
        for case in cases[name].keys() & cases[other].keys():
            ahead = cases[name][case] - cases[other][case]
            at = 2 if abs(ahead) < 1e-9 else 0 if ahead > 0 else 1
            counts[at] += 1
            sums[at] += weights[case]
    return counts, sums


def test_the_plan_of_a_power_holds_what_it_promises(drawn, address, cases):
    pilot = ["made/strong", "made/weak"]
    asked = "&".join(f"model={name}" for name in pilot)
    path = f"/api/v1/power?run={drawn.series}&delta=8&{asked}"
    data = json.loads(page_of(address, path))
    words = ["power", "--from", drawn.series, "--delta", "8", "--json", "--home", str(drawn.home)]
    words += [word for name in pilot for word in ("--model", name)]
    assert without_runs_needed(json.loads(CliRunner().invoke(main, words).stdout)) == (
        without_runs_needed(data)
    )
    assert data["pilot"]["n"] == len(cases[pilot[0]].keys() & cases[pilot[1]].keys())
    assert data["pilot"]["runs"] == len(drawn.run_ids)
    assert chance(data, data["n"]) >= 0.8 > chance(data, data["n"] - 1)


def without_runs_needed(plan):
    return {key: value for key, value in plan.items() if key != "runs_needed"}


def chance(plan, cases):
    """To find the difference by a two-sided paired t test (Cohen 1988, chapter 2)."""
    way = plan["delta"] * cases**0.5 / plan["sd_of_differences"]
    edge = stats.t.isf(plan["alpha_each"] / 2, cases - 1)
    return stats.nct.sf(edge, cases - 1, way) + stats.nct.cdf(-edge, cases - 1, way)


@pytest.fixture(scope="module")
def trend(drawn):
    """What ``trend --json`` prints of the single runs."""
    words = ["trend", *drawn.run_ids, "--json", "--home", str(drawn.home)]
    return json.loads(CliRunner().invoke(main, words).stdout)


def test_a_trend_is_that_of_the_rows_of_each_run(drawn, address, trend):
    asked = "&".join(f"run={run_id}" for run_id in drawn.run_ids)
    assert json.loads(page_of(address, f"/api/v1/trend?{asked}")) == trend
    of_run = {run_id: plain(drawn.trials(run_id)) for run_id in drawn.run_ids}
    for model in trend["models"]:
        shown = {point["run_ids"][0]: point for point in model["points"]}
        wanted = {it: one[model["model"]] for it, one in of_run.items()}
        assert shown.keys() == {it for it, one in wanted.items() if one.mean is not None}
        for run_id, point in shown.items():
            assert point["mean"] == close(wanted[run_id].mean), (model["model"], run_id)
            assert point["n_cases"] == wanted[run_id].n_cases


def test_a_step_of_a_trend_is_the_difference_over_the_cases_of_both(drawn, trend, weights):
    for model in trend["models"]:
        for step in model["steps"]:
            ends = [model["points"][step[at]]["run_ids"][0] for at in ("before", "after")]
            before, after = (
                case_means([it for it in drawn.trials(end) if it.model == model["model"]])
                for end in ends
            )
            both = before.keys() & after.keys()
            wanted = weighted({it: [after[it] - before[it]] for it in both}, weights)
            assert step["diff"] == close(wanted), (model["model"], step)


THRESHOLD = 0.5


def test_a_gate_says_the_same_in_every_format(drawn, expected, weights):
    words = ["export", drawn.series, "--format", "junit", "--threshold", "50%"]
    said = CliRunner().invoke(main, [*words, "--home", str(drawn.home)])
    root = ET.fromstring(said.stdout)  # noqa: S314  ours
    result = benchmaker.results(drawn.series, home=drawn.home)
    decided = Gate(THRESHOLD).decide(result.summary, result.columns)
    held = replace(result.summary, gate=decided)
    stream = io.StringIO()
    write_markdown(held, stream)
    markdown, planned = stream.getvalue().replace("\\", ""), len(weights) * len(drawn.run_ids)
    found = {one["model"]: one for one in held.to_dict()["gate"]["models"]}
    tags = {
        case.get("classname").removeprefix("drawn."): [it.tag for it in case]
        for case in root.iter("testcase")
        if case.get("name") == "threshold"
    }
    assert found.keys() == tags.keys() == expected.keys()
    for name, one in expected.items():
        passes = None if one.mean is None else one.mean >= THRESHOLD
        verdict, tag, word = {
            None: ("undecided", "error", "undecided"),
            True: ("pass", "system-out", "met"),
            False: ("fail", "failure", "missed"),
        }[passes]
        assert (found[name]["verdict"], found[name]["mean"]) == (verdict, close(one.mean)), name
        assert (found[name]["n_scored"], found[name]["n_trials"]) == (one.n_scored, planned)
        assert tags[name] == [tag] or (passes and not tags[name]), name
        assert (f"Threshold {word}: {name} has" in markdown) == (not passes), (name, word)


@pytest.fixture(scope="module")
def told_in_terminals(drawn, summary):
    """What commands print of the series, by command, as a function of the width."""
    result = benchmaker.results(drawn.series, home=drawn.home)
    compared, ranked = benchmaker.compare(result), benchmaker.rank(result)
    followed = benchmaker.trend(
        [benchmaker.results(run_id, home=drawn.home) for run_id in drawn.run_ids]
    )
    return {
        "results": partial(summary_text, summary),
        "compare": partial(comparison_text, compared),
        "rank": partial(ranking_text, ranked),
        "trend": partial(trend_text, followed),
    }


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("command", ["results", "compare", "rank", "trend"])
def test_a_narrow_terminal_splits_no_figure(told_in_terminals, command, width):
    made = told_in_terminals[command]
    for line in made(width=width).splitlines():
        assert cell_len(line) <= width, line
        assert line.count("[") == line.count("]"), line


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_terminal_shows_each_models_figure(told_in_terminals, expected, width):
    table = (
        told_in_terminals["results"](width=width).partition("\u2500\u2500")[2].partition("\n\n")[0]
    )
    shown = re.findall(r"(?m)^\S+\s+(?:([\d.]+)|unscored)\s+(\[|no interval)", table)
    means = sorted(one.mean for one in expected.values() if one.mean is not None)
    assert sorted(float(mean) for mean, _ in shown if mean) == [
        pytest.approx(100 * mean, abs=SHOWN) for mean in means
    ]
    assert len(shown) == len(expected)


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
