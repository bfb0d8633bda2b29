"""The group ``benchmaker``: its table of commands, and where errors become exit codes."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.garbage_collection import skip_final_collection
from benchmaker.cli.output.output import (
    flush,
    json_alone,
    make_streams_forgiving,
    silence,
    tell,
)
from benchmaker.version import __version__

if TYPE_CHECKING:
    from benchmaker.cli.context import Context

SECTIONS: dict[str, dict[str, str]] = {
    "Start": {
        "demo": "Run a bundled suite on bundled illustrative answers.",
        "init": "Write a runnable suite with illustrative answers.",
        "validate": "Report all errors in suite files.",
        "convert": "Convert a suite or task of another tool into a suite.",
        "schema": "Print the JSON Schema of suites, tasks, agents, submissions or baselines.",
        "doctor": "Check this machine and print commands that add missing parts.",
        "plugins": "List installed scorers, providers, importers, report formats and pages.",
    },
    "Run": {
        "models": "List endpoints, or the models and prices of one endpoint.",
        "estimate": "Estimate the tokens and cost of a run without sending requests.",
        "run": "Run a suite against models and print their scores.",
        "resume": "Resume a run, or add models or runs to it.",
        "control": "Pause, resume or change a run while it is in progress.",
        "rescore": "Rescore stored answers. Models under test are not called.",
        "code": "Generate pages with models; render, judge and compare them.",
    },
    "Inspect": {
        "results": "Print the scores of a run or a series.",
        "runs": "List stored runs, newest first.",
        "show": "List the trials of a run, or show one case or submission.",
        "explain": "Explain a score or a submission's figures by recalculating them.",
        "export": "Export a run, a series or submissions to a file.",
        "serve": "Serve the workbench, for use in a browser.",
        "worker": "Execute runs started in the workbench.",
    },
    "Judge and compare": {
        "calibrate": "Calibrate a judge on answers with known scores.",
        "label": "Score answers yourself to correct a judge's means.",
        "compare": "Compare models case by case.",
        "gate": "Fail if scores dropped below a baseline.",
        "rank": "Rank models from scores or votes.",
        "trend": "Track the scores of a suite, or of coding agents, over time.",
        "power": "Calculate the number of cases a comparison needs.",
    },
    "Submit and verify": {
        "agents": "List, check, run and compare coding agents.",
        "submit": "Submit a session and its workspace for a task.",
        "attempt": "Register attempts before the work, and list them.",
        "verify": "Verify the workspaces of stored submissions for one task.",
        "evaluate": "Score submissions of coding tools against their tasks' baselines.",
        "reviews": "Review flagged submissions.",
        "moderate": "List, accept or reject submissions that await moderation.",
        "notices": "List pending notices, and deliver them.",
        "task": "Write, show, test and store tasks.",
        "sandbox": "Run an untrusted command, or test the isolation.",
    },
    "Leaderboards": {
        "leaderboard": "Rank coding agents.",
        "baselines": "List baselines.",
        "bias": "Check a board for bias.",
        "profile": "List, show and compare scoring profiles.",
    },
    "Access": {
        "user": "Manage users.",
        "team": "Manage teams and their members.",
        "token": "Manage tokens for programs.",
        "secret": "Manage a team's keys to endpoints.",
        "audit": "Print the audit log, newest entry first.",
    },
    "Data": {
        "import": "Import results of other tools, logs of coding tools, tables of figures and "
        "exported runs.",
        "opinion": "Check the figures of other tools' results, and report what they hide.",
        "usage": "Summarise tokens, cost and time of coding tools.",
        "trace": "Show an agent's steps with their time and cost.",
        "search": "Search the text of sessions: prompts, answers, tool calls.",
        "reprice": "Recalculate the prices of stored submissions; no log is read.",
        "delete": "Delete a run, all runs of a series, or a submission.",
        "vacuum": "Reclaim disk space from deleted runs.",
        "db": "Upgrade, check, back up, restore or copy the database.",
    },
}
"""The commands as ``--help`` lists them, none loaded; a test compares with their own help."""

COMMANDS = tuple(name for commands in SECTIONS.values() for name in commands)

_FOREIGN = {"eval": "run", "view": "serve"}
"""Commands of promptfoo with ours."""

_MODULES = {"import": "import_file"}  # the name of a command may be no name of a module


class ReaderLeft(Exception):
    """The reader of stdout has left; Click itself would exit with code 1."""


class CommandFailed(Exception):
    """A failed command, with the keys to redact from its message."""

    def __init__(self, error: Exception, context: "Context | None") -> None:
        super().__init__(error)
        self.error = error
        self.context = context


class Benchmaker(click.Group):
    """The group, which loads a command's module on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  Click's signature
        """Every command, in the order of the sections."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  Click's signature
        """The command of that name, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        name = _MODULES.get(cmd_name, cmd_name)
        found = importlib.import_module(f"benchmaker.cli.commands.{name}").command
        return found if isinstance(found, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the requested command; an unknown one is refused with a suggestion."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            ctx.fail(f"There is no command {args[0]!r}.{_suggestion(args[0])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  Click's signature
        """The commands by section."""
        width = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(
                    [(f"{name:<{width}}", summary) for name, summary in commands.items()]
                )

    def make_context(self, *given: Any, **named: Any) -> click.Context:  # noqa: ANN401  Click's signature
        """As Click does; ``--help`` and ``--version`` are printed here."""
        with _reader_may_leave():
            return super().make_context(*given, **named)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  Click's signature
        """Run the requested command."""
        try:
            with _reader_may_leave():
                return super().invoke(ctx)
        except (ReaderLeft, click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            raise CommandFailed(error, ctx.obj) from error

    def main(self, args: Sequence[str] | None = None, *_: Any, **extra: Any) -> Any:  # noqa: ANN401  Click's signature
        """Run a command and leave with its exit code; every error ends here."""
        given = list(sys.argv[1:] if args is None else args)
        make_streams_forgiving()
        skip_final_collection()
        with json_alone(use_json=_wants_json(given)):
            code = self._code(given, {**extra, "prog_name": "benchmaker"})
        sys.exit(code)

    def _code(self, args: list[str], extra: dict[str, Any]) -> int:
        try:
            code = super().main(args, **(extra | {"standalone_mode": False}))
            flush()
        except (ReaderLeft, BrokenPipeError):
            silence(sys.stdout)
            return ExitCode.OK
        except (KeyboardInterrupt, click.Abort):
            tell("Interrupted.")
            return ExitCode.INTERRUPTED
        except CommandFailed as failed:
            return _report_failure(failed.error, args, failed.context)
        except Exception as error:  # noqa: BLE001  the last boundary before the user
            return _report_failure(error, args)
        return code if isinstance(code, int) else ExitCode.OK


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as exc:
        raise ReaderLeft from exc


def _report_failure(
    error: Exception, args: list[str], context: "Context | None" = None
) -> ExitCode:
    from benchmaker.cli.output.failure import tell_failure
    from benchmaker.cli.output.key_redaction import redactor_of

    as_json, debug = _wants_json(args), "--debug" in args
    try:
        hide = redactor_of(context)
        complete = context.complete if context else str
        code = tell_failure(error, use_json=as_json, debug=debug, redactor=hide, complete=complete)
        flush()
    except OSError:
        silence(sys.stdout)
        return ExitCode.PARTIAL
    return code


def _wants_json(args: list[str]) -> bool:
    """True if the command, not one behind ``--``, is called with ``--json``."""
    own = args[: args.index("--")] if "--" in args else args
    return "--json" in own


def _suggestion(name: str) -> str:
    from benchmaker.spec.documents.suggestions import nearest_name

    near = _FOREIGN.get(name) or nearest_name(name, COMMANDS)
    return f" Did you mean {near!r}?" if near else ""


@click.group(
    cls=Benchmaker,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: benchmaker demo",
)
@click.version_option(__version__, message="benchmaker %(version)s")
@click.option(
    "--home",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Data folder. Every command accepts it too.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of unexpected errors.")
def main(home: str | None, *, debug: bool) -> None:
    """Run, score, compare and rank language models and coding agents."""
