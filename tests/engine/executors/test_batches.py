"""Scorings, verifications and renders by way of Ray, on two nodes: what they are here."""

import asyncio
import shutil
import threading
import time

import pytest
from msgspec.structs import replace

from benchmaker import RunOptions, rescore
from benchmaker.arenas.agentic.verify.workers import VerifyOptions, Work, open_verifier
from benchmaker.arenas.code.prepare import Pages
from benchmaker.arenas.code.remote_preparing import RemotePages
from benchmaker.engine.executors.cluster import Cluster
from benchmaker.engine.executors.task import TaskRunner
from benchmaker.engine.requests.preparing import rendering_key
from benchmaker.errors import PrerequisiteError
from benchmaker.sandbox import Isolation
from benchmaker.spec.suites.page_checks import Page
from tests.arenas.agentic.verify.made import written
from tests.arenas.agentic.verify.test_workers import the_task, told
from tests.arenas.code.probe.conftest import FRAME
from tests.arenas.code.test_prepare import CHECKS, COUNTER, a_png, a_wish
from tests.engine.executors.rays import (
    all_rows,
    answers,
    killed_worker,
    recorded,
    two_nodes,
    whole_report,
)

BUSY_RUNNER = f"{TaskRunner.__name__}.{TaskRunner.do.__name__}"
"""The title of a process in which a task runner works on an item."""

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SLOW = {"id": "tests.engine.executors.crafts:Slow", "seconds": 0.002}


@pytest.fixture(scope="module")
def nodes():
    with two_nodes() as both:
        yield both


def rescored(home, executor=None):
    result = rescore("latest", scorer=SLOW, home=home, options=RunOptions(executor=executor))
    assert not result.interrupted
    return all_rows(home), whole_report(home)


def in_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def busy_since(seconds):
    """True once it was asked for so long."""
    begun = []

    def is_so():
        begun.append(time.monotonic())
        return begun[-1] - begun[0] > seconds

    return is_so


def stored_twice(base, count):
    """The same recorded run in two data folders."""
    path = answers(base / "answers.jsonl", count)
    (base / "here").mkdir()
    recorded(base / "here", path, count, "local")
    shutil.copytree(base / "here", base / "there")
    return base / "here", base / "there"


def test_two_thousand_trials_are_rescored_there_as_here_though_a_worker_is_killed(tmp_path, nodes):
    cluster, _ = nodes
    here, there = stored_twice(tmp_path, 1_000)
    killing = in_thread(lambda: killed_worker(lambda: True, BUSY_RUNNER))
    found = rescored(there, cluster.address)
    killing.join()

    assert found == rescored(here)
    assert len(found[0]) == 2_000


def through(executor, work):
    """What ``work`` gives for the crew of this cluster; for None where there is none."""

    async def entered():
        if executor is None:
            return await work(None)
        async with Cluster(executor) as crew:
            return await work(crew)

    return asyncio.run(entered())


def test_workspaces_are_graded_there_as_here(tmp_path, nodes):
    cluster, _ = nodes
    task = the_task(tmp_path / "task")
    works = [
        Work(written(tmp_path / f"work{number}", {"a.txt": "right" if number % 3 else "wrong"}))
        for number in range(5)
    ]

    async def work(crew):
        async with open_verifier(crew, task, VerifyOptions()) as by:
            return [told(one) for one in await asyncio.gather(*map(by.do, works))]

    there, here = through(cluster.address, work), through(None, work)

    assert there == here
    assert [one.success for one in here] == [False, True, True, False, True]
    assert {one.isolation for one in there} == {"namespace"}


def test_where_a_node_may_not_grade_the_refusal_comes_back_as_it_is(tmp_path, nodes):
    cluster, _ = nodes
    task = the_task(tmp_path / "task")
    one = Work(written(tmp_path / "work", {"a.txt": "right"}))

    async def work(crew):
        async with open_verifier(crew, task, VerifyOptions(isolation=Isolation.PROCESS)) as by:
            return await by.do(one)

    with pytest.raises(PrerequisiteError, match="needs isolation by namespace"):
        through(cluster.address, work)


def patient():
    """What renders pages, however busy the machine is."""
    return Pages(workers=2, page_s=90)


def rendered(executor, wishes):
    async def work(crew):
        pages = patient() if crew is None else RemotePages(patient(), crew)
        try:
            return [replace(one.rendering, took_s=0.0) for one in await all_of(pages, wishes)]
        finally:
            await pages.close()

    return through(executor, work)


async def all_of(pages, wishes):
    place = await pages.place()

    async def one(wish):
        begun = await pages.begin(wish)
        return await pages.make(wish, begun, key=rendering_key(begun.content, place), place=place)

    return await asyncio.gather(*map(one, wishes))


def the_pages(folder, count):
    (folder / "a.png").write_bytes(a_png())
    plain = [
        f"```html\n{FRAME.format(f'<button>{n}</button><p>Page {n}</p>')}\n```"
        for n in range(count)
    ]
    page = Page(reference="a.png", checks=CHECKS.checks)
    return [a_wish(COUNTER, page=page, folder=folder), *map(a_wish, plain)]


@pytest.mark.long
def test_four_pages_are_rendered_there_as_here(tmp_path, nodes):
    cluster, _ = nodes
    wishes = the_pages(tmp_path, 3)

    there, here = rendered(cluster.address, wishes), rendered(None, wishes)

    assert there == here
    assert here[0].match is not None
    assert {one.report.outcome for one in here} == {"rendered"}


@pytest.mark.long
def test_twenty_pages_are_rendered_though_a_worker_is_killed(tmp_path, nodes):
    cluster, _ = nodes
    wishes = the_pages(tmp_path, 19)
    killing = in_thread(lambda: killed_worker(busy_since(5.0), BUSY_RUNNER))
    there = rendered(cluster.address, wishes)
    killing.join()

    assert there == rendered(None, wishes)
