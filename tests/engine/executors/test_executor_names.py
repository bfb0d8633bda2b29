import asyncio
import subprocess
import sys

import pytest

from benchmaker.engine.executors.executor_names import (
    executor_named,
    worker_source_named,
    worker_source_of,
)
from benchmaker.engine.executors.local import Local
from benchmaker.errors import SpecError


def test_without_a_name_it_is_this_process():
    async def entered():
        async with executor_named(None) as executor:
            return executor

    assert isinstance(asyncio.run(entered()), Local)


def test_another_name_is_refused_with_the_right_ones():
    with pytest.raises(SpecError, match="'dask' is not an executor"):
        executor_named("dask")


@pytest.mark.parametrize("named", [executor_named, worker_source_named])
def test_rays_client_is_refused_with_what_to_give_instead(named):
    with pytest.raises(SpecError, match="Use the host:port of the cluster's head"):
        named("ray://head:10001")


def test_rays_client_is_refused_where_the_environment_names_it(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    with pytest.raises(SpecError, match="ray://head:10001 is a Ray client address"):
        executor_named("ray")


def test_without_an_executor_there_is_no_crew():
    async def entered():
        async with worker_source_named(None) as one, worker_source_named("local") as two:
            return one, two, worker_source_of(Local())

    assert asyncio.run(entered()) == (None, None, None)


def test_a_run_in_this_process_loads_nothing_of_ray():
    code = (
        "import sys, tempfile\n"
        "from benchmaker import Case, ScorerSpec, Suite, run\n"
        "from benchmaker.providers.scripted import Scripted\n"
        "suite = Suite('s', [Case(id='a', prompt='?', expected='1')],"
        " scorer=ScorerSpec(id='exact'))\n"
        "run(suite, provider=Scripted({('m', 'a'): '1'}), home=tempfile.mkdtemp())\n"
        "import benchmaker.cli.progress.live\n"
        "import benchmaker.arenas.standard.rescoring\n"
        "import benchmaker.arenas.agentic.submissions.verification_batch\n"
        "import benchmaker.arenas.code.remote_preparing\n"
        "assert not {name for name in sys.modules if name.partition('.')[0] == 'ray'}\n"
        "assert 'benchmaker.engine.executors.cluster' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
