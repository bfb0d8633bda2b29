"""A process of its own that runs live models and says how much its memory grew.

``python -m tests.live.memory_child URL HOME MODEL BODY_BYTES`` asks a model that shows no fault, so
that everything is loaded, then the given one, and prints JSON.
"""

import json
import resource
import sys

from benchmaker import RunOptions, run
from benchmaker.providers.network.transport import HttpLimits
from tests.live.runs import QUICK, a_suite


def peak_bytes():
    """The most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    url, home, model, body_bytes = sys.argv[1:]
    limits = HttpLimits(body_bytes=int(body_bytes), line_bytes=int(body_bytes), total_s=30.0)
    environ = {
        "OPENAI_API_KEY": "sk-proj-memory-00000000",
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_API_KEY": "sk-proj-memory-00000000",
        "ANTHROPIC_BASE_URL": url,
    }

    def asked(name):
        return run(
            a_suite(2),
            models=[name],
            environ=environ,
            home=home,
            options=RunOptions(concurrency=1, timeouts=limits, limits=QUICK),
        )

    asked(f"{model.partition('/')[0]}/plain")
    before = peak_bytes()
    result = asked(model)
    outcomes = [str(trial.outcome) for trial in result.trials()]
    print(json.dumps({"grew": peak_bytes() - before, "outcomes": outcomes}))  # noqa: T201  what the test reads


if __name__ == "__main__":
    main()
