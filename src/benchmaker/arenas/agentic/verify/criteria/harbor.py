"""Criterion: the test script of a Harbor task writes a reward."""

import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.verify.criterion_context import (
    GradingContext,
    describe_exit,
    not_clean,
)
from benchmaker.arenas.agentic.verify.finding import Finding, error_with, fail_with, pass_with
from benchmaker.arenas.agentic.verify.solution import PROJECT, own_python
from benchmaker.arenas.agentic.verify.workspace import lay
from benchmaker.sandbox import (
    Isolation,
    Outputs,
    SandboxCommand,
    arun_sandboxed,
    interpreter_reads,
)
from benchmaker.spec.tasks.criterion import HarborTest

_TESTS: Final = "/tests"
_LOGS: Final = "/logs"
_OWN_LOGS: Final = "logs"
_REWARDS: Final = ("logs/verifier/reward.json", "logs/verifier/reward.txt")
_MOST_BYTES: Final = 100_000


class BadReward(Exception):
    """A reward that is no number, with the reason."""


async def harbor_test(criterion: HarborTest, place: GradingContext) -> Finding:
    """Run the script on a fresh copy of the workspace, beside an empty ``/logs``.

    A submission cannot bring a reward: its files are below the working folder only. Code under test
    has the rights of the script, as in Harbor.
    """
    if place.isolation is Isolation.PROCESS:
        return error_with("the test script needs a namespace or a container")
    with tempfile.TemporaryDirectory(prefix="benchmaker-harbor-") as name:
        folder, left = Path(name, "workspace"), Path(name, "left")
        (folder / _OWN_LOGS / "verifier").mkdir(parents=True)
        (folder / _OWN_LOGS / "artifacts").mkdir()
        lay(place.prepared.submitted, folder / PROJECT)
        command = _command(criterion, place)
        ended = await arun_sandboxed(
            command,
            folder,
            isolation=place.isolation,
            limits=replace(place.limits(criterion.timeout_s), cpu_s=place.spec.limits.cpu_s),
            outputs=Outputs(left, _REWARDS),
            clock=place.clock,
        )
        if (finding := not_clean(ended, command.argv)) is not None:
            return finding
        try:
            reward = read_reward(left / _OWN_LOGS / "verifier")
        except BadReward as exc:
            return fail_with(f"{exc}\n{describe_exit(ended)}")
    said = f"reward {reward:g}, at least {criterion.at_least:g} required"
    if reward >= criterion.at_least:
        return pass_with(said)
    return fail_with(f"{said}\n{describe_exit(ended)}")


def _command(criterion: HarborTest, place: GradingContext) -> SandboxCommand:
    is_container = place.isolation is Isolation.CONTAINER
    path = {} if is_container else own_python()
    return SandboxCommand(
        ("bash", f"{_TESTS}/{criterion.script}"),
        cwd=PROJECT,
        env={"PYTHONDONTWRITEBYTECODE": "1", **path, **place.spec.env, **criterion.env},
        network=place.spec.network is True,
        proxy=place.proxy,
        reads={**({} if is_container else interpreter_reads()), place.prepared.tests: _TESTS},
        places={**place.places(PROJECT), _LOGS: _OWN_LOGS},
        image=place.spec.image if is_container else "",
    )


def read_reward(folder: Path) -> float:
    """The reward that a verifier left: ``reward.json`` first, then ``reward.txt``, as in Harbor.

    Of several values, the one called ``reward`` counts.

    Raises:
        BadReward: there is none, or it is no finite number.
    """
    for name, read in (("reward.json", _from_json), ("reward.txt", float)):
        file = folder / name
        if not file.is_file() or file.is_symlink():
            continue
        if file.stat().st_size > _MOST_BYTES:
            raise BadReward(f"{name} is larger than {_MOST_BYTES:,} bytes")
        try:
            reward = read(file.read_text(encoding="utf-8"))
        except (ValueError, TypeError, RecursionError) as exc:
            raise BadReward(f"{name} holds no number: {exc}") from exc
        if not math.isfinite(reward):
            raise BadReward(f"{name} holds {reward}")
        return reward
    raise BadReward("the tests wrote no reward")


def _from_json(text: str) -> float:
    given = json.loads(text)
    values = given if isinstance(given, dict) else {"reward": given}
    if "reward" not in values and len(values) != 1:
        msg = f"several values and none called reward: {', '.join(sorted(values)) or 'none'}"
        raise ValueError(msg)
    value = values.get("reward", next(iter(values.values())))
    return float("nan" if isinstance(value, bool | str) else value)
