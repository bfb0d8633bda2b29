"""People's scores of pages against the totals with a judge and without, as the docs print them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmaker.arenas.code import probe
from benchmaker.cli import main
from benchmaker.scoring.code.prompt import EXPECT
from benchmaker.scoring.judge import parse
from benchmaker.stats.agreement.correlation import spearman

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "benchmarks/human_pages.py"
REPLIES = ROOT / "benchmarks/judged/solar_system.jsonl"
PATIENCE_S = 120.0
"""Time for a page: what is found is asked, not how fast a busy machine finds it."""


@pytest.fixture(scope="module")
def replies():
    return [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()]


def test_every_recorded_reply_has_a_level_for_both_criteria(replies):
    for line in replies:
        reply = parse(line["output"], nonce="", expect=EXPECT)
        assert {mark.id for mark in reply.marks} == {"visual", "code"}, line["model"]


@pytest.mark.data
def test_the_replies_are_to_the_pages_that_people_scored(replies, shared):
    folder = shared / "code_arena/kcores_solar-system"
    pages = json.loads((folder / "model_to_page.json").read_text(encoding="utf-8"))

    assert sorted(line["model"] for line in replies) == sorted(pages.values())


@pytest.mark.data
@pytest.mark.long
def test_with_a_judge_the_totals_are_nearer_to_people(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(probe, "PAGE_S", PATIENCE_S)
    folder = shared / "code_arena/kcores_solar-system"
    pages = sorted(map(str, (folder / "pages").glob("*.html")))
    words = ["--home", str(tmp_path), "code", "judge", *pages, "--quiet", "--json"]
    done = CliRunner().invoke(main, [*words, "--recorded-judge", str(REPLIES)])
    assert done.exit_code == 0, done.output
    told = tmp_path / "told.json"
    subprocess.run(
        [sys.executable, SCRIPT, folder, "--run", "latest", "--home", tmp_path, "--json", told],
        check=True,
        timeout=300,
    )
    rows = json.loads(told.read_text(encoding="utf-8"))
    human = [row["human"] for row in rows]
    judged = spearman([row["figures"]["judged total"] for row in rows], human)
    probed = spearman([row["figures"]["total"] for row in rows], human)
    assert judged.value == pytest.approx(0.65, abs=0.05)
    assert probed.value == pytest.approx(0.34, abs=0.1)
