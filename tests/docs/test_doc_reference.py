import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import benchmaker
from benchmaker.record import Outcome
from scripts.make_docs import ARCHITECTURE, BEGIN, END, FOLDER, made
from scripts.reference import commands, failures, python, scorers
from scripts.reference.outcomes import CHANGED, FLAGS, OUTCOMES, UNSENT
from scripts.reference.suite_file import PARTS, told
from tests.docs.page import ROOT, Page


def headings(name: str) -> list[str]:
    return Page.read(FOLDER / name).headings


def test_generated_pages_are_what_the_code_says():
    stale = [path.name for path, text in made() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run: python -m scripts.make_docs"


def test_the_picture_of_the_architecture_shows_every_package_and_arena():
    picture = ARCHITECTURE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    shown = {
        line.split()[0]
        for line in picture.splitlines()
        if line[:1].isalpha() or line[2:3].isalpha()
    }
    source = Path(benchmaker.__file__).parent
    packages = {it.parent.name for it in source.glob("*/__init__.py")} - {"resources"}
    arenas = {it.parent.name for it in source.glob("arenas/*/__init__.py")}
    assert packages | arenas <= shown


def test_every_command_has_a_heading():
    missing = {f"`benchmaker {name}`" for name in commands.commands()} - set(
        headings("commands.md")
    )
    assert missing == set()


def test_every_option_has_a_heading():
    wanted = {
        commands.heading(name, max(option.opts, key=len))
        for name, command in commands.commands().items()
        for option in command.params
        if option.param_type_name == "option" and not option.hidden
    }
    assert wanted - set(headings("commands.md")) == set()


def test_every_option_has_a_text():
    untold = [
        f"{name} {option.opts[0]}"
        for name, command in commands.commands().items()
        for option in command.params
        if option.param_type_name == "option" and not option.help
    ]
    assert untold == []


def test_every_scorer_has_a_heading():
    assert {f"`{it.id}`" for it in scorers.ours()} - set(headings("scorers.md")) == set()


def test_every_error_has_a_heading():
    assert {f"`{it.__name__}`" for it in failures.classes()} - set(headings("errors.md")) == set()


def test_every_public_name_has_a_heading():
    assert {f"`{it}`" for it in python.names()} - set(headings("python.md")) == set()


def test_every_public_name_is_documented():
    assert [it for it in python.names() if not getattr(benchmaker, it).__doc__] == []


def test_every_key_of_a_suite_is_explained():
    keys = [
        (part, field.alias or key)
        for part, (model, _) in PARTS.items()
        for key, field in model.model_fields.items()
        if not field.exclude
    ]
    assert [key for key in keys if not told(*key)] == []


def test_every_outcome_is_explained():
    assert set(OUTCOMES) == set(Outcome)


GIVEN = re.compile(r'flags=\("([a-z_]+)",\)|"([a-z]+_dropped)"')
NAMED = {"sent_": CHANGED, "unsent_": UNSENT}
"""The names that follow the prefixes of flags."""

CONSTANT = re.compile(r'^[A-Z][A-Z_]* = "([a-z][a-z_]+)"$', re.MULTILINE)


def test_the_flags_that_are_explained_are_those_that_are_given():
    assert set(FLAGS) == set(_flags())


def _flags() -> Iterator[str]:
    """Every flag: written where it is given, or a constant; one that ends in _ takes a name."""
    for folder in ("scoring", "engine", "providers", "record"):
        for file in (ROOT / "src" / "benchmaker" / folder).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if "flag" not in text:
                continue
            for flag in (*CONSTANT.findall(text), *filter(None, chain(*GIVEN.findall(text)))):
                yield from (f"{flag}{name}" for name in NAMED.get(flag, ("",)))


def test_no_page_names_a_place_on_a_machine():
    files = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("benchmarks/*")]
    told = [file.name for file in files if file.is_file() and _names_a_place(file)]
    assert told == []


def _names_a_place(file: Path) -> bool:
    text = file.read_text(encoding="utf-8")
    places = "|".join(map(re.escape, (f"{ROOT}/", "/root/")))
    return re.search(rf"(?<![\w.~])(?:{places})", text) is not None
