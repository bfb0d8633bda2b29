import asyncio
import subprocess
import sys

import pytest

from benchmaker.engine.executors.local import Local
from benchmaker.engine.executors.named import executor_named
from benchmaker.errors import SpecError


def test_without_a_name_it_is_this_process():
    async def entered():
        async with executor_named(None) as executor:
            return executor

    assert isinstance(asyncio.run(entered()), Local)


def test_another_name_is_refused_with_the_right_ones():
    with pytest.raises(SpecError, match="'dask' is no executor"):
        executor_named("dask")


def test_a_run_in_this_process_loads_nothing_of_ray():
    code = (
        "import sys, tempfile\n"
        "from benchmaker import Case, ScorerSpec, Suite, run\n"
        "from benchmaker.providers.scripted import Scripted\n"
        "suite = Suite('s', [Case(id='a', prompt='?', expected='1')],"
        " scorer=ScorerSpec(id='exact'))\n"
        "run(suite, provider=Scripted({('m', 'a'): '1'}), home=tempfile.mkdtemp())\n"
        "import benchmaker.cli.live\n"
        "assert not {name for name in sys.modules if name.partition('.')[0] == 'ray'}\n"
        "assert 'benchmaker.engine.executors.cluster' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
