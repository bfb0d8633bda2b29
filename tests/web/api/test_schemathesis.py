"""Data of every kind sent to every operation: nothing breaks, and every answer is as promised.

What changes something is asked of a copy. Streams of events are tested apart: they do not end.
"""

import itertools
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web.api.conftest import SHA
from tests.web.api.operations import OPERATIONS, operation_of, operations
from tests.web.serving import serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
]
FEW, MANY = {GenerationMode.POSITIVE: 2, GenerationMode.NEGATIVE: 1}, 6
"""Examples of an operation: one of two that fit is sent to what is there."""


@pytest.fixture(scope="module")
def address(full_home, tmp_path_factory):
    """A server over a copy that may be changed; the runs that are begun stay in the queue."""
    home = Path(shutil.copytree(full_home, tmp_path_factory.mktemp("thrown") / "home"))
    with serving(home, works=False) as found:
        yield found


@pytest.fixture(scope="module")
def known(full_home):
    """Values of path parameters that stand for something."""
    from benchmaker.store import Store  # noqa: PLC0415  one look

    with Store.open(full_home / "benchmaker.db", read_only=True) as store:
        run = store.runs(limit=1)[0]
        submission = next(iter(store.agentic.metrics()))
        return {
            "run": run.id,
            "series": run.series_id,
            "content": run.suite_hash,
            "number": "1",
            "position": "0",
            "rank": "1",
            "sha256": SHA,
            "name": submission.submission_id,
            "task": submission.task_id,
            "calibration": store.calibrations(limit=1)[0].id,
        }


def _send(operation, mode, address, known, *, examples: int, is_random: bool) -> int:
    """Send data that fits, half of it to what is there; or data that does not."""
    count = itertools.count()

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=not is_random,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def sent(case):
        if next(count) % 2 == 0 and mode is GenerationMode.POSITIVE:
            for name in case.path_parameters or {}:
                case.path_parameters[name] = known.get(name, case.path_parameters[name])
        response = case.call(base_url=address, timeout=60)
        case.validate_response(response, checks=CHECKS)

    sent()
    return next(count)


def _modes(operation) -> list[GenerationMode]:
    """The kinds of data that can be sent."""
    wrong = [GenerationMode.NEGATIVE] if _can_be_wrong(operation) else []
    return [GenerationMode.POSITIVE, *wrong]


def _can_be_wrong(operation) -> bool:
    """Whether there is anything that could be sent wrongly."""
    definition = operation.definition.raw
    return bool(definition.get("parameters") or "requestBody" in definition)


def test_every_operation_of_the_document_is_sent_to():
    assert set(operations()) == set(OPERATIONS)


@pytest.mark.parametrize("label", OPERATIONS)
def test_whatever_is_sent_is_answered_as_promised(label, address, known):
    operation = operation_of(label)
    for mode in _modes(operation):
        assert _send(operation, mode, address, known, examples=FEW[mode], is_random=False)


@pytest.mark.long
@pytest.mark.parametrize("label", OPERATIONS)
def test_much_is_sent_at_random(label, address, known):
    operation = operation_of(label)
    for mode in _modes(operation):
        assert _send(operation, mode, address, known, examples=MANY, is_random=True)
