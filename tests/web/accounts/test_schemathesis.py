"""Data of every kind sent to every operation of a server with accounts, with tokens and without.

What is refused is refused as the document says; what a token may is answered as it says.
"""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web.accounts.conftest import MANY, peopled
from tests.web.api.conftest import full_home  # noqa: F401  a fixture
from tests.web.api.operations import OPERATIONS, operation_of
from tests.web.serving import serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
FEW, MANY_MORE = 1, 4
WHO = ("nobody", "made-up", "read", "vi-admin", "admin")
SENDING_MUCH = ("read", "admin")


@pytest.fixture(scope="module")
def server(full_home, tmp_path_factory):  # noqa: F811  the fixture
    home = Path(shutil.copytree(full_home, tmp_path_factory.mktemp("thrown") / "home"))
    secrets = peopled(home) | {"made-up": "bm_" + "A" * 43}
    with serving(home, works=False, requests_a_minute=MANY) as address:
        yield address, secrets


def _throw(operation, server, who, *, examples, is_random) -> set[int]:
    address, secrets = server
    headers = {} if who == "nobody" else {"Authorization": f"Bearer {secrets[who]}"}
    seen = set()

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=not is_random,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def sent(case):
        response = case.call(base_url=address, timeout=60, headers=headers)
        case.validate_response(response, checks=CHECKS)
        seen.add(response.status_code)

    sent()
    return seen


def _fits(operation, who, seen) -> None:
    if who in {"nobody", "made-up"}:
        assert seen == {401}
    elif operation.method.upper() != "GET" and who in {"read", "vi-admin"}:
        assert seen <= {403, 422, 400}
    else:
        assert seen.isdisjoint({401, 429})


@pytest.mark.parametrize("label", OPERATIONS)
def test_everybody_is_answered_as_promised(label, server):
    operation = operation_of(label)
    for who in WHO:
        _fits(operation, who, _throw(operation, server, who, examples=FEW, is_random=False))


@pytest.mark.long
@pytest.mark.parametrize("who", SENDING_MUCH)
@pytest.mark.parametrize("label", OPERATIONS)
def test_much_is_sent_at_random_by_readers_and_admins(label, server, who):
    operation = operation_of(label)
    _fits(operation, who, _throw(operation, server, who, examples=MANY_MORE, is_random=True))
