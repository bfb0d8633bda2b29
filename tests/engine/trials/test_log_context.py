import asyncio
from contextvars import copy_context

from benchmaker.engine.trials.log_context import context_ids, log_context


def test_ids_are_known_inside_and_in_what_is_begun_there():
    async def inner():
        return context_ids()

    async def outer():
        with log_context(job="j-1"), log_context(run="run-1"):
            begun = asyncio.ensure_future(inner())
        return await begun, await asyncio.to_thread(context_ids)

    assert copy_context().run(asyncio.run, outer()) == (
        {"job_id": "j-1", "run_id": "run-1"},
        {},
    )


def test_a_run_inside_a_run_gives_the_outer_one_back():
    with log_context(run="outer"):
        with log_context(run="inner"):
            assert context_ids() == {"run_id": "inner"}
        assert context_ids() == {"run_id": "outer"}
    assert context_ids() == {}
