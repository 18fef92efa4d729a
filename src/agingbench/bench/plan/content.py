"""What a scenario brings to a life: drafts of facts, links, accounts, and how many of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from agingbench.bench.plan import pools
from agingbench.bench.plan.corpus import ANY, AccountWording, Corpus, Movement
from agingbench.bench.plan.facts import Account, Delta, FactGraph
from agingbench.bench.plan.filler import Filler
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw
from agingbench.bench.plan.templates import Filling
from agingbench.text import matching
from agingbench.text.values import Value

LOW_BALANCE = 500  # below this an account is filled up
REFUNDS = 0.25  # the share of its other movements


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
    filler = Filler(corpus.lists)
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
        updates=[*wording.updates, *shared.updates],
        retractions=wording.retractions or shared.retractions,
        words=words,
        topic=wording.topic,
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


class Content(Protocol):
    """What a scenario brings: its facts, look-alikes, links, accounts, tasks and small talk."""

    shape: Shape

    @property
    def corpus(self) -> Corpus | None:
        """The texts of the scenario; None: `talk` and `frame` make the text around the facts."""

    def opening(self, rng: Random) -> list[Draft]:
        """Draft the facts of the first session."""

    def note(self, rng: Random) -> Draft:
        """Draft one fact of a later session."""

    def listing(self, rng: Random, number: int) -> list[Draft]:
        """Draft the members of the number-th list."""

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        """Draft the number-th pair of look-alikes."""

    def chain(self, rng: Random, hops: int) -> Chain:
        """Draft linked facts that lead to a value in so many hops."""

    def account(self, rng: Random, session: int, number: int) -> Account:
        """Return the number-th account, opened in this session."""

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        """Return the next movement of an account that holds this balance."""

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        """Return the tasks of a session, which may build on the facts so far."""

    def talk(self, rng: Random) -> str:
        """Return a remark that states nothing anybody will ask for."""

    def frame(self, session: int) -> str:
        """Return a line that stands above the session's material, or an empty string."""

    def passing_topic(self, rng: Random) -> str | None:
        """Return a look-alike that is spoken of in passing, or None when nobody does."""


class NoAccounts:
    """Base of contents without accounts, whose shape asks for none."""

    corpus: Corpus | None = None

    def passing_topic(self, rng: Random) -> str | None:
        """Return None: nobody speaks of look-alikes in passing."""
        return None

    def account(self, rng: Random, session: int, number: int) -> Account:
        """Raise NotImplementedError: this life has no accounts."""
        raise NotImplementedError("this life keeps no accounts")

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        """Raise NotImplementedError: this life has no accounts."""
        raise NotImplementedError("this life keeps no accounts")


class CorpusAccounts:
    """Content with accounts whose wordings, names and sizes stand in the corpus."""

    corpus: Corpus

    def account(self, rng: Random, session: int, number: int) -> Account:
        """Return the number-th account, opened in this session with a random balance."""
        words = self._account_words
        name = words.names[number]
        opening = _unround(rng, words.opening_range)
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
        account.sentence, account.passage = self._texts(rng, words.opening, account, opening)
        return account

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        """Return the next movement: a payment, a refund, or a filling-up of a low account."""
        words = self._account_words
        movement = words.paid
        amount = -_unround(rng, words.step_range)
        if balance < words.low:
            movement = words.filled
            amount = _unround(rng, words.filling_range)
        elif rng.random() < REFUNDS:
            movement = words.refunded
            amount = -amount
        return Delta(session, amount, *self._texts(rng, movement, account, abs(amount)))

    def _texts(
        self, rng: Random, movement: Movement, account: Account, amount: int
    ) -> tuple[str, str]:
        # The plain sentence and what the session says, about the same purchase.
        words = {
            "v": account.value(amount).text,
            "name": account.name,
            "what": rng.choice(self._account_words.purchases),
        }
        filler = Filler(self.corpus.lists)
        sentence = Filling(rng, words, filler).text(movement.plain)
        passage = Filling(rng, words, filler).text(rng.choice(movement.statements))
        return sentence, passage

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


@dataclass(frozen=True)
class Purse:
    """The words of accounts; in the sentences, `what` is a purchase and `name` the account."""

    names: tuple[str, ...]
    purchases: tuple[str, ...]
    whose: str = "my"
    filled: str = "I moved ${amount:,} of my savings into my {name}."
    refunded: str = "A refund of ${amount} for {what} came into my {name}."
    paid: str = "I paid ${amount} for {what} out of my {name}."
    filling: tuple[int, int] = (900, 1500)


class WithAccounts:
    """Content with accounts: each opens with a balance, moves by small sums and never runs dry."""

    purse: Purse
    corpus: Corpus | None = None

    def passing_topic(self, rng: Random) -> str | None:
        """Return None: nobody speaks of look-alikes in passing."""
        return None

    def account(self, rng: Random, session: int, number: int) -> Account:
        """Return the number-th account, opened in this session with a random balance."""
        name = self.purse.names[number]
        whose = self.purse.whose
        opening = _dollars(rng, 1600, 2900)
        return Account(
            id=f"a{number}",
            name=name,
            question=f"What is the balance of {whose} {name} now? Give the exact amount.",
            session=session,
            opening=opening,
            sentence=f"{whose.capitalize()} {name} starts out with a balance of ${opening:,}.",
            deltas=[],
        )

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        """Return the next movement: a payment, a refund, or a filling-up of a low account."""
        purse = self.purse
        what = rng.choice(purse.purchases)
        if balance < LOW_BALANCE:
            amount = _dollars(rng, *purse.filling)
            sentence = purse.filled.format(amount=amount, name=account.name)
            return Delta(session, amount, sentence)

        amount = _dollars(rng, 21, 97)
        if rng.random() < REFUNDS:
            sentence = purse.refunded.format(amount=amount, what=what, name=account.name)
            return Delta(session, amount, sentence)

        sentence = purse.paid.format(amount=amount, what=what, name=account.name)
        return Delta(session, -amount, sentence)


def _dollars(rng: Random, low: int, high: int) -> int:
    return int(matching.numbers(pools.money(rng, low, high).text)[0].value)


def link(subject: tuple[str, ...], phrase: str, draw: Draw, ask: str = "Who") -> Draft:
    """Draft a fact of a chain: one that points to another, or the one that holds the value."""
    return Draft(
        family="link",
        domain="link",
        subject=subject,
        phrase=phrase,
        say=f"{phrase[0].upper()}{phrase[1:]} is {{v}}.",
        draw=draw,
        question=f"{ask} is {phrase}?",
    )


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
