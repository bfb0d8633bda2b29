"""Functions that tests run in a timed worker; standard library alone, as the worker demands."""

import os
import re
import resource
import sys
import time


def do(request):
    verb, *arguments = request
    return _VERBS[verb](*arguments)


def _spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return "spun"


def _deaf(seconds):
    """Python code that swallows the alarm, again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(seconds)
        except BaseException:  # noqa: BLE001, S112  that is what deaf means
            continue
    return "heard nothing"


def _stubborn(seconds):
    """As deaf, and busy."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            _spin(seconds)
        except BaseException:  # noqa: BLE001, S112  that is what stubborn means
            continue


def _mark(path, request):
    """Say that the call has begun, by a file, and do what is asked."""
    open(path, "w").close()  # noqa: PTH123  as the worker demands
    return do(request)


def _late_once(path):
    """Busy for ever in the first call; there is a file from then on."""
    if os.path.exists(path):  # noqa: PTH110  as the worker demands
        return "in time"
    _mark(path, ["spin", 600])
    return "too late"


def _await(path, seconds):
    """Wait for a file."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.path.exists(path):  # noqa: PTH110  as the worker demands
            return "there"
        time.sleep(0.01)
    return "nowhere"


def _search(pattern, text):
    found = re.search(pattern, text)
    return found and list(found.span())


def _fail(message):
    raise ValueError(message)


def _hog():
    return len(bytearray(2 << 30))


def _limits():
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CORE)
    return [resource.getrlimit(kind)[0] for kind in kinds]


def _print(text):
    print(text)  # noqa: T201
    sys.stdout.flush()
    os.write(1, text.encode())
    return sys.stdin.read()


_VERBS = {
    "echo": lambda value: value,
    "spin": _spin,
    "deaf": _deaf,
    "stubborn": _stubborn,
    "mark": _mark,
    "await": _await,
    "late_once": _late_once,
    "search": _search,
    "fail": _fail,
    "hog": _hog,
    "exit": os._exit,
    "limits": _limits,
    "print": _print,
    "environment": lambda: dict(os.environ),
    "modules": lambda: sorted(sys.modules),
    "pid": os.getpid,
    "fill": lambda size: "x" * size,
    "not json": object,
}
