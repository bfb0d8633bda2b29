# ruff: noqa: S311  seeded on purpose
import re
from random import Random

from benchmaker.engine.trials.ids import new_run_id, new_series_id
from tests.engine.clocks import HandClock


def test_a_run_id_begins_with_the_day():
    assert re.fullmatch(r"20261120-[2-9a-z]{6}", new_run_id(HandClock(), Random(1)))


def test_a_series_id_can_not_be_taken_for_a_run():
    assert re.fullmatch(r"s-20261120-[2-9a-z]{6}", new_series_id(HandClock(), Random(1)))


def test_the_same_seed_gives_the_same_id():
    assert new_run_id(HandClock(), Random(7)) == new_run_id(HandClock(), Random(7))


def test_ten_thousand_ids_of_a_day_hardly_ever_meet():
    random = Random(7)
    ids = {new_run_id(HandClock(), random) for _ in range(10_000)}

    assert len(ids) > 9_950


def test_no_two_letters_of_an_id_look_alike():
    random = Random(7)
    ids = {new_run_id(HandClock(), random)[9:] for _ in range(1_000)}

    assert not set("01loi") & set("".join(ids))
