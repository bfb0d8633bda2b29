"""``benchmaker db``: upgrade, check, back up, restore and copy the database."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import FILE, CommandWithExamples
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.group import Subgroup
from benchmaker.cli.output.output import say, say_hash, say_json, say_wrapped

if TYPE_CHECKING:
    from benchmaker.store.database.address import Address
    from benchmaker.store.database.schema import SchemaUpgrade
    from benchmaker.store.home import Home
    from benchmaker.store.upkeep.checking import ContentsCheck
    from benchmaker.store.upkeep.copying import StoreCopy


class DbGroup(Subgroup):
    """The group."""

    examples = (
        "benchmaker db check",
        "benchmaker db backup /backups/benchmaker.db",
        "benchmaker db copy postgresql://user@host/database",
    )


command = DbGroup(
    "db",
    help="""Upgrade, check, back up, restore or copy the database.

    The database is the file in the data folder, or the one in BENCHMAKER_STORE. Options before the
    command also apply to it.
    """,
)


_team = click.option("--team", metavar="TEAM", help="Team of the database. Default: main.")


@declare("upgrade", examples=("benchmaker db upgrade",))
def upgrade(context: Context) -> None:
    """Upgrade the tables of all teams to this version of Benchmaker.

    An empty database gets its tables. A file is copied first, to a file beside it. Before you
    upgrade PostgreSQL, stop every program that uses it, and back it up with: benchmaker db backup.
    If a step fails, nothing is changed in that team.
    """
    from benchmaker.store.database.database import Database
    from benchmaker.store.database.schema import upgrade

    database = Database(_address(context, must_be_there=False))
    try:
        done = upgrade(database)
    finally:
        database.close()
    teams = _upgraded_teams(context)
    if context.use_json:
        say_json(asdict(done) | ({"teams": teams} if teams else {}))
        return
    _say_upgraded(done)
    for team, it in teams.items():
        _say_upgraded(it, f"{team}: ")


def _upgraded_teams(context: Context) -> "dict[str, SchemaUpgrade]":
    """Return the upgrades of each team except ``main``."""
    from benchmaker.cli.database import home_of
    from benchmaker.record.account import MAIN
    from benchmaker.store.team_stores import make_team_place

    place = home_of(context)
    with place.open_store() as store:
        slugs = [team.slug for team in store.accounts.teams()]
    return {slug: make_team_place(place, slug) for slug in slugs if slug != MAIN}


def _say_upgraded(done: "SchemaUpgrade", who: str = "") -> None:
    if done.before == done.after:
        say(f"{who}Nothing to do: the tables already have revision {done.after}.")
    elif done.before is None:
        say(f"{who}Created the tables, revision {done.after}.")
    else:
        say(f"{who}Upgraded from {done.before} to revision {done.after}.")


@declare(
    "check", examples=("benchmaker db check", "benchmaker db check /backups/benchmaker.jsonl.gz")
)
@click.argument("backup", type=FILE, required=False)
@_team
def check_database(context: Context, *, backup: Path | None, team: str | None) -> ExitCode:
    """Read a whole database, or a backup, and check it for damage.

    Nothing is changed. The printed hash is the same for the same contents, in a file, in PostgreSQL
    and in a backup. The exit code is 3 if something is wrong.
    """
    from benchmaker.store.upkeep.checking import check_backup, check_store

    checked = check_backup(backup) if backup else check_store(_address(context, team=team))
    if context.use_json:
        is_said = {"ok": checked.is_ok, "is_newest": checked.is_newest}
        say_json(is_said | {name: getattr(checked, name) for name in checked.__slots__})
    else:
        _say_checked(checked)
    return ExitCode.OK if checked.is_ok else ExitCode.PREREQUISITE


@declare("backup", examples=("benchmaker db backup", "benchmaker db backup /backups/benchmaker.db"))
@click.argument("path", metavar="[FILE|FOLDER]", type=FILE, required=False)
@_team
def backup(context: Context, *, path: Path | None, team: str | None) -> None:
    """Back up the database to a new file while others keep writing.

    Without FILE, the backup is named by the time, in the current folder. The backup of a file is
    itself a store; that of PostgreSQL is gzipped JSON Lines. Both can be restored into either. The
    backup contains the revision of the tables and a hash of its contents, and only its owner can
    read it. Each team is backed up separately.
    """
    from benchmaker.store.upkeep.backups import back_up, suffix_of

    address = _address(context, team=team)
    if path is None or path.is_dir():
        named = f"benchmaker-{team}" if team else "benchmaker"
        path = (path or Path()) / f"{named}-{_timestamp()}{suffix_of(address)}"
    done = back_up(address, path)
    if context.use_json:
        say_json({name: getattr(done, name) for name in done.__slots__} | {"path": str(done.path)})
        return
    from benchmaker.spec.documents.sizes import readable_size

    size = readable_size(done.size_bytes)
    say(f"Backup: {done.path}")
    say_wrapped(f"{_rows(done.rows)}, {size}, revision {done.revision}")
    say_hash("", done.hash)


@declare("restore", examples=("benchmaker db restore /backups/benchmaker.db",))
@click.argument("backup", metavar="FILE", type=FILE)
def restore(context: Context, *, backup: Path) -> None:
    """Restore a backup into a database that is empty or new.

    The contents are read back and must match the hash in the backup; otherwise, nothing is kept. An
    older backup is upgraded in the process.
    """
    from benchmaker.store.upkeep.copying import restore

    _say_copied(context, restore(backup, _address(context, must_be_there=False)))


@declare(
    "copy",
    examples=(
        "benchmaker db copy postgresql://user@host/database",
        "benchmaker db copy /data/benchmaker.db",
    ),
)
@click.argument("target", metavar="ADDRESS")
def copy(context: Context, *, target: str) -> None:
    """Copy the database to another one that is empty or new.

    The copy is complete or not made at all. It is read back and must have the same hash. First stop
    every program that writes; later changes are not in the copy.
    """
    from benchmaker.store.database.address import parse_address
    from benchmaker.store.upkeep.copying import copy_store

    _say_copied(context, copy_store(_address(context), parse_address(target)))


def _by_name(*commands: CommandWithExamples) -> dict[str, CommandWithExamples]:
    return {it.name: it for it in commands if it.name}


_COMMANDS = _by_name(upgrade, check_database, backup, restore, copy)
for _one in _COMMANDS.values():
    command.add_command(_one)


def _address(context: Context, *, must_be_there: bool = True, team: str | None = None) -> "Address":
    """Return the address of the database."""
    from benchmaker.cli.database import home_of, refuse_without_store
    from benchmaker.store.database.address import parse_address

    if must_be_there:
        refuse_without_store(context)
    place = home_of(context)
    return parse_address((_of_team(place, team) if team else place).address)


def _of_team(place: "Home", team: str) -> "Home":
    """Return the location of the team, which must exist."""
    from benchmaker.cli.server.accounts import named_team
    from benchmaker.store import Store
    from benchmaker.store.team_stores import team_place

    with Store.open(place.address, read_only=True) as store:
        named_team(store.accounts, team)
    return team_place(place, team)


def _timestamp() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def _rows(rows: dict[str, int]) -> str:
    from benchmaker.record.counts import count

    parts = [count(rows.get(f"{noun}s", 0), noun) for noun in ("run", "trial", "submission")]
    return f"{', '.join(parts)}, {count(sum(rows.values()), 'row')} in all"


def _say_checked(checked: "ContentsCheck") -> None:
    say(f"{checked.where}: {'intact' if checked.is_ok else 'DAMAGED'}")
    for problem in checked.problems:
        say(f"  {problem}")
    say(_rows(checked.rows))
    older = "" if checked.is_newest else f"; this Benchmaker writes {checked.newest}"
    say(f"revision {checked.revision or 'unknown'}{older}")
    say_hash("", checked.hash or "no hash")


def _say_copied(context: Context, done: "StoreCopy") -> None:
    if context.use_json:
        say_json(done)
        return
    say(f"{_rows(done.rows)} from {done.source} to {done.target}")
    say(f"{done.hash}, verified in the copy")
