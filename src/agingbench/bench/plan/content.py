"""What a scenario brings to a life: drafts of facts, links, accounts, and how many of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from agingbench.bench.plan import pools
from agingbench.bench.plan.facts import Account, Delta, FactGraph
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw
from agingbench.text import matching
from agingbench.text.values import Value

LOW_BALANCE = 500  # below this an account is filled up
REFUNDS = 0.25  # the share of its other movements


@dataclass
class Draft:
    """A fact before it is told: sentences with {v} for the value, and how a value is drawn."""

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


class NoAccounts:
    """Base of contents without accounts, whose shape asks for none."""

    def account(self, rng: Random, session: int, number: int) -> Account:
        """Raise NotImplementedError: this life has no accounts."""
        raise NotImplementedError("this life keeps no accounts")

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        """Raise NotImplementedError: this life has no accounts."""
        raise NotImplementedError("this life keeps no accounts")


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
