import asyncio
from contextvars import copy_context

from benchmaker.engine.trials.log_context import doing, ids


def test_ids_are_known_inside_and_in_what_is_begun_there():
    async def inner():
        return ids()

    async def outer():
        with doing(job="j-1"), doing(run="run-1"):
            begun = asyncio.ensure_future(inner())
        return await begun, await asyncio.to_thread(ids)

    assert copy_context().run(asyncio.run, outer()) == (
        {"job_id": "j-1", "run_id": "run-1"},
        {},
    )


def test_a_run_inside_a_run_gives_the_outer_one_back():
    with doing(run="outer"):
        with doing(run="inner"):
            assert ids() == {"run_id": "inner"}
        assert ids() == {"run_id": "outer"}
    assert ids() == {}
