"""A process that sends commands to a run, for the tests that kill it."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmaker import BenchmakerError, SpecError, control

MOST_REQUESTS = 9


@dataclass(frozen=True)
class Orders:
    """What a child is to send, by a seed."""

    home: Path
    seed: int
    number: int


def main(say, orders):
    """Send commands; say each before it is sent, and its result."""
    random = Random(orders.seed)  # noqa: S311  seeded on purpose
    say.send("ready")
    for _ in range(orders.number):
        wanted = any_command(random)
        say.send(f"sends {json.dumps(wanted)}")
        try:
            done = control("latest", home=orders.home, **wanted)
        except SpecError as exc:
            say.send(f"refused {exc.message}")
            break
        except BenchmakerError as exc:
            say.send(json.dumps({"error": type(exc).__name__, "message": str(exc)}))
            raise
        say.send(f"done {done.commands[0].number}")


def any_command(random):
    """A command that leaves all trials to be run in the end."""
    kinds = ({"pause": True}, {"resume": True}, {"retry_failed": True}, {"concurrency": 0})
    wanted = dict(random.choice(kinds))
    if "concurrency" in wanted:
        wanted["concurrency"] = random.randint(1, MOST_REQUESTS)
    return wanted
