"""Nobody but this machine's own browser is answered, and nothing outside the folder is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from agingbench.view.places import Outside, ViewedFolder
from agingbench.view.server import HOST, bound_socket
from tests.report.lives import life
from tests.view.serving import Served, served

SECRET = "the secret of another folder"


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    base = tmp_path_factory.mktemp("guard")
    folder = base / "runs"
    (folder / "one").mkdir(parents=True)
    (folder / "one" / "aging_card.json").write_text(json.dumps(life("a+b")))
    outside = base / "outside"
    outside.mkdir()
    line = json.dumps({"step": 0, "role": "user", "content": SECRET})
    (outside / "trace.jsonl").write_text(line + "\n")
    (outside / "aging_card.json").write_text(json.dumps(life(SECRET)))
    (outside / "plan.json").write_text(json.dumps({"scenario": SECRET}))
    (folder / "linked_folder").symlink_to(outside)
    (folder / "linked.jsonl").symlink_to(outside / "trace.jsonl")
    (folder / "two").mkdir()
    (folder / "two" / "aging_card.json").symlink_to(outside / "aging_card.json")
    (folder / "three").mkdir()
    (folder / "three" / "trace.jsonl").symlink_to(outside / "trace.jsonl")
    (folder / "three" / "plan.json").symlink_to(outside / "plan.json")
    for name, linked in {"four": "metrics.json", "five": "memory"}.items():
        (folder / name).mkdir()
        (folder / name / "aging_card.json").write_text(json.dumps(life("a+b")))
        (folder / name / linked).symlink_to(outside)
    with served(folder) as running:
        yield running


ESCAPES = [
    "../outside/trace.jsonl",
    "..%2Foutside%2Ftrace.jsonl",
    "%2e%2e/outside/trace.jsonl",
    "%252e%252e%252foutside%252ftrace.jsonl",
    "..%5Coutside%5Ctrace.jsonl",
    "one/../../outside/trace.jsonl",
    "one/%00/../../outside/trace.jsonl",
    "one%00",
    "%00",
    "/etc/passwd",
    "%2Fetc%2Fpasswd",
    "//etc/passwd",
    "~/trace.jsonl",
    "linked_folder",
    "linked_folder/trace.jsonl",
    "linked.jsonl",
    "two",
    "three",
    "four",
    "five",
    ".",
    "",
    "%FF%FE",
    "a" * 5000,
]


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize(
    "page", ["report?run", "trace?run", "trace?file", "plan?run", "steps?file"]
)
def test_nothing_outside_the_folder_is_shown(viewer: Served, page: str, name: str) -> None:
    answer = viewer.ask(f"/{page}={name}")
    assert answer.status in (400, 404)
    assert SECRET.encode() not in answer.body
    assert b"a+b" not in answer.body
    assert b"root:" not in answer.body


@pytest.mark.parametrize("name", ["two", "linked_folder", "three"])
def test_links_that_lead_out_are_in_no_picture_and_no_overlay(viewer: Served, name: str) -> None:
    for page in ("card.png?run", "overlay?run"):
        answer = viewer.ask(f"/{page}={name}")
        assert answer.status in (400, 404)
        assert SECRET.encode() not in answer.body
    assert SECRET.encode() not in viewer.ask("/").body
    assert SECRET.encode() not in viewer.ask("/files").body


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../guard.py",
        "/assets/%2e%2e/guard.py",
        "/assets/..%2fguard.py",
        "/assets/style.css%00.js",
        "/../../etc/passwd",
        "//etc/passwd",
        "/templates/base.html.j2",
        "/assets/base.html.j2",
    ],
)
def test_no_file_is_served_by_its_path(viewer: Served, path: str) -> None:
    assert viewer.ask(path).status == 404


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "127.0.0.1:{port}.evil.example",
        "evil@127.0.0.1:{port}",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_a_foreign_host_is_refused(viewer: Served, host: str) -> None:
    answer = viewer.ask("/", {"Host": host.format(port=viewer.port)})
    assert answer.status in (400, 421)
    assert b"a+b" not in answer.body


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_own_address_is_answered(viewer: Served, name: str) -> None:
    assert viewer.ask("/", {"Host": f"{name}:{viewer.port}"}).status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1", "null", ""]
)
def test_a_foreign_origin_is_refused(viewer: Served, origin: str) -> None:
    headers = {"Origin": origin.format(port=viewer.port)}
    assert viewer.ask("/progress", headers).status == 403


def test_scripts_of_another_site_are_refused_and_our_own_are_not(viewer: Served) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert viewer.ask("/progress", foreign).status == 403
    own = {"Sec-Fetch-Site": "same-origin", "Origin": f"http://{HOST}:{viewer.port}"}
    assert viewer.ask("/progress", own).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_only_reading_is_answered(viewer: Served, method: str) -> None:
    assert viewer.ask("/", method=method).status == 405


@pytest.mark.parametrize("path", ["/", "/no/such/page", "/assets/no.js", "/steps?file=x"])
def test_every_answer_has_its_policy(viewer: Served, path: str) -> None:
    headers = viewer.ask(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


def test_scripts_are_kept_by_the_browser_until_they_change(viewer: Served) -> None:
    first = viewer.ask("/assets/view.js")
    assert first.headers["cache-control"] == "private, no-cache"
    again = viewer.ask("/assets/view.js", {"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert "default-src 'none'" in again.headers["content-security-policy"]


def test_the_policy_stands_on_refusals_too(viewer: Served) -> None:
    headers = viewer.ask("/", {"Host": "evil.example"}).headers
    assert "default-src 'none'" in headers["content-security-policy"]


def test_it_binds_to_loopback_and_to_the_next_port_where_one_is_taken() -> None:
    first = bound_socket(0)
    port = first.getsockname()[1]
    first.listen()
    second = bound_socket(port)
    assert first.getsockname()[0] == second.getsockname()[0] == HOST
    assert port < second.getsockname()[1] <= port + 20
    first.close()
    second.close()


def test_a_loop_of_links_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(Outside):
        ViewedFolder(tmp_path).inside("a")


def test_names_with_signs_of_their_own_are_found(tmp_path: Path) -> None:
    name = 'ä & "b" <c> %2e #d?'
    (tmp_path / name).mkdir()
    (tmp_path / name / "aging_card.json").write_text(json.dumps(life("a+b")))
    with served(tmp_path) as viewer:
        assert viewer.ask(f"/report?run={quote(name)}").status == 200
        assert quote_plus(name) in viewer.ask("/").text
