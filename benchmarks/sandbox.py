"""What the walls cost: ``true`` in each isolation and bare, in pairs.

``python benchmarks/sandbox.py [ROUNDS]`` prints medians of wall and processor time, and the median
of the differences to the bare process of the same round. A busy machine spoils the wall times.
"""

import resource
import statistics
import subprocess
import sys
import time

from benchmaker.sandbox import Isolation, ResourceLimits, SandboxCommand, run_sandboxed

COMMAND = SandboxCommand(("/bin/true",))


def bare() -> None:
    subprocess.run(["/bin/true"], check=True, env={}, capture_output=True)


def walled(isolation: Isolation) -> None:
    ended = run_sandboxed(COMMAND, isolation=isolation, limits=ResourceLimits(wall_s=20))
    assert ended.is_clean, ended  # noqa: S101  a figure of a failure is none


def python() -> None:
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True, env={})


def cpu_s() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def took_ms(work) -> tuple[float, float]:
    began, used = time.perf_counter(), cpu_s()
    work()
    return (time.perf_counter() - began) * 1000, (cpu_s() - used) * 1000


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    ways = {
        "bare": bare,
        "python": python,
        "process": lambda: walled(Isolation.PROCESS),
        "namespace": lambda: walled(Isolation.NAMESPACE),
    }
    for work in ways.values():
        work()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            found[name].append(took_ms(work))
    for name, pairs in found.items():
        wall, cpu = (statistics.median(times) for times in zip(*pairs, strict=True))
        more = statistics.median(
            pair[0] - base[0] for pair, base in zip(pairs, found["bare"], strict=True)
        )
        print(f"{name:<10} {wall:6.1f} ms wall ({more:+6.1f} on bare)  {cpu:6.1f} ms processor")


if __name__ == "__main__":
    main()
