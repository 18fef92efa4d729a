"""Puts a session's text together: storylines that go on, scenes, and the passages they carry."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from agingbench.bench.plan import templates
from agingbench.bench.plan.corpus import ANY, Corpus, Scene, Storyline
from agingbench.bench.plan.filler import FIRST_DAY, FIRST_DAYS, Filler
from agingbench.bench.plan.pools import stream
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.templates import Filling

STORYLINES_AT_ONCE = 2
TRIES = 4  # renderings of a scene, of which the one with the fewest repeated sentences is taken
CHARACTERS_PER_TOKEN = 4
MOST_IN_ONE_SCENE = 3  # facts
NOTE_SIZES = (1, 1, 2, 3, 4)  # facts that stand together apart from all scenes
SHORT_SCENE = 260  # characters
LONG_SCENE = 700
BY_FIRST_NAME = 0.6  # how often a friend is named so
CHAT = "chat"  # the genre in which nobody is named in full
# After a full stop, or at the end of a line; a pattern that begins with a blank is quicker.
_SENTENCE_END = re.compile(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")


@dataclass(frozen=True)
class Passage:
    """A stretch of text that states something, and the topic of the scenes it fits into."""

    text: str
    topic: str = ANY
    stands_alone: bool = False  # no scene carries it


@dataclass
class Running:
    """A storyline under way: its cast and the number of its next episode."""

    storyline: Storyline
    cast: Mapping[str, str]
    next: int = 0


@dataclass
class Narrator:
    """Tells the sessions of one life, each as scenes from the corpus of its scenario."""

    corpus: Corpus
    seed: int
    split: Split | None = None
    filler: Filler = field(init=False)

    def __post_init__(self) -> None:
        rng = stream(self.corpus.folder, self.seed, "scenes")
        self.filler = Filler(self.corpus.lists, self.split or Split(self.seed), rng)
        self._first_day = FIRST_DAY + timedelta(rng.randrange(FIRST_DAYS))
        self._days_between = rng.randint(2, 5)
        scenes = rng.sample(self.corpus.scenes, len(self.corpus.scenes))
        scenes.sort(key=lambda scene: not scene.opens)
        self._by_use = {scene.id: scene for scene in scenes}  # the one used last comes last
        self._waiting = rng.sample(self.corpus.storylines, len(self.corpus.storylines))
        self._running: list[Running] = []
        self._told: set[str] = set()  # sentences so far
        self._wordings: set[str] = set()  # of the session under way

    def begin(self, session: int) -> None:
        """Begin a session, which has a day of its own in the life."""
        self.filler.begin(self._first_day + timedelta(session * self._days_between))
        for running in self._running:
            self.filler.met.update(running.cast.values())

    def wording(
        self,
        rng: Random,
        options: Sequence[str],
        words: Mapping[str, str],
        is_told_by_friends: bool = True,
    ) -> str:
        """Return one of these wordings with its gaps filled; none twice in a session if it can.

        The people in it are the friends of the user, who come up all the time, or anybody.
        """
        unused = [option for option in options if option not in self._wordings]
        wording = rng.choice(unused or options)
        self._wordings.add(wording)
        fill = self.filler.of_friends if is_told_by_friends else self.filler
        names = self.filler.first_names
        self.filler.begin_text()
        is_close = is_told_by_friends and rng.random() < BY_FIRST_NAME
        return Filling(rng, words, fill, first_names=names, among_friends=is_close).text(wording)

    def session(self, rng: Random, passages: Sequence[Passage], tokens: int) -> str:
        """Return the text of a session: every passage, and scenes up to the number of tokens."""
        waiting = [passage for passage in passages if not passage.stands_alone]
        size = _length(passages)
        target = tokens * CHARACTERS_PER_TOKEN
        texts = [passage.text for passage in passages if passage.stands_alone]
        apart: list[str] = []  # facts that no scene leads up to

        # Storylines go on in every session that has room for more than its facts.
        if size < target * 2 // 3:
            for running in self._episodes(rng):
                template = running.storyline.episodes[running.next]
                running.next += 1
                facts = _take(template, running.storyline.topics, waiting)
                text, rest = self._render(rng, template, facts, running.cast, among_friends=False)
                texts.append(text)
                apart += rest
                size += len(text) + 2 - _length(facts) + _size(rest)

        # Rather a little too short than too long by a scene.
        while waiting or size + SHORT_SCENE // 4 < target:
            # Where little is left for scenes, each carries more facts than it has room for.
            scenes_left = max(1, (target - size) // SHORT_SCENE)
            load = -(-len(waiting) // scenes_left)
            space = target - size
            is_crowded = load > 1 or space < LONG_SCENE
            longest = max(space, SHORT_SCENE // 2) if is_crowded else None
            scene = self._next_scene(waiting, longest)
            facts = _take(scene.text, scene.topics, waiting, load)
            text, rest = self._render(rng, scene.text, facts, {}, scene.genre == CHAT)
            texts.append(text)
            apart += rest
            size += len(text) + 2 - _length(facts) + _size(rest)

        texts += self._notes(rng, apart)
        rng.shuffle(texts)
        self._wordings.clear()
        return "\n\n".join(texts)

    def _notes(self, rng: Random, facts: Sequence[str]) -> list[str]:
        # Facts that stand by themselves, some alone and some in a short list under a heading.
        headings = self.corpus.statements.notes
        blocks: list[str] = []
        left = list(facts)
        while left:
            count = rng.choice(NOTE_SIZES) if headings else 1
            block = left[:count]
            left = left[count:]
            if len(block) > 1:
                heading = self.wording(rng, headings, {})
                block = [heading, *(f"- {fact}" for fact in block)]
            blocks.append("\n".join(block))
        return blocks

    def _episodes(self, rng: Random) -> list[Running]:
        self._running = [r for r in self._running if r.next < len(r.storyline.episodes)]
        while len(self._running) < STORYLINES_AT_ONCE and self._waiting:
            storyline = self._waiting.pop(0)
            self._waiting.append(storyline)
            cast = {name: self.filler(rng, kind, "") for name, kind in storyline.cast.items()}
            self._running.append(Running(storyline, cast))
        return self._running

    def _next_scene(self, waiting: Sequence[Passage], longest: int | None) -> Scene:
        # The scene that was not used for longest; while facts wait, one that has room for the
        # first of them. A crowded session has no room for scenes that are full themselves, nor
        # for any that are longer than what is left of it. One with room for many facts is told
        # for their sake, and says little without them.
        if waiting:
            topic = waiting[0].topic
            fits = (s for s in self._by_use.values() if s.room and s.takes(topic))
        else:
            fits = (s for s in self._by_use.values() if s.room < MOST_IN_ONE_SCENE)
        if longest is None:
            scene = next(fits, None) or next(iter(self._by_use.values()))
        else:
            some = list(fits) or list(self._by_use.values())
            short = (s for s in some if not s.opens and s.length <= longest)
            scene = next(short, None) or min(some, key=lambda scene: scene.length)
        self._by_use[scene.id] = self._by_use.pop(scene.id)
        return scene

    def _render(
        self,
        rng: Random,
        template: str,
        facts: Sequence[Passage],
        words: Mapping[str, str],
        among_friends: bool,
    ) -> tuple[str, list[str]]:
        # The text, and those of its facts that stand apart from it.
        best = ""
        best_rest: list[str] = []
        best_sentences: list[str] = []
        fewest = None
        met = set(self.filler.met)
        for _ in range(TRIES):
            self.filler.met = set(met)
            self.filler.begin_text()
            rest: list[str] = []
            filling = Filling(
                rng,
                words,
                self.filler,
                [fact.text for fact in facts],
                self.filler.first_names,
                among_friends,
                rest,
            )
            text = filling.text(template)
            rest += filling.facts  # alternatives can differ in room
            sentences = _SENTENCE_END.split(text)
            repeats = len(self._told.intersection(sentences))
            if fewest is None or repeats < fewest:
                best = text
                best_rest = rest
                best_sentences = sentences
                fewest = repeats
            if not fewest:
                break

        self._told.update(best_sentences)
        return best, best_rest


def _take(
    template: str, topics: Sequence[str], waiting: list[Passage], load: int = 0
) -> list[Passage]:
    # Removes from `waiting` what fits into this text, and returns it; `load` is the least.
    room = max(load, min(templates.fact_count(template), MOST_IN_ONE_SCENE))
    facts: list[Passage] = []
    left: list[Passage] = []
    for passage in waiting:
        fits = ANY in topics or passage.topic == ANY or passage.topic in topics
        if fits and len(facts) < room:
            facts.append(passage)
        else:
            left.append(passage)
    waiting[:] = left
    return facts


def _length(passages: Sequence[Passage]) -> int:
    return sum(len(passage.text) + 1 for passage in passages)


def _size(facts: Sequence[str]) -> int:
    # With the dash or the empty line of each.
    return sum(len(fact) + 2 for fact in facts)
