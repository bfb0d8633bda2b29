"""Constant parts of requests: encoded once per setup, and always those of the setup."""

import json
import random
from typing import Any

from benchmaker.providers.protocols.wire_json import EncodedParameters, PerParameters
from benchmaker.spec import Parameters

MANY = 700
"""More objects of parameters than are kept."""


def test_a_value_is_computed_once_for_each_setup_of_interleaved_ones() -> None:
    setups = [Parameters(temperature=it / 10) for it in range(5)]
    computed: list[Parameters] = []

    def temperature(parameters: Parameters) -> float | None:
        computed.append(parameters)
        return parameters.temperature

    known = PerParameters(temperature)
    assert [known(it) for it in setups * 20] == [it.temperature for it in setups] * 20
    assert computed == setups


def test_objects_that_come_and_go_never_get_the_value_of_another() -> None:
    known = PerParameters(lambda parameters: parameters.temperature)
    for number in range(MANY):
        assert known(Parameters(temperature=number % 21 / 10)) == number % 21 / 10


def test_the_end_of_a_request_is_that_of_its_own_parameters() -> None:
    def fields(parameters: Parameters) -> dict[str, Any]:
        return {"temperature": parameters.temperature}

    rng = random.Random(11)  # noqa: S311  not a secret
    setups = [
        Parameters(temperature=it / 1000, extra_body={"user": f"u{it}"}) for it in range(MANY)
    ]
    encoded = EncodedParameters(fields)
    for at in (rng.randrange(MANY) for _ in range(3 * MANY)):
        run = rng.randrange(3)
        body = encoded.append_to(b'{"model":"m"', setups[at], {"seed": run}, key=run)
        expected = {"model": "m", "temperature": at / 1000, "seed": run, "user": f"u{at}"}
        assert json.loads(body) == expected
