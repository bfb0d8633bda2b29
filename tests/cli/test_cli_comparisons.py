"""compare, rank, trend and power: called as they are typed."""

import csv
import io
import json
import re
from math import comb

import pytest

from benchmaker import Suite, run
from benchmaker.record import RunState
from benchmaker.store import Store

SUITE = """\
name: sums
profile: robust
scorer: exact
cases:
{cases}
"""
RIGHT = {"strong": range(1, 20), "middling": range(5, 18), "weak": range(15, 19)}


@pytest.fixture
def suite(tmp_path):
    cases = [
        f'  - {{id: c{at}, prompt: "?", expected: "yes", category: {"odd" if at % 2 else "even"}}}'
        for at in range(20)
    ]
    path = tmp_path / "sums.yaml"
    path.write_text(SUITE.format(cases="\n".join(cases)))
    return path


@pytest.fixture
def answered(cli, suite, tmp_path):
    """Runs the suite with the cases that each model gets right; gives the run's id."""

    def make(right=RIGHT, *words):
        lines = [
            {"id": f"c{at}", "model": model, "output": "yes" if at in passed else "xxx"}
            for model, passed in right.items()
            for at in range(20)
        ]
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return cli("run", suite, "--recorded", path, "--json", *words).data["run_id"]

    return make


@pytest.fixture
def votes(tmp_path):
    """Writes rows of a, b, winner, voter, prompt as CSV."""

    def make(*rows, head="a,b,winner,voter,prompt"):
        path = tmp_path / "votes.csv"
        path.write_text("\n".join([head, *rows]) + "\n")
        return path

    return make


def mid_p(wins, losses):
    n, k = wins + losses, min(wins, losses)
    return sum(comb(n, at) for at in range(k)) * 2 / 2**n + comb(n, k) / 2**n


def test_compare_says_what_a_count_by_hand_says(cli, answered):
    answered()
    told = cli("compare", "--json").data
    raw = {}
    for a, b in (("strong", "middling"), ("strong", "weak"), ("middling", "weak")):
        wins, losses = (
            len(set(x) - set(y)) for x, y in ((RIGHT[a], RIGHT[b]), (RIGHT[b], RIGHT[a]))
        )
        raw[a, b] = mid_p(wins, losses)
        pair = next(p for p in told["pairs"] if (p["model_a"], p["model_b"]) == (a, b))
        assert (pair["wins"], pair["losses"], pair["n"]) == (wins, losses, 20)
        assert pair["diff"] == pytest.approx((wins - losses) / 20)
        assert pair["p_value"] == pytest.approx(raw[a, b])
    ordered = sorted(raw, key=raw.get)
    holm = [max(raw[q] * (3 - at) for at, q in enumerate(ordered) if at <= k) for k in range(3)]
    for pair in told["pairs"]:
        at = ordered.index((pair["model_a"], pair["model_b"]))
        assert pair["p_adjusted"] == pytest.approx(min(1.0, holm[at]))
    assert [one["mean"] for one in told["models"]] == [0.95, 0.65, 0.2]
    assert told["scale"] == "0-1"


def test_compare_puts_the_verdict_first_and_the_tables_below(cli, answered):
    answered()
    text = cli("compare").stdout
    assert text.startswith("strong beats middling by 30.0 points (95% CI ")
    assert "3 of 3 pairs differ significantly." in text
    lines = text.splitlines()
    assert any(line.split()[:2] == ["strong", "95.0%"] for line in lines)
    assert any("+30.0" in line and "medium" in line for line in lines)
    assert text.endswith("Methods and notes: add --explain.\n")
    explained = cli("compare", "--explain").stdout
    assert explained.startswith(text.partition("\n\n")[0])
    assert "McNemar's binomial test with mid-p; Holm over 3 pairs." in explained


def test_models_of_different_runs_are_joined(cli, answered):
    one = answered({"strong": RIGHT["strong"]})
    two = answered({"weak": RIGHT["weak"]})
    told = cli("compare", one, two, "--json").data
    assert told["run_ids"] == [one, two]
    assert told["pairs"][0]["diff"] == pytest.approx(0.75)
    assert told["n_common"] == 20


def test_a_run_that_has_not_finished_is_said(cli, answered, home):
    run = answered()
    with Store.open(home / "benchmaker.db") as store:
        store.set_run_state(run, RunState.INTERRUPTED)
    for name in ("compare", "rank"):
        above = cli(name).stdout.partition("Model")[0]
        assert f"Unfinished: {run}." in above
        assert cli(name, "--explain").stdout.count("Unfinished") == 1
        assert cli(name, "--markdown").stdout.count(f"Unfinished: {run}.") == 1
        assert cli(name, "--json").data["complete"] is False
    assert cli("rank", "--json").data["sentence"]


def test_open_pairs_say_how_many_more_cases_they_take(cli, answered):
    answered({"a": range(12), "b": range(2, 12)})
    said = cli("compare").stdout
    assert "No significant difference: " in said
    assert "more cases like these (power" in " ".join(said.split())
    pair = cli("compare", "--json").data["pairs"][0]
    assert pair["more_cases"]["needed"] == pair["more_cases"]["more"] + 20
    assert pair["more_cases_reason"] is None


def test_an_open_pair_without_such_a_number_says_why(cli, answered):
    answered({"a": range(12), "b": range(12)})
    pair = cli("compare", "--json").data["pairs"][0]
    assert (pair["more_cases"], pair["more_cases_reason"]) == (None, "the means are equal")


def test_a_reference_leaves_its_own_pairs(cli, answered):
    answered()
    told = cli("compare", "--reference", "middling", "--json").data
    assert all("middling" in (p["model_a"], p["model_b"]) for p in told["pairs"])
    assert "Holm over 2 pairs" in told["method"]
    text = cli("compare", "--reference", "middling").stdout
    assert "Difference from middling" in text
    assert "−45.0" in text
    assert "Letters" not in text


def test_a_margin_calls_near_models_equivalent(cli, answered):
    answered({"a": range(19), "b": range(19)})
    assert "equivalent within 20.0 points" in " ".join(
        cli("compare", "--margin", 20).stdout.split()
    )


def test_compare_by_category_compares_within_each(cli, answered):
    answered()
    told = cli("compare", "--by", "category", "--json").data
    assert list(told["groups"]) == ["even", "odd"]
    odd = {at for at in range(20) if at % 2}
    strong = next(m for m in told["groups"]["odd"]["models"] if m["model"] == "strong")
    assert strong["mean"] == pytest.approx(len(odd & set(RIGHT["strong"])) / 10)
    assert "category odd" in cli("compare", "--by", "category").stdout


def test_groups_are_refused_where_cases_carry_no_label(cli, answered):
    answered()
    assert "No case of the suite has a tag" in cli("compare", "--by", "tag", code=2).stderr


@pytest.mark.parametrize("words", [("--table", "models"), ()])
def test_compare_writes_csv(cli, answered, words):
    answered()
    rows = list(csv.DictReader(io.StringIO(cli("compare", "--csv", *words).stdout)))
    assert len(rows) == 3
    assert float(rows[0]["mean" if words else "diff"]) == pytest.approx(0.95 if words else 0.3)


def test_compare_writes_markdown(cli, answered):
    answered()
    said = cli("compare", "--markdown").stdout
    assert said.startswith("**strong beats middling")
    assert "| Higher | Lower | Difference | Holm-adjusted CI | p, adjusted |" in said


@pytest.mark.parametrize("name", ["compare", "rank"])
def test_one_model_is_refused_with_what_to_do(cli, answered, name):
    answered({"alone": range(9)})
    said = cli(name, code=2).stderr
    assert "Run another model on the same suite" in said


@pytest.mark.parametrize("name", ["compare", "rank"])
def test_runs_of_one_model_are_joined_and_said_to_be(cli, answered, name):
    ids = [answered({"a": range(n), "b": range(4)}) for n in (9, 7)]
    joined = " ".join(cli(name, *ids).stdout.split())
    assert "Runs joined: a (2 runs), b (2 runs). A model counts once" in joined.replace(
        "b (2 runs), a (2 runs)", "a (2 runs), b (2 runs)"
    )
    assert "Runs joined" not in cli(name, ids[0]).stdout
    assert "Runs joined" in cli(name, *ids, "--markdown").stdout


@pytest.mark.parametrize("name", ["compare", "rank"])
def test_versions_of_a_suite_are_compared_over_the_cases_that_are_the_same(cli, home, name):
    def asked(model, last):
        cases = [{"id": f"c{n}", "prompt": "?", "expected": n if n < 7 else last} for n in range(8)]
        suite = Suite("arith", cases, scorer="exact")
        right = {f"c{n}": str(n) for n in range(4 if model == "a" else 3, 8)}
        answer = lambda request: right.get(request.case_id, "no")  # noqa: E731
        return run(suite, provider=answer, models=[model], home=home).run_ids[0]

    words = [asked("a", 7), asked("b", "other"), *(["--prior", 1] if name == "rank" else [])]
    assert "7 of 8 cases" in cli(name, *words).stdout
    told = " ".join(cli(name, *words, "--explain").stdout.split())
    assert "7 of 8 cases are the same in these 2 versions of arith" in told
    assert re.search(r"Data: 2 runs of arith, suite versions [0-9a-f]{8} and [0-9a-f]{8},", told)


@pytest.mark.parametrize("name", ["compare", "rank"])
def test_runs_of_two_suites_are_refused_and_named(cli, answered, ran, name):
    mine = answered()
    said = cli(name, mine, ran, code=2).stderr
    assert "have different suites" in said
    assert "sums" in said
    assert "first-suite" in said


@pytest.mark.parametrize("name", ["compare", "rank", "trend"])
@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_two_forms_on_stdout_are_refused(cli, name, form):
    words = ["sums"] if name == "trend" else []
    assert "stdout can't hold both" in cli(name, *words, "--json", f"--{form}", code=2).stderr


@pytest.mark.parametrize(
    "words", [["compare"], ["rank"], ["trend", "sums"], ["power", "--from", "latest"]]
)
def test_without_runs_it_says_so(cli, home, words):
    assert "no runs yet" in cli(*words, code=2).stderr
    assert not home.exists()


def test_an_unknown_model_is_refused_with_the_nearest(cli, answered):
    answered()
    said = cli("compare", "--model", "strng", "--model", "weak", code=2).stderr
    assert "Did you mean 'strong'?" in said


def test_rank_gives_ranges_and_says_whether_the_first_is_certain(cli, answered):
    answered()
    told = cli("rank", "--top", 2, "--json").data
    assert [row["model"] for row in told["models"]] == ["strong", "middling", "weak"]
    assert told["clusters"] == 20
    assert sum(row["p_top"] for row in told["models"]) == pytest.approx(2)
    text = cli("rank", "--explain").stdout
    assert text.startswith("strong comes first (95% confidence).")
    assert "60 battles in 20 cases. Data: 1 run of sums" in " ".join(text.split())
    assert "1 [1–" in text


def test_rank_writes_csv_and_markdown(cli, answered):
    answered()
    rows = list(csv.DictReader(io.StringIO(cli("rank", "--csv").stdout)))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert "| Rank, 95% CI | Model | Rating |" in cli("rank", "--markdown").stdout


def test_rank_below_five_cases_is_provisional(cli, answered):
    answered(RIGHT, "--limit", "4")
    said = cli("rank", "--prior", 1).stdout
    assert said.startswith("Provisional, without ranks: 4 cases, at least 5 are needed.")
    assert "provisional  strong" in said
    assert "[1–" not in said


VOTES = [
    f"{a},{b},{winner},u{at % 5},p{at % 6}"
    for at, (a, b, winner) in enumerate(
        [("x", "y", "a"), ("y", "z", "y"), ("x", "z", "tie"), ("z", "x", "b"), ("y", "x", "a"),
         ("z", "y", "z"), ("x", "y", "x"), ("z", "x", "a")] * 5
    )
]  # fmt: skip


def test_rank_counts_votes_by_letter_by_name_and_ties(cli, votes):
    told = cli("rank", "--votes", votes(*VOTES), "--json").data
    x = next(row for row in told["models"] if row["model"] == "x")
    assert (x["wins"], x["ties"], x["losses"]) == (15, 5, 10)
    assert (told["n_battles"], told["n_prompts"], told["cluster"]) == (40, 6, "both")
    assert "votes" in told["hinge"]["unit"]


def test_votes_may_be_json_lines(cli, tmp_path):
    rows = [row.split(",") for row in VOTES]
    path = tmp_path / "votes.jsonl"
    path.write_text(
        "".join(
            json.dumps({"model_a": a, "model_b": b, "winner": w}) + "\n" for a, b, w, *_ in rows
        )
    )
    told = cli("rank", "--votes", path, "--json").data
    assert told["cluster"] == "none"
    assert told["n_prompts"] is None


def test_all_votes_that_cannot_be_read_are_told_with_their_lines(cli, votes):
    path = votes("x,y,a,u,p", "x,y,who,u,p", "x,x,a,u,p", "x,y,,u,p")
    said = cli("rank", "--votes", path, code=2).stderr
    assert ":3:1: the winner 'who' is not a, b, tie or " in said
    assert ":4:1: a and b are the same model 'x'." in said
    assert ":5:1: 'winner' is missing." in said


def test_a_file_without_the_columns_is_refused(cli, votes):
    said = cli("rank", "--votes", votes("x,y", head="left,right"), code=2).stderr
    assert "there is no column 'a'; there are: left, right." in said


def test_rank_is_not_certain_if_all_voters_agree_exactly(cli, votes):
    """Six voters, each 4 : 2 for x."""
    path = votes(
        *(f"x,y,{'x' if at % 6 < 4 else 'y'},u{at // 6}" for at in range(36)),
        head="a,b,winner,voter",
    )
    said = cli("rank", "--votes", path).stdout
    assert said.startswith("First place is undecided between x (highest rating) and y.")
    assert "x        1060  [981, 1139]     94.6%" in said
    markdown = cli("rank", "--votes", path, "--markdown").stdout
    assert r"| x | 1060 | \[981, 1139\] | 94.6% |" in markdown
    rows = cli("rank", "--votes", path, "--json").data["models"]
    assert [(row["best"], row["worst"]) for row in rows] == [(1, 2)] * 2


def test_a_voter_that_is_missing_now_and_then_is_refused(cli, votes):
    said = cli("rank", "--votes", votes("x,y,a,u,p", "x,y,b,,p"), code=2).stderr
    assert "vote 2 has no voter" in said


def test_unconnected_votes_are_refused_with_options_that_help(cli, votes):
    path = votes(*[f"x,y,a,u{at},p{at}" for at in range(9)])
    said = cli("rank", "--votes", path, code=2).stderr
    assert "one side won everything" in said
    assert "--method win_rate or --prior 1" in said
    assert cli("rank", "--votes", path, "--prior", 1, "--json").data["models"][0]["model"] == "x"


def test_style_is_read_from_columns(cli, votes):
    rows = [f"{row},{100 + 7 * at % 50},{90 + 3 * at % 60}" for at, row in enumerate(VOTES)]
    path = votes(*rows, head="a,b,winner,voter,prompt,length_a,length_b")
    told = cli("rank", "--votes", path, "--style", "length", "--cluster", "prompt", "--json").data
    assert told["style"][0]["feature"] == "length"
    words = ("rank", "--votes", path, "--style", "length", "--cluster", "prompt", "--explain")
    text = " ".join(cli(*words).stdout.split())
    assert "length, as (a - b)/(a + b): one more standard deviation (" in text
    assert "in standard deviations, without a penalty." in text
    both = cli("rank", "--votes", path, "--style", "length", "--json").data
    assert both["cluster"] == "both"


def test_weights_and_times_are_read(cli, votes):
    rows = [f"{row},2026-01-0{1 + at % 3},{1 + at % 2}" for at, row in enumerate(VOTES)]
    path = votes(*rows, head="a,b,winner,voter,prompt,at,weight")
    told = cli("rank", "--votes", path, "--cluster", "none", "--json").data
    assert told["n_eff"] == pytest.approx(60**2 / (20 + 20 * 4))
    assert (
        "does not support weights, and these votes have weights"
        in cli("rank", "--votes", path, "--method", "glicko2", code=2).stderr
    )
    plain = votes(*[row.rpartition(",")[0] for row in rows], head="a,b,winner,voter,prompt,at")
    assert (
        "over 3 periods" in cli("rank", "--votes", plain, "--method", "glicko2", "--explain").stdout
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["latest", "--votes", "v.csv"], "Runs and votes"),
        (["--model", "x", "--votes", "v.csv"], "Models and votes"),
        (["--style", "length"], "--style needs votes"),
    ],
)
def test_votes_and_runs_do_not_mix(cli, words, said):
    assert said in cli("rank", *words, code=2).stderr


def test_trend_flags_a_fall_and_names_the_runs(cli, answered):
    first = answered({"m": range(19)})
    second = answered({"m": range(19)})
    third = answered({"m": range(6)})
    told = cli("trend", "sums", "--json").data
    (model,) = told["models"]
    assert [point["run_ids"] for point in model["points"]] == [[first], [second], [third]]
    assert [step["change"] for step in model["steps"]] == ["not_tested", "lower"]
    text = cli("trend", "sums").stdout
    assert text.startswith("1 of 1 step is significant.")
    assert f"m, {second} to {third}: 65.0 points lower" in text


def test_trend_takes_named_runs_and_a_baseline(cli, answered):
    ids = [answered({"m": range(n)}) for n in (19, 10, 6)]
    told = cli("trend", *ids[:2], "--json").data
    assert len(told["models"][0]["points"]) == 2
    told = cli("trend", *ids, "--baseline", ids[0], "--json").data
    assert told["baseline"] == [ids[0]]
    assert {step["before"] for step in told["models"][0]["steps"]} == {0}


def test_trend_marks_a_change_of_the_suite(cli, answered, suite):
    answered({"m": range(19)})
    suite.write_text(suite.read_text().replace('"?"', '"??"'))
    answered({"m": range(6)})
    text = " ".join(cli("trend", "sums", "--explain").stdout.split())
    assert "No testable change: the suite changed." in text
    assert "the suite changed" in text
    assert "suite " in text


def test_trend_compares_the_equal_cases_of_two_versions(cli, answered, suite):
    answered({"m": range(19)})
    suite.write_text(suite.read_text().replace('"?"', '"??"', 1))
    answered({"m": range(6)})
    (model,) = cli("trend", "sums", "--json").data["models"]
    assert [(step["n"], step["change"]) for step in model["steps"]] == [(19, "lower")]


def test_trend_writes_csv_and_markdown(cli, answered):
    for n in (19, 6):
        answered({"m": range(n)})
    rows = list(csv.DictReader(io.StringIO(cli("trend", "sums", "--csv").stdout)))
    assert [row["change"] for row in rows] == ["", "lower"]
    assert "| Run | Started | Accuracy |" in cli("trend", "sums", "--markdown").stdout


def test_trend_of_one_run_or_of_nothing_is_refused(cli, answered):
    answered()
    assert "Run the suite again" in cli("trend", "sums", code=2).stderr
    said = cli("trend", "smus", code=2).stderr
    assert "no suite and no run 'smus'" in said
    assert "Suites with runs: sums" in said


def test_power_states_what_it_assumes(cli):
    said = " ".join(cli("power", "--delta", 5).stdout.split())
    assert said.startswith(
        "To detect a difference of 5.0 points with 80% power, you need 1,572 cases."
    )
    assert "two independent models, each with 50% accuracy" in said
    told = cli("power", "--delta", 5, "--json").data
    assert (told["solved"], told["n"], told["scale"]) == ("n", 1572, "0-1")


def test_power_takes_the_spread_from_a_run(cli, answered):
    answered()
    told = cli("power", "--from", "latest", "--delta", 10, "--json").data
    assert told["pilot"]["models"] == ["strong", "middling"]
    d = [(at in RIGHT["strong"]) - (at in RIGHT["middling"]) for at in range(20)]
    mean = sum(d) / 20
    assert told["sd_of_differences"] == pytest.approx((sum((x - mean) ** 2 for x in d) / 19) ** 0.5)
    told = cli("power", "--from", "latest", "--model", "weak", "--model", "strong", "--json").data
    assert (told["solved"], told["n"]) == ("delta", 20)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--n or --delta is missing"),
        (["--n", 100, "--model", "m"], "--model needs a run"),
        (["--n", 1], "--n"),
        (["--delta", 0], "--delta"),
    ],
)
def test_power_refuses_what_it_cannot_plan(cli, words, said):
    assert said in cli("power", *words, code=2).stderr


def test_results_by_category_shows_the_means_of_each(cli, answered):
    answered()
    told = cli("results", "--by", "category", "--json").data
    strong = told["groups"]["odd"][0]
    assert (strong["model"], strong["mean"], strong["n_cases"]) == ("strong", 1.0, 10)
    text = cli("results", "--by", "category").stdout
    assert "odd" in text
    assert "benchmaker compare --by category" in text
    assert "Accuracy" in text
    assert "Mean" not in text


def test_the_html_report_compares_and_ranks(cli, answered, tmp_path):
    run = answered()
    page = tmp_path / "r.html"
    cli("export", run, "--format", "html", "--output", page)
    text = page.read_text()
    assert "strong beats middling by 30.0 points" in text
    assert "Difference from <bdi>strong</bdi>" in text
    assert '<h2 id="h-ranks">Ranks</h2>' in text
    assert 'class="zero"' in text


def test_the_html_report_of_one_model_has_neither(cli, answered, tmp_path):
    run = answered({"alone": range(9)})
    page = tmp_path / "r.html"
    cli("export", run, "--format", "html", "--output", page)
    assert "h-differences" not in page.read_text()
    assert "h-ranks" not in page.read_text()


@pytest.mark.parametrize(("delta", "printed"), [(0.05, "0.05"), (2.25, "2.25"), (2, "2.0")])
def test_power_prints_the_digits_of_a_difference(cli, delta, printed):
    said = " ".join(cli("power", "--delta", delta).stdout.split())
    assert said.startswith(f"To detect a difference of {printed} points with 80% power")


@pytest.mark.parametrize("option", ["--delta", "--sd"])
def test_points_below_1_may_be_meant_as_a_share(cli, option):
    words = ("power", "--n", 100, option, 0.05)
    meant = f"0.05 points; did you mean 5 points ({option} 5)?"
    assert meant in cli(*words).stdout
    assert meant in cli(*words, "--json").data["warnings"]
    assert "did you mean" not in cli("power", "--n", 100, option, 5).stdout
