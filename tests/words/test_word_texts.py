"""The texts that the check of words reads."""

import ast
from collections import Counter

import pytest

from benchmaker.cli.main import SECTIONS
from scripts.reference import tasks
from scripts.reference.commands import commands
from scripts.words import collection
from scripts.words.docstrings import paragraphs, public_docstrings
from scripts.words.literals import VALUE, literals
from scripts.words.sentence import Area
from scripts.words.templates import page_texts, script_texts

MODULE = '''
"""A module."""

import re

NAMES = re.compile("one two three")
def _hidden():
    """A private docstring."""
class Told:
    """A class.

    >>> Told()
    an example of words

    Args:
        name: The name.
    """

    is_open: bool
    """Whether it is open."""

    def shown(self, where):
        """A method."""
        raise ValueError(f"no file {self.name!r} at {where}.")
    def _hidden(self):
        """Another one."""
        self["a key of words"] = query("SELECT a FROM b", help="A help of words.")
'''


def docstrings() -> list[tuple[int, str, bool]]:
    return [
        (line, words.strip(), is_boolean)
        for node, is_boolean in public_docstrings(ast.parse(MODULE))
        for line, words in paragraphs(str(node.value), node.lineno)
    ]


def test_docstrings_of_public_names_are_read_without_their_examples():
    assert docstrings() == [
        (2, "A module.", False),
        (10, "A class.", False),
        (16, "name: The name.", False),
        (20, "Whether it is open.", True),
        (23, "A method.", False),
    ]


def test_messages_are_literals_that_are_neither_code_nor_keys():
    found, _ = literals(ast.parse(MODULE))
    assert [(it.line, it.words, it.keyword) for it in found] == [
        (24, "no file {…} at {…}.", ""),
        (27, "A help of words.", "help"),
    ]


def test_descriptions_of_a_schema_are_told_from_messages():
    found, _ = literals(ast.parse('x: bool = Field(description="Whether it is open.")'))
    assert [(it.is_description, it.is_boolean) for it in found] == [(True, True)]


def test_words_of_a_template_have_their_lines():
    page = (
        '{# a comment of words #}<p title="A title here">One {{ value("a", "b") }} <b>two</b>\n'
        'three.</p>\n{% if x %}Yes{% else %}No{% endif %}\n<p><a href="/">A</a><a>B</a>\n'
        '<p>{{ empty("No case is here.") }}<style>p { color: red }</style>'
    )
    assert [(line, words.strip()) for line, words in page_texts(page)] == [
        (1, "A title here"),
        (1, "One {…} two\nthree."),
        (3, "Yes"),
        (3, "No"),
        (4, "A"),
        (4, "B"),
        (5, "{…}"),
        (5, "No case is here."),
    ]


def test_messages_of_a_script_are_its_strings():
    script = "// a comment: 'of some words'\nsay(`Lost ${count} of them`, 'x')\n"
    assert list(script_texts(script)) == [(2, "Lost {…} of them")]


@pytest.fixture(scope="module")
def texts():
    return list(collection.texts())


def test_every_area_is_read(texts):
    counts = Counter(text.area for text in texts)
    assert all(counts[area] > 300 for area in Area), counts


def test_every_place_exists(texts):
    files = {text.file for text in texts}
    lines = {file: (collection.ROOT / file).read_text("utf-8").count("\n") + 1 for file in files}
    assert [text for text in texts if not 1 <= text.line <= lines[text.file]] == []


def test_the_prompts_of_bundled_tasks_are_not_read(texts):
    read = {text.words for text in texts if text.file.name == "tasks.md"}
    assert read
    assert read.isdisjoint(tasks.prompts())


def test_the_help_of_every_command_is_read(texts):
    read = " ".join(" ".join(text.words.split()) for text in texts if text.area is Area.HELP)
    summaries = [text for commands in SECTIONS.values() for text in commands.values()]
    assert [text for text in summaries if text not in read] == []


def test_every_help_of_an_option_is_read(texts):
    read = {text.words for text in texts if text.area is Area.HELP}
    forms = [collection._form(words) for words in read if VALUE in words]
    options = {
        it.help
        for command in commands().values()
        for it in command.params
        if getattr(it, "help", "")
    }
    unread = {text for text in options - read if not any(form.fullmatch(text) for form in forms)}
    assert unread == set()
