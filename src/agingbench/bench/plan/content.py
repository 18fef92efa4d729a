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

    def opening(self, rng: Random) -> list[Draft]: ...
    def note(self, rng: Random) -> Draft: ...
    def listing(self, rng: Random, number: int) -> list[Draft]: ...
    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]: ...
    def chain(self, rng: Random, hops: int) -> Chain: ...
    def account(self, rng: Random, session: int, number: int) -> Account: ...
    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta: ...
    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]: ...
    def talk(self, rng: Random) -> str: ...
    def frame(self, session: int) -> str: ...  # a line above the session's material, or nothing


class NoAccounts:
    """What a content without accounts takes over; its shape asks for none."""

    def account(self, rng: Random, session: int, number: int) -> Account:
        raise NotImplementedError("this life keeps no accounts")

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        raise NotImplementedError("this life keeps no accounts")


@dataclass(frozen=True)
class Purse:
    """The words of accounts; `what` is what money was spent on, `name` the account's name."""

    names: tuple[str, ...]
    spent_on: tuple[str, ...]
    whose: str = "my"
    filled: str = "I moved ${amount:,} of my savings into my {name}."
    refunded: str = "A refund of ${amount} for {what} came into my {name}."
    paid: str = "I paid ${amount} for {what} out of my {name}."
    filling: tuple[int, int] = (900, 1500)


class WithAccounts:
    """Content with accounts: each opens with a balance, moves by small sums and never runs dry."""

    purse: Purse

    def account(self, rng: Random, session: int, number: int) -> Account:
        name = self.purse.names[number]
        whose = self.purse.whose
        opening = _dollars(rng, 1600, 2900)
        question = f"What is the balance of {whose} {name} now? Give the exact amount."
        told = f"{whose.capitalize()} {name} starts out with a balance of ${opening:,}."
        return Account(f"a{number}", name, question, session, opening, told, [])

    def delta(self, rng: Random, session: int, account: Account, balance: int) -> Delta:
        what = rng.choice(self.purse.spent_on)
        if balance < LOW_BALANCE:
            amount = _dollars(rng, *self.purse.filling)
            return Delta(
                session, amount, self.purse.filled.format(amount=amount, name=account.name)
            )
        amount = _dollars(rng, 21, 97)
        back = rng.random() < REFUNDS
        told = (self.purse.refunded if back else self.purse.paid).format(
            amount=amount, what=what, name=account.name
        )
        return Delta(session, amount if back else -amount, told)


def _dollars(rng: Random, low: int, high: int) -> int:
    return int(matching.numbers(pools.money(rng, low, high).text)[0].value)


def link(subject: tuple[str, ...], phrase: str, draw: Draw, ask: str = "Who") -> Draft:
    """A fact that points to another, or holds what the others lead to."""
    return Draft(
        "link",
        "link",
        subject,
        phrase,
        f"{phrase[0].upper()}{phrase[1:]} is {{v}}.",
        draw,
        f"{ask} is {phrase}?",
    )


def outwards(
    holder: Draft,
    value: Value,
    through: Sequence[str],
    relations: Sequence[str],
    step: Callable[[str, str], Draft],
    entry: Callable[[], Draft],
) -> Chain:
    """Builds a chain of facts, from the one that holds the value to the one a question names.

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
    return Chain(links, values, f"{_held(holder)} of {path}{links[-1].phrase}")


def _held(holder: Draft) -> str:
    """Names the held thing without its holder: "Ana's desk number" becomes "the desk number"."""
    who = holder.subject[0]
    phrase = holder.phrase
    return (
        "the " + phrase.removeprefix(f"{who}'s ")
        if phrase.startswith(who)
        else phrase.removesuffix(f" of {who}")
    )
