"""What all parts of an episode share: strict fields, and texts that are not blank."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    model_serializer,
)


def _strip_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text.strip()


Text = Annotated[str, AfterValidator(_strip_text)]


class EpisodePart(BaseModel):
    """A part of an episode; an unknown field is a typing mistake that would else go unseen."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, coerce_numbers_to_str=False
    )

    # Fields that came later: left out where they are not used, so that the hashes of older
    # episodes and the gates that rest on them stay what they were.
    later: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = handler(self)
        return {
            name: value
            for name, value in content.items()
            if name not in self.later or value is not None
        }
