"""Which program a shell command runs, what it does, and whether it is meant to fail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_SETUP = re.compile(
    r"^\s*(?:(?:cd|export|source|set|pushd)\s[^;&|\n]*(?:&&|;|\n)\s*|[A-Za-z_]\w*=\S*\s+"
    r"|(?:sudo|time|env|nohup|nice|timeout\s+\S+|uv\s+run|poetry\s+run|pipx?\s+run|npx)\s+)+"
)
_SHELL = re.compile(r"^\s*(?:/\S*/)?(?:bash|sh|zsh)\s+-l?c\s+[\"']?")
_PROGRAM = re.compile(r"[\w.+-]+")
_MODULE = re.compile(r"^python[\d.]*\s+-m\s+([\w.]+)")

# Tests, linters and builds say what is wrong with the code; that they fail is their purpose.
_MEANT_TO_FAIL = frozenset(
    {
        "pytest", "py.test", "unittest", "tox", "nox", "jest", "vitest", "mocha", "karma",
        "cypress", "playwright", "ruff", "flake8", "pylint", "mypy", "pyright", "black", "isort",
        "eslint", "prettier", "tsc", "biome", "make", "cmake", "ninja", "bazel", "gradle",
        "gradlew", "mvn", "mvnw", "ctest", "rspec", "phpunit", "shellcheck", "clippy",
        "golangci-lint", "pre-commit", "just", "dotnet", "msbuild", "xcodebuild", "webpack",
        "vite", "rubocop", "stylelint", "swiftlint",
    }
)  # fmt: skip
# Programs that run a script, a target, or another program.
_RUNNERS = frozenset(
    {
        "ant", "artisan", "buck", "bun", "bundle", "bunx", "cabal", "cargo", "composer", "dart",
        "deno", "docker", "docker-compose", "dune", "elm", "flutter", "forge", "gleam", "go",
        "hatch", "inv", "invoke", "lein", "lerna", "mage", "meson", "mix", "moon", "nimble",
        "node", "npm", "nx", "pants", "pdm", "php", "pipenv", "pnpm", "podman", "poetry",
        "python", "python3", "rails", "rake", "rebar3", "rye", "sbt", "shards", "stack", "swift",
        "task", "turbo", "uvx", "yarn", "zig",
    }
)  # fmt: skip
# What they run that is meant to fail, beside the programs above: a word by itself, not a folder.
_CHECKS = frozenset(
    {
        "test", "tests", "spec", "build", "lint", "typecheck", "check", "vet", "clippy", "fmt",
        "nextest", "compile", "analyze", "doctest", "coverage", "e2e", "t", "--test",
    }
)  # fmt: skip
# Their arguments belong to a script or an image, and only the first word may name a check.
_TAKE_ARGUMENTS = frozenset(
    {"python", "python3", "node", "php", "docker", "docker-compose", "podman"}
)
_TAKE_TARGETS = ("manage.py", "artisan", "compose")  # and pass the first word on
# Words after which programs are installed and not run.
_INSTALLS = frozenset(
    {"install", "i", "add", "ci", "remove", "rm", "uninstall", "update", "upgrade", "require"}
)
_CODE = ("-c", "-e")  # options after which a program of its own stands
_ENDS = re.compile(r"[\"';)]+$")
MOST_ARGUMENTS = 6  # looked at for what is run
# Programs whose first plain word says what they are to do, and words that only say: do it.
_OF_MANY_DEEDS = frozenset(
    {
        "git", "gh", "npm", "yarn", "pnpm", "bun", "cargo", "go", "pip", "pip3", "uv", "poetry",
        "docker", "podman", "docker-compose", "kubectl", "helm", "terraform", "aws", "gcloud", "az",
        "systemctl", "brew", "apt", "apt-get", "dotnet", "mix", "deno", "rails", "bundle",
        "composer", "swift", "flutter", "alembic", "supabase", "vercel",
    }
)  # fmt: skip
_RUNS = ("run", "exec", "compose")
_DEED = re.compile(r"[a-z][a-z0-9:_-]*")
MOST_WORDS = 6  # looked at for the deed


@lru_cache(maxsize=20_000)
def program_of(command: str) -> str:
    """Return the program of a command, with the word that says what for where there is one."""
    rest = _SHELL.sub("", command)
    rest = _SETUP.sub("", rest)

    module = _MODULE.match(rest)
    if module is not None:
        return module.group(1).split(".")[0].casefold()

    words = rest.split(maxsplit=MOST_ARGUMENTS)[:MOST_ARGUMENTS]
    if not words:
        return ""

    name = words[0].rpartition("/")[2]
    found = _PROGRAM.match(name)
    program = found.group().casefold() if found else ""

    part = _check_run_by(program, words[1:]) if program in _RUNNERS else None
    return f"{program} {part}" if part else program


def _check_run_by(runner: str, words: Sequence[str]) -> str | None:
    """Return the test, linter or build that a program runs: `npm run test:unit`, `pnpm vitest`."""
    may_be_target = True
    for word in words:
        if word in _CODE or word in _INSTALLS:
            return None

        plain = _ENDS.sub("", word).casefold()
        target = plain.partition(":")[0]
        if may_be_target and target in _CHECKS:
            return target
        name = plain.rpartition("/")[2]
        if name in _MEANT_TO_FAIL:
            return name

        is_option = plain.startswith("-")
        if runner in _TAKE_ARGUMENTS and not is_option and name not in _TAKE_TARGETS:
            may_be_target = False

    return None


@lru_cache(maxsize=20_000)
def deed_of(command: str) -> str:
    """Return the program of a command and, of one that does many things, which: `git commit`."""
    program = program_of(command)
    if program not in _OF_MANY_DEEDS:
        return program

    _, _, rest = _SETUP.sub("", _SHELL.sub("", command)).partition(" ")
    for word in rest.split(maxsplit=MOST_WORDS)[:MOST_WORDS]:
        deed = word.strip("\"';")
        if _DEED.fullmatch(deed) and deed not in _RUNS:
            return f"{program} {deed}"

    return program


@lru_cache(maxsize=4_096)
def meant_to_fail(label: str) -> bool:
    """Return whether a tool and program (`Bash pytest`) is a test, a linter or a build."""
    _, _, program = label.partition(" ")
    first, _, part = program.partition(" ")
    return first in _MEANT_TO_FAIL or bool(part)
