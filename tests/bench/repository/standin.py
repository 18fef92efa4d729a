"""A tiny stand-in for Django: releases with bugs and their fixes, a runner, tests, an index."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import yaml

FAMILY = "django/db/models"
SOURCE = f"{FAMILY}/query.py"
_QUERY = '''\
"""Sums, and what can be said of them."""


def total(numbers):
    return sum(numbers)SLIP_TOTAL


def spread(numbers):
    return max(numbers) - min(numbers)SLIP_SPREAD


def half(number):
    return number / 2SLIP_HALF


def plain(number):
    return number
'''
_RUNNER = """\
import unittest


class DiscoverRunner:
    def run_tests(self, labels):
        import django.db.models.query

        suite = unittest.TestSuite()
        for label in labels:
            name = label if "." in label else f"{label}.tests"
            suite.addTests(unittest.defaultTestLoader.loadTestsFromName(name))
        result = self.run_suite(suite)
        return len(result.failures) + len(result.errors)

    def get_resultclass(self):
        return None

    def run_suite(self, suite, **kwargs):
        runner = unittest.TextTestRunner(verbosity=0, resultclass=self.get_resultclass())
        return runner.run(suite)
"""
_RUNTESTS = """\
import importlib
import sys

labels = [word for word in sys.argv[1:] if not word.startswith("-")]
name = next(word for word in sys.argv if word.startswith("--settings=")).partition("=")[2]
module, _, runner = importlib.import_module(name).TEST_RUNNER.rpartition(".")
sys.exit(bool(getattr(importlib.import_module(module), runner)().run_tests(labels)))
"""
_TESTS = '''\
import unittest

from django.db.models import query


class SumTests(unittest.TestCase):
    def test_total(self):
        """Sums of several numbers."""
        for numbers in ([1, 2], [3]):
            with self.subTest(numbers):
                self.assertEqual(query.total(numbers), sum(numbers))

    def test_spread(self):
        self.assertEqual(query.spread([2, 9, 4]), 7)

    def test_half(self):
        self.assertEqual(query.half(5), 2.5)

    def test_plain(self):
        self.assertEqual(query.plain(4), 4)
'''
_SLIPS = {"TOTAL": " + 1", "SPREAD": " - 1", "HALF": " // 1"}
# What is still wrong in each release.
RELEASES = {
    "1.0": ("TOTAL", "SPREAD", "HALF"),
    "1.1": ("HALF",),
    "1.2": (),
    "2.0": ("TOTAL", "SPREAD", "HALF"),
    "2.1": (),
}
TICKETS = {
    "stable/1.x": [
        (101, "1.0", "1.1", 0, "test_total"),
        (102, "1.0", "1.1", 1, "test_spread"),
        (103, "1.1", "1.2", 0, "test_half"),
    ],
    "stable/2.x": [
        (201, "2.0", "2.1", 0, "test_total"),
        (202, "2.0", "2.1", 1, "test_spread"),
        (203, "2.0", "2.1", 2, "test_half"),
    ],
}


def source_of(version: str) -> str:
    """The module of a release."""
    text = _QUERY
    for name, slip in _SLIPS.items():
        text = text.replace(f"SLIP_{name}", slip if name in RELEASES[version] else "")
    return text


def files_of(version: str) -> dict[str, str]:
    """The files of a source distribution, below its own folder."""
    return {
        "setup.py": "raise SystemExit('never executed')\n",
        "django/__init__.py": "",
        "django/db/__init__.py": "",
        f"{FAMILY}/__init__.py": "",
        SOURCE: source_of(version),
        "django/test/__init__.py": "",
        "django/test/runner.py": _RUNNER,
        "tests/runtests.py": _RUNTESTS,
        "tests/test_sqlite.py": "",
        "tests/sums/__init__.py": "",
        "tests/sums/tests.py": _TESTS,
        f"docs/releases/{version}.txt": "Fixed sums (:ticket:`101`, :ticket:`102`).\n",
    }


def tar_of(files: dict[str, str], folder: str) -> bytes:
    """A compressed archive of some files, the same bytes every time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{folder}/{path}")
            data = text.encode()
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def wheel_of(version: str) -> bytes:
    """A wheel with one module."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        wheel.writestr("sidekick.py", f'VERSION = "{version}"\n')
    return buffer.getvalue()


def build(folder: Path) -> Path:
    """Write an index with all releases and a chain file below a folder; return the chain file."""
    releases = {}
    for version in RELEASES:
        name = f"django-{version}.tar.gz"
        data = tar_of(files_of(version), f"django-{version}")
        releases[version] = _publish(folder, "django", name, data)
    wheels = []
    for version in ("1.0", "2.0"):
        name = f"sidekick-{version}-py3-none-any.whl"
        entry = _publish(folder, "sidekick", name, wheel_of(version))
        wheels.append([{"name": "sidekick", "version": version, **entry}])
    chain = {
        "name": "standin",
        "package": "Django",
        "family": FAMILY,
        "backend": "sdist",
        "pythons": ["3.11", "3.12"],
        "pinned": "sidekick",
        "pins": ["1.0", "2.0"],
        "releases": releases,
        "wheels": wheels,
        "branches": [_branch(name, rows) for name, rows in TICKETS.items()],
    }
    file = folder / "chain.yaml"
    file.write_text(yaml.safe_dump(chain))
    return file


def _branch(name: str, rows: list[tuple[int, str, str, int, str]]) -> dict[str, object]:
    tickets = []
    for number, before, after, hunk, test in rows:
        ticket = {
            "number": number,
            "before": before,
            "after": after,
            "hunks": {SOURCE: [hunk]},
            "fails": [f"sums.tests.SumTests.{test}"],
            "keeps": ["sums"],
            "title": f"{test.removeprefix('test_')}() is off",
            "text": "The number that comes back is not the right one.",
        }
        tickets.append(ticket)
    return {"name": name, "tickets": tickets}


def _publish(folder: Path, package: str, name: str, data: bytes) -> dict[str, str]:
    place = folder / "simple" / package
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)
    links = "".join(
        f'<a href="{path.name}">{path.name}</a>\n'
        for path in sorted(place.iterdir())
        if path.name != "index.html"
    )
    (place / "index.html").write_text(f"<!DOCTYPE html><html><body>{links}</body></html>")
    return {"file": name, "sha256": hashlib.sha256(data).hexdigest()}
