"""Programs of shell commands, and which of them are meant to fail."""

from __future__ import annotations

import pytest

from agingbench.telemetry.sessions.programs import deed_of, meant_to_fail, program_of
from agingbench.traces.error_kinds import is_own_mistake


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("git status", "git"),
        ("cd src && pytest -q", "pytest"),
        ("FOO=1 python -m pytest tests", "pytest"),
        ("/usr/bin/env node x.js", "env"),
        ("npm run test", "npm test"),
        ("cargo build --release", "cargo build"),
        ("bash -lc 'rg foo'", "rg"),
        ("uv run ruff check .", "ruff"),
        ("pnpm vitest run src/a.spec.ts", "pnpm vitest"),
        ("yarn --silent jest a.test.js", "yarn jest"),
        ("npm run test:unit -- --watch=false", "npm test"),
        ("bundle exec rspec spec/a_spec.rb", "bundle rspec"),
        ("docker compose exec web ./bin/pytest -x", "docker pytest"),
        ("python manage.py test shop", "python test"),
        ("bash -c 'npm test'", "npm test"),
        ("node scripts/report.js", "node"),
        ("python -c 'import test'", "python"),
        ("python train.py --mode test", "python"),
        ("node --test", "node --test"),
        ("npm t", "npm t"),
        ("npm install --save-dev jest", "npm"),
        ("yarn add eslint", "yarn"),
        ("docker build -t web .", "docker build"),
        ("docker run -v $PWD:/build web", "docker"),
        ("docker logs test", "docker"),
        ("npm --prefix web test", "npm test"),
        ("go run ./cmd/check", "go"),
        ("git commit -m test", "git"),
        ("", ""),
    ],
)
def test_the_program_of_a_command(command: str, program: str) -> None:
    assert program_of(command) == program


@pytest.mark.parametrize(
    ("command", "deed"),
    [
        ("git commit -m 'x'", "git commit"),
        ("cd src && git -C .. --no-pager log --oneline", "git log"),
        ("npm run lint", "npm lint"),
        ("npm run -s seed", "npm seed"),
        ("docker compose up -d", "docker up"),
        ("cargo test --all", "cargo test"),
        ("git", "git"),
        ("git --version", "git"),
        ("rg foo src", "rg"),
        ("bash -lc 'git diff'", "git diff"),
        ("", ""),
    ],
)
def test_what_a_command_does(command: str, deed: str) -> None:
    assert deed_of(command) == deed


def test_tests_linters_and_builds_are_meant_to_fail() -> None:
    assert meant_to_fail("Bash pytest")
    assert meant_to_fail("Bash npm test")
    assert meant_to_fail("Bash pnpm vitest")
    assert not meant_to_fail("Bash git")
    assert not meant_to_fail("Edit")


def test_a_refusal_for_want_of_permission_is_no_mistake() -> None:
    assert is_own_mistake("<tool_use_error>String to replace not found in file.")
    assert is_own_mistake("File has not been read yet. Read it first.")
    assert not is_own_mistake("This command requires approval")
    assert not is_own_mistake("Claude requested permissions to write to /x, but you haven't")
