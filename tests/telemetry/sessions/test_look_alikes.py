"""Look-alikes are told from targets that were asked for, and from names that merely share a word."""

from __future__ import annotations

import pytest

from agingbench.telemetry.sessions.look_alikes import (
    TOOL,
    FoldersOfNames,
    TargetVisits,
    alike,
    named_records,
    named_targets,
)
from agingbench.telemetry.sessions.rereads import searched_name


@pytest.mark.parametrize(
    ("target", "other"),
    [
        ("api/orders_service.py", "api/order_service.py"),
        ("api/order_service_v2.py", "api/order_service.py"),
        ("core/legacy_order_service.py", "core/order_service.py"),
        ("jobs/order_service.py", "api/order_service.py"),
        ("api/order_service.py", "api/service_order.py"),
        ("gate/src/order_service.py", "billing/src/order_service.py"),
    ],
)
def test_names_that_are_taken_for_one_another(target: str, other: str) -> None:
    assert alike(target, other, False)


@pytest.mark.parametrize(
    ("target", "other"),
    [
        ("api/catalog_service.py", "api/batch_service.py"),
        ("tests/test_order_service.py", "api/order_service.py"),
        ("api/order_service.test.ts", "api/order_service.ts"),
        ("api/index.ts", "core/index.ts"),
        ("src/part3.py", "src/part7.py"),
        ("api/order_service.py", "api/order_service.ts"),
    ],
)
def test_names_that_are_not(target: str, other: str) -> None:
    assert not alike(target, other, True)


def test_one_wrong_digit_counts_where_the_request_names_the_id() -> None:
    assert alike("cust-1024", "cust-1042", True)
    assert not alike("cust-1024", "cust-1042", False)
    assert not alike("cust-1024", "cust-9942", True)


def test_a_visit_is_mistaken_unless_the_request_names_it() -> None:
    visits = TargetVisits()
    folders: FoldersOfNames = {}
    visits.begin(named_targets("fix the total in src/api/order_service.py"))
    wrong = visits.add_file("/home/u/src/api/orders_service.py", folders)
    right = visits.add_file("/home/u/src/api/order_service.py", folders)
    assert wrong is not None
    assert right is not None
    assert (wrong.mistaken, right.mistaken) == (True, False)

    visits.begin(named_targets("do the same in src/jobs/order_service.py"))
    asked = visits.add_file("/home/u/src/jobs/order_service.py", folders)
    known = visits.add_file("/home/u/src/api/orders_service.py", folders)
    assert asked is not None
    assert not asked.mistaken
    assert known is None  # to come back to what is known is no chance


def test_what_follows_right_after_its_look_alike_shows_the_mistake() -> None:
    visits = TargetVisits()
    visits.begin(())
    for path, calls, mistaken in [
        ("src/api/orders_service.py", 1, False),
        ("src/api/order_service.py", 1, True),
        ("src/api/invoice_store.py", 1, False),
        ("src/api/invoices_store.py", 9, False),
    ]:
        visits.calls += calls
        visit = visits.add_file(path, {})
        assert visit is not None
        assert visit.mistaken == mistaken


def test_the_same_asked_of_another_tool_is_a_mistake() -> None:
    visits = TargetVisits()
    visits.begin(())
    first, _ = visits.add_record("get_order", ["cust-1042"], {})
    (second,) = visits.add_record("get_order_log", ["cust-1042"], {})
    assert (first.label, first.mistaken, second.mistaken) == (TOOL, False, True)
    (third,) = visits.add_record("log_get_orders", ["cust-1042"], {})
    assert third.mistaken


def test_a_record_is_known_by_its_value_under_any_name() -> None:
    visits = TargetVisits()
    visits.begin(named_targets("cf. AC.4321 and look at it"))
    arguments = {"q": {"refs": [{"no": "AC.4231"}]}, "fields": ["state"]}
    _, wrong = visits.add_record("get", named_records(arguments), {})
    _, right = visits.add_record("get", named_records({"no": "AC.4321"}), {})
    assert (wrong.mistaken, right.mistaken) == (True, False)


def test_numbered_files_are_mistaken_only_where_the_right_one_follows() -> None:
    for next_file, mistaken in (("src/part125.py", True), ("src/part901.py", False)):
        visits = TargetVisits()
        visits.begin(named_targets("look at src/part125.py"))
        first = visits.add_file("src/part123.py", {})
        visits.calls += 1
        second = visits.add_file(next_file, {})
        assert first is not None
        assert second is not None
        assert (first.mistaken, second.mistaken) == (False, mistaken)


def test_a_file_that_was_visited_is_known_by_its_name() -> None:
    visits = TargetVisits()
    visits.begin(())
    visits.add_file("src/api/order_service.py", {})
    assert searched_name({"pattern": "**/order_service.py"}) == "order_service.py"
    assert searched_name({"command": "find . -name 'order_service.py'"}) == "order_service.py"
    assert searched_name({"pattern": "def load"}) is None
    both = {"glob": "**/*.py", "pattern": "order_service.py"}
    assert searched_name(both) == "order_service.py"  # whatever the order of a set
    assert visits.knows_name("order_service.py")
    assert visits.knows_name("order_service")
    assert not visits.knows_name("invoice_service.py")


def test_a_name_that_stands_in_many_folders_is_common() -> None:
    visits = TargetVisits()
    folders: FoldersOfNames = {}
    for folder in ("billing", "orders", "users", "routes"):
        visits.begin(())
        last = visits.add_file(f"src/{folder}/controller.py", folders)
    assert last is not None
    assert not last.mistaken


@pytest.mark.parametrize(
    ("request_text", "mistaken"),
    [
        ("The rules of the depots are wrong.", True),
        ("Compare the rules of the crews with those of the depots.", False),
        ("The rules are wrong.", False),
    ],
)
def test_a_common_name_is_mistaken_where_the_request_says_the_other_folder(
    request_text: str, mistaken: bool
) -> None:
    for name in ("rules.py", "models.py"):
        visits = TargetVisits()
        folders: FoldersOfNames = {name: {"fares", "stops", "wards"}}
        visits.begin(named_targets(request_text), request_text)
        first = visits.add_file(f"src/crews/{name}", folders)
        visits.calls += 1
        second = visits.add_file(f"src/depots/{name}", folders)
        assert first is not None
        assert second is not None
        assert (first.mistaken, second.mistaken) == (False, mistaken)
