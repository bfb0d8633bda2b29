"""``benchmaker init``: a suite that runs, to change and extend."""

from pathlib import Path

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say_hint, say_json, say_wrapped
from benchmaker.errors import SpecError

_SUITE = "suite.yaml"
_ENDINGS = {".yaml", ".yml"}


@declare(
    "init",
    examples=("benchmaker init", "benchmaker init my-suite", "benchmaker init my-suite/first.yaml"),
)
@click.argument("place", metavar="[DIR|FILE]", default=".", type=FILE)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def command(context: Context, *, place: Path, force: bool) -> None:
    """Write a runnable suite with illustrative answers.

    Writes the suite (suite.yaml, or the file you name), suite.schema.json beside it for your
    editor, and answers.jsonl. Its answers are hand-written and labelled illustrative.
    """
    suite = place if place.suffix in _ENDINGS else place / _SUITE
    contents = _contents(suite)
    if not force:
        _refuse_to_overwrite(contents)
    for path, content in contents.items():
        _write(path, content)
    if context.use_json:
        say_json({"written": [str(path) for path in contents]})
    else:
        _say_next(context, suite, list(contents))


def _contents(suite: Path) -> dict[Path, str]:
    from benchmaker.spec.documents.bundled_files import resource_path

    schema = suite.with_name(f"{suite.stem}.schema.json")
    template = resource_path("init", _SUITE).read_text(encoding="utf-8")
    return {
        suite: template.replace("suite.schema.json", schema.name).replace(_SUITE, suite.name),
        schema: _schema_text(),
        suite.with_name("answers.jsonl"): resource_path("init", "answers.jsonl").read_text(
            encoding="utf-8"
        ),
    }


def _schema_text() -> str:
    from benchmaker.cli.commands.schema import schema_text

    return schema_text()


def _refuse_to_overwrite(contents: dict[Path, str]) -> None:
    there = [str(path) for path in contents if path.exists()]
    if there:
        verb = "is" if len(there) == 1 else "are"
        raise SpecError(
            f"{', '.join(there)} {verb} already there.",
            hint="Choose another folder, or overwrite with --force.",
        )


def _write(path: Path, content: str) -> None:
    from benchmaker.report.formats.atomic import open_atomic

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise SpecError(
            f"the folder can't be created: {exc.strerror}.",
            where=str(path.parent),
            hint="Choose another folder.",
        ) from exc
    with open_atomic(path) as stream:
        stream.write(content.encode())


def _say_next(context: Context, suite: Path, written: list[Path]) -> None:
    answers = suite.with_name("answers.jsonl")
    say_wrapped(f"Written: {', '.join(map(str, written))}")
    say_wrapped("The answers are illustrative: written by hand, not by a model.")
    say_hint(f"Next: {context.line('run', suite, '--recorded', answers)}")
