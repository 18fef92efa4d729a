"""Classes and objects of a session are told apart by what they do."""

from __future__ import annotations

from typing import Any

from agingbench.front.fingerprint import class_fingerprint, object_fingerprint
from tests.front.parts import LastTexts, Locked

SOURCE = '''
LIMIT = 3

def helper(text):
    return text[:LIMIT]

class Base:
    k = 1

class Mine(Base):
    """Says something."""
    def read(self, query, most=5):
        return [helper(part) for part in query.split()][:most]
'''


def mine(source: str) -> type:
    names: dict[str, Any] = {"__name__": "a_session"}
    exec(source, names)
    made: type = names["Mine"]
    return made


def test_the_same_code_has_the_same_fingerprint() -> None:
    assert class_fingerprint(mine(SOURCE)) == class_fingerprint(mine(SOURCE))
    lower = mine("\n\n" + SOURCE.replace("Says something", "Says it otherwise"))
    assert class_fingerprint(lower) == class_fingerprint(mine(SOURCE))


def test_a_change_anywhere_in_the_session_is_seen() -> None:
    changes = {
        "LIMIT = 3": "LIMIT = 4",  # a global
        "text[:LIMIT]": "text[LIMIT:]",  # a helper
        "k = 1": "k = 2",  # a class attribute of a base
        "most=5": "most=6",  # a default
        "query.split()": "query.split(',')",  # the code, below a comprehension
    }
    prints = {class_fingerprint(mine(SOURCE.replace(old, new))) for old, new in changes.items()}
    assert len(prints | {class_fingerprint(mine(SOURCE))}) == len(changes) + 1


def test_what_the_code_does_not_use_does_not_count() -> None:
    beside = "split = 7\nother = 'x'\n"  # `split` is an attribute in the code, no global
    assert class_fingerprint(mine(beside + SOURCE)) == class_fingerprint(mine(SOURCE))


def test_running_the_code_changes_nothing() -> None:
    kind: Any = mine(SOURCE)
    before = class_fingerprint(kind)
    for _ in range(200):  # enough for the interpreter to adapt the code to its arguments
        kind().read("a b c")
    assert class_fingerprint(kind) == before


def test_a_closure_counts() -> None:
    def make(word: str) -> type:
        class Mine:
            def read(self, query: str) -> str:
                return word

        return Mine

    assert class_fingerprint(make("a")) == class_fingerprint(make("a"))
    assert class_fingerprint(make("a")) != class_fingerprint(make("b"))


def test_objects_differ_by_their_state() -> None:
    assert object_fingerprint(LastTexts(3)) == object_fingerprint(LastTexts(3))
    assert object_fingerprint(LastTexts(3)) != object_fingerprint(LastTexts(4))


def test_a_state_that_is_no_data_is_never_taken_for_another() -> None:
    one = Locked()
    assert object_fingerprint(one) != object_fingerprint(one)


def test_code_that_refers_to_itself_ends() -> None:
    class Mine:
        def read(self) -> type:
            return Mine

    assert class_fingerprint(Mine)
