import click
import pytest

from benchmaker.cli.options.plugin_choice import PluginChoice
from benchmaker.plugins import list_ids

CHOICE = PluginChoice("format", ("otel",))


def test_the_choices_are_the_ids_and_the_further_words():
    assert CHOICE.choices == (*list_ids("format"), "otel")


@pytest.mark.parametrize("value", ["csv", "otel", "package.module:Class"])
def test_an_id_a_word_and_a_path_stand_as_they_are(value):
    assert CHOICE.convert(value, None, None) == value


@pytest.mark.parametrize("value", ["", "CSV", "pdf"])
def test_another_value_is_refused_with_the_choices(value):
    with pytest.raises(click.BadParameter, match=r"'csv'.*'otel'"):
        CHOICE.convert(value, None, None)


def test_the_help_names_the_choices():
    option = click.Option(["--format"], type=CHOICE)
    assert "csv|" in option.make_metavar(click.Context(click.Command("any")))
