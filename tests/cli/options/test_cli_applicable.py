import click
import pytest

from benchmaker.cli.commands.run import command
from benchmaker.cli.options.applicable import FOR_LIVE, FOR_RECORDED, flag_of, refuse_unused_options
from benchmaker.errors import SpecError


def test_every_name_is_an_option_of_run():
    options = {it.name for it in command.params if isinstance(it, click.Option)}
    assert {*FOR_LIVE, *FOR_RECORDED} <= options


@pytest.mark.parametrize("name", FOR_LIVE)
def test_what_models_alone_can_heed_is_refused_for_recorded_answers(name):
    with pytest.raises(SpecError, match=f"no effect on recorded answers: {flag_of(name)}"):
        refuse_unused_options({name: True}, recorded=True)


@pytest.mark.parametrize("name", FOR_RECORDED)
def test_what_files_alone_can_heed_is_refused_for_models(name):
    with pytest.raises(SpecError, match="only for recorded answers"):
        refuse_unused_options({name: ("a=b",)}, recorded=False)


def test_all_unfit_options_are_named():
    with pytest.raises(SpecError, match="answers: --temperature, --cache"):
        refuse_unused_options({"cache": True, "temperature": 0.0, "seed": None}, recorded=True)


@pytest.mark.parametrize("recorded", [True, False])
def test_what_was_not_given_is_fit(recorded):
    refuse_unused_options(
        dict.fromkeys((*FOR_LIVE, *FOR_RECORDED)) | {"fields": ()}, recorded=recorded
    )


def test_the_command_line_says_so(cli, started):
    words = ["run", started / "suite.yaml", "--recorded", started / "answers.jsonl"]
    said = cli(*words, "--temperature", 0, "--no-stream", code=2)
    assert "no effect on recorded answers: --temperature, --no-stream" in said.stderr
    assert "--model endpoint/model" in said.stderr
