"""A narrator places every passage whole, keeps to the size and lets storylines go on."""

from __future__ import annotations

from random import Random

import msgspec

from agingbench.bench.plan.corpus import Corpus, Scene, Statements, Storyline
from agingbench.bench.plan.scenes import Narrator, Passage


def corpus(scenes: list[Scene] | None = None) -> Corpus:
    texts = [
        Scene(id="home", genre="chat", topics=("home",), text="{person} called.<< {fact}>> Fine."),
        Scene(id="work", genre="mail", topics=("work",), text="At {clock} we met.<< {fact}>>"),
        Scene(id="long", genre="note", text="<<{fact}>> {number} birds.<< {fact}>><< {fact}>>"),
        Scene(id="none", genre="note", text="[[Rain|Sun|Wind]] until {clock}, {code:4} drops."),
    ]
    storyline = Storyline(
        id="move",
        cast={"builder": "person"},
        episodes=["{builder} came on {day}.", "{builder} left on {day}.", "{builder} sent a bill."],
    )
    return Corpus(
        folder="test",
        statements=Statements(kinds={}, updates=[], retractions=[]),
        scenes=scenes or texts,
        lists={},
        storylines=[storyline],
    )


def test_every_passage_stands_whole_and_once() -> None:
    narrator = Narrator(corpus(), seed=1)
    passages = [Passage(f"Fact number {n} holds. It is {n}.", topic) for n, topic in TOPICS]
    text = narrator.session(Random(1), passages, 400)
    assert all(text.count(passage.text) == 1 for passage in passages)


TOPICS = list(enumerate(["home", "work", "any", "home", "home", "work", "any", "any"]))


def test_the_size_is_met_with_and_without_facts() -> None:
    narrator = Narrator(corpus(), seed=1)
    for passages in ([], [Passage("A fact of some length stands here.")] * 5):
        text = narrator.session(Random(1), passages, 500)
        assert 1800 < len(text) < 2400


def test_facts_beyond_the_size_are_all_told() -> None:
    narrator = Narrator(corpus(), seed=1)
    passages = [Passage(f"Fact {n} is a sentence that takes its room.") for n in range(60)]
    text = narrator.session(Random(1), passages, 100)
    assert all(passage.text in text for passage in passages)
    # No paragraph holds more of them than the largest scene has room for.
    assert max(paragraph.count("Fact ") for paragraph in text.split("\n\n")) <= 3


def test_a_storyline_goes_on_with_the_same_cast() -> None:
    narrator = Narrator(corpus(), seed=3)
    texts = [narrator.session(Random(t), [], 200) for t in range(3)]
    came = next(line for line in texts[0].split("\n\n") if " came on " in line)
    builder = came.partition(" came on ")[0]
    assert f"{builder} left on " in texts[1]
    assert f"{builder} sent a bill." in texts[2]


def test_what_stands_alone_is_in_no_scene() -> None:
    narrator = Narrator(corpus(), seed=3)
    table = "Prices:\n| bread | $3 |"
    text = narrator.session(Random(1), [Passage(table, stands_alone=True), Passage("So.")], 200)
    assert table in text.split("\n\n")


def test_wordings_are_told_by_a_few_friends_who_play_no_other_part() -> None:
    narrator = Narrator(corpus(), seed=3)
    rng = Random(1)
    friends = narrator.filler.friends
    told = {narrator.wording(rng, ["{Person} knows."], {}) for _ in range(90)}
    names = {name for friend in friends for name in (friend, friend.partition(" ")[0])}
    assert told == {f"{name} knows." for name in names}
    others = {narrator.filler(rng, "person", "") for _ in range(90)}
    assert not others & set(friends)


def test_facts_that_no_scene_leads_up_to_stand_alone_or_in_a_list_under_a_heading() -> None:
    some = corpus()
    statements = Statements(kinds={}, updates=[], retractions=[], notes=["To keep:"])
    narrator = Narrator(msgspec.structs.replace(some, statements=statements), seed=1)
    facts = [f"Fact {n} holds." for n in range(12)]
    text = narrator.session(Random(1), [Passage(fact) for fact in facts], 600)
    assert "To keep:\n- Fact" in text
    lines = [line.removeprefix("- ") for line in text.split("\n")]
    assert set(facts) <= set(lines)


def test_the_same_seed_tells_the_same_and_others_differ() -> None:
    texts = [Narrator(corpus(), seed=n).session(Random(1), [], 300) for n in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_no_wording_comes_twice_in_a_session_while_others_are_left() -> None:
    narrator = Narrator(corpus(), seed=1)
    options = [f"Wording {n} says {{v}}." for n in range(6)]
    for session in range(4):
        rng = Random(session)
        texts = [narrator.wording(rng, options, {"v": "so"}) for _ in options]
        assert len(set(texts)) == len(options)
        assert narrator.wording(rng, options, {"v": "so"}) in texts, "then one comes again"
        narrator.session(rng, [], 100)


def test_scenes_that_open_a_life_are_told_before_all_others() -> None:
    rest = "Nothing else was of note. " * 16
    scenes = [
        Scene(id=f"s{n}", genre="note", text=f"Scene {n}, {{clock}}. {rest}", opens=n % 5 == 0)
        for n in range(20)
    ]
    for seed in range(4):
        text = Narrator(corpus(scenes), seed).session(Random(seed), [], 800)
        told = {n for n in range(20) if f"Scene {n}, " in text}
        assert told > {0, 5, 10, 15}
        assert len(told) < 12
