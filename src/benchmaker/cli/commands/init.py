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
_SCRIPTS = ("install.sh", "gate.sh", "comment.sh")
_WORKFLOWS = {
    "github": (".github/workflows/benchmaker.yml", ".github/benchmaker"),
    "gitlab": (".gitlab/benchmaker/gate.yml", ".gitlab/benchmaker"),
}
"""For each system, the place of its workflow, and the folder of the scripts."""

_PACKAGES = {
    "github": "BENCHMAKER_PACKAGE: ${{ vars.BENCHMAKER_PACKAGE }}",
    "gitlab": 'BENCHMAKER_PACKAGE: ""',
}
"""For each system, the line of its workflow that --package replaces."""


@declare(
    "init",
    examples=(
        "benchmaker init",
        "benchmaker init my-suite",
        "benchmaker init my-suite/first.yaml",
        "benchmaker init --ci github",
        "benchmaker init --ci gitlab --package ./benchmaker",
    ),
)
@click.argument("place", metavar="[DIR|FILE]", default=".", type=FILE)
@click.option(
    "--ci",
    "system",
    type=click.Choice(list(_WORKFLOWS)),
    help="Write the files of a pipeline instead, which gates pull requests against a baseline "
    "within a budget, and comments on them.",
)
@click.option(
    "--package",
    metavar="SPEC",
    help="With --ci: what pip installs as Benchmaker, a wheel, a checkout or git+https://…@tag. "
    "Default: the variable BENCHMAKER_PACKAGE of the repository.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def command(
    context: Context, *, place: Path, system: str | None, package: str | None, force: bool
) -> None:
    """Write a runnable suite with illustrative answers.

    Writes the suite (suite.yaml, or the file you name), suite.schema.json beside it for your
    editor, and answers.jsonl. Its answers are hand-written and labelled illustrative.
    """
    if system is not None:
        _write_pipeline(context, place, system, package, force=force)
        return
    if package is not None:
        raise SpecError("--package needs --ci.", hint="Give both, or none.")
    suite = place if place.suffix in _ENDINGS else place / _SUITE
    contents = _contents(suite)
    _write_all(contents, force=force)
    if context.use_json:
        say_json({"written": [str(path) for path in contents]})
    else:
        _say_next(context, suite, list(contents))


def _write_pipeline(
    context: Context, place: Path, system: str, package: str | None, *, force: bool
) -> None:
    """Write the workflow of a system with its scripts below a folder, and say the next step.

    Raises:
        SpecError: a file is given, or one of the files is already there.
    """
    if place.suffix in _ENDINGS:
        raise SpecError(
            "--ci needs a folder, not a file.", hint="Give the root folder of the repository."
        )
    contents = _pipeline_contents(place, system, package)
    _write_all(contents, force=force)
    if context.use_json:
        say_json({"written": [str(path) for path in contents]})
        return
    say_wrapped(f"Written: {', '.join(map(str, contents))}")
    say_wrapped("Set the suite, the key and the budget in the workflow, and commit a baseline.")
    if package is None:
        say_wrapped(
            "Set the variable BENCHMAKER_PACKAGE of the repository to what pip installs: a wheel, "
            "a checkout, or git+https://…@tag."
        )
    if _names_no_models(place / _SUITE):
        say_wrapped(f"{_SUITE} names no models: set MODELS in the workflow.")
    say_hint(f"Write one with: {context.line('export', 'latest', '--baseline')} --output FILE")


def _names_no_models(path: Path) -> bool:
    """True if there is a valid suite that leaves the models to the command."""
    from benchmaker.errors import BenchmakerError
    from benchmaker.spec.suites.load import read_suite

    if not path.is_file():
        return False
    try:
        return not read_suite(path).suite.models
    except BenchmakerError:  # validate says what is wrong
        return False


def _pipeline_contents(place: Path, system: str, package: str | None) -> dict[Path, str]:
    import json

    from benchmaker.spec.documents.bundled_files import resource_path

    workflow, scripts = _WORKFLOWS[system]
    sources = {workflow: f"{system}.yml", **{f"{scripts}/{name}": name for name in _SCRIPTS}}
    contents = {
        place / path: resource_path("ci", name).read_text(encoding="utf-8")
        for path, name in sources.items()
    }
    if package is not None:
        line = f"BENCHMAKER_PACKAGE: {json.dumps(package, ensure_ascii=False)}"
        contents[place / workflow] = contents[place / workflow].replace(_PACKAGES[system], line)
    return contents


def _write_all(contents: dict[Path, str], *, force: bool) -> None:
    if not force:
        _refuse_to_overwrite(contents)
    for path, content in contents.items():
        _write(path, content)


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
