"""The published functions against the document's own text."""

import asyncio
import copy
import math
import random
import statistics
from datetime import UTC, datetime, timedelta, timezone

import pytest

from benchmaker.arenas.agentic import classic
from tests.reference import agentic_classic_slow as document

CRITERIA = (
    {"type": "file_exists", "file_path": "a.py"},
    {"type": "file_exists", "file_path": "b.py"},
    {"type": "no_errors"},
    {"type": "min_functionality"},
    {"type": "never heard of"},
    {},
)
DIFFICULTIES = ("beginner", "intermediate", "advanced", "impossible")
NOW = datetime(2026, 2, 3, 4, 5, 6, 7)  # noqa: DTZ001  the document's moments have no zone


def outcome(function, *args, **kwargs):
    """What a call gives, or how it fails."""
    try:
        return "gives", function(*args, **kwargs)
    except (KeyError, ValueError, TypeError, statistics.StatisticsError) as error:
        return "fails", type(error), error.args


def same(one, two):
    """Equal in every field, NaN included."""
    return repr(one) == repr(two)


def a_submission(generator, number, style):
    one = {"id": f"s{number}", "task_id": f"t{style}"}
    equal = style % 5 == 0

    def maybe(name, value, missing=0.0):
        if generator.random() >= missing:
            one[name] = value

    maybe(
        "total_tokens",
        5000 if equal else generator.choice([0, 9, 10, 5000, generator.randrange(1, 200_000)]),
        0.002,
    )
    maybe(
        "tool_calls", 7 if equal else generator.choice([0, 1, 1, generator.randrange(200)]), 0.002
    )
    maybe("iterations", generator.choice([1, 1, 2, 3, 4, generator.randrange(20)]), 0.2)
    maybe(
        "execution_time",
        0 if equal else generator.choice([0, 0.0, 4.99, 300, generator.uniform(0, 3000)]),
        0.2,
    )
    maybe(
        "estimated_cost",
        0.5 if equal else generator.choice([0, 0.0, 0.05, generator.expovariate(5)]),
        0.2,
    )
    maybe("files_created", generator.sample(["a.py", "b.py", "c.py"], generator.randrange(4)), 0.3)
    maybe("success", generator.random() < 0.7, 0.3)
    return one


def a_task(generator, style):
    return generator.choice(
        [
            {},
            {"success_criteria": []},
            {"success_criteria": generator.choices(CRITERIA, k=style % 7)},
        ]
    )


def stamped(generator, evaluations):
    """Scores with many ties, and moments with some."""
    rough = generator.random() < 0.5
    return [
        {
            **one,
            "overall_score": round(one["overall_score"], -1 if rough else 2),
            "evaluated_at": f"2026-01-{generator.randrange(1, 29):02d}",
            "number": number,
        }
        for number, one in enumerate(evaluations)
    ]


def check_task(generator, submissions, task, style):
    document.datetime.moment = NOW
    mine = outcome(classic.calculate_task_baseline, "t", submissions, now=NOW)
    theirs = outcome(document.calculate_task_baseline, "t", submissions)
    assert same(mine, theirs)
    baseline = mine[1] if mine[0] == "gives" else classic.get_default_baseline("t")
    evaluations = []
    for one in submissions:
        for name in (
            "calculate_token_efficiency_score",
            "calculate_tool_call_efficiency_score",
            "calculate_iteration_efficiency_score",
            "calculate_efficiency_score",
            "calculate_speed_score",
            "calculate_cost_score",
        ):
            found = outcome(getattr(classic, name), one, baseline)
            assert same(found, outcome(getattr(document, name), one, baseline)), (name, one)
        found = outcome(classic.calculate_overall_score, one, task, baseline)
        assert same(found, outcome(document.calculate_overall_score, one, task, baseline)), one
        if found[0] == "gives":
            evaluations.append(found[1])
    check_evaluations(generator, stamped(generator, evaluations), style)
    assert same(
        outcome(classic.detect_outliers, submissions),
        outcome(document.detect_outliers, submissions),
    )


def check_evaluations(generator, evaluations, style):
    mine, theirs = copy.deepcopy(evaluations), copy.deepcopy(evaluations)
    assert same(classic.calculate_rankings(mine), document.calculate_rankings(theirs))
    metric = ("efficiency", "speed", "cost")[style % 3]
    ordered = classic.calculate_category_rankings(mine, metric)
    assert same(ordered, document.calculate_category_rankings(theirs, metric))
    assert same(mine, theirs)
    scores = [one["overall_score"] for one in evaluations]
    assert same(
        classic.calculate_confidence_interval(scores),
        document.calculate_confidence_interval(scores),
    )
    wanted = generator.choice([*scores, 12.34])
    assert same(
        outcome(classic.calculate_percentile, wanted, scores),
        outcome(document.calculate_percentile, wanted, scores),
    )
    for one in evaluations:
        if style % 2:
            one["total_tokens"] = generator.randrange(30)
        assert classic.validate_evaluation_metrics(one) == document.validate_evaluation_metrics(one)
        level, score = generator.choice(DIFFICULTIES), one["overall_score"]
        assert classic.apply_difficulty_adjustment(
            score, level
        ) == document.apply_difficulty_adjustment(score, level)


def check_many(total, seed):
    generator, done, style = random.Random(seed), 0, 0  # noqa: S311  a test's dice
    while done < total:
        size = generator.choice([1, 2, 4, 5, 6, 30, 200, generator.randrange(1, 201)])
        submissions = [a_submission(generator, done + i, style) for i in range(size)]
        check_task(generator, submissions, a_task(generator, style), style)
        done, style = done + size, style + 1


def test_functions_equal_the_document_in_every_field():
    check_many(4_000, seed=1)


@pytest.mark.long
def test_functions_equal_the_document_in_every_field_of_a_hundred_thousand_submissions():
    check_many(100_000, seed=2)


def test_a_batch_equals_the_document_call_by_call():
    generator = random.Random(3)  # noqa: S311  a test's dice
    submissions = [a_submission(generator, n, 1) for n in range(300)]
    usable = [
        {**one, "task_id": f"t{n % 7}"}
        for n, one in enumerate(submissions)
        if {"total_tokens", "tool_calls"} <= set(one)
    ]
    calls = {"mine": [], "document": []}

    def lookups(who):
        async def get_task(task_id):
            calls[who].append(("task", task_id))
            return {"success_criteria": CRITERIA[:2]}

        async def get_task_baseline(task_id):
            calls[who].append(("baseline", task_id))
            return classic.get_default_baseline(task_id)

        async def update_task_baseline(task_id, group):
            calls[who].append(("update", task_id, [one["id"] for one in group]))

        return {
            "get_task": get_task,
            "get_task_baseline": get_task_baseline,
            "update_task_baseline": update_task_baseline,
        }

    document.datetime.moment = NOW
    for name, function in lookups("document").items():
        setattr(document, name, function)
    theirs = asyncio.run(document.process_evaluation_batch(usable))
    mine = asyncio.run(classic.process_evaluation_batch(usable, **lookups("mine"), now=lambda: NOW))
    assert same(mine, theirs)
    assert calls["mine"] == calls["document"]


def test_category_weights_are_the_published_ones():
    assert classic.TASK_CATEGORY_WEIGHTS == document.TASK_CATEGORY_WEIGHTS


def test_the_newest_stands_first_among_equal_scores():
    old, new = ({"overall_score": 1.0, "evaluated_at": day} for day in ("2026-01-01", "2026-01-02"))
    ranked = classic.calculate_rankings([old, new])
    assert [one["evaluated_at"] for one in ranked] == ["2026-01-02", "2026-01-01"]
    assert [one["overall_ranking"] for one in ranked] == [1, 1]


def test_a_score_that_is_not_listed_has_no_percentile():
    with pytest.raises(ValueError, match="not in list"):
        classic.calculate_percentile(1.0, [2.0])


def test_a_score_that_is_no_number_keeps_the_documents_oddity():
    baseline = classic.get_default_baseline("t")
    for one in ({"total_tokens": math.nan}, {"total_tokens": 2_000.5}):
        assert same(
            classic.calculate_token_efficiency_score(one, baseline),
            document.calculate_token_efficiency_score(one, baseline),
        )


@pytest.mark.parametrize(
    "now",
    [
        NOW,
        lambda: NOW,
        NOW.replace(tzinfo=UTC),
        (NOW + timedelta(hours=2)).replace(tzinfo=timezone(timedelta(hours=2))),
        NOW.isoformat(),
    ],
)
def test_moments_are_utc_without_a_zone(now):
    rows = [{"total_tokens": 5, "tool_calls": 2}] * 5
    assert classic.calculate_task_baseline("t", rows, now=now)["last_updated"] == NOW.isoformat()


def test_without_a_clock_the_moment_is_now():
    rows = [{"total_tokens": 5, "tool_calls": 2}] * 5
    made = datetime.fromisoformat(classic.calculate_task_baseline("t", rows)["last_updated"])
    assert abs(datetime.now(UTC).replace(tzinfo=None) - made) < timedelta(minutes=1)
