"""What models cost: a file of the user's; this package knows no price."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from inspect_ai._util.config import read_config_object
from pydantic import Field, model_validator

from utb_inspect.estimate.prefix import Scope
from utb_inspect.estimate.volume import Volume
from utb_inspect.files import write_text
from utb_inspect.logs import first_line
from utb_inspect.schema import DataError, Model, brief, parse

_OFFLINE = "utb/"
_MAILBOX = "utb/mailbox"
"""Passes requests on to whoever answers, at a price or not."""

Usd = Annotated[float | None, Field(ge=0, allow_inf_nan=False)]


class Price(Model):
    """USD for a million tokens, under Inspect's names: the file also serves as its `--model-cost-config`."""

    input: Usd = None
    output: Usd = None
    input_cache_write: Usd = None
    """For input that is sent anew while caching is on."""
    input_cache_read: Usd = None
    token_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """Tokens that the model counts for one of the estimate, for instance from a pilot run."""

    @model_validator(mode="after")
    def _all_or_none(self) -> Price:
        missing = [name for name in _USD if getattr(self, name) is None]
        if 0 < len(missing) < len(_USD):
            raise ValueError(f"missing: {', '.join(missing)}; give all four prices, or none")
        return self

    @property
    def usd(self) -> tuple[float, float, float, float] | None:
        """The four prices; None when they are not known."""
        if self.input is None or self.output is None or self.input_cache_write is None or self.input_cache_read is None:
            return None
        return self.input, self.output, self.input_cache_write, self.input_cache_read


_USD = ("input", "output", "input_cache_write", "input_cache_read")


@dataclass(frozen=True)
class Cost:
    """USD for a run."""

    uncached: float
    cached: Mapping[Scope, float]
    """With every repetition within the scope read from the cache."""


def read_prices(file: Path) -> dict[str, Price]:
    """Prices by model name, from JSON or YAML.

    Raises:
        DataError: the file cannot be read, or an entry is no price; names file, model and field.
    """
    try:
        entries = read_config_object(file.read_text(encoding="utf-8"))
    except OSError as error:
        hint = "; --write-prices makes one to fill in" if isinstance(error, FileNotFoundError) else ""
        raise DataError(f"{file}: cannot be read ({error.strerror or error}){hint}") from None
    except Exception as error:  # JSON's and YAML's errors, and a text that is no mapping
        raise DataError(f"{file}: give JSON or YAML with an entry a model name ({first_line(error)})") from None
    for model in entries:
        if not isinstance(model, str):  # YAML has keys of other kinds
            raise DataError(f"{file}: {brief(model)} is no model name; put names in quotes")
    return {  # in YAML an entry without any field is None
        model: Price() if entry is None else parse(Price, entry, f"{file}: {model}") for model, entry in entries.items()
    }


def write_template(file: Path, models: Iterable[str]) -> None:
    """Write a price file to fill in, with null for every price.

    Raises:
        DataError: the file is there already, or cannot be written.
    """
    if file.exists():
        raise DataError(f"{file}: is there already; name another file, or add the models to it by hand")
    entries = {model: dict.fromkeys(_USD) for model in models if not is_free(model)}
    write_text(file, json.dumps(entries, indent=2) + "\n")


def is_free(model: str) -> bool:
    """Whether a model is one of this package that costs nothing."""
    return model.startswith(_OFFLINE) and model != _MAILBOX


def lacking(price: Price | None, given: bool) -> str | None:
    """Why a model has no price, in words; None when it has one, or is free.

    Args:
        price: What the price file has for it, or that it is free.
        given: Whether there is a price file.
    """
    if price is not None:
        return None if price.usd else "entry in the price file not filled in"
    return "not in the price file" if given else "no price file given (--prices; --write-prices makes one)"


def cost(volume: Volume, price: Price | None) -> Cost | None:
    """What a run costs; None when a price is unknown.

    With caching, what repeats is read at `input_cache_read`. All else is sent anew, at the dearer of `input` and
    `input_cache_write`: some providers charge more for writing, others give no price for it.
    """
    usd = price.usd if price is not None else None
    if usd is None:
        return None
    input_, output, write, read = (figure / 1e6 for figure in usd)
    answers = volume.output_tokens * output
    anew = max(input_, write)
    return Cost(
        uncached=volume.input_tokens * input_ + answers,
        cached={
            scope: repeated * read + (volume.input_tokens - repeated) * anew + answers
            for scope, repeated in volume.repeated.items()
        },
    )
