"""Build anew the libraries that previews need, with npm and esbuild, at the time of a release.

Run it as ``python scripts/make_vendor.py``: it asks npm for the versions below from whatever
registry npm is set to, bundles what must be bundled, and writes the files with their manifest and
licences to ``src/benchmaker/resources/vendor/code``. ``mapping.json`` beside them is written by
hand.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src" / "benchmaker" / "resources" / "vendor" / "code"
SOURCES = ROOT / "scripts" / "vendor"
VERSIONS = {
    "@tailwindcss/browser": "4.3.3",
    "axe-core": "4.14.1",
    "esbuild": "0.28.2",
    "react": "18.3.1",
    "react-dom": "18.3.1",
    "sucrase": "3.35.1",
    "vue": "3.5.45",
}
PARTS = {
    "react": ("react", "react-dom", "scheduler"),
    "sucrase": ("sucrase", "lines-and-columns", "ts-interface-checker", "@jridgewell/gen-mapping",
                "@jridgewell/sourcemap-codec", "@jridgewell/set-array", "@jridgewell/trace-mapping",
                "@jridgewell/resolve-uri"),
    "vue": ("vue",),
    "@tailwindcss/browser": ("@tailwindcss/browser", "tailwindcss"),
    "axe-core": ("axe-core",),
}  # fmt: skip
LICENCES = {"axe-core": "MPL-2.0"}


def main() -> None:
    """Install, build, and write everything with its manifest."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        wanted = [f"{name}@{version}" for name, version in VERSIONS.items()]
        run(work, "npm", "init", "--yes")
        run(work, "npm", "install", "--no-audit", "--no-fund", *wanted)
        built = build(work)
        for old in TARGET.glob("*"):
            if old.name != "mapping.json":
                old.unlink()
        for name, (_, text, _) in built.items():
            (TARGET / name).write_bytes(text)
        for package in PARTS:
            (TARGET / licence_file(package)).write_text(licence_of(work, package), encoding="utf-8")
        write_manifest(work, built)
    total = sum(path.stat().st_size for path in TARGET.glob("*"))
    print(f"{TARGET.relative_to(ROOT)}: {len(built)} files, {total:,} bytes with licences")


def run(work: Path, *words: str) -> str:
    """Run a program there; what it prints."""
    program = shutil.which(words[0])
    if program is None:
        raise SystemExit(f"{words[0]} was not found. Install Node with npm, then run this again.")
    done = subprocess.run(
        [program, *words[1:]], cwd=work, check=True, capture_output=True, text=True
    )
    return done.stdout


def build(work: Path) -> dict[str, tuple[str, bytes, tuple[str, ...]]]:
    """Each file: the package it is of, its bytes, and the files it needs."""
    modules = work / "node_modules"
    as_they_are = {
        "axe.js": ("axe-core", modules / "axe-core" / "axe.min.js"),
        "tailwind.js": (
            "@tailwindcss/browser",
            modules / "@tailwindcss/browser/dist/index.global.js",
        ),
        "vue.js": ("vue", modules / "vue" / "dist" / "vue.global.prod.js"),
    }
    built: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
        name: (package, path.read_bytes(), ()) for name, (package, path) in as_they_are.items()
    }
    for name in ("react", "sucrase"):
        built[f"{name}.js"] = (name, bundled(work, name), ())
    for name, (package, module, value, needs) in FACADES.items():
        text = facade(work, module, value)
        built[name] = (package, text.encode(), (needs,))
    return dict(sorted(built.items()))


FACADES = {
    "react.mjs": ("react", "react", "globalThis.React", "react.js"),
    "react-dom.mjs": (
        "react",
        ("react-dom", "react-dom/client"),
        "globalThis.ReactDOM",
        "react.js",
    ),
    "react-jsx-runtime.mjs": (
        "react",
        "react/jsx-runtime",
        "globalThis.ReactJSXRuntime",
        "react.js",
    ),
    "vue.mjs": ("vue", "vue", "globalThis.Vue", "vue.js"),
}
"""Modules that hand on what a script has put into a global: package, module, value, script."""


def bundled(work: Path, name: str) -> bytes:
    """One script out of a source beside this file and all that it imports."""
    shutil.copy(SOURCES / f"{name}.js", work / f"{name}.entry.js")
    run(
        work,
        *("npx", "--no-install", "esbuild", f"{name}.entry.js", "--bundle", "--minify"),
        *("--format=iife", "--target=es2020", "--legal-comments=inline", "--charset=utf8"),
        *('--define:process.env.NODE_ENV="production"', f"--outfile={name}.out.js"),
    )
    return (work / f"{name}.out.js").read_bytes()


def facade(work: Path, modules: str | tuple[str, ...], value: str) -> str:
    """A module that exports every name which the packages export, taken from a global."""
    listed = [modules] if isinstance(modules, str) else list(modules)
    code = (
        "process.env.NODE_ENV = 'production';"
        f"const keys = {json.dumps(listed)}.flatMap((name) => Object.keys(require(name)));"
        "console.log(JSON.stringify([...new Set(keys)]))"
    )
    names = json.loads(run(work, "node", "-e", code))
    kept = sorted(
        name for name in names if name.isidentifier() and name not in {"default", "__esModule"}
    )
    return f"const it = {value};\nexport default it;\nexport const {{ {', '.join(kept)} }} = it;\n"


def package_json(work: Path, package: str) -> dict[str, str]:
    """What a package says of itself."""
    text = (work / "node_modules" / package / "package.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def licence_file(package: str) -> str:
    """The name of the file with a package's licences."""
    return f"{package.lstrip('@').replace('/', '-')}.LICENSE.txt"


def licence_of(work: Path, package: str) -> str:
    """The licences of a package and of what is bundled with it."""
    told = []
    for part in PARTS[package]:
        folder = work / "node_modules" / part
        if not folder.is_dir():
            continue
        found = sorted(it for it in folder.iterdir() if it.name.upper().startswith("LICEN"))
        texts = [it.read_text(encoding="utf-8").strip() for it in found]
        text = "\n\n".join(texts) or "(no file of its own)"
        about = package_json(work, part)
        told.append(f"{part} {about['version']} ({about['license']})\n\n{text}\n")
    return f"\n{'-' * 70}\n\n".join(told)


def write_manifest(work: Path, built: dict[str, tuple[str, bytes, tuple[str, ...]]]) -> None:
    """What each file is made of, its digest and licence."""
    listed = []
    for name, (package, text, needs) in built.items():
        about = package_json(work, package)
        entry = {
            "name": package,
            "version": about["version"],
            "file": name,
            "sha256": hashlib.sha256(text).hexdigest(),
            "licence": about["license"],
            "licence_file": licence_file(package),
        }
        listed.append({**entry, "needs": list(needs)} if needs else entry)
    text = json.dumps(listed, indent=2) + "\n"
    (TARGET / "manifest.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
