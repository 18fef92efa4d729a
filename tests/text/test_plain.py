"""Values stated as holding now, against values of the past."""

from __future__ import annotations

import pytest

from agingbench.text.matching import states
from agingbench.text.plain import states_plainly
from agingbench.text.values import Value

PLAIN = [
    ("$250", "It is $250, formerly $309", True),
    ("$309", "It is $250, formerly $309", False),
    ("$250", "It is $250 (was $309)", True),
    ("$309", "It is $250 (was $309)", False),
    ("$250", "changed from $309 to $250", True),
    ("$309", "changed from $309 to $250", False),
    ("$309", "It was changed from $250 to $309.", True),
    ("$250", "It was changed from $250 to $309.", False),
    ("$250", "It was changed to $250", True),
    ("$250", "The budget dropped to $250", True),
    ("$309", "The budget dropped from $309 to $250", False),
    ("$250", "The budget dropped from $309 to $250", True),
    ("$250", "$250 instead of $309", True),
    ("$309", "$250 instead of $309", False),
    ("$250", "Instead of $309 it is now $250", True),
    ("$309", "The budget was $309", False),
    ("$309", "The budget was $309 and is now $250", False),
    ("$250", "The budget was $309 and is now $250", True),
    ("$309", "$309 is no longer valid", False),
    ("$309", "It is no longer $309 but $250", False),
    ("$250", "It is no longer $309 but $250", True),
    ("$309", "It is not $309 but $250", False),
    ("$250", "It is not $309 but $250", True),
    ("$309", "It isn't $309 anymore", False),
    ("$309", "$309 was replaced by $250", False),
    ("$250", "$309 was replaced by $250", True),
    ("$309", "$309, which was replaced by $250", False),
    ("$309", "$309 has been replaced with $250", False),
    ("$250", "$250 replaces $309", True),
    ("$309", "$250 replaces $309", False),
    ("$309", "We replaced $309 with $250", False),
    ("$250", "We replaced $309 with $250", True),
    ("$309", "The old budget of $309", False),
    ("$250", "$250 is lower than the old $309", True),
    ("$309", "$309 is the old budget", False),
    ("$309", "$309 (old)", False),
    ("$309", "Formerly, $309", False),
    ("$309", "$309 previously", False),
    ("$309", "It used to be $309", False),
    ("$250", "$250 instead of the cancelled $309", True),
    ("$309", "The budget is $309", True),
    ("$309", "Earlier it was $250. The budget is $309.", True),
    ("$309", "do not exceed $309", True),
    ("$309", "It was $309. It is $309.", True),
    ("$400", "It is $309", False),
    ("$250", "The old budget was $309 and the new one is $250", True),
    ("$309", "The old budget was $309 and the new one is $250", False),
    ("$250", "up to $250, up from $309", True),
    ("$309", "up to $250, up from $309", False),
]


@pytest.mark.parametrize(("value", "sentence", "expected"), PLAIN)
def test_plain_statements(value: str, sentence: str, expected: bool) -> None:
    assert states_plainly(sentence, Value("number", value)) is expected


PLAIN_NAMES = [
    ("name", "Old Mill", "We eat at the Old Mill", True),
    ("name", "Old Mill", "We eat at Nero rather than the Old Mill", False),
    ("name", "Netflix", "Netflix is now cancelled", False),
    ("name", "Netflix", "You cancelled Netflix but kept Spotify", False),
    ("name", "Spotify", "You cancelled Netflix but kept Spotify", True),
    ("name", "Nero", "All except Nero", False),
    ("name", "Nero", "The 12-year-old likes Nero", True),
    ("date", "March 14, 2026", "It is on March 14, 2026", True),
    ("clock", "10:20", "no earlier than 10:20", True),
    ("clock", "9:00", "moved to 10:20 from 9:00", False),
    ("clock", "10:20", "moved to 10:20 from 9:00", True),
    ("set", "Netflix; Spotify", "Netflix and Spotify", True),
    ("set", "Netflix; Spotify", "Spotify, formerly Netflix", False),
]


@pytest.mark.parametrize(("kind", "value", "sentence", "expected"), PLAIN_NAMES)
def test_plain_statements_of_other_kinds(
    kind: str, value: str, sentence: str, expected: bool
) -> None:
    assert states_plainly(sentence, Value(kind, value)) is expected


TOLD = [
    ("name", "Villa Luna", "My favourite restaurant is Villa Luna these days."),
    ("name", "Fernmart", "I have made my peace with that shop; the one I boycott now is Fernmart."),
    ("name", "Amberhop", "I switched companies; for rides, book Amberhop and no other company."),
    ("name", "kiwi", "The doctor corrected the diagnosis; I am severely allergic to kiwi."),
    ("name", "Dr. Fenwick", "In formal letters, please address me as Dr. Fenwick from now on."),
    ("number", "99682", "The door code of Adela Bancroft's building was reset; it is 99682 now."),
    ("number", "99682", "The door code was reset to 99682."),
    ("number", "123456", "They reissued it; my booking number at Birchford Gym is 123456."),
    (
        "number",
        "4827",
        "The bank sent a new card; purchases over $150 now go on the card ending 4827.",
    ),
    ("number", "$88", "Counting the latest loan, Adela Bancroft lent me $88 in all."),
    ("number", "1234", "The passcode of lease_v2_old.pdf is 1234."),
    ("number", "$309", "It is $309 as before."),
    ("date", "March 3", "I had it wrong: Adela Bancroft's birthday is on March 3."),
    ("date", "May 5", "I moved my appointment at Birchford Gym; it is on May 5."),
    ("clock", "09:30", "On Mondays no meetings before 09:30 from now on."),
    ("clock", "10:20", "The timetable changed; Adela Bancroft's train gets in at 10:20."),
    ("range", "$50–$75", "I have rethought my price range for gifts to Adela; it is $50–$75."),
]


@pytest.mark.parametrize(("kind", "value", "sentence"), TOLD)
def test_news_is_stated_plainly(kind: str, value: str, sentence: str) -> None:
    assert states_plainly(sentence, Value(kind, value))


# How people and models tell of a change: "OLD" is the value of the past, "NEW" the one that holds.
CHANGES = [
    "Your budget was OLD but is now NEW.",
    "It is NEW; it was OLD before.",
    "You had OLD before, but now it is NEW.",
    "It is NEW (previously OLD).",
    "The day Adela moves house used to be OLD, now it's NEW.",
    "It was reset from OLD to NEW.",
    "They modified it from OLD to NEW.",
    "NEW, not OLD.",
    "It's NEW now instead of OLD.",
    "The old one was OLD; the current one is NEW.",
    "The old one (OLD) no longer holds: it is NEW now.",
    "OLD is no longer current; it's NEW.",
    "You told me that it is NEW, and before that it was OLD.",
    "Your choice, which was OLD, is now NEW.",
]
PAIRS = [
    ("number", "$250", "$309"),
    ("number", "12345", "99682"),
    ("percent", "4.2%", "16.2%"),
    ("date", "March 4", "May 5"),
    ("clock", "09:27", "10:18"),
    ("version", "2.3.1", "3.18.2"),
    ("range", "$50–$75", "$95–$138"),
    ("name", "Casa Verde", "Villa Luna"),
]


@pytest.mark.parametrize("told", CHANGES)
@pytest.mark.parametrize(("kind", "old", "new"), PAIRS)
def test_a_change_states_both_and_only_the_new_one_plainly(
    kind: str, old: str, new: str, told: str
) -> None:
    for past, present in ((old, new), (new, old)):
        sentence = told.replace("OLD", past).replace("NEW", present)
        assert states(sentence, Value(kind, past))
        assert states(sentence, Value(kind, present))
        assert not states_plainly(sentence, Value(kind, past))
        assert states_plainly(sentence, Value(kind, present))


@pytest.mark.parametrize(("kind", "old", "new"), PAIRS)
def test_what_only_was_is_stated_but_not_plainly(kind: str, old: str, new: str) -> None:
    for value in (Value(kind, old), Value(kind, new)):
        assert states(f"It was {value.text}", value)
        assert not states_plainly(f"It was {value.text}", value)
