from benchmaker.cli.output.attempts import attempt_table, errors
from benchmaker.record import Attempt, Outcome, Trial, Usage

WHEN = "2026-01-01T00:00:00Z"
REFUSED = Attempt(
    number=1, status="500", started_at=WHEN, last_byte_s=0.012, cost_usd=0.0,
    error_type="ProviderError", error="x answered HTTP 500.",
)  # fmt: skip
LATE = Attempt(
    number=2, status="failed", started_at=WHEN, last_byte_s=60.0, error_type="Timeout",
    error="x did not finish.",
)  # fmt: skip
ANSWERED = Attempt(
    number=3, status="ok", started_at=WHEN, first_byte_s=0.31, last_byte_s=1.2, cost_usd=0.0000352,
    usage=Usage(input_tokens=20, cache_read_tokens=1000, output_tokens=3),
)  # fmt: skip


def a_trial(*attempts, **fields):
    return Trial(
        run_id="r", case_id="c", model="m", position=0, outcome=Outcome.SCORED, attempts=attempts,
        **fields,
    )  # fmt: skip


def test_every_request_is_a_line_and_what_is_not_known_is_a_word():
    assert attempt_table([REFUSED, LATE, ANSWERED]) == [
        "  attempt  status  first byte     latency           tokens        cost",
        "        1  500        unknown      0.01 s          unknown       $0.00",
        "        2  failed     unknown  1 min 00 s          unknown     unknown",
        "        3  ok          0.31 s      1.20 s  1,020 in, 3 out  $0.0000352",
    ]


def test_without_requests_there_is_no_table():
    assert attempt_table([]) == []


def test_errors_are_told_by_number():
    assert list(errors(a_trial(REFUSED, LATE, ANSWERED))) == [
        (1, "x answered HTTP 500."),
        (2, "x did not finish."),
    ]


def test_the_error_that_the_trial_ended_with_is_not_told_twice():
    ended = a_trial(REFUSED, LATE, error_type="Timeout", error="x did not finish.")
    assert list(errors(ended)) == [(1, "x answered HTTP 500.")]


def test_show_lists_the_requests_of_a_trial(live, sums):
    live("run", sums, "--model", "openai/fault:http_500:1", "--limit", 1, "--quiet")
    lines = live("show", "latest", "c0").stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("  attempt"))
    assert lines[at].split() == [
        "attempt", "status", "first", "byte", "latency", "tokens", "cost",
    ]  # fmt: skip
    assert lines[at + 1].split()[:2] == ["1", "500"]
    assert lines[at + 2].split()[:2] == ["2", "ok"]
    assert lines[at + 3].startswith("  error 1   127.0.0.1")


def test_show_of_a_recorded_answer_has_no_requests(cli, ran):
    assert "attempt" not in cli("show", ran, "capital-france").stdout
