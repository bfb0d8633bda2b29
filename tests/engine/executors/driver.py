"""A process that runs or resumes live models, for the tests that kill it."""

import json
import sys

from benchmaker import RunOptions, resume, run
from tests.engine.executors.rays import MODELS, sums


def main():
    """Read what is to be done, and do it."""
    told = json.load(sys.stdin)
    common = {
        "home": told["home"],
        "environ": told["environ"],
        "options": RunOptions(executor=told["executor"], concurrency=8),
    }
    if told["command"] == "resume":
        result = resume("latest", **common)
    else:
        result = run(sums(told["count"]), models=MODELS, **common)
    print(json.dumps({"finished": result.is_finished}))  # noqa: T201  who started it reads this


if __name__ == "__main__":
    main()
