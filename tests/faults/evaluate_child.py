"""What a process for the tests of killed evaluations does: it evaluates, and is killed on the way.

It counts what it does to the database, and kills itself at the number it was given, so that every
place between two changes is met.
"""

import os
import signal

from benchmaker import evaluate
from benchmaker.store.database.database import Database


def main(says, work):
    """Evaluate the file under the profile; die at the change that has the number ``dies_at``."""
    count = _dying(work["dies_at"])
    evaluate(work["path"], profile=work["profile"], home=work["home"], environ=dict(os.environ))
    says.send(str(count()))


def _dying(number):
    """From now on the process kills itself in change ``number``; gives how many there were."""
    seen = [0]
    write = Database.write

    def counted(self):
        seen[0] += 1
        if seen[0] == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return write(self)

    Database.write = counted
    return lambda: seen[0]
