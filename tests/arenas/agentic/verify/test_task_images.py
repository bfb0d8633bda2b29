"""The files of an image's working folder, as the start of a task."""

import io
import tarfile

import pytest

from benchmaker.arenas.agentic.verify.task_images import images_of, with_images
from benchmaker.errors import PrerequisiteError, SandboxError, SpecError
from benchmaker.spec.tasks.harbor.harbor_task import built_image
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.verify.made import a_task, written
from tests.container_engines import scripted_engine

COMMAND = {"type": "command", "run": ["true"]}
FILES = {
    "task.toml": '[environment]\ndocker_image = "some/image:1"\n',
    "instruction.md": "Do it.\n",
    "tests/test.sh": "exit 0\n",
}


@pytest.fixture
def engine(tmp_path, monkeypatch):
    return scripted_engine(tmp_path, monkeypatch)


def a_harbor_task(tmp_path, **changed):
    return load_task(written(tmp_path / "harbor", FILES | changed))


def archive(engine, *members, folder="app"):
    """Script the archive of a folder: names with a text, a link's target, or a device."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, kind, content in members:
            member = tarfile.TarInfo(f"{folder}/{name}".rstrip("/"))
            member.type = kind
            data = content.encode() if kind == tarfile.REGTYPE else b""
            member.size, member.mode = len(data), 0o755
            member.linkname = "" if data else content
            tar.addfile(member, io.BytesIO(data))
    text = made.getvalue().decode("latin-1")
    engine.answer("cp", stdout=text)


def start_of(task):
    start = with_images(task).start
    return {
        it.relative_to(start).as_posix(): it.read_text() if it.is_file() else "folder"
        for it in sorted(start.rglob("*"))
    }


def test_the_start_is_the_content_of_the_working_folder(engine, tmp_path):
    engine.add_image("some/image:1", WorkingDir="/app")
    archive(
        engine,
        ("", tarfile.DIRTYPE, ""),
        ("a.txt", tarfile.REGTYPE, "a"),
        ("b/c.txt", tarfile.REGTYPE, "c"),
        ("link", tarfile.SYMTYPE, "b/c.txt"),
        (".git/HEAD", tarfile.REGTYPE, "ref"),
    )
    task = a_harbor_task(tmp_path)
    made = with_images(task)
    assert (made.task.workdir, made.digest) == ("/app", task.digest)
    assert start_of(task) == {
        ".git": "folder", ".git/HEAD": "ref", "a.txt": "a", "b": "folder", "b/c.txt": "c",
        "link": "c",
    }  # fmt: skip
    assert with_images(made) is made
    assert engine.containers() == []


def test_what_leads_out_of_the_folder_is_left_out(engine, tmp_path):
    engine.add_image("some/image:1", WorkingDir="/app")
    archive(
        engine,
        ("../../evil", tarfile.REGTYPE, "x"),
        ("out", tarfile.SYMTYPE, "/etc"),
        ("up", tarfile.SYMTYPE, "../../etc/passwd"),
        ("hard", tarfile.LNKTYPE, "/etc/passwd"),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("good", tarfile.REGTYPE, "g"),
    )
    assert start_of(a_harbor_task(tmp_path)) == {"good": "g"}


def test_a_folder_beyond_the_limits_is_refused(engine, tmp_path):
    engine.add_image("some/image:1", WorkingDir="/app")
    archive(engine, ("large", tarfile.REGTYPE, "x" * (2 << 20)))
    toml = FILES["task.toml"] + "storage_mb = 1\n"
    with pytest.raises(SandboxError, match="larger than 1,048,576 bytes"):
        with_images(a_harbor_task(tmp_path, **{"task.toml": toml}))


@pytest.mark.parametrize("folder", ["", "/", "/usr", "/tmp/x", "/workspace", "/proc"])  # noqa: S108  inside
def test_a_working_folder_of_the_system_is_refused(engine, tmp_path, folder):
    engine.add_image("some/image:1", WorkingDir=folder)
    with pytest.raises(SpecError, match="can't be used"):
        with_images(a_harbor_task(tmp_path))


def test_a_task_of_ones_own_keeps_its_files_and_its_image_is_there(engine, tmp_path):
    task = a_task(tmp_path / "own", COMMAND, isolation="container", image="some/other")
    with pytest.raises(PrerequisiteError, match="some/other can't be pulled"):
        with_images(task)
    engine.answer("pull")
    assert with_images(task) is task
    assert with_images(task) is task
    assert len(engine.calls("pull")) == 2


def test_a_verifier_of_its_own_has_another_image(engine, tmp_path):
    toml = 'artifacts = ["/app/out"]\n[verifier]\nenvironment_mode = "separate"\n'
    task = a_harbor_task(
        tmp_path,
        **{
            "task.toml": toml,
            "environment/Dockerfile": "FROM a/b\nWORKDIR /app\nRUN make\n",
            "tests/Dockerfile": "FROM a/c\nRUN make\n",
        },
    )
    agent, grader = (built_image(tmp_path / "harbor" / it) for it in ("environment", "tests"))
    assert images_of(task) == (agent, grader)
    with_images(task)
    assert [words[2] for words in engine.calls("build")] == [agent, grader]
