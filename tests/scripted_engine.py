"""A stand-in for podman and docker: records its command lines, and answers as the real ones.

The forms are those of podman 4.3 and docker 28: podman-run(1), podman-build(1), podman-create(1),
podman-cp(1), podman-inspect(1), podman-ps(1), podman-rm(1), and the pages of the same names at
https://docs.docker.com/reference/cli/docker/. Exit codes of ``run``: 125 for the engine's own
faults, 126 for a command that can't be invoked, 127 for one that is not found, else the
container's (https://docs.podman.io/en/stable/markdown/podman-run.1.html#exit-status).

Containers are folders of the state; ``run`` executes the command by bubblewrap over this machine's
programs, with the volumes that were given. ``answers.json`` scripts faults: by the first words of a
command, a status and what is printed.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
STATE = HERE / "state"
TMP = "/tmp"  # noqa: S108  of the container
NAME = Path(sys.argv[0]).name
FLAGS = {"--interactive", "--read-only", "--read-only-tmpfs=false", "--force", "--volumes", "--all"}
FLAGS |= {"--quiet", "--no-trunc"}
SYSTEM = ("usr", "bin", "sbin", "lib", "lib64", "etc", "root", "home", "opt")


def main():
    words = sys.argv[1:]
    with (HERE / "calls.jsonl").open("a") as log:
        log.write(json.dumps([NAME, *words]) + "\n")
    scripted = json.loads((HERE / "answers.json").read_text())
    for start, answer in scripted.items():
        if " ".join(words).startswith(start):
            sys.stdout.buffer.write(answer.get("stdout", "").encode("latin-1"))
            sys.stderr.write(answer.get("stderr", ""))
            sys.exit(answer.get("status", 0))
    command = "_".join(words[:2]) if words[0] in {"image", "container"} else words[0]
    COMMANDS[command](words[2 if words[0] in {"image", "container"} else 1 :])


def options(words):
    """Options by name, each a list of values, and what comes after them."""
    found, rest = {}, list(words)
    while rest and rest[0].startswith("--"):
        flag = rest.pop(0)
        found.setdefault(flag, []).append("" if flag in FLAGS else rest.pop(0))
    return found, rest


def path_of(kind, name):
    return STATE / kind / name.replace("/", "%")


def fail(status, message):
    sys.stderr.write(message + "\n")
    sys.exit(status)


def say(*words):
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def info(_):
    say("host:")


def image_inspect(words):
    file = path_of("images", words[0])
    if not file.exists():
        fail(125, f"Error: inspecting object: {words[0]}: image not known")
    say(json.dumps([{"Id": "0" * 64, "Config": json.loads(file.read_text())}]))


def pull(words):
    _, rest = options(words)
    fail(125, f"Error: initializing source docker://{rest[0]}: pinging container registry")


def build(words):
    given, rest = options(words)
    text = Path(given["--file"][0]).read_text()
    workdir = [line.split()[1] for line in text.splitlines() if line.startswith("WORKDIR")]
    (tag,) = given["--tag"]
    config = {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin"], "WorkingDir": (workdir or [""])[-1]}
    path_of("images", tag).write_text(json.dumps(config))
    files = path_of("files", tag)
    for line in text.splitlines():
        if line.startswith("COPY"):
            name = line.split()[1]
            files.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(rest[0]) / name, files / name)
    say("COMMIT", tag)


def create(words):
    given, rest = options(words)
    if not path_of("images", rest[0]).exists():
        fail(125, f"Error: {rest[0]}: image not known")
    keep(given, rest[0], "created")
    say("0" * 64)


def keep(given, image, status, started="0001-01-01T00:00:00Z"):
    (name,) = given["--name"]
    labels = dict(one.split("=", 1) for one in given.get("--label", []))
    state = {"Status": status, "StartedAt": started, "OOMKilled": False}
    document = {"Id": name[-12:], "Image": image, "State": state, "Config": {"Labels": labels}}
    path_of("containers", name).write_text(json.dumps(document))


def cp(words):
    name, _, place = words[0].partition(":")
    container = json.loads(path_of("containers", name).read_text())
    files = path_of("files", container["Image"])
    if not files.exists():
        fail(125, f'Error: "{place}" could not be found on container {name}')
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as archive:
        archive.add(files, arcname=Path(place).name)


def run(words):
    given, (image, *argv) = options(words)
    if not path_of("images", image).exists():
        fail(125, f"Error: {image}: image not known")
    (program,) = given["--entrypoint"]
    mounts = [one.rsplit(":", 2) for one in given["--volume"]]
    inside = {place for _, place, _ in mounts}
    if not shutil.which(program) and program not in inside and "/" not in program:
        keep(given, image, "created")
        fail(127, f'Error: runc: exec: "{program}": executable file not found in $PATH')
    keep(given, image, "exited", started="2026-11-29T19:48:38.343530247Z")
    binds = [w for host, place, mode in mounts for w in (bind(mode), host, place)]
    system = [w for name in SYSTEM for w in ("--ro-bind-try", f"/{name}", f"/{name}")]
    env = [w for one in given["--env"] for w in ("--setenv", *one.split("=", 1))]
    walls = ["bwrap", "--unshare-net", "--unshare-pid", "--die-with-parent", "--clearenv"]
    walls += ["--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--proc", "/proc"]
    walls += ["--dev", "/dev", "--tmpfs", TMP, *system, *binds, *env]
    walls += ["--chdir", given["--workdir"][0], "--", program, *argv]
    done = subprocess.run(walls, check=False)
    sys.exit(128 - done.returncode if done.returncode < 0 else done.returncode)


def bind(mode):
    return "--ro-bind" if mode == "ro" else "--bind"


def container_inspect(words):
    every = {json.loads(it.read_text())["Id"]: it for it in (STATE / "containers").iterdir()}
    files = [every.get(word, path_of("containers", word)) for word in words]
    if missing := [word for word, file in zip(words, files, strict=True) if not file.exists()]:
        fail(125, f"Error: no such container {missing[0]}")
    say(json.dumps([json.loads(file.read_text()) for file in files]))


def rm(words):
    rest = [word for word in words if not word.startswith("--") and word != "0"]
    for file in (STATE / "containers").iterdir():
        if file.name in rest or json.loads(file.read_text())["Id"] in rest:
            file.unlink()


def ps(_):
    for file in (STATE / "containers").iterdir():
        say(json.loads(file.read_text())["Id"])


COMMANDS = {
    "info": info,
    "image_inspect": image_inspect,
    "pull": pull,
    "build": build,
    "create": create,
    "cp": cp,
    "run": run,
    "container_inspect": container_inspect,
    "rm": rm,
    "ps": ps,
}

if __name__ == "__main__":
    for folder in ("images", "containers", "files"):
        (STATE / folder).mkdir(parents=True, exist_ok=True)
    os.chdir("/")
    main()
