# ruff: noqa: E501  faults stand on one line, as people see them

import asyncio
import csv
import gzip
import hashlib
import json
import re
import tracemalloc
from functools import partial

import pytest

from benchmaker.errors import BadResponse, ProviderError, RateLimited, SpecError, Timeout
from benchmaker.providers.base import Request
from benchmaker.providers.recorded import Recorded
from benchmaker.spec import AnswerFields, Parameters
from benchmaker.testing import ProviderContract

LINES = [
    {"model": "a", "id": "1", "output": "one"},
    {"model": "a", "id": "2", "output": "two"},
    {"model": "b", "id": "1", "output": None},
]


def ask(recorded, model, case_id, run=1):
    request = Request(model=model, case_id=case_id, run=run, messages=(), parameters=Parameters())
    return asyncio.run(recorded.complete(request))


@pytest.fixture
def write(tmp_path):
    def to(name, lines):
        path = tmp_path / name
        data = lines if isinstance(lines, (str, bytes)) else "\n".join(map(json.dumps, lines))
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return to


@pytest.fixture
def opened(write):
    """Open answers, and close them when the test ends."""
    files = []

    def of(lines, name="answers.jsonl", **options):
        files.append(Recorded.open(write(name, lines), **options))
        return files[-1]

    yield of
    for file in files:
        file.close()


@pytest.fixture
def faults(write, tmp_path):
    def of(lines, name="answers.jsonl", **options):
        with pytest.raises(SpecError) as caught:
            Recorded.open(write(name, lines), **options)
        return str(caught.value).replace(f"{tmp_path}/", "").splitlines()

    return of


class TestContract(ProviderContract):
    """The kit that every provider must pass."""

    @pytest.fixture(autouse=True)
    def _file(self, write):
        type(self).provider = partial(Recorded.open, write("answers.jsonl", LINES))

    answerable = (Request(model="a", case_id="1", messages=(), parameters=Parameters()),)
    unanswerable = (
        Request(model="a", case_id="9", messages=(), parameters=Parameters()),
        Request(model="z", case_id="1", messages=(), parameters=Parameters()),
        Request(model="a", case_id="1", run=2, messages=(), parameters=Parameters()),
    )


def as_csv(tmp_path) -> str:
    path = tmp_path / "scratch"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["model", "id", "output"])
        writer.writeheader()
        writer.writerows(LINES)
    return path.read_text()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.csv", "a.csv.gz"])
def test_every_format_gives_the_same_answers(opened, tmp_path, name):
    text = {"csv": as_csv(tmp_path), "json": json.dumps(LINES, indent=1)}.get(
        name.split(".")[1], "\n".join(map(json.dumps, LINES))
    )
    recorded = opened(gzip.compress(text.encode()) if name.endswith("gz") else text, name)
    assert (recorded.models, recorded.runs, len(recorded)) == (("a", "b"), 1, 3)
    assert ask(recorded, "a", "2").text == "two"
    assert ask(recorded, "b", "1").text == ""


def test_a_missing_answer_is_a_provider_error(opened):
    recorded = opened(LINES)
    with pytest.raises(ProviderError, match=r"no recorded answer of 'b' to case '2' in run 1\."):
        ask(recorded, "b", "2")


def labelled(*runs):
    return [{"model": "a", "id": "1", "output": str(run), "run": run} for run in runs]


def test_runs_that_are_numbered_count_by_their_numbers_and_others_as_they_come(opened):
    recorded = opened(labelled("seed-7", 10, 3, True, 0, "2.5", -1))
    assert recorded.runs == 7
    assert recorded.description()["run_labels"] == [
        "-1", "0", "2.5", "3", "10", "seed-7", "true",
    ]  # fmt: skip
    assert ask(recorded, "a", "1", 5).text == "10"
    assert ask(recorded, "a", "1", 6).text == "seed-7"
    for run in (0, 8):
        with pytest.raises(ProviderError):
            ask(recorded, "a", "1", run)


def test_the_order_of_the_lines_does_not_say_which_run_is_the_first(opened):
    recorded = opened(labelled(2, 1, 3))
    assert [ask(recorded, "a", "1", run).text for run in (1, 2, 3)] == ["1", "2", "3"]
    assert recorded.renumbering_note == ""


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ((0,), "run 0 of the recording is run 1 here"),
        ((3, 1), "runs 1, 3 of the recording are runs 1 to 2 here"),
        ((1, 0), "runs 0, 1 of the recording are runs 1 to 2 here"),
        (("b", "a"), ""),
    ],
)
def test_runs_with_other_numbers_in_the_file_are_told(opened, runs, told):
    assert opened(labelled(*runs)).renumbering_note == told


def test_runs_keep_the_order_in_which_they_were_begun(opened):
    recorded = opened(labelled(2, 1), labels=["2", "1"])
    assert ask(recorded, "a", "1", 1).text == "2"


def test_named_models_are_taken_in_their_order(opened):
    recorded = opened(LINES, models=["b"])
    assert (recorded.models, len(recorded)) == (("b",), 1)
    assert opened(LINES, models=["b", "a"]).models == ("b", "a")


def test_an_unknown_model_has_a_nearest(faults):
    lines = [
        {"model": "gpt-4o-mini", "id": "1", "output": ""},
        {"model": "llama", "id": "1", "output": ""},
    ]
    assert faults(lines, models=["gpt4o-mini", "zzz"]) == [
        "answers.jsonl: the file has no answers of model 'gpt4o-mini'. Did you mean 'gpt-4o-mini'?",
        "answers.jsonl: the file has no answers of model 'zzz'. Models in the file: gpt-4o-mini, llama.",
    ]


def test_all_bad_lines_come_at_once(faults):
    lines = '{"model": "a"}\n{"model": "a", "id": 1, "output": [1]}\n{\n{"model": "a", "id": 2, "outptu": ""}\n'
    assert faults(lines) == [
        "answers.jsonl:1:1: missing field 'id'. Fields there: model. If these hold the values, add `--fields id=FIELD`.",
        "answers.jsonl:2:1: the output of 'a' ('output') is not text. Map the field inside it that has the text.",
        "answers.jsonl:3:2: invalid JSON: unexpected end of file. The file may be truncated.",
        "answers.jsonl:4:1: missing field 'output'. Did you mean 'outptu'?",
    ]


def test_bad_lines_are_shown_up_to_a_number_and_counted(faults):
    found = faults("".join(f'{{"id{n}": 1}}\n' for n in range(300)))
    assert len(found) == 201
    assert found[-1].endswith("100 more errors are not listed. Fix these first.")
    first, rest = faults("{}\n" * 300)
    assert first.endswith(":1:1: missing field 'id'. 199 more places have the same error.")
    assert "100 more errors" in rest


def test_two_answers_under_one_key_name_both_lines(faults):
    (found,) = faults([*LINES, LINES[1]])
    assert found == (
        "answers.jsonl:4:1: duplicate answer of 'a' to case '2'; first at answers.jsonl:2."
        " Map the field that differs with --fields: model=NAME if it names what was compared"
        " (another filter, prompt or setting), run=NAME if it numbers repeats of the same thing."
        " Or remove one answer."
    )
    (counted,) = faults([*LINES, *LINES])
    assert f"; {len(LINES) - 1} more like this. Map the field" in counted
    lines = [{**line, "run": "x"} for line in (*LINES, LINES[0])]
    assert (
        "duplicate answer of 'a' to case '1' in run 'x'; first at answers.jsonl:1."
        in faults(lines)[0]
    )


def test_a_file_where_only_some_lines_name_a_run_is_refused(faults):
    (found,) = faults([LINES[0], {**LINES[1], "run": 1}])
    assert found.startswith("answers.jsonl:1:1: the line has no run in 'run', but other lines do.")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "answers.jsonl: the file has no answers."),
        (b"\x1f\x8b123", "answers.jsonl: unexpected end of the gzip file"),
        ("[]", "not a JSON object"),
        ("model,id\n", "invalid JSON"),
    ],
)
def test_a_file_without_answers_is_refused(faults, lines, words):
    assert words in "\n".join(faults(lines))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SpecError, match="it does not exist"):
        Recorded.open(tmp_path / "no.jsonl")


def test_a_mapping_that_makes_a_model_of_every_line_is_noticed(faults):
    lines = ({"model": i, "id": i, "output": ""} for i in range(10_001))
    (found,) = faults(lines)
    assert found == (
        "answers.jsonl:10001:1: the file has more than 10,000 different models. Check the field mapping."
    )


def test_a_mapped_field_that_no_line_has_is_refused(faults):
    (found,) = faults(LINES, fields=AnswerFields(latency_s="time"))
    assert found == (
        "answers.jsonl: no line has the field 'time', the source of 'latency_s'. Fields there: model, id, output."
    )


def test_wide_lines_and_line_numbers(opened):
    lines = [
        {"q": "x", "six": {"solution": "a"}, "big": {"solution": "b"}},
        {"q": "y", "six": {"solution": "c"}},
    ]
    fields = AnswerFields(id="$line", models={"6b": "six.solution", "175b": "big.solution"})
    recorded = opened(lines, fields=fields)
    assert recorded.models == ("6b", "175b")
    assert ask(recorded, "6b", "2").text == "c"
    with pytest.raises(ProviderError):
        ask(recorded, "175b", "2")
    assert opened(lines, fields=fields, models=["175b"]).models == ("175b",)


def test_answers_to_other_cases_are_counted(opened):
    assert opened(LINES).count_unmatched(["1"]) == 1


def test_the_description_tells_how_to_read_the_file_again(opened, tmp_path):
    recorded = opened(LINES, fields=AnswerFields(id="{id}"))
    path = tmp_path / "answers.jsonl"
    assert recorded.description() == {
        "kind": "recorded",
        "path": str(path),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "fields": {"id": "{id}"},
        "answers": 3,
        "run_labels": [],
    }


def test_answers_stay_as_they_were_when_the_file_changes(opened, tmp_path):
    recorded = opened(LINES)
    (tmp_path / "answers.jsonl").write_text("gone")
    assert ask(recorded, "a", "1").text == "one"


def test_half_characters_and_nul_in_an_output_are_kept(opened):
    recorded = opened('{"model": "a", "id": "1", "output": "x\\ud83d \\u0000"}')
    assert ask(recorded, "a", "1").text == "x\ud83d \0"


def test_memory_does_not_grow_with_the_answers(write):
    text = "".join(
        json.dumps({"model": "m", "id": f"case-{i}", "output": "An answer of some length. " * 20})
        + "\n"
        for i in range(8_000)
    )
    path = write("a.jsonl.gz", gzip.compress(text.encode(), 1))
    del text
    tracemalloc.start()
    try:
        with Recorded.open(path) as recorded:
            assert len(recorded) == 8_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5 * 2**20


T = "{task}-{mode}-{i}"


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "fields", "models", "number"),
    [
        ("zeroeval_gsm/gsm_answers.jsonl.gz", {}, 14, 14 * 1319),
        ("zeroeval_crux/crux_answers.jsonl.gz", {}, 12, 12 * 800),
        ("bbh_code_davinci_002/answers.jsonl.gz", {"id": T, "model": "=code-davinci-002"}, 1, 4000),
        (
            "gsm8k_openai_solutions.jsonl.gz",
            {"id": "$line", "models": {
                name: f"{name}.solution"
                for name in ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
            }},
            4,
            5276,
        ),
        ("arena_hard_v01/answers.jsonl.gz", {"id": "question_id"}, 3, 1500),
    ],
)  # fmt: skip
def test_real_answers_open(shared, file, fields, models, number):
    with Recorded.open(shared / "suites" / file, fields=AnswerFields(**fields)) as recorded:
        assert (len(recorded.models), len(recorded), recorded.runs) == (models, number, 1)


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        (
            {"output": None, "error": "HTTP 500", "outcome": "provider_error"},
            ProviderError,
            "HTTP 500",
        ),
        ({"output": "", "error": "timeout after 120 s"}, ProviderError, "timeout after 120 s"),
        ({"error": "out of order"}, ProviderError, "out of order"),
        (
            {"output": " ", "error": {"message": "no credit", "code": 402}},
            ProviderError,
            "no credit",
        ),
        ({"output": None, "error": {"code": 402}}, ProviderError, '{"code": 402}'),
        ({"output": None, "error": True}, ProviderError, "recorded as a failed request"),
        ({"output": "half an ans", "outcome": "timeout"}, Timeout, "recorded as timeout."),
        ({"output": None, "outcome": "Bad_Response", "error": "html"}, BadResponse, "html"),
        ({"outcome": "cancelled"}, ProviderError, "recorded as cancelled."),
        ({"output": None, "error": "slow", "error_type": "RateLimited"}, RateLimited, "slow"),
        ({"output": None, "error": "x", "error_type": "ReadTimeout"}, ProviderError, "x"),
    ],
)
def test_a_request_that_failed_is_no_answer(opened, said, kind, words):
    recorded = opened([{"model": "m", "id": "1", **said}])
    with pytest.raises(ProviderError, match=re.escape(words)) as caught:
        ask(recorded, "m", "1")
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    "said",
    [
        {"output": "4", "error": "the second attempt was cut off"},
        {"output": "", "error": None},
        {"output": "", "error": ""},
        {"output": "", "error": False},
        {"output": "", "error": {}},
        {"output": "", "error": "said nothing", "outcome": "empty"},
        {"output": "4", "error": "no verdict", "outcome": "scorer_error"},
    ],
)
def test_an_answer_stays_one_whatever_is_said_beside_it(opened, said):
    recorded = opened([{"model": "m", "id": "1", **said}])
    assert ask(recorded, "m", "1").text == said["output"]


@pytest.mark.parametrize(
    ("outcome", "finish"),
    [("truncated", "length"), ("filtered", "filter"), ("refused", "refusal"), ("scored", "stop")],
)
def test_an_outcome_that_is_the_models_doing_says_why_it_stopped(opened, outcome, finish):
    recorded = opened([{"model": "m", "id": "1", "output": "x", "outcome": outcome}])
    assert ask(recorded, "m", "1").finish == finish


def test_a_failure_whose_text_holds_half_a_surrogate_pair_is_kept(opened):
    line = (
        '{"model": "m", "id": "1", "error": "said \\ud800 and broke off", "error_type": "Timeout"}'
    )
    recorded = opened(f"{line}\n")
    with pytest.raises(Timeout, match="said \ud800 and broke off"):
        ask(recorded, "m", "1")


def test_a_failed_request_in_a_table_needs_no_output(opened):
    table = "model,id,output,error\nm,1,,HTTP 503\nm,2,4,\n"
    recorded = opened(table, name="answers.csv")
    with pytest.raises(ProviderError, match="HTTP 503"):
        ask(recorded, "m", "1")
    assert ask(recorded, "m", "2").text == "4"


def test_an_unknown_outcome_is_refused_with_the_known_ones(faults):
    (said,) = faults([{"model": "m", "id": "1", "output": "x", "outcome": "provider_eror"}])
    assert said.startswith("answers.jsonl:1:1: unknown outcome 'provider_eror'.")
    assert "Did you mean 'provider_error'?" in said
    assert "timeout, bad_response, provider_error" in said


def test_an_outcome_of_another_meaning_can_be_left_aside(opened):
    passed = {"model": "m", "id": "1", "output": "x", "outcome": "pass"}
    failed = {"model": "m", "id": "2", "output": "", "outcome": "fail", "error": "HTTP 503"}
    recorded = opened([passed, failed], fields=AnswerFields(outcome="="))
    assert ask(recorded, "m", "1").text == "x"
    with pytest.raises(ProviderError, match="HTTP 503"):
        ask(recorded, "m", "2")


def test_a_key_in_a_recorded_error_is_masked(opened):
    key = "sk-proj-abcdefgh12345678ijkl"
    recorded = opened([{"model": "m", "id": "1", "error": f"401: wrong key {key}"}])
    with pytest.raises(ProviderError, match="redacted") as caught:
        ask(recorded, "m", "1")
    assert key not in str(caught.value)
