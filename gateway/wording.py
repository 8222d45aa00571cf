"""What is wrong with a value, in words for the person who reads it: better than what the validation says itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

from gateway import schemas

_REGEX = re.compile(r"Expected `str` matching regex (.*)", re.DOTALL)
_ENUM = re.compile(r"Invalid enum value (.*)", re.DOTALL)
_PART = re.compile(r"\.([^.\[\]]+)|(\[[^\]]*\])")
_PATTERNS = {repr(pattern): words for pattern, words in schemas.PATTERNS.items()}


def reworded(message: str, place: str, schema: Any) -> tuple[str, list[str]]:
    """A message of msgspec about the value at ``place`` (like ``.players[0].id``) of a ``schema``, and the values that
    may stand there, if they are few.
    """
    if match := _REGEX.fullmatch(message):
        return f"Expected {_PATTERNS.get(match[1], 'other characters')}", []
    if match := _ENUM.fullmatch(message):
        choices = sorted({choice for found in _at(inspect.type_info(schema), place) for choice in _choices(found)})
        return f"{match[1]} is none of {', '.join(choices)}", choices
    return message, []


def _at(info: inspect.Type, place: str) -> list[inspect.Type]:
    """The types a value at a place may have."""
    found = list(_plain(info))
    for name, _ in _PART.findall(place):
        found = [inner for outer in found for inner in _inside(outer, name)]
    return found


def _plain(info: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(info, inspect.Metadata):
        yield from _plain(info.type)
    elif isinstance(info, inspect.UnionType):
        for each in info.types:
            yield from _plain(each)
    else:
        yield info


def _inside(info: inspect.Type, name: str) -> Iterator[inspect.Type]:
    """Types of the field ``name`` of an object, or ("") of the items of a list."""
    if isinstance(info, inspect.StructType):
        for field in info.fields:
            if field.encode_name == name:
                yield from _plain(field.type)
    elif isinstance(info, inspect.ListType) and not name:
        yield from _plain(info.item_type)


def _choices(info: inspect.Type) -> list[str]:
    return [str(value) for value in info.values if value != ""] if isinstance(info, inspect.LiteralType) else []
