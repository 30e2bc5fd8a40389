"""Which fields profiles have (the paper's tables 7, 8 and 9 and figure 2, left). Names and counts; no text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from utb_inspect.analysis.profile_text import field_items, is_sensitive
from utb_inspect.datasets.public_tools import name_words
from utb_inspect.schema import Profile
from utb_inspect.trajectory.text import normalise

SHARED: dict[str, tuple[str, ...]] = {
    "persona summary": (
        "short_persona",
        "age",
        "gender",
        "nationality",
        "education",
        "occupation",
        "languages",
        "personality",
    ),
    "communication": ("speaking_style_to_chatbot", "clarification_preference"),
    "preference categories": (
        "stereotypical_preferences",
        "anti_stereotypical_preferences",
        "neutral_preferences",
    ),
    "task habits": ("budget_constraints", "travel_style", "scheduling_habits", "service_preferences"),
    "sensitive": ("health_and_medical_conditions", "therapy_background", "sensitive_information"),
}
"""The 20 shared fields (spec section 2), in the groups of the paper's table 7, which has none for the last three."""

OPTIONAL = "optional fields"
"""The group of a profile's own fields."""

SHARED_FIELDS = frozenset(name for names in SHARED.values() for name in names)

FIELD_GROUPS: dict[str, frozenset[str]] = {
    group: frozenset(words.split())
    for group, words in {
        "communication": "speaking communication clarification chatbot conversations",
        "health": "health medical medication medicine illness disease diagnosis disability allergy "
        "allergies therapy mental fitness diet",
        "privacy": "sensitive privacy private security contact",
        "travel": "travel trip trips commute transport",
        "media and hobbies": "hobbies hobby interests interest music musical band bands sports sport media books "
        "reading games films collection leisure",
        "task habits": "budget scheduling schedule service services shopping habits habit routine routines "
        "ritual rituals roster accounts savings",
        "preferences": "preference preferences stereotypical likes dislikes peeves favourite favourites favorite "
        "favorites",
        "education": "education degree school studies training",
        "career": "occupation career job work workplace profession professional business employer",
        "family and friends": "family people friends friend relationship relationships marital household children "
        "partner siblings pets social community",
        "place": "home residence location city region country place housing neighbourhood neighborhood base",
        "technology": "technology tech device devices digital apps",
        "values and motivations": "values value motivation motivations goals goal belief beliefs religion faith "
        "political civic",
        "means": "income financial finances economic socioeconomic salary wealth debt debts",
        "demographics": "age gender nationality ethnicity languages language generation generational migration "
        "birth demographic",
        "personality": "personality persona psychographic temperament character",
    }.items()
}
"""Field groups of figure 2 to the words of field names that belong there; the first group that fits takes the field."""

OTHER = "other"


@dataclass(frozen=True)
class SchemaGroup:
    """A row of table 7."""

    group: str
    fields: tuple[str, ...]
    """Names of the group's fields that a profile has; none for optional fields, which table 8 names."""
    profiles: int
    """Profiles with at least one field of the group."""
    occurrences: int
    """Fields of the group over all profiles."""


@dataclass(frozen=True)
class Coverage:
    """A row of table 8."""

    profile: str
    total: int
    shared: int
    extra: int
    extra_fields: tuple[str, ...]
    """Names of the profile's own fields that are not sensitive."""
    sensitive_extra: int
    """Own fields that are; their names stay untold."""


@dataclass(frozen=True)
class Descriptors:
    """Table 9. Counts of distinct values; ranges and counts by gender only for two profiles or more."""

    profiles: int
    ages: int
    """Profiles that give an age."""
    age_range: tuple[int, int] | None
    genders: dict[str, int]
    """`female`, `male` and `other` to profiles."""
    distinct: dict[str, int]
    """Nationalities, educations, occupations: distinct values."""


@dataclass(frozen=True)
class FieldGroup:
    """A bar of figure 2, left."""

    group: str
    fields: int
    """Fields of this kind over all profiles."""
    profiles: int
    """Profiles that have one."""


def schema_groups(profiles: Mapping[str, Profile]) -> list[SchemaGroup]:
    """Which groups of the shared schema the profiles fill, and the group of their own fields."""
    rows = []
    for group, fields in [*SHARED.items(), (OPTIONAL, ())]:
        belongs = fields.__contains__ if fields else lambda name: name not in SHARED_FIELDS
        held = [[name for name in given(profile) if belongs(name)] for profile in profiles.values()]
        present = {name for names in held for name in names}
        shown = tuple(name for name in fields if name in present)
        rows.append(SchemaGroup(group, shown, sum(map(bool, held)), sum(map(len, held))))
    return rows


def coverage(profiles: Mapping[str, Profile]) -> list[Coverage]:
    """Fields of each profile: all, shared and its own, in the order of `profiles`."""
    rows = []
    for name, profile in profiles.items():
        fields = given(profile)
        own = [field for field in fields if field not in SHARED_FIELDS]
        shown = tuple(field for field in own if not is_sensitive(field))
        rows.append(Coverage(name, len(fields), len(fields) - len(own), len(own), shown, len(own) - len(shown)))
    return rows


def descriptors(profiles: Mapping[str, Profile]) -> Descriptors:
    """Coverage of age, gender, nationality, education and occupation."""
    fields = [profile.fields for profile in profiles.values()]
    ages = [age for age in (_age(f.get("age")) for f in fields) if age is not None]
    several = len(profiles) > 1
    genders = Counter(_gender(text) for f in fields for text in field_items(f.get("gender"))[:1])
    return Descriptors(
        profiles=len(profiles),
        ages=len(ages),
        age_range=(min(ages), max(ages)) if several and len(ages) > 1 else None,
        genders={name: genders[name] for name in ("female", "male", "other")} if several and genders else {},
        distinct={
            shown: len({normalise(text) for f in fields for text in field_items(f.get(name))})
            for shown, name in (
                ("nationalities", "nationality"),
                ("educations", "education"),
                ("occupations", "occupation"),
            )
        },
    )


def field_groups(profiles: Mapping[str, Profile]) -> list[FieldGroup]:
    """Fields by what their names say they are about, the most frequent first."""
    fields: Counter[str] = Counter()
    having: Counter[str] = Counter()
    for profile in profiles.values():
        groups = [group_of(name) for name in given(profile)]
        fields.update(groups)
        having.update(set(groups))
    ordered = sorted(fields.items(), key=lambda item: (-item[1], item[0]))
    return [FieldGroup(group, count, having[group]) for group, count in ordered]


def group_of(name: str) -> str:
    """The field group of figure 2 that a field's name belongs to."""
    words = name_words(name)
    return next((group for group, known in FIELD_GROUPS.items() if not known.isdisjoint(words)), OTHER)


def given(profile: Profile) -> list[str]:
    """Names of the fields that say something: null, blank text and empty lists and objects do not."""
    return [
        name
        for name, value in profile.fields.items()
        if value is not None and value not in ([], {}) and not (isinstance(value, str) and not value.strip())
    ]


def _age(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _gender(text: str) -> Literal["female", "male", "other"]:
    if normalise(text) in ("woman", "female", "f", "girl", "she/her"):
        return "female"
    return "male" if normalise(text) in ("man", "male", "m", "boy", "he/him") else "other"
