"""``label``, and what labels do to ``results``, ``compare`` and reports."""

import html
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

import pytest

from tests.cli.conftest import environment
from tests.cli.test_cli_judged import write_lines
from tests.running import warm
from tests.web.results_data import fetched
from tests.web.serving import serving

pytestmark = pytest.mark.warm

CASES = 30
RANDOM = ("--share-random", "1", "--n", "40", "--traps", "2")


def people(model, at):
    """What people say of an answer, from 0 to 10."""
    return (3 if model == "a" else 5) + at % 4


def run_of_judged(folder):
    """The words that run thirty cases, two models and a judge two points too lenient."""
    pairs = [(model, at) for at in range(CASES) for model in ("a", "b")]
    answers = [
        {"model": model, "id": f"c{at}", "output": f"{at}.{'ab'.index(model)}\x1b[2J"}
        for model, at in pairs
    ]
    replies = [
        {"model": model, "id": f"c{at}",
         "output": json.dumps({"score": people(model, at) + (2 if at % 3 else 1)})}
        for model, at in pairs
    ]  # fmt: skip
    write_lines(folder / "answers.jsonl", answers)
    write_lines(folder / "judge.jsonl", replies)
    cases = [{"id": f"c{at}", "prompt": f"What is {at}?", "expected": str(at)}
             for at in range(CASES)]  # fmt: skip
    suite = {"name": "judged", "scorer": "llm_judge", "cases": cases}
    (folder / "suite.json").write_text(json.dumps(suite))
    answered = ("--recorded", folder / "answers.jsonl")
    return ("run", folder / "suite.json", *answered, "--recorded-judge", folder / "judge.jsonl")


@pytest.fixture(scope="session")
def judged_home(tmp_path_factory):
    """A home with that run, to be copied, and the run's id."""
    folder = tmp_path_factory.mktemp("judged")
    home = folder / "home"
    home.mkdir()  # a database has its note in there
    words = (*run_of_judged(folder), "--json")
    done = warm.start(words, cwd=folder, env=environment(home))
    return home, json.loads(done.communicate()[0])["run_id"]


@pytest.fixture
def judged(home, judged_home):
    """The id of that run."""
    shutil.copytree(judged_home[0], home)
    return judged_home[1]


def queue(cli, *words):
    return cli("label", "latest", "--queue", "--json", *words).data["items"]


def worth(item):
    """What somebody says who knows only what is shown."""
    at, dot, model = item["answer"].partition("\x1b")[0].partition(".")
    if not dot or not at.isdigit():
        return 0 if item["expected"] is None or item["expected"].isdigit() else 10
    return people("ab"[int(model)], int(at))


def lines(items):
    return "".join(f"{item['id']},{worth(item)}\n" for item in items)


def labelled(cli, *words):
    return cli("label", "latest", *RANDOM, *words, stdin=lines(queue(cli, *RANDOM)))


def test_the_queue_is_blind(cli, judged):
    said = cli("label", judged, "--queue", "--json", *RANDOM).stdout
    items = json.loads(said)["items"]
    assert len(items) == 42
    assert set(items[0]) == {"id", "question", "expected", "answer"}
    assert '"model"' not in said
    assert '"score"' not in said


def test_the_queue_as_a_table_shows_ids_and_nothing_that_acts(cli, judged):
    said = cli("label", judged, "--queue").stdout
    assert "\x1b" not in said
    assert queue(cli)[0]["id"] in said


@pytest.mark.usefixtures("judged")
def test_lines_on_stdin_are_labels_and_nobody_is_asked_again(cli):
    said = labelled(cli, "--json")
    assert (said.data["labelled"], said.data["waiting"]) == (42, 0)
    assert queue(cli, *RANDOM) == []
    assert len(queue(cli, *RANDOM, "--by", "bob")) == 42


def test_the_same_lines_again_change_nothing(cli, judged):
    text = "id,score\n" + lines(queue(cli, *RANDOM))
    cli("label", judged, *RANDOM, stdin=text)
    said = cli("label", judged, *RANDOM, stdin=text)
    assert "Labelled: 0, 42 unchanged." in said.stdout


def test_pass_fail_and_remarks_are_taken(cli, judged, tmp_path):
    one, two = queue(cli, *RANDOM)[:2]
    text = f"{one['id']},pass,quite right\n{two['id']},fail\n"
    cli("label", judged, *RANDOM, "--by", "ann", stdin=text)
    cli("label", judged, "--export", tmp_path / "out.jsonl")
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(it["score"], it["raw_score"], it["note"]) for it in found] == [
        (1.0, 10.0, "quite right"),
        (0.0, 0.0, ""),
    ]
    assert {it["by"] for it in found} == {"ann"}


def test_wrong_lines_are_refused_together_and_nothing_is_kept(cli, judged):
    item = queue(cli, *RANDOM)[0]
    text = f"{item['id']},8\nnobody,3\n{item['id']},11\nalone\n"
    said = cli("label", judged, *RANDOM, stdin=text, code=2)
    assert "stdin:2" in said.stderr
    assert "stdin:3" in said.stderr
    assert "stdin:4" in said.stderr
    assert len(queue(cli, *RANDOM)) == 42


@pytest.mark.usefixtures("judged")
def test_results_show_the_corrected_means_beside_the_judges(cli):
    assert "Corrected" not in cli("results").stdout
    assert cli("results", "--json").data["corrected"] is None
    labelled(cli)
    said = cli("results").stdout
    assert "Corrected by human labels" in said
    assert "Based on 40 labels by 1 person on randomly drawn answers; excluded: " in said
    data = cli("results", "--json").data["corrected"]
    for row in data["models"]:
        truth = sum(people(row["model"], at) for at in range(CASES)) / CASES / 10
        assert row["raw"] > truth + 0.1
        assert row["ci"][0] < truth < row["ci"][1]
        assert (row["n_labelled"], row["n_judged"]) == (20, CASES)


@pytest.mark.usefixtures("judged")
def test_compare_shows_the_corrected_difference(cli):
    assert "Corrected" not in cli("compare").stdout
    labelled(cli)
    assert "Corrected by human labels" in cli("compare").stdout
    assert "## Corrected by human labels" in cli("compare", "--markdown").stdout
    (pair,) = cli("compare", "--json").data["corrected"]["pairs"]
    assert (pair["model_a"], pair["model_b"]) == ("b", "a")
    assert pair["corrected"] == pytest.approx(0.2)


@pytest.mark.usefixtures("judged")
def test_a_verdict_that_labels_turn_round_is_called_one_not_to_rely_on(cli):
    said = (
        "The judge finds a significant difference b − a of +20.0, but human labels correct it to −"
    )
    assert "human labels" not in cli("compare").stdout
    reverse = "".join(f"{it['id']},{10 - worth(it)}\n" for it in queue(cli, *RANDOM))
    cli("label", "latest", *RANDOM, stdin=reverse)
    assert said in " ".join(cli("compare").stdout.split())
    warnings = cli("compare", "--json").data["warnings"]
    assert any(said.removeprefix("The ") in one for one in warnings)


@pytest.fixture
def turned(cli, judged):
    """The run of which people say the opposite of the judge."""
    reverse = "".join(f"{it['id']},{10 - worth(it)}\n" for it in queue(cli, *RANDOM))
    cli("label", "latest", *RANDOM, stdin=reverse)
    return judged


def beside(text):
    """What follows the verdict, without marks."""
    plain = html.unescape(re.sub(r"<[^>]+>", "", text))
    return " ".join(plain.split()).partition("b beats a by")[2][:200]


TURNED = "The judge finds a significant difference b − a of +20.0, but human labels correct it to −"


@pytest.mark.parametrize("words", [("compare",), ("compare", "--markdown")])
def test_the_warning_stands_beside_the_verdict(cli, turned, words):
    assert TURNED in beside(cli(*words, turned).stdout)


def test_a_report_has_the_warning_beside_the_verdict(cli, turned):
    assert TURNED in beside(cli("export", turned, "--format", "html").stdout)


def test_the_page_of_a_run_has_the_warning_beside_the_verdict(home, turned):
    with serving(home) as address:
        page = fetched(f"{address}/runs/{turned}")[2].decode()
        ranking = json.loads(fetched(f"{address}/api/v1/rank?run={turned}&prior=1")[2])
    assert TURNED in beside(page)
    assert "do not rely on the judge's ranking" in ranking["warnings"][0]


def test_a_ranking_that_labels_turn_round_says_so_beside_who_comes_first(cli, turned):
    said = " ".join(cli("rank", turned, "--prior", "1").stdout.split())
    assert (
        "(95% confidence). b comes first by the judge, but human labels correct b − a to −" in said
    )


def test_labels_that_agree_with_the_judge_leave_the_verdict_alone(cli, judged):
    labelled(cli)
    for words in (("compare",), ("rank", "--prior", "1"), ("export", "--format", "html")):
        assert "do not rely" not in cli(words[0], judged, *words[1:]).stdout


def test_reports_have_the_section(cli, judged, tmp_path):
    labelled(cli)
    cli("export", judged, "--format", "html", "--output", tmp_path / "report.html")
    assert 'id="h-corrected"' in (tmp_path / "report.html").read_text()
    assert "## Corrected by human labels" in cli("export", judged, "--format", "markdown").stdout


def test_the_heads_of_corrected_means_are_phrases_on_one_line(cli, judged):
    labelled(cli)
    markdown = cli("export", judged, "--format", "markdown").stdout
    page = cli("export", judged, "--format", "html").stdout
    heads = ("By the judge", "Corrected", "95% CI", "Labels alone, 95%", "Narrower by", "Labelled")
    assert f"| Model | {' | '.join(heads)} |" in markdown
    assert all(f">{head}</th>" in page for head in heads)


def test_too_few_labels_correct_nothing_and_say_how_many_there_are(cli, judged):
    few = ("--n", "6", "--share-random", "1", "--traps", "0")
    cli("label", judged, *few, stdin=lines(queue(cli, *few)))
    said = cli("results").stdout
    assert "Corrected by human labels" in said
    reason = "At least 10 labelled answers drawn at random are needed, 3 available (b; a)."
    assert reason in said.replace("\n", " ")


def test_targeted_labels_alone_correct_nothing(cli, judged):
    aimed = ("--share-random", "0", "--n", "40", "--traps", "0")
    cli("label", judged, *aimed, stdin=lines(queue(cli, *aimed)))
    data = cli("results", "--json").data["corrected"]
    assert [row["corrected"] for row in data["models"]] == [None, None]
    assert data["labels"]["left_out"] == {"targeted": 40}


def test_a_targeted_label_counts_as_random_once_the_draw_has_reached_it(cli, judged):
    aimed = ("--share-random", "0", "--n", "60", "--traps", "0")
    cli("label", judged, *aimed, stdin=lines(queue(cli, *aimed)))
    said = cli("label", judged, "--share-random", "1", "--n", "60", "--traps", "0", "--json")
    assert said.data["settled"] == 60
    data = cli("results", "--json").data["corrected"]
    assert data["labels"]["left_out"] == {}


def test_the_status_says_who_how_many_and_how_far_all_agree(cli, judged):
    assert "No labels yet." in cli("label", judged, "--status").stdout
    labelled(cli, "--by", "ann")
    labelled(cli, "--by", "bob")
    said = cli("label", judged, "--status").stdout
    assert "alpha 1.00 over 40 answers" in said
    data = cli("label", judged, "--status", "--json").data
    assert [(it["name"], it["random"], it["traps"], it["traps_failed"]) for it in data["people"]] \
        == [("ann", 40, 2, 0), ("bob", 40, 2, 0)]  # fmt: skip
    low, high = data["judge"]["bias"]["ci95"]
    assert low < 0.17 < high


def test_a_trap_that_was_failed_is_counted(cli, judged):
    words = ("--n", "1", "--traps", "4")
    text = "".join(f"{item['id']},pass\n" for item in queue(cli, *words))
    cli("label", judged, *words, stdin=text)
    (person,) = cli("label", judged, "--status", "--json").data["people"]
    assert (person["traps"], person["traps_failed"]) == (4, 2)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_labels_come_back_from_a_file_as_they_were(cli, judged, tmp_path, form):
    labelled(cli, "--by", "ann")
    path = tmp_path / f"labels.{form}"
    cli("label", judged, "--export", path)
    before = cli("results", "--json").data["corrected"]
    said = cli("label", judged, "--import", path, "--json").data
    assert said == {"read": 42, "labelled": 0, "unchanged": 42}
    elsewhere = tmp_path / "elsewhere"
    cli("export", judged, "--format", "json", "--output", tmp_path / "run.json")
    cli("import", tmp_path / "run.json", "--home", elsewhere)
    said = cli("label", judged, "--import", path, "--home", elsewhere, "--json").data
    assert said == {"read": 42, "labelled": 42, "unchanged": 0}
    assert cli("results", "--home", elsewhere, "--json").data["corrected"] == before


def rated(tmp_path, rows, name="rated.csv"):
    path = tmp_path / name
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def test_a_file_of_ones_own_says_how_its_answers_were_chosen(cli, judged, tmp_path):
    rows = [f"c{at},{model},{people(model, at)}" for at in range(0, 30, 2) for model in "ab"]
    path = rated(tmp_path, ["case,model,score", *rows])
    scale = ("--scale", "0", "10")
    cli("label", judged, "--import", path, *scale, "--by", "ann")
    assert cli("results", "--json").data["corrected"]["labels"]["left_out"] == {"targeted": 30}
    cli("label", judged, "--import", path, *scale, "--by", "ann", "--source", "random")
    labels = cli("results", "--json").data["corrected"]["labels"]
    assert labels == {"people": ["ann"], "n_labels": 30, "left_out": {}}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("c1,a,11", "not a number from 0 to 10"),
        ("c1,a,high", "not a number"),
        ("c1,z,5", "has no model"),
        ("c99,a,5", "c99"),
        (",a,5", "missing case"),
        ("c1,a,", "missing score"),
    ],
)
def test_a_wrong_line_of_a_file_is_named_and_nothing_is_kept(cli, judged, tmp_path, line, fault):
    path = rated(tmp_path, ["case,model,score", "c2,a,5", line])
    said = cli("label", judged, "--import", path, "--scale", "0", "10", code=None)
    assert said.code in (2, 3)
    assert "rated.csv:3" in said.stderr
    assert fault in said.stderr
    assert "No labels yet." in cli("label", judged, "--status").stdout


def test_a_label_of_an_answer_that_is_another_one_now_is_refused(cli, judged, tmp_path):
    path = rated(tmp_path, ["case,model,id,score", "c2,a,0123456789ab,0.5"])
    said = cli("label", judged, "--import", path, code=2)
    assert "has changed since labelling" in said.stderr


@pytest.mark.usefixtures("judged")
def test_a_map_is_refused_with_the_numbers(cli):
    labelled(cli)
    said = cli("results", "--label-map", "linear", code=None)
    assert said.code != 0
    assert "linear map needs 50 labelled answers drawn at random, found 40" in said.stderr


def test_one_thing_at_a_time(cli, judged, tmp_path):
    said = cli("label", judged, "--queue", "--export", tmp_path / "x.csv", code=2)
    assert "too many actions" in said.stderr


def test_an_export_is_csv_or_json_lines(cli, judged, tmp_path):
    said = cli("label", judged, "--export", tmp_path / "labels.txt", code=2)
    assert ".jsonl" in said.stderr
    assert not (tmp_path / "labels.txt").exists()


@pytest.mark.usefixtures("judged")
def test_from_python_a_result_brings_its_labels_along(cli, home):
    from benchmaker import corrected_differences, corrected_means, results  # noqa: PLC0415

    labelled(cli)
    result = results(home=home)
    assert len(result.labels()) == 42
    assert corrected_means(result).models == result.summary.corrected.models
    (pair,) = corrected_differences(result, pairs=[("b", "a")]).pairs
    assert pair.estimate.value == pytest.approx(0.2)


class Terminal:
    """The program before somebody who types."""

    def __init__(self, home, *words):
        self.fd, child = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmaker", "label", "latest", *words],
            stdin=child, stdout=child, stderr=child, env=environment(home), close_fds=True,
        )  # fmt: skip
        os.close(child)

    def until(self, wanted, seconds=60):
        said = ""
        end = time.monotonic() + seconds
        while wanted not in said:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            assert ready, said
            try:
                said += os.read(self.fd, 65536).decode()
            except OSError:
                break
        return said

    def type(self, text):
        os.write(self.fd, f"{text}\n".encode())

    def end(self):
        said = self.until("--status")
        return self.process.wait(60), said


def test_somebody_labels_in_a_terminal_stops_and_goes_on(cli, judged, home):
    table = Terminal(home, *RANDOM, "--by", "ann")
    first = table.until("quit]: ")
    assert "1 of 42" in first
    assert "Question" in first
    assert "Expected" in first
    assert "\x1b[2J" not in first
    for said, answer in (("eleven", "must be a number"), ("8 well said", "2 of 42"), ("s", "2 of")):
        table.type(said)
        assert answer in table.until("quit]: ")
    table.type("u")
    table.until("quit]: ")
    table.type("u")
    assert "1 of 42" in table.until("quit]: ")
    table.type("7/10")
    assert "2 of 42" in table.until("quit]: ")
    table.type("q")
    code, said = table.end()
    assert code == 0
    assert "Labelled: 1. Waiting: 41." in said
    assert "Continue with:" in said
    assert len(queue(cli, *RANDOM, "--by", "ann")) == 41
    data = cli("label", judged, "--status", "--json").data
    assert sum(data["people"][0][kind] for kind in ("random", "targeted", "traps")) == 1
