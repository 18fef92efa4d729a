"""What a user declares of a life: nothing is claimed for anybody who said nothing."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from agingbench.errors import InputError, UnknownName


class Declarations(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was declared; None is not declared, which is not a no."""

    fork_disclosed: bool | None = None
    conflict_of_interest: bool | None = None

    def over(self, earlier: Declarations) -> Declarations:
        """These declarations, with those made earlier where these say nothing."""
        fork = self.fork_disclosed
        conflict = self.conflict_of_interest
        return Declarations(
            fork_disclosed=earlier.fork_disclosed if fork is None else fork,
            conflict_of_interest=earlier.conflict_of_interest if conflict is None else conflict,
        )


UNDECLARED = Declarations()
NAMES = Declarations.__struct_fields__


def read_declarations(values: Mapping[str, object], where: str) -> Declarations:
    """The declarations by name; raises InputError, with `where`, for another name or value."""
    for name, value in values.items():
        if name not in NAMES:
            raise InputError(f"{where}: {UnknownName('declaration', str(name), NAMES)}")
        if not isinstance(value, bool):
            raise InputError(f"{where}: declare {name} as yes or no, not {value!r}")
    return msgspec.convert(dict(values), Declarations)
