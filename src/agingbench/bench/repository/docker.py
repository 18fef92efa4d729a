"""The backend for SWE-bench images: the repository of an instance at the commit before its fix.

Written to the public convention of SWE-bench: the image of an instance holds its repository under
`/testbed` and the environment `testbed` of conda. Patch and test patch come from a file of
instances, one JSON object a line. What runs in an image is what runs with `sdist`: our runner, the
tests of the instance with guards, and of the agent's work the module family alone.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec

from agingbench.bench.repository.backend import Endings, Files, SuiteSetting, read_report
from agingbench.bench.repository.chain import ChainFile, Ticket
from agingbench.bench.repository.sdist import SETTINGS, START, own_files
from agingbench.errors import InputError
from agingbench.sandbox.programs import BrokenRun, Unavailable

CLIENT = "docker"
IMAGE = "swebench/sweb.eval.x86_64.{}:latest"
REPOSITORY = "/testbed"
OURS = "/agingbench"
REPORT = "/tmp/agingbench-report.json"  # noqa: S108 -- in a container of its own
SECONDS = 600
LARGEST_ARCHIVE = 64 << 20
_ACTIVATE = "source /opt/miniconda3/bin/activate testbed"


class Instance(msgspec.Struct, frozen=True):
    """What SWE-bench says about an issue, as far as it is needed."""

    instance_id: str
    patch: str
    test_patch: str


def image_of(instance: str) -> str:
    """The name of the image of an instance: two underscores cannot stand in it."""
    return IMAGE.format(instance.lower().replace("__", "_1776_"))


class DockerBackend:
    """Runs the tests of SWE-bench instances in their images, without a network."""

    def __init__(self, file: ChainFile) -> None:
        self.chain = file.chain
        self._instances = _read_instances(file)
        self._sources: dict[tuple[int, str], dict[str, str]] = {}

    def before(self, ticket: Ticket) -> Files:
        """The module family at the commit before the fix."""
        return self._family(ticket, "")

    def gold(self, ticket: Ticket) -> Files:
        """The module family with the patch of the instance."""
        return self._family(ticket, self._instance(ticket).patch)

    def test_source(self, ticket: Ticket, module: str) -> str:
        """The source of a test module with the test patch of the instance."""
        path = f"tests/{module.replace('.', '/')}.py"
        with self._container(ticket) as container:
            container.apply(self._instance(ticket).test_patch)
            files = container.read(f"{REPOSITORY}/{path}")
        if len(files) != 1:
            raise InputError(f"ticket {ticket.number}: no test module {module}")
        return next(iter(files.values()))

    def described(self, ticket: Ticket, setting: SuiteSetting) -> str:
        """The image that the tests run in; it brings its own Python and packages."""
        return f"image {image_of(ticket.instance)}"

    def run(
        self,
        ticket: Ticket,
        family: Files,
        modules: Files,
        labels: Sequence[str],
        setting: SuiteSetting,
    ) -> Endings:
        """Run tests in a new container; of the agent's work only the module family is in it."""
        for path in family:
            if not self.chain.is_family(path):
                raise InputError(f"{path} is not a source file below {self.chain.family}")
        with self._container(ticket) as container:
            container.apply(self._instance(ticket).test_patch)
            tests = {f"tests/{name.replace('.', '/')}.py": text for name, text in modules.items()}
            container.write(REPOSITORY, tests)
            container.write(OURS, own_files())
            container.shell(f"rm -rf {REPOSITORY}/{self.chain.family}", "")
            container.write(REPOSITORY, family)
            # The labels are test ids of the chain; they reach the program as words of its own.
            command = (
                f"{_ACTIVATE} && cd {REPOSITORY}/tests && PYTHONPATH={OURS}"
                f" AGINGBENCH_REPORT={REPORT} exec python -B -W ignore {OURS}/{START}.py"
                f' runtests.py --settings={SETTINGS} --parallel=1 -v0 "$@"'
            )
            container.shell(command, "", labels, may_fail=True)
            reports = container.read(REPORT, may_fail=True)
        if not reports:
            raise BrokenRun("the tests left no report")
        return read_report(next(iter(reports.values())))

    def _family(self, ticket: Ticket, patch: str) -> dict[str, str]:
        key = (ticket.number, patch)
        if key not in self._sources:
            with self._container(ticket) as container:
                if patch:
                    container.apply(patch)
                files = container.read(f"{REPOSITORY}/{self.chain.family}")
            parent = PurePosixPath(self.chain.family).parent
            sources = {str(parent / path): text for path, text in files.items()}
            self._sources[key] = {
                path: text for path, text in sources.items() if self.chain.is_family(path)
            }
        return self._sources[key]

    def _instance(self, ticket: Ticket) -> Instance:
        try:
            return self._instances[ticket.instance]
        except KeyError:
            raise InputError(
                f"chain {self.chain.name}: {self.chain.instances} has no {ticket.instance}"
            ) from None

    @contextmanager
    def _container(self, ticket: Ticket) -> Iterator[Container]:
        client = shutil.which(CLIENT)
        if client is None:
            raise Unavailable(f"the backend docker needs the program {CLIENT}")
        container = Container(client, image_of(ticket.instance))
        try:
            yield container
        finally:
            container.remove()


class Container:
    """A container that is started without a network and removed at the end."""

    def __init__(self, client: str, image: str) -> None:
        self.client = client
        self.name = ""
        words = ["run", "--detach", "--network=none", "--memory=4g", "--pids-limit=256"]
        started = self._call([*words, image, "sleep", "infinity"], b"")
        if started.returncode != 0:
            raise Unavailable(f"{image} cannot be started: {_words(started.stderr)}")
        self.name = started.stdout.decode(errors="replace").strip()

    def remove(self) -> None:
        """End the container, whatever runs in it."""
        self._call(["rm", "--force", self.name], b"")

    def shell(
        self, command: str, stdin: str, words: Sequence[str] = (), may_fail: bool = False
    ) -> None:
        """Run a command of ours; `words` are its arguments and never a part of its text."""
        argv = ["exec", "--interactive", self.name, "bash", "-c", command, "bash", *words]
        done = self._call(argv, stdin.encode())
        if done.returncode != 0 and not may_fail:
            raise Unavailable(f"{command!r} failed in the container: {_words(done.stderr)}")

    def apply(self, patch: str) -> None:
        """Apply a patch of the instance to the repository."""
        self.shell(f"cd {REPOSITORY} && git apply -", patch)

    def write(self, folder: str, files: Files) -> None:
        """Write files below a folder."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for path, text in files.items():
                entry = tarfile.TarInfo(path)
                data = text.encode()
                entry.size = len(data)
                entry.mode = 0o644
                tar.addfile(entry, io.BytesIO(data))
        self.shell(f"mkdir -p {folder}", "")
        done = self._call(["cp", "-", f"{self.name}:{folder}"], buffer.getvalue())
        if done.returncode != 0:
            raise Unavailable(f"{folder} cannot be written: {_words(done.stderr)}")

    def read(self, path: str, may_fail: bool = False) -> dict[str, str]:
        """Read a file, or every file below a folder; names begin with the last part of the path."""
        done = self._call(["cp", f"{self.name}:{path}", "-"], b"")
        if done.returncode != 0:
            if may_fail:
                return {}
            raise Unavailable(f"{path} cannot be read: {_words(done.stderr)}")
        files = {}
        with tarfile.open(fileobj=io.BytesIO(done.stdout[:LARGEST_ARCHIVE])) as tar:
            for member in tar:
                source = tar.extractfile(member) if member.isreg() else None
                if source is not None:
                    files[member.name] = source.read().decode(errors="replace")
        return files

    def _call(self, words: Sequence[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        with tempfile.TemporaryFile() as source:
            source.write(stdin)
            source.seek(0)
            try:
                return subprocess.run(  # noqa: S603 -- a list of our own making
                    [self.client, *words],
                    stdin=source,
                    capture_output=True,
                    timeout=SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise BrokenRun(f"ended after {SECONDS} seconds") from error


def _words(stderr: bytes) -> str:
    return stderr.decode(errors="replace").strip()[-200:]


def _read_instances(file: ChainFile) -> dict[str, Instance]:
    path = Path(file.path).parent / file.chain.instances
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(
            f"{path}: cannot read the SWE-bench instances of this chain: {error}"
        ) from error
    instances = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            instance = msgspec.json.decode(line, type=Instance)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InputError(f"{path}, line {number}: no SWE-bench instance: {error}") from error
        instances[instance.instance_id] = instance
    return instances
