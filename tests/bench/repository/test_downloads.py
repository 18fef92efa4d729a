"""Downloads are pinned and cached; archives are unpacked without leaving their folder."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import stat
import tarfile
import threading
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from agingbench.bench.repository import downloads
from agingbench.bench.repository.chain import ChainFile, Download
from agingbench.bench.repository.downloads import INDEX, cache_folder, fetch, unpack, unpacked
from agingbench.errors import InputError
from tests.bench.repository.standin import tar_of


def wanted(path: PurePosixPath) -> bool:
    return True


def test_a_file_is_downloaded_once(standin: ChainFile, monkeypatch: pytest.MonkeyPatch) -> None:
    download = standin.chain.releases["1.0"]
    place = fetch("Django", download)
    assert place.is_relative_to(cache_folder())
    monkeypatch.setenv(INDEX, "file:///nowhere")
    assert fetch("Django", download) == place


def test_another_file_under_the_same_name_is_refused(
    standin: ChainFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    download = Download(standin.chain.releases["1.0"].file, "0" * 64)
    with pytest.raises(InputError, match="another file than the chain was made with"):
        fetch("Django", download)
    assert list((tmp_path / "agingbench/repository/files").iterdir()) == []


def test_a_file_that_was_changed_in_the_cache_is_fetched_again(
    standin: ChainFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    download = standin.chain.releases["1.0"]
    place = fetch("Django", download)
    right = place.read_bytes()
    place.write_bytes(b"changed")
    assert fetch("Django", download).read_bytes() == right


def test_an_index_that_cannot_be_used_is_said(
    standin: ChainFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    missing = Download("django-9.9.tar.gz", "0" * 64)
    with pytest.raises(InputError, match=r"has no file django-9\.9"):
        fetch("Django", missing)
    monkeypatch.setenv(INDEX, "file:///nowhere")
    with pytest.raises(InputError, match="cannot be downloaded"):
        fetch("Django", missing)
    monkeypatch.setenv(INDEX, "ftp://reader:hidden@localhost/simple")
    with pytest.raises(InputError, match="must be reached by https") as raised:
        fetch("Django", missing)
    assert "hidden" not in str(raised.value)


class AskingIndex(http.server.BaseHTTPRequestHandler):
    """An index that wants a name and a password."""

    def do_GET(self) -> None:
        words = base64.b64encode(b"reader:hidd@n").decode()
        is_known = self.headers["Authorization"] == f"Basic {words}"
        body = b'<a href="/files/a.tar.gz">a.tar.gz</a>' if "simple" in self.path else b"content"
        self.send_response(200 if is_known else 401)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Nothing is printed."""


def test_an_index_with_a_password_is_asked_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with http.server.HTTPServer(("127.0.0.1", 0), AskingIndex) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{server.server_port}/simple"
        monkeypatch.setenv(INDEX, f"http://reader:hidd%40n@{place}")
        download = Download("a.tar.gz", hashlib.sha256(b"content").hexdigest())
        assert fetch("a", download).read_bytes() == b"content"
        monkeypatch.setenv(INDEX, f"http://reader:wr0ng@{place}")
        with pytest.raises(InputError, match="cannot be downloaded") as raised:
            fetch("a", Download("b.tar.gz", "0" * 64))
        server.shutdown()
    assert "wr0ng" not in str(raised.value)


def test_an_entry_that_says_to_be_smaller_than_it_is_costs_no_more_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "LARGEST_FILE", 1000)
    archive = tmp_path / "large.whl"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("large.py", "x" * 100_000)
    with pytest.raises(InputError, match="larger than 1000 bytes"):
        unpack(archive, tmp_path / "tree", wanted, 0)


def test_a_tree_is_unpacked_once_and_holds_what_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(tar_of({"kept/a.py": "a", "other/b.py": "b"}, "top"))
    tree = unpacked(archive, "a", lambda path: path.parts[0] == "kept", strip=1)
    assert (tree / "kept/a.py").read_text() == "a"
    assert not (tree / "other").exists()
    archive.unlink()
    assert unpacked(archive, "a", wanted, strip=1) == tree


@pytest.mark.parametrize("name", ["../outside.py", "/etc/outside.py", "top/../../outside.py"])
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "bad.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = 1
        tar.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(InputError, match="leaves the folder"):
        unpack(archive, tmp_path / "tree", wanted, 0)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_pipes_are_refused(tmp_path: Path, kind: bytes) -> None:
    archive = tmp_path / "bad.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        entry = tarfile.TarInfo("top/link")
        entry.type = kind
        entry.linkname = "/etc/passwd"
        tar.addfile(entry)
    with pytest.raises(InputError, match="no regular file"):
        unpack(archive, tmp_path / "tree", wanted, 1)


def test_a_wheel_with_a_link_or_a_way_out_is_refused(tmp_path: Path) -> None:
    linked = tmp_path / "linked.whl"
    with zipfile.ZipFile(linked, "w") as wheel:
        entry = zipfile.ZipInfo("link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        wheel.writestr(entry, "/etc/passwd")
    with pytest.raises(InputError, match="no regular file"):
        unpack(linked, tmp_path / "tree", wanted, 0)
    outside = tmp_path / "outside.whl"
    with zipfile.ZipFile(outside, "w") as wheel:
        wheel.writestr("../outside.py", "x")
    with pytest.raises(InputError, match="leaves the folder"):
        unpack(outside, tmp_path / "tree", wanted, 0)


def test_something_else_than_an_archive_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "bad.tar.gz"
    archive.write_bytes(b"not an archive")
    with pytest.raises(InputError, match="not an archive"):
        unpack(archive, tmp_path / "tree", wanted, 1)


def test_a_file_twice_in_an_archive_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "twice.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for _ in range(2):
            entry = tarfile.TarInfo("top/a.py")
            entry.size = 1
            tar.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(InputError, match="not an archive"):
        unpack(archive, tmp_path / "tree", wanted, 1)
