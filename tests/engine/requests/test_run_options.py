from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker import RunOptions
from benchmaker.engine.requests.run_options import GROUPS, OPTIONS

RECORDED = st.builds(
    RunOptions,
    stream=st.booleans(),
    cache=st.booleans(),
    max_cost_usd=st.none() | st.floats(0, 10),
    timeouts=st.none() | st.floats(1, 10),
    retries=st.none() | st.integers(0, 5),
)
IN_JOBS = st.builds(
    RunOptions,
    concurrency=st.none() | st.integers(1, 10),
    judge_concurrency=st.none() | st.integers(1, 10),
    retry_failed=st.booleans(),
    max_cost_usd=st.none() | st.floats(0, 10),
)


@given(RECORDED)
def test_what_a_run_records_is_read_back(options):
    assert RunOptions.of_record(options.to_record()) == options


def test_usual_options_are_not_recorded():
    assert RunOptions().to_record() == {}


def test_asking_failures_again_is_not_recorded():
    assert RunOptions(retry_failed=True).to_record() == {}


def test_what_a_later_version_recorded_is_left_aside():
    assert RunOptions.of_record({"cache": True, "politely": True}) == RunOptions(cache=True)


@given(IN_JOBS)
def test_what_a_job_holds_is_read_back(options):
    assert RunOptions.of_job(options.to_job()) == options


def test_a_job_of_an_earlier_version_is_read():
    body = {"concurrency": None, "max_cost_usd": 2.0, "retry_failed": True, "since": 7}
    assert RunOptions.of_job(body) == RunOptions(max_cost_usd=2.0, retry_failed=True)


def test_the_next_job_takes_over_all_but_what_was_for_once():
    options = RunOptions(concurrency=3, retry_failed=True)
    assert options.to_job(is_next=True) == {"concurrency": 3}


def test_every_option_is_declared_in_one_group():
    declared = [one.name for group in GROUPS for one in fields(group)]
    assert sorted(declared) == sorted(one.name for one in fields(RunOptions))
    assert list(OPTIONS) == declared


@pytest.mark.parametrize("name", OPTIONS)
def test_the_declared_default_is_the_fields_own(name):
    assert getattr(RunOptions(), name) == OPTIONS[name].default


def test_options_given_later_go_before():
    both = RunOptions(runs=2, retries=1).with_overrides(RunOptions(retries=3))
    assert both == RunOptions(runs=2, retries=3)
