"""What comes of runs, as server-sent events."""

import http.client
import json
from contextlib import closing
from urllib.parse import urlsplit

import jsonschema_rs
import pytest

from tests.web.answering import answering
from tests.web.api.asking import ROOT, Client
from tests.web.serving import serving


def heard(client, path: str, *, most: int = 10_000, headers=None) -> list[dict]:
    """The events of a stream up to its end, or as many as are wanted."""
    made = http.client.HTTPConnection(urlsplit(client.address).netloc, timeout=120)
    with closing(made) as connection:
        connection.request("GET", f"{ROOT}{path}", headers=headers or {})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        assert answer.getheader("content-type").startswith("text/event-stream")
        found: list[dict] = []
        event: dict = {}
        for line in answer:
            text = line.decode().rstrip("\n")
            if not text:
                found.append(event)
                event = {}
                if len(found) == most or found[-1]["event"] == "over":
                    return found
                continue
            name, _, value = text.partition(": ")
            event[name] = json.loads(value) if name == "data" else value
    return found


def cells(events) -> list[tuple]:
    """The trials that were told of, in their order."""
    return [
        (one["run"], one["position"], one["rank"])
        for event in events
        for one in event["data"].get("trials", ())
    ]


def test_a_run_that_is_at_its_end_says_so(api):
    run = api.get("/runs", limit=1)["items"][0]["run_id"]

    change, over = heard(api, f"/runs/{run}/events")

    assert (change["event"], over["event"]) == ("change", "over")
    assert change["data"]["state"] == "finished"
    assert change["data"]["scale"] == "0-1"
    assert change["data"]["trials"] == []
    assert int(change["id"]) == change["data"]["seq"]


def test_from_the_beginning_every_trial_is_told_once(api):
    run = api.get("/runs", limit=1)["items"][0]

    events = heard(api, f"/runs/{run['run_id']}/events?after=0")

    assert len(set(cells(events))) == len(cells(events)) == run["planned"]
    schema = {"$ref": "#/components/schemas/RunChange"}
    whole = schema | {"components": api.document["components"]}
    for event in events[:-1]:
        jsonschema_rs.Draft202012Validator(whole).validate(event["data"])


def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(own_home):
    with answering(pause_s=0.01) as models:
        models.flows.clear()
        environ = {"OLLAMA_HOST": models.url.removesuffix("/v1")}
        with serving(own_home, environ=environ) as address:
            client = Client(address)
            order = {"models": [f"{models.url}#small"], "limit": 8, "concurrency": 2}
            begun = client.post("/runs", order, status=202)
            path = f"/jobs/{begun['job']['id']}/events"
            first = heard(client, f"{path}?after=0", most=2)
            models.flows.set()
            some = heard(client, path, most=3, headers={"Last-Event-ID": _last(first)})
            rest = heard(client, path, headers={"Last-Event-ID": _last(first + some)})

    told = cells(first + some + rest)
    assert sorted(set(told)) == [(1, at, 0) for at in range(8)]
    assert rest[-1]["event"] == "over"
    assert rest[-2]["data"]["state"] == "finished"
    assert rest[-2]["data"]["done"] == 8


def _last(events) -> str:
    return [event["id"] for event in events if "id" in event][-1]


@pytest.mark.parametrize("after", ["-1", "x", "9" * 30])
def test_a_number_that_is_none_is_refused(api, after):
    run = api.get("/runs", limit=1)["items"][0]["run_id"]

    assert api.ask("GET", f"/runs/{run}/events", after=after).status == 422


def test_an_odd_last_id_is_taken_for_none(api):
    run = api.get("/runs", limit=1)["items"][0]["run_id"]

    events = heard(api, f"/runs/{run}/events", headers={"Last-Event-ID": "x"})

    assert [event["event"] for event in events] == ["change", "over"]
