"""The YAML of Aider's leaderboards."""

import pytest

from benchmaker.arenas.agentic.importers.benchmarks.aider_benchmark import AiderBenchmark
from benchmaker.arenas.agentic.logs.events import SessionPart
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.record.submissions.submission import EvidenceLevel, Provenance
from tests.arenas.agentic.importers.logs import head_of, read_one

BENCHMARK = AiderBenchmark()
ROW = """\
- dirname: 2025-05-03-a-run
  test_cases: 225
  model: gpt-5
  edit_format: diff
  pass_rate_1: 38.7
  pass_num_1: 87
  pass_num_2: 180
  reasoning_effort: high
  date: 2025-05-03
  versions: 0.82.3.dev
  seconds_per_case: 10.0
  prompt_tokens: 1000
  completion_tokens: 200
  thinking_tokens: 150
  total_cost: 1.5
"""


def table(folder, text=ROW):
    path = folder / "leaderboard.yml"
    path.write_text(text)
    return path


def test_a_row_is_a_run_over_many_exercises(tmp_path):
    path = table(tmp_path)
    found = read_one(BENCHMARK, path)
    assert BENCHMARK.sniff(head_of(path)) > 0
    assert found.system.name == "aider · gpt-5 · high"
    assert (found.usage.input_uncached, found.usage.output, found.usage.reasoning) == (
        1000,
        200,
        150,
    )
    assert (found.cost.reported_usd, found.time.active_s) == (1.5, 2250)
    assert (found.outcome.reward, found.outcome.success) == (0.8, None)
    assert found.evidence_level is EvidenceLevel.SELF_REPORTED
    assert set(found.provenance.values()) <= {Provenance.SELF_REPORTED, Provenance.COMPUTED}


def test_a_cost_of_nothing_without_tokens_is_missing(tmp_path):
    text = ROW.replace("1.5", "0.0").replace("1000", "0").replace("200", "0").replace("150", "0")
    found = read_one(BENCHMARK, table(tmp_path, text))
    assert (found.cost.usd, found.total_tokens) == (None, None)


def test_a_share_that_cannot_be_true_is_left_out(tmp_path):
    text = ROW.replace("pass_num_2: 180", "pass_num_2: 999")
    assert read_one(BENCHMARK, table(tmp_path, text)).outcome.reward is None


@pytest.mark.parametrize("value", ["-5", ".nan", ".inf"])
def test_a_row_with_a_figure_that_cannot_be_true_is_refused(tmp_path, value):
    skipped = []
    text = ROW.replace("1000", value)
    (ref,) = BENCHMARK.scan(table(tmp_path, text))
    assert list(BENCHMARK.parse(ref, Options(skip=skipped.append))) == []
    assert skipped[0].reason.startswith("the row is refused: ")
    assert value in skipped[0].reason
    assert skipped[0].line == 1


@pytest.mark.parametrize("value", [".nan", "1e999"])
def test_of_an_indented_table_only_the_row_with_the_wrong_figure_is_refused(tmp_path, value):
    skipped = []
    rows = ROW.replace("1000", value) + ROW.replace("a-run", "another")
    text = "".join(f"  {line}\n" for line in rows.splitlines())
    (ref,) = BENCHMARK.scan(table(tmp_path, text))
    events = BENCHMARK.parse(ref, Options(skip=skipped.append))
    assert [it.id for it in events if isinstance(it, SessionPart)] == ["2025-05-03-another"]
    assert [(it.is_row, it.line) for it in skipped] == [(True, 1)]


@pytest.mark.parametrize("text", ["a: [", "just words", "- no: run", ROW + "- !!python/object x"])
def test_a_damaged_table_is_told(tmp_path, text):
    skipped = []
    (ref,) = BENCHMARK.scan(table(tmp_path, text))
    list(BENCHMARK.parse(ref, Options(skip=skipped.append)))
    assert skipped


def test_other_yaml_is_none_of_its_own(tmp_path):
    assert BENCHMARK.sniff(head_of(table(tmp_path, "name: suite\ncases: []\n"))) == 0
