"""Setups over a provider that knows models only."""

import asyncio

import pytest

from benchmaker.providers.setups import SetupRoutes
from benchmaker.testing import a_request


class Models:
    """A provider with the optional parts that the engine looks for."""

    longest_s = 7.0

    def endpoint_key(self, model):
        return f"key of {model}"

    def most_usd(self, request):
        return {"m": 2.0}[request.model]

    def recipe(self):
        raise NotImplementedError

    async def complete(self, request):
        return request.model


ROUTES = SetupRoutes(Models(), {"hot": "m", "m · low": "m"})


def test_requests_go_to_the_model_of_the_setup():
    assert asyncio.run(ROUTES.complete(a_request(model="hot"))) == "m"
    assert ROUTES.models == ("hot", "m · low")
    assert ROUTES.description()["setups"] == {"hot": "m", "m · low": "m"}


def test_optional_parts_are_those_of_the_model():
    assert ROUTES.endpoint_key("m · low") == "key of m"
    assert ROUTES.most_usd(a_request(model="hot")) == 2.0
    assert ROUTES.longest_s == 7.0


@pytest.mark.parametrize("part", ["recipe", "price_version", "_private"])
def test_an_absent_part_stays_absent(part):
    assert not hasattr(ROUTES, part)
