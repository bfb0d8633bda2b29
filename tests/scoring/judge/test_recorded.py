"""The parser and the flags on real replies and answers."""

import gzip
import json
from pathlib import Path

import pytest

from benchmaker.record import Verdict
from benchmaker.scoring.judge import Expect, Scale, UnparsedReply, find_suspicions, parse
from tests.draws import draws

DIFFERS = Path(__file__).parents[2] / "data" / "judge" / "llmbar_differs.json"
FIRST_MENTION = "PaLM2·CoT·"
"""Where the recorded winner is the first mention in the last line, whatever is said of it."""

CHOICE = Expect(mode="pairwise", ties=False)
WINNER = {"1": (Verdict.A, Verdict.B), "2": (Verdict.B, Verdict.A), None: (None, None)}


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def replies(shared):
    """Id, text and recorded winner (as shown) of each reply."""
    for row in lines(shared / "judging" / "llmbar" / "judgments.jsonl.gz"):
        group = f"{row['judge']}·{row['strategy']}"
        for at, text in enumerate(row.get("raw", ())):
            order = ("first", "swapped")[at]
            name = f"{group}·{row['subset']}·{row['i']}·{order}"
            yield name, text, WINNER[row[order]][at]


@pytest.mark.data
def test_llmbar_replies_are_read_to_the_recorded_winner(shared):
    readings = {
        name: (parse(text, nonce="", expect=CHOICE), winner)
        for name, text, winner in replies(shared)
    }
    differs = {
        name: "unparsed" if isinstance(reply, UnparsedReply) else str(reply.verdict)
        for name, (reply, winner) in readings.items()
        if (None if isinstance(reply, UnparsedReply) else reply.verdict) != winner
    }
    assert len(readings) == 18 * 652
    assert differs == json.loads(DIFFERS.read_text(encoding="utf-8"))
    counted = [name for name in differs if not name.startswith(FIRST_MENTION)]
    assert len(counted) <= 0.005 * 17 * 652
    unreadable = [reply for reply, winner in readings.values() if winner is None]
    assert unreadable
    assert all(isinstance(reply, UnparsedReply) for reply in unreadable)


@pytest.mark.data
def test_wildbench_replies_are_read_to_the_recorded_score(shared):
    path = shared / "judging" / "wildbench_gpt35_outputs_with_judge_text_200.jsonl.gz"
    rows = list(lines(path))
    expect = Expect(scale=Scale(1, 10))
    for row in rows:
        text = json.dumps(row["judge_reply"], indent=1)
        reply = parse(text, nonce="", expect=expect, given=(row["output"],))
        assert reply.score == float(row["judge_reply"]["score"])
    assert len(rows) == 200


@pytest.mark.data
def test_bare_ratings_of_llmbar_are_read_as_they_are(shared):
    for row in lines(shared / "judging" / "llmbar" / "judgments.jsonl.gz"):
        for text in row.get("raw_scores", ()):
            reply = parse(text, nonce="", expect=Expect())
            assert isinstance(reply, UnparsedReply) if text == "" else reply.score == float(text)


@pytest.mark.data
def test_fewer_than_one_in_a_hundred_real_answers_is_flagged(shared):
    path = shared / "suites" / "zeroeval_gsm" / "gsm_answers.jsonl.gz"
    texts = [text_of(row) for row in lines(path)]
    assert len(texts) == 18_466
    step = draws(quick=10, full=1)
    flags = [bool(find_suspicions(text)) for text in texts[::step]]
    assert sum(flags) < 0.01 * len(flags)


def text_of(row):
    output = row["output"]
    return output if isinstance(output, str) else output[0]
