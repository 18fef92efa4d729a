"""The backend for SWE-bench images, with a stand-in for the docker client."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
import yaml

from agingbench.bench.repository.backend import SuiteSetting
from agingbench.bench.repository.chain import ChainFile, load_chain
from agingbench.bench.repository.docker import DockerBackend, image_of
from agingbench.bench.repository.judging import TicketJudge
from agingbench.bench.repository.verifying import verify_chain
from agingbench.errors import InputError
from agingbench.sandbox.programs import Unavailable
from tests.bench.repository.standin import FAMILY, SOURCE, files_of

INSTANCE = "django__django-101"
SETTING = SuiteSetting("3.11")
CLIENT = Path(__file__).parent / "fake_docker.py"


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ChainFile:
    """A chain of one ticket whose image is the stand-in repository before its fix."""
    image = tmp_path / "images" / image_of(INSTANCE).replace("/", "_").replace(":", "_")
    for path, text in files_of("1.0").items():
        place = image / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    tests = image / "tests/sums/tests.py"
    tests.write_text(tests.read_text().replace("test_total", "test_old"))
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {CLIENT} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_DOCKER", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    instance = {
        "instance_id": INSTANCE,
        "patch": f"{SOURCE}: sum(numbers) + 1 => sum(numbers)",
        "test_patch": "tests/sums/tests.py: test_old => test_total",
        "repo": "django/django",
    }
    (tmp_path / "instances.jsonl").write_text(f"{json.dumps(instance)}\n")
    ticket = {
        "number": 101,
        "instance": INSTANCE,
        "fails": ["sums.tests.SumTests.test_total"],
        "keeps": ["sums"],
        "title": "total() is off",
        "text": "The number that comes back is not the right one.",
    }
    chain = {
        "name": "images",
        "package": "Django",
        "family": FAMILY,
        "backend": "docker",
        "instances": "instances.jsonl",
        "pythons": ["3.11", "3.12"],
        "pinned": "sidekick",
        "pins": ["1.0", "2.0"],
        "branches": [
            {"name": "main", "tickets": [ticket]},
            {"name": "next", "tickets": []},
        ],
    }
    (tmp_path / "chain.yaml").write_text(yaml.safe_dump(chain))
    return load_chain(str(tmp_path / "chain.yaml"))


def test_images_are_named_by_the_convention_of_swe_bench() -> None:
    name = "swebench/sweb.eval.x86_64.django_1776_django-11039:latest"
    assert image_of("django__django-11039") == name


def test_a_ticket_is_verified_in_its_image(docker: ChainFile, tmp_path: Path) -> None:
    (result,) = verify_chain(docker, SETTING)
    assert result.problem == ""
    assert result.runs_with == f"image {image_of(INSTANCE)}"
    assert list((tmp_path / "containers").iterdir()) == [], "containers are removed"


def test_the_family_is_that_before_the_fix(docker: ChainFile) -> None:
    backend = DockerBackend(docker)
    ticket = docker.chain.ticket(101)
    before = backend.before(ticket)
    assert before[SOURCE] == files_of("1.0")[SOURCE]
    gold = backend.gold(ticket)
    assert {path for path in gold if gold[path] != before[path]} == {SOURCE}
    assert set(gold) == {SOURCE, f"{FAMILY}/__init__.py"}


def test_a_hostile_patch_does_not_pass(docker: ChainFile) -> None:
    judge = TicketJudge(docker)
    ticket = docker.chain.ticket(101)
    before = judge.backend.before(ticket)
    patched = f"{before[SOURCE]}\nimport unittest\nunittest.TestCase.assertEqual = print\n"
    outcome = judge.resolved(ticket, {**before, SOURCE: patched}, SETTING)
    assert outcome.status == "failed"


def test_what_cannot_be_run_is_missing_and_not_0(
    docker: ChainFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_DOCKER", str(tmp_path / "nowhere"))
    with pytest.raises(Unavailable, match="cannot be started"):
        DockerBackend(docker).before(docker.chain.ticket(101))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="needs the program docker"):
        DockerBackend(docker).before(docker.chain.ticket(101))


def test_instances_that_cannot_be_read_are_said(docker: ChainFile, tmp_path: Path) -> None:
    (tmp_path / "instances.jsonl").write_text('{"instance_id": 1}\n')
    with pytest.raises(InputError, match="line 1: no SWE-bench instance"):
        DockerBackend(docker)
    (tmp_path / "instances.jsonl").write_text("")
    with pytest.raises(InputError, match=f"has no {INSTANCE}"):
        DockerBackend(docker).gold(docker.chain.ticket(101))
    (tmp_path / "instances.jsonl").unlink()
    with pytest.raises(InputError, match="cannot read the SWE-bench instances"):
        DockerBackend(docker)
