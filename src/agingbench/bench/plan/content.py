"""What a scenario brings to a life: drafts of facts, links, accounts, and how many of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from random import Random

from agingbench.bench.plan import pools
from agingbench.bench.plan.corpus import ANY, AccountWording, Corpus, Movement
from agingbench.bench.plan.facts import Account, Delta, FactGraph
from agingbench.bench.plan.filler import FIRST_DAY, Filler
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw, Space, member
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.templates import Filling
from agingbench.text.values import Value

LIST_SIZE = 4
MOST_DRAWS = 200  # narrow bounds may hold values of the filler only
SOON = (16, 90)  # days ahead: beyond the session in which what is told today may change
IN_TIME = (60, 560)
REFUNDS = 0.25  # the share of an account's movements that do not fill it up

# Returns one of several wordings with its gaps filled by these words.
Tell = Callable[[Random, Sequence[str], Mapping[str, str]], str]


@dataclass
class Draft:
    """A fact before it is told: sentences with {v} for the value, and how a value is drawn.

    `say`, `change` and `retract` need no other sentence. The other lists hold what a session may
    say in their place, with gaps that `words` and filler fill.
    """

    family: str
    domain: str
    subject: tuple[str, ...]
    phrase: str
    say: str
    draw: Draw
    question: str = ""
    change: str = ""
    retract: str = ""
    group: str | None = None
    statements: Sequence[str] = ()
    updates: Sequence[str] = ()
    retractions: Sequence[str] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    topic: str = ANY
    table: Sequence[str] = ()


def draft_from(
    corpus: Corpus,
    rng: Random,
    kind: str,
    draw: Draw,
    words: Mapping[str, str],
    family: str = "note",
    domain: str = "",
    group: str | None = None,
    revisable: bool = True,
    retractable: bool = True,
) -> Draft:
    """Draft a fact of a kind that the corpus has wordings for; `words` fill the kind's slots."""
    wording = corpus.wording(kind)
    shared = corpus.statements
    filler = corpus.filler
    phrase = Filling(rng, words, filler).text(wording.phrase)
    words = {**words, "phrase": phrase}

    def text(template: str) -> str:
        return Filling(rng, {**words, "v": "{v}"}, filler).text(template)

    say = text(wording.plain)
    change = text(wording.plain_update) if wording.plain_update else f"Update: {say}"
    entities = [text(part) for part in wording.subject]
    return Draft(
        family=family,
        domain=domain or kind,
        subject=(*entities, "|".join(text(cue) for cue in wording.cues)),
        phrase=phrase,
        say=say,
        draw=draw,
        question=text(rng.choice(wording.questions)),
        change=change if revisable else "",
        retract=text(wording.plain_retraction) if retractable else "",
        group=group,
        statements=wording.statements,
        updates=[*wording.updates, *(shared.corrections if wording.lasts else shared.updates)],
        retractions=wording.retractions or shared.retractions,
        words=words,
        topic=wording.topic,
        table=wording.table,
    )


@dataclass
class Chain:
    """Linked facts, value holder first; each later one points to the one before it by its value."""

    links: list[Draft]
    values: list[Value]
    phrase: str


@dataclass(frozen=True)
class Shape:
    """How much each session brings, and how many dependency probes every point asks at least."""

    notes: int = 4
    list_every: int = 2  # sessions; 0: no lists after the opening
    accounts: int = 2
    dependency_probes: int = 0


class CorpusAccounts:
    """Content with accounts whose wordings, names and sizes stand in the corpus."""

    corpus: Corpus
    split: Split

    @cached_property
    def filler(self) -> Filler:
        """Words and values for the gaps of requests, which no fact of this life uses."""
        return Filler(self.corpus.lists, self.split)

    @property
    def account_topic(self) -> str:
        """The topic of the scenes that movements of accounts fit into."""
        return self._account_words.topic

    def account(self, rng: Random, session: int, number: int, tell: Tell) -> Account:
        """Return the number-th account, opened in this session with a random balance."""
        words = self._account_words
        name = words.names[number]
        opening = self._step(rng, words.opening_range, balance=0, sign=1)
        account = Account(
            id=f"a{number}",
            name=name,
            question=rng.choice(words.questions).format(name=name),
            session=session,
            opening=opening,
            sentence="",
            deltas=[],
            unit=words.unit,
        )
        texts = self._texts(rng, words.opening, account, opening, tell)
        account.sentence, account.passage = texts
        return account

    def delta(self, rng: Random, session: int, account: Account, balance: int, tell: Tell) -> Delta:
        """Return the next movement: a payment, a refund, or a filling-up of a low account."""
        words = self._account_words
        movement = words.paid
        bounds = words.step_range
        sign = -1
        if balance < words.low:
            movement = words.filled
            bounds = words.filling_range
            sign = 1
        elif rng.random() < REFUNDS:
            movement = words.refunded
            sign = 1

        amount = sign * self._step(rng, bounds, balance, sign)
        texts = self._texts(rng, movement, account, abs(amount), tell)
        return Delta(session, amount, *texts)

    def _texts(
        self, rng: Random, movement: Movement, account: Account, amount: int, tell: Tell
    ) -> tuple[str, str]:
        # The plain sentence and what the session says, about the same purchase.
        words = {
            "v": account.value(amount).text,
            "name": account.name,
            "what": rng.choice(self._account_words.purchases),
        }
        sentence = Filling(rng, words, self.corpus.filler).text(movement.plain)
        return sentence, tell(rng, movement.statements, words)

    def _step(self, rng: Random, bounds: tuple[int, int], balance: int, sign: int) -> int:
        # A balance is a sum and not a draw: the step that leads to it is drawn again while filler
        # may say the sum.
        number = _unround(rng, bounds)
        for _ in range(MOST_DRAWS):
            total = balance + sign * number
            if not self.split.is_filler(Value("number", str(total))):
                break
            number = _unround(rng, bounds)
        return number

    @property
    def _account_words(self) -> AccountWording:
        words = self.corpus.statements.accounts
        assert words is not None, f"the corpus of {self.corpus.folder} has no accounts"
        return words


def _unround(rng: Random, bounds: tuple[int, int]) -> int:
    # A round number would be one that people say in passing.
    number = rng.randint(*bounds)
    while number % 50 == 0:
        number = rng.randint(*bounds)
    return number


class Content(CorpusAccounts, ABC):
    """Base of what a scenario brings to a life: its facts, look-alikes, links and tasks."""

    shape: Shape
    family: Lookalikes
    subjects: Sequence[Space] = ()  # whose names its notes are about
    today: date = FIRST_DAY  # the day of the session under way

    @abstractmethod
    def opening(self, rng: Random) -> list[Draft]:
        """Draft the facts of the first session."""

    @abstractmethod
    def note(self, rng: Random) -> Draft:
        """Draft one fact of a later session."""

    @abstractmethod
    def listing(self, rng: Random, number: int) -> list[Draft]:
        """Draft the members of the number-th list."""

    @abstractmethod
    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        """Draft the fact about a member of the family; its traits are one word per axis."""

    @abstractmethod
    def chain(self, rng: Random, hops: int) -> Chain:
        """Draft linked facts that lead to a value in so many hops."""

    @abstractmethod
    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        """Return the tasks of a session, which may build on the facts so far."""

    def draw(self, rng: Random, draft: Draft, avoid: Sequence[Value] = ()) -> Value:
        """Draw a value for a draft that is none of these, nor one that filler may state."""
        value = draft.draw(rng, avoid)
        for _ in range(MOST_DRAWS):
            if not self.split.is_filler(value):
                break
            value = draft.draw(rng, avoid)
        return value

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        """Draft the number-th pair of look-alikes."""
        one, other = self.family.pair(number)
        return self.look_alike(rng, one), self.look_alike(rng, other)

    def decoy_words(self, words: Mapping[str, str]) -> Mapping[str, str]:
        """Return the words of a note as a decoy of it uses them, before its subject is renamed."""
        return words

    def soon(self, rng: Random, avoid: Sequence[Value]) -> Value:
        """Draw a date of the next weeks, for what people arrange."""
        return pools.coming_date(rng, avoid, self.today, SOON)

    def in_time(self, rng: Random, avoid: Sequence[Value]) -> Value:
        """Draw a date of the next months or the next year, for what is planned or runs out."""
        return pools.coming_date(rng, avoid, self.today, IN_TIME)

    def frame(self, session: int) -> str:
        """Return the line above a session's material, or an empty string where there is none."""
        headings = self.corpus.statements.headings
        return headings[session % len(headings)] if headings else ""

    def fixed(
        self,
        rng: Random,
        kind: str,
        draw: Draw,
        words: Mapping[str, str],
        family: str,
        domain: str = "",
    ) -> Draft:
        """Draft a fact that is neither revised nor withdrawn."""
        return draft_from(
            self.corpus,
            rng,
            kind,
            draw,
            words,
            family=family,
            domain=domain,
            revisable=False,
            retractable=False,
        )

    def link(self, rng: Random, kind: str, draw: Draw, words: Mapping[str, str]) -> Draft:
        """Draft a fact of a chain."""
        return self.fixed(rng, kind, draw, words, family="link", domain="link")

    def chain_over(
        self,
        rng: Random,
        through: Sequence[str],
        space: Space,
        relations: Sequence[str],
        *,
        slot: str,
        holds: tuple[str, Draw],
        stands: str,
        named: tuple[str, Mapping[str, str]],
    ) -> Chain:
        """Draft a chain over names of a space: something names the first, the last holds a value.

        `holds` is the kind of fact of the last one and how its value is drawn, `stands` the kind
        that says how one stands to the next, `named` the kind that names the first one and its
        words; `slot` is where these statements put a name.
        """
        holder_kind, draw = holds
        holder = self.link(rng, holder_kind, draw, {slot: through[-1]})
        to_name = member(space)

        def step(name: str, relation: str) -> Draft:
            return self.link(rng, stands, to_name, {slot: name, "relation": relation})

        def entry() -> Draft:
            kind, words = named
            return self.link(rng, kind, to_name, words)

        return outwards(holder, self.draw(rng, holder), through, relations, step, entry)

    def list_member(
        self,
        rng: Random,
        number: int,
        kind: str,
        names: Space,
        words: Mapping[str, str],
        domain: str = "list",
    ) -> Draft:
        """Draft a member of the number-th list, which takes its name from a space."""
        return draft_from(
            self.corpus,
            rng,
            kind,
            member(names),
            words,
            family="list",
            domain=domain,
            group=f"g{number}",
            revisable=False,
        )


def requests(session: int, domain: str, texts: Sequence[str]) -> list[Task]:
    """Return tasks of one domain that ask for nothing that could be checked."""
    return [
        Task(f"t{session}.{number}", domain, text, "", "none") for number, text in enumerate(texts)
    ]


def outwards(
    holder: Draft,
    value: Value,
    through: Sequence[str],
    relations: Sequence[str],
    step: Callable[[str, str], Draft],
    entry: Callable[[], Draft],
) -> Chain:
    """Build a chain of facts, from the one that holds the value to the one a question names.

    `step` drafts how one of them stands to the next, `entry` how the first of them is named by
    something outside; they are drafted in this order, outwards.
    """
    links = [holder]
    values = [value]
    path = ""
    for k in range(len(through) - 1, 0, -1):
        relation = relations[(k - 1) % len(relations)]
        links.append(step(through[k - 1], relation))
        values.append(Value("name", through[k]))
        path += f"the {relation} of "

    links.append(entry())
    values.append(Value("name", through[0]))
    return Chain(links, values, f"{_thing(holder)} of {path}{links[-1].phrase}")


def _thing(holder: Draft) -> str:
    # The thing without its holder: "Ana's desk number" becomes "the desk number".
    who = holder.subject[0]
    phrase = holder.phrase
    if phrase.startswith(who):
        return "the " + phrase.removeprefix(f"{who}'s ")
    return phrase.removesuffix(f" of {who}")
