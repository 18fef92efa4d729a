"""Files of the package index, downloaded once and kept in the user's cache.

A file is taken only when its SHA-256 is the one that the chain names, so it does not matter where
it came from. Archives are unpacked file by file: nothing but regular files below the folder.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import os
import shutil
import stat
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import IO

from agingbench.bench.repository.chain import Download
from agingbench.errors import InputError

INDEX = "PIP_INDEX_URL"
PUBLIC_INDEX = "https://pypi.org/simple"
SCHEMES = ("https", "http", "file")
SECONDS = 120
LARGEST_FILE = 100 << 20
LARGEST_TREE = 300 << 20
MOST_FILES = 50_000
CHUNK = 1 << 20
COMPLETE = "complete"  # a file that stands in a folder that was unpacked to its end

# What the readers of archives raise: a password and an unknown compression among them.
_BAD_ARCHIVE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    FileExistsError,
    NotImplementedError,
    RuntimeError,
)

Wanted = Callable[[PurePosixPath], bool]


def cache_folder() -> Path:
    """Where downloads and what was unpacked of them are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "agingbench", "repository")


def fetch(package: str, download: Download) -> Path:
    """The file of a package in the cache, downloaded where it is not there yet.

    Raises InputError where it cannot be had or is another file than the chain names.
    """
    place = cache_folder() / "files" / download.file
    if place.exists():
        if _digest(place) == download.sha256:
            return place
        place.unlink()
    place.parent.mkdir(parents=True, exist_ok=True)
    address = _address(package, download.file)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        temporary = Path(file.name)
        try:
            with _opened(address) as source:
                _copy(source, file, address)
            file.close()
            digest = _digest(temporary)
            if digest != download.sha256:
                raise InputError(
                    f"{download.file}: its SHA-256 is {digest}, not {download.sha256};"
                    " the index holds another file than the chain was made with"
                )
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
    return place


def _address(package: str, file: str) -> str:
    index = os.environ.get(INDEX) or PUBLIC_INDEX
    page = f"{index.rstrip('/')}/{package.lower()}/"
    if urllib.parse.urlsplit(page).scheme == "file":
        page += "index.html"
    with _opened(page) as source:
        text = source.read(LARGEST_FILE).decode(errors="replace")
    for link in _links(text):
        address = urllib.parse.urljoin(page, link)
        path = urllib.parse.urlsplit(address).path
        if urllib.parse.unquote(path.rpartition("/")[2]) == file:
            return address
    raise InputError(f"{_shown(page)}: the package index has no file {file}")


class _LinkReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.links += [value for name, value in attrs if name == "href" and value]


def _links(page: str) -> list[str]:
    reader = _LinkReader()
    reader.feed(page)
    return reader.links


@contextlib.contextmanager
def _opened(address: str) -> Iterator[IO[bytes]]:
    scheme = urllib.parse.urlsplit(address).scheme
    if scheme not in SCHEMES:
        raise InputError(
            f"{_shown(address)}: the package index must be reached by {' or '.join(SCHEMES)}"
        )
    try:
        with urllib.request.urlopen(_request(address), timeout=SECONDS) as source:  # noqa: S310 -- checked
            yield source
    except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()  # it is a reply as well
        raise InputError(
            f"{_shown(address)}: cannot be downloaded: {error}; s8 needs its releases once,"
            f" later runs find them in {cache_folder()}"
        ) from error


def _request(address: str) -> urllib.request.Request:
    """A request for an address; the name and password that stand in it go into a header."""
    request = urllib.request.Request(_shown(address))  # noqa: S310 -- checked
    login = urllib.parse.urlsplit(address).netloc.rpartition("@")[0]
    if login:
        words = urllib.parse.unquote(login).encode()
        request.add_unredirected_header(
            "Authorization", f"Basic {base64.b64encode(words).decode()}"
        )
    return request


def _shown(address: str) -> str:
    """An address without the name and password that may stand in it."""
    parts = urllib.parse.urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urllib.parse.urlunsplit(parts._replace(netloc=host))


def _copy(source: IO[bytes], target: IO[bytes], address: str) -> None:
    size = 0
    while chunk := source.read(CHUNK):
        size += len(chunk)
        if size > LARGEST_FILE:
            raise InputError(f"{_shown(address)}: larger than {LARGEST_FILE} bytes")
        target.write(chunk)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


# -- unpacking


def unpacked(archive: Path, name: str, wanted: Wanted, strip: int) -> Path:
    """The folder that an archive was unpacked to, in the cache; unpacked where it is not there yet.

    `wanted` says which files are kept, by their path after `strip` leading folders are taken off.
    """
    folder = cache_folder() / "trees" / name
    if (folder / COMPLETE).exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new-"))
    try:
        unpack(archive, temporary, wanted, strip)
        (temporary / COMPLETE).touch()
        temporary.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # somebody else was quicker
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def unpack(archive: Path, folder: Path, wanted: Wanted, strip: int) -> None:
    """Write the regular files of an archive below a folder; raises InputError for a bad archive.

    A link, a device or a path that leaves the folder is an error, wanted or not.
    """
    size = 0
    count = 0
    try:
        for path, source in _members(archive):
            pure = _safe_path(archive, path)
            short = PurePosixPath(*pure.parts[strip:])
            if len(pure.parts) <= strip or not wanted(short):
                continue
            data = source()
            size += len(data)
            count += 1
            if size > LARGEST_TREE or count > MOST_FILES:
                raise InputError(f"{archive}: holds more than {LARGEST_TREE} bytes")
            place = folder / short
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                file.write(data)
    except _BAD_ARCHIVE as error:
        raise InputError(f"{archive}: not an archive that can be unpacked: {error}") from error


def _members(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for entry in wheel.infolist():
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise InputError(f"{archive}: {entry.filename!r} is no regular file")
                if not entry.is_dir():
                    yield entry.filename, lambda entry=entry: _entry(wheel, entry)  # type: ignore[misc]
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isdir():
                continue
            if not member.isreg():
                raise InputError(f"{archive}: {member.name!r} is no regular file")
            yield member.name, lambda member=member: _content(tar, member)  # type: ignore[misc]


def _entry(wheel: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    # An archive may say that an entry is smaller than it is; what is read is what counts.
    with wheel.open(entry) as source:
        return _limited(source, entry.filename)


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    source = tar.extractfile(member)
    return b"" if source is None else _limited(source, member.name)


def _limited(source: IO[bytes], name: str) -> bytes:
    data = source.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise InputError(f"{name!r} is larger than {LARGEST_FILE} bytes")
    return data


def _safe_path(archive: Path, path: str) -> PurePosixPath:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or "\0" in path:
        raise InputError(f"{archive}: {path!r} leaves the folder that it is unpacked to")
    return pure
