"""Where programs are, and what they need to be shown inside."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from benchmaker.arenas.agentic.running.agents import find_agent
from benchmaker.arenas.agentic.running.programs import (
    find_program,
    installed_version,
    program_in_image,
    program_of,
)
from benchmaker.errors import PrerequisiteError
from benchmaker.spec.agents.adapter import AgentAdapter


def put(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def found(name, *folders):
    return find_program(name, os.pathsep.join(map(str, folders)))


def test_a_program_of_the_system_needs_nothing():
    program = find_program("sh", "/usr/bin:/bin")
    assert program.reads == ()


def test_a_package_of_npm_needs_all_its_packages(tmp_path):
    file = put(tmp_path / "lib/node_modules/tool/cli.js")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tool").symlink_to(file)
    program = found("tool", tmp_path / "bin")
    assert program.file == file
    assert program.reads == (tmp_path / "lib/node_modules",)


def test_a_program_of_an_environment_needs_it_and_its_python(tmp_path):
    base = put(tmp_path / "python/bin/python3")
    put(tmp_path / "env/bin/tool", f"#!{tmp_path}/env/bin/python\n")
    (tmp_path / "env/bin/python").symlink_to(base)
    (tmp_path / "env/pyvenv.cfg").write_text("home = x\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tool").symlink_to(tmp_path / "env/bin/tool")
    program = found("tool", tmp_path / "bin")
    assert program.reads == (tmp_path / "env", tmp_path / "python")


def test_another_program_needs_its_file_and_not_its_folder(tmp_path):
    file = put(tmp_path / "share/tool-1.2")
    put(tmp_path / "share/secret")
    assert found("tool-1.2", tmp_path / "share").reads == (file,)


def test_an_interpreter_by_env_is_found_too(tmp_path):
    node = put(tmp_path / "node/bin/node")
    put(tmp_path / "node_modules/tool/cli.js", "#!/usr/bin/env node\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tool").symlink_to(tmp_path / "node_modules/tool/cli.js")
    program = found("tool", tmp_path / "bin", node.parent)
    assert program.reads == (tmp_path / "node_modules", node)
    assert str(node.parent) in program.search_path.split(os.pathsep)


def test_shims_come_last(tmp_path):
    put(tmp_path / "shims/tool")
    real = put(tmp_path / "bin/tool")
    assert found("tool", tmp_path / "shims", tmp_path / "bin").file == real
    assert found("tool", tmp_path / "shims").file.parent.name == "shims"


def test_a_missing_program_names_its_installation(tmp_path):
    with pytest.raises(PrerequisiteError) as caught:
        program_of(find_agent("claude-code"), str(tmp_path))
    assert "npm install -g @anthropic-ai/claude-code" in str(caught.value)


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("codex-cli 0.171.0", "0.171.0"),
        ("This is mini version 2.4.6.", "2.4.6"),
        ("tool 1.0.0-beta.2 (x)", "1.0.0-beta.2"),
        ("no version", ""),
    ],
)
def test_the_version_is_what_the_program_prints(tmp_path, said, version):
    put(tmp_path / "tool", f"#!/bin/sh\necho '{said}'\n")
    adapter = AgentAdapter(name="tool", argv=("tool",), version=("tool", "--version"))
    program = found("tool", tmp_path)
    assert asyncio.run(installed_version(adapter, program)) == version


def test_this_python_runs_inside():
    program = find_program(Path(sys.executable).resolve().name, str(Path(sys.executable).parent))
    assert program is not None
    assert program.visible_reads()


class TestInAnImage:
    def test_a_program_of_the_system_is_the_images_own(self):
        program = program_in_image("sh", "/usr/bin:/bin", "/opt/bin:/bin")
        assert (str(program.file), program.reads) == ("sh", ())
        assert program.search_path == "/opt/bin:/bin"
        assert program.visible_reads() == {}

    def test_an_unknown_program_may_be_the_images_own(self, tmp_path):
        program = program_in_image("none-such", str(tmp_path), "")
        assert (str(program.file), program.reads) == ("none-such", ())
        assert program.search_path == "/usr/local/bin:/usr/bin:/bin"

    def test_a_program_with_a_folder_of_its_own_is_mounted(self, tmp_path):
        file = put(tmp_path / "lib/node_modules/tool/cli.js")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/tool").symlink_to(file)
        program = program_in_image("tool", str(tmp_path / "bin"), "/bin")
        assert (program.file, program.reads) == (file, (tmp_path / "lib/node_modules",))
        assert program.search_path == f"{file.parent}:{tmp_path}/bin:/bin"
