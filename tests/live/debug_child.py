"""A process of its own that runs live models with everything logged that anybody logs.

``python -m tests.live.debug_child HOME LOG MODEL…``; keys and addresses come from its environment.
"""

import logging
import os
import sys

from benchmaker import RunOptions, run
from tests.live.runs import QUICK, a_suite


def main():
    home, log, *models = sys.argv[1:]
    logging.basicConfig(level=logging.DEBUG, handlers=[logging.FileHandler(log)])
    logging.getLogger().addHandler(logging.StreamHandler())
    logging.debug("everything is logged")  # noqa: LOG015  the root is what is tested
    result = run(
        a_suite(3), models=models, environ=os.environ, home=home, options=RunOptions(limits=QUICK)
    )
    print(result, *result.trials(), result.stopped)  # noqa: T201  searched like all the rest


if __name__ == "__main__":
    main()
