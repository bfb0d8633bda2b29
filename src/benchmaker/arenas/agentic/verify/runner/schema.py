"""Checks JSON against a schema: both on stdin, the schema on its first line.

The argument is the limit of processor time in seconds.
"""

import json
import resource
import sys

_MEMORY = 1 << 30


def main() -> None:
    """Print the result as JSON."""
    cpu_s = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    import jsonschema  # noqa: PLC0415  within the limit

    schema = json.loads(sys.stdin.buffer.readline())
    kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as exc:
        print(json.dumps({"schema": exc.message[:1000]}))  # noqa: T201  what we are for
        return
    try:
        given = json.loads(sys.stdin.buffer.read())
        found = next(kind(schema).iter_errors(given), None)
    except (MemoryError, RecursionError):
        print(json.dumps({"fault": "too deep or too large to be checked"}))  # noqa: T201
        return
    words = {"fault": f"{found.json_path}: {found.message[:1000]}"} if found else {}
    print(json.dumps(words))  # noqa: T201


if __name__ == "__main__":
    main()
