"""Build the wheel, install it into a folder of its own and use it from there, without the checkout.

Works without network: the build backend is the one in the environment, dependencies are taken
from it. Run it as ``python scripts/check_wheel.py``; it prints one line, or what is missing.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "benchmaker"
BUILD = "import sys, hatchling.build as build; print(build.build_wheel(sys.argv[1]))"
USE = """
import sys, benchmaker, benchmaker.store, benchmaker.report
from importlib.resources import files
assert benchmaker.__file__.startswith(sys.argv[1]), benchmaker.__file__
assert files("benchmaker").joinpath("resources", "init", "suite.yaml").is_file()
print(benchmaker.__version__)
"""


def main() -> None:
    """Build, look inside, install, import, run."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        names = set(zipfile.ZipFile(wheel).namelist())
        if missing := sorted(expected_names() - names):
            sys.exit(f"{wheel.name} lacks {len(missing)} files: {', '.join(missing[:10])}")
        target = Path(folder) / "site"
        install(wheel, target)
        version = use(target)
        print(f"{wheel.name}: {len(names)} files, installed and run, version {version}")


def build(folder: Path) -> Path:
    """The wheel, built by the backend of this environment."""
    done = run(sys.executable, "-c", BUILD, str(folder))
    return folder / done.splitlines()[-1]


def expected_names() -> set[str]:
    """Every file of the package, resources and migrations among them."""
    found = (path for path in SOURCE.rglob("*") if path.is_file())
    kept = (path for path in found if "__pycache__" not in path.parts)
    return {path.relative_to(SOURCE.parent).as_posix() for path in kept}


def install(wheel: Path, target: Path) -> None:
    """Install the wheel alone, with pip, or with uv where uv made the environment."""
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") else ["uv", "pip"]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel))


def use(target: Path) -> str:
    """Import it and run its command from a folder where no checkout is seen."""
    version = run(sys.executable, "-c", USE, str(target), cwd=target, path=target).strip()
    said = run(str(target / "bin" / "benchmaker"), "--version", cwd=target, path=target)
    if said.strip() != f"benchmaker {version}":
        sys.exit(f"--version says {said.strip()!r}, the package {version!r}")
    return version


def run(*command: str, cwd: Path = ROOT, path: Path | None = None) -> str:
    """The command's stdout; its error output ends the check."""
    environment = dict(os.environ) | ({"PYTHONPATH": str(path)} if path else {})
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command[:3])} failed:\n{done.stderr}{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    main()
