"""What of a profile may be measured: the text of fields that are not sensitive, identifying or demographic labels.

A profile is hidden: figures made of its text may be shown, the text never.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from utb_inspect.datasets.files import natural_key
from utb_inspect.datasets.native import read_profile
from utb_inspect.datasets.public_tools import name_words
from utb_inspect.schema import DataError, Profile

SENSITIVE = frozenset(
    """health medical medication medications medicine illness illnesses disease diseases diagnosis diagnoses
    disability disabilities allergy allergies therapy therapist therapies counselling counseling mental
    psychiatric psychological psychographic addiction pregnancy trauma sensitive privacy private religion
    religious belief beliefs faith spiritual spirituality church political politics ideology voting union
    orientation sexual sexuality ethnicity ethnic race racial caste ancestry migration immigration immigrant
    income salary wage wages wealth debt debts finance finances financial economic socioeconomic criminal
    conviction convictions""".split()
)
"""Words of field names that make a field sensitive: health, belief, orientation, ethnicity, income and the like."""

IDENTIFYING = frozenset(
    "contact contacts email emails mail phone phones telephone mobile address addresses passport iban username".split()
)
"""Words of field names that make a field identifying."""

DEMOGRAPHIC = frozenset("age gender pronouns nationality nationalities citizenship birthplace".split())
"""Words of field names that make a field a demographic label, of which distinct values are counted and no more."""

RAW = frozenset(("conversations", "preference_updates"))
"""Fields of PersonaMem-v2 files that hold interaction, not the profile."""

_LEFT_OUT = SENSITIVE | IDENTIFYING | DEMOGRAPHIC


def is_sensitive(name: str) -> bool:
    """Whether a field's name says that its values are sensitive."""
    return not SENSITIVE.isdisjoint(name_words(name))


def is_measured(name: str) -> bool:
    """Whether a field's text enters similarity and lexical diversity."""
    return name not in RAW and _LEFT_OUT.isdisjoint(name_words(name))


def field_items(value: Any) -> list[str]:
    """The items of a field: a text is one, a list's and an object's texts are one each, nested ones too.

    Keys, numbers, blank texts, and what stands under a nested key that is not to be measured, are left out.
    """
    return list(_items(value))


def _items(value: Any) -> Iterator[str]:
    match value:
        case str():
            if value.strip():
                yield value
        case list():
            for item in value:
                yield from _items(item)
        case Mapping():
            for key, item in value.items():
                if is_measured(str(key)):
                    yield from _items(item)


def measured_items(profile: Profile) -> dict[str, list[str]]:
    """Field to its items, of the fields that are measured and hold any."""
    found = {name: field_items(value) for name, value in profile.fields.items() if is_measured(name)}
    return {name: items for name, items in found.items() if items}


def read_profiles(folder: Path) -> dict[str, Profile]:
    """The profiles of a folder of JSON files, by id, in natural order; PersonaMem-v2 files too.

    Raises:
        DataError: the folder holds no profile, or one with faults; all faults are told, a line each.
    """
    profiles: dict[str, Profile] = {}
    faults: list[str] = []
    for path in sorted(folder.glob("*.json"), key=lambda path: natural_key(path.name)):
        try:
            profiles[path.stem] = read_profile(path, path.name)
        except DataError as error:
            faults.extend(str(error).splitlines())
    if not profiles and not faults:
        faults.append("holds no profile (*.json)")
    if faults:
        raise DataError("\n".join([f"{folder} cannot be used:", *faults]))
    return profiles
