"""``task.toml`` of a Harbor task, schema 1.0 to 1.4, as far as Benchmaker reads it."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.limits import Limits

TASK_TOML: Final = "task.toml"
SCHEMA_VERSIONS: Final = ("1.0", "1.1", "1.2", "1.3", "1.4")
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([GMK])B?", re.IGNORECASE)
_IN_MB: Final = {"G": 1024.0, "M": 1.0, "K": 1 / 1024}
_LINE: Final = re.compile(r"\(at line (\d+), column (\d+)\)")

Network = Literal["no-network", "public", "allowlist"]


class _Section(BaseModel):
    """A section; fields that Benchmaker does not use are ignored, as in Harbor."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Package(_Section):
    """``[task]``."""

    name: Annotated[str, Field(pattern=r"^[^/]+/[^/]+$")]
    description: str = ""
    keywords: tuple[str, ...] = ()


class AgentSection(_Section):
    """``[agent]``."""

    timeout_sec: float | None = Field(None, gt=0, le=604_800)
    network_mode: Network | None = None
    allowed_hosts: tuple[str, ...] = ()


class Environment(_Section):
    """``[environment]`` and ``[verifier.environment]``."""

    docker_image: str | None = None
    os: str = "linux"
    cpus: float | None = None
    memory_mb: int | None = Field(None, gt=0)
    storage_mb: int | None = Field(None, gt=0)
    gpus: int | None = None
    tpu: dict[str, Any] | None = None
    mcp_servers: tuple[dict[str, Any], ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    skills_dir: str | None = None
    healthcheck: dict[str, Any] | None = None
    workdir: str | None = None
    network_mode: Network | None = None
    allowed_hosts: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _older_sizes(cls, data: Any) -> Any:  # noqa: ANN401  what stands in the file
        """``memory = "2G"`` and ``storage = "10G"`` of schema 1.0 are megabytes now."""
        if not isinstance(data, dict):
            return data
        sizes = {
            f"{name}_mb": _megabytes(data[name])
            for name in ("memory", "storage")
            if isinstance(data.get(name), str)
        }
        return {**sizes, **data}


class Verifier(_Section):
    """``[verifier]``."""

    timeout_sec: float = Field(600.0, gt=0, le=86_400)
    env: dict[str, str] = Field(default_factory=dict)
    environment_mode: Literal["shared", "separate"] | None = None
    environment: Environment | None = None
    collect: tuple[dict[str, Any], ...] = ()

    @property
    def is_separate(self) -> bool:
        """True if the verifier has an environment of its own."""
        return (self.environment_mode or ("separate" if self.environment else "")) == "separate"


class Solution(_Section):
    """``[solution]``."""

    env: dict[str, str] = Field(default_factory=dict)


class HarborToml(_Section):
    """The whole file."""

    schema_version: str = Field("1.4", validation_alias=AliasChoices("schema_version", "version"))
    task: Package | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    agent: AgentSection = AgentSection()
    environment: Environment = Environment()
    verifier: Verifier = Verifier()
    solution: Solution = Solution()
    steps: tuple[dict[str, Any], ...] = ()
    artifacts: tuple[str | dict[str, Any], ...] = ()

    @model_validator(mode="after")
    def _known_version(self) -> Self:
        if self.schema_version not in SCHEMA_VERSIONS:
            msg = f"unknown schema {self.schema_version}; 1.0 to 1.4 are supported"
            raise ValueError(msg)
        return self


def read_toml(file: Path, limits: Limits) -> HarborToml:
    """Read ``task.toml``.

    Raises:
        SpecError: the file is no TOML, or a field has a wrong value; all faults together.
    """
    text = read_text(file, limits=limits, cap=limits.document_bytes)
    try:
        return HarborToml.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as exc:
        raise SpecError.of([_syntax_fault(str(file), str(exc))]) from exc
    except ValidationError as exc:
        faults = [_value_fault(str(file), text, one["loc"], one["msg"]) for one in exc.errors()]
        raise SpecError.of(faults) from exc


def _syntax_fault(file: str, message: str) -> Finding:
    found = _LINE.search(message)
    line, column = (int(found[1]), int(found[2])) if found else (0, 0)
    return Finding(file, line, column, f"not TOML: {_LINE.sub('', message).strip()}.")


def _value_fault(file: str, text: str, path: tuple[str | int, ...], message: str) -> Finding:
    said = message.removeprefix("Value error, ")
    name = ".".join(str(part) for part in path)
    line = line_of(text, path)
    return Finding(file, line, 1 if line else 0, f"{name}: {said}." if name else f"{said}.")


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """The line of a key of a TOML file, else of its section; 0 if it is not there."""
    keys = [str(part) for part in path if isinstance(part, str)]
    found, section = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words.startswith("["):
            section = words.strip("[] ")
            if keys and section == ".".join(keys[: section.count(".") + 1]):
                found = found or number
        key = words.partition("=")[0].strip()
        if key and "=" in words and f"{section}.{key}".strip(".") == ".".join(keys):
            return number
    return found


def _megabytes(size: str) -> int:
    found = _SIZE.fullmatch(size.strip())
    if found is None:
        msg = f"{size!r} is no size such as 512M or 2G"
        raise ValueError(msg)
    return int(float(found[1]) * _IN_MB[found[2].upper()])
