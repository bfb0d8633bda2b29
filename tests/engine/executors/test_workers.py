"""Work that is handed out: each result is kept once, whoever dies."""

import asyncio

import pytest

from benchmaker.engine.executors.task import TaskSpec
from benchmaker.engine.executors.workers import TaskPool, fan_out, task_pool
from benchmaker.errors import PrerequisiteError, SpecError
from tests.engine.executors.crews import NearHands

TARGET = "tests.engine.executors.crafts:Doubler"


def fanned(crew, items, *, settings=None, ahead=1, stop=None, spec=None):
    kept = []

    async def work():
        order = spec or TaskSpec(target=TARGET, settings=settings)
        async with task_pool(crew, order, ahead=ahead) as workers:
            await fan_out(workers, iter(items), lambda *pair: kept.append(pair), stop=stop)
        await asyncio.gather(*crew.closing)

    asyncio.run(work())
    return kept


@pytest.mark.parametrize("ahead", [1, 3])
@pytest.mark.parametrize("deaths", [(), (1,), (4,), (3, 9), (2, 5, 6, 30)])
def test_every_item_is_kept_once_whoever_dies(deaths, ahead):
    crew = NearHands(3, deaths)
    kept = fanned(crew, range(60), ahead=ahead)

    assert sorted(kept) == [(n, 2 * n) for n in range(60)]
    assert crew.ended == crew.hired
    assert crew.hired >= len(deaths)


def test_no_more_hands_are_hired_than_there_may_be():
    crew = NearHands(2)
    fanned(crew, range(40), ahead=2)

    assert crew.hired == 2


def test_an_error_there_is_the_same_error_here():
    with pytest.raises(SpecError, match="7 can't be doubled") as caught:
        fanned(NearHands(2), range(40), settings={"bad": 7})

    assert (caught.value.where, caught.value.hint) == ("there", "Halve it.")


def test_what_is_refused_when_a_hand_opens_is_the_same_error_here():
    with pytest.raises(PrerequisiteError, match="no wall holds here") as caught:
        fanned(NearHands(2), range(4), settings={"wall": "none"})

    assert caught.value.hint == "Build one."


def test_an_item_at_which_hand_after_hand_dies_ends_the_work():
    with pytest.raises(PrerequisiteError, match="3 workers died at the same work"):
        fanned(NearHands(1, (2, 4, 6)), [1])


def test_hands_that_die_as_they_start_end_the_work():
    with pytest.raises(PrerequisiteError, match="die as soon as they start"):
        fanned(NearHands(1, range(1, 9)), [1])


def test_another_version_is_refused():
    with pytest.raises(PrerequisiteError, match="Install the same version on every node"):
        fanned(NearHands(1), [1], spec=TaskSpec(target=TARGET, version="0.0.0"))


def test_once_told_to_stop_no_further_item_is_drawn():
    stop = asyncio.Event()

    def items():
        for n in range(100):
            if n == 10:
                stop.set()
            yield n

    assert len(fanned(NearHands(2), items(), stop=stop)) <= 12


def test_what_is_given_up_ends_its_hand():
    async def work():
        crew = NearHands(1)
        workers = TaskPool(crew, TaskSpec(target=TARGET))
        assert await workers.do(1) == 2
        under_way = asyncio.ensure_future(workers.do(2))
        await asyncio.sleep(0)
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)
        assert crew.ended == 1
        assert await workers.do(3) == 6
        await workers.close()
        return crew

    assert asyncio.run(work()).hired == 2
