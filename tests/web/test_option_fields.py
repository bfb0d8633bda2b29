"""Every declared option of a run has its place on the command line, the page and in the API."""

from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import click
import pytest
from starlette.datastructures import ImmutableMultiDict

from benchmaker.cli.commands import code_run, rescore, resume, run
from benchmaker.engine.requests.option_declaration import Calls, Surfaces
from benchmaker.engine.requests.run_options import OPTIONS
from benchmaker.spec import Parameters
from benchmaker.web.api.run_control import OrderIn, ResumeIn
from benchmaker.web.arena.setup import read_setup

COMMANDS = [
    (run.command, Calls.RUN),
    (code_run.command, Calls.RUN),
    (resume.command, Calls.RESUME),
    (rescore.command, Calls.RESCORE),
]


def on(surface, call):
    """The options that a surface takes for a call."""
    return {it: one for it, one in OPTIONS.items() if surface in one.surfaces and call in one.calls}


@pytest.mark.parametrize(("command", "call"), COMMANDS)
def test_a_command_has_every_option_of_its_call(command, call):
    flags = {it.name: it.opts for it in command.params if isinstance(it, click.Option)}
    for name, declared in on(Surfaces.COMMAND, call).items():
        assert declared.command_flag in flags[name]


@pytest.mark.parametrize(("body", "call"), [(OrderIn, Calls.RUN), (ResumeIn, Calls.RESUME)])
def test_a_body_has_every_option_of_its_call_with_its_help(body, call):
    for name, declared in on(Surfaces.API, call).items():
        assert body.model_fields[name].description == declared.help


def test_the_page_has_a_field_for_every_option(demo):
    with closing(HTTPConnection(urlsplit(demo).netloc, timeout=120)) as asked:
        asked.request("GET", "/arena")
        page = asked.getresponse().read().decode()
    for declared in on(Surfaces.PAGE, Calls.RUN).values():
        assert f'name="{declared.form_name}"' in page
        assert declared.title in page


def test_what_an_order_says_becomes_options_as_the_form_reads_them():
    order = OrderIn(
        limit=3, tags=["a"], profile="robust", seed=2**63 - 1, max_cost_usd=1.5, judge_concurrency=2
    )
    setup = order.setup(Parameters())
    assert setup.faults == {}
    assert {name: text for name, text in setup.chosen.items() if text}.keys() == {
        "limit", "profile", "seed", "max_cost_usd",
    }  # fmt: skip
    options = order.options(setup)
    assert (options.runs, options.limit, options.profile) == (1, 3, "robust")
    assert (options.tags, options.seed, options.max_cost_usd) == (["a"], 2**63 - 1, 1.5)
    assert options.to_job() == {"judge_concurrency": 2, "max_cost_usd": 1.5}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("profile", "best", "“best” is not one of classic, robust."),
        ("concurrency", "0", "“0” is not a whole number from 1 to 1,000."),
        ("limit", "1.5", "“1.5” is not a whole number from 1 to 100,000,000."),
        ("max_cost", "-1", "“-1” is not a number in dollars, 0 or more."),
    ],
)
def test_what_is_typed_wrong_is_said_at_its_field(name, text, words):

    setup = read_setup(ImmutableMultiDict([("set", "1"), (name, text)]))
    assert setup.faults == {name: words}
    assert setup.options().overrides().keys() <= {"benchmark_mode", "parameters"}
