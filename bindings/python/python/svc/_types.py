"""Type hints as types of the language, and values for those who declare them."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import pathlib
import types
import typing
from typing import Any, Callable, Dict, List, Tuple, Union


class Secret(str):
    """The type hint of a parameter that takes a secret of the script."""

    def __repr__(self) -> str:
        return "Secret('***')"


_PLAIN: Dict[Any, str] = {
    Any: "json",
    object: "json",
    None: "json",
    type(None): "json",
    inspect.Parameter.empty: "json",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    bytes: "bytes",
    dict: "json",
    list: "[json]",
    Secret: "secret",
    datetime.timedelta: "duration",
    datetime.datetime: "time",
    datetime.date: "date",
    decimal.Decimal: "money",
    pathlib.Path: "path",
    pathlib.PurePath: "path",
}

_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable)
_DICTS = (dict, collections.abc.Mapping)
_UNIONS = tuple(it for it in (Union, getattr(types, "UnionType", None)) if it is not None)


def type_text(hint: Any, inside: Tuple[Any, ...] = ()) -> str:
    """The type of the language for a type hint; a TypeError if there is none."""
    try:
        if hint in _PLAIN:
            return _PLAIN[hint]
    except TypeError:
        pass
    if hint in inside:
        raise TypeError(f"{_shown(hint)} contains itself: svc has no such type; use Any")
    inside = (*inside, hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return type_text(args[0], inside)
    if origin in _LISTS:
        return f"[{type_text(args[0], inside)}]"
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return f"[{type_text(args[0], inside)}]"
    if origin in _DICTS:
        return "json"
    if origin in _UNIONS:
        return _union(hint, args, inside)
    if origin is typing.Literal and all(isinstance(it, str) for it in args):
        return _choices(args)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        values = [it.value for it in hint]
        if all(isinstance(it, str) for it in values):
            return _choices(values)
    fields = _fields(hint)
    if fields is not None:
        texts = [f"{name}: {type_text(it, inside)}" for name, it in fields.items()]
        return "{ " + ", ".join(texts) + " }"
    raise TypeError(
        f"{_shown(hint)} is not a type of svc: use bool, int, float, str, bytes, list[..], dict, "
        "Optional[..], Literal[\"..\"], timedelta, datetime, date, Decimal, Path, a dataclass, a TypedDict or an Enum of str"
    )


def _union(hint: Any, args: Tuple[Any, ...], inside: Tuple[Any, ...]) -> str:
    some = [it for it in args if it is not type(None)]
    if len(some) != 1 or len(some) == len(args):
        raise TypeError(f"{_shown(hint)} is not a type of svc: of unions, it has only Optional[..]")
    inner = type_text(some[0], inside)
    return inner if inner == "json" or inner.endswith("?") else f"{inner}?"


def _choices(values: Any) -> str:
    return " | ".join(json.dumps(it, ensure_ascii=False) for it in values)


def _fields(hint: Any) -> Any:
    """The fields of a dataclass or TypedDict with their type hints; None for anything else."""
    if not isinstance(hint, type):
        return None
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return {it.name: hints[it.name] for it in dataclasses.fields(hint) if it.init}
    if issubclass(hint, dict) and hasattr(hint, "__total__"):
        return typing.get_type_hints(hint)
    return None


def reader(hint: Any) -> Callable[[Any], Any]:
    """The function that makes an argument what its type hint says: an instance of a dataclass."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return reader(args[0])
    if origin in _LISTS or origin is tuple:
        item = reader(args[0])
        whole = tuple if origin is tuple else list
        return _same if item is _same and whole is list else lambda it: whole(map(item, it))
    if origin in _UNIONS:
        some = reader(next(it for it in args if it is not type(None)))
        return _same if some is _same else lambda it: None if it is None else some(it)
    if isinstance(hint, type):
        if issubclass(hint, (enum.Enum, Secret)):
            return hint
        if issubclass(hint, pathlib.PurePath):
            return hint
        if dataclasses.is_dataclass(hint):
            readers = {name: reader(it) for name, it in _fields(hint).items()}
            return lambda it: hint(**{name: read(it[name]) for name, read in readers.items()})
    return _same


def _same(it: Any) -> Any:
    return it


def signature(function: Callable[..., Any]) -> Tuple[List[Dict[str, Any]], str, Callable[..., Any]]:
    """The params and the result of a function as an op declares them, and the function of the
    arguments in their order."""
    hints = typing.get_type_hints(function, include_extras=True)
    params, readers, names = [], [], []
    for param in inspect.signature(function).parameters.values():
        if param.kind in (param.VAR_POSITIONAL, param.VAR_KEYWORD, param.POSITIONAL_ONLY):
            raise TypeError(f"the parameter `{param}` of an op must have a name that scripts can use")
        hint = hints.get(param.name, param.empty)
        declared = {"name": param.name, "type": _declared(f"`{param.name}`", hint)}
        if param.default is not param.empty:
            declared["default"] = param.default
        params.append(declared)
        readers.append(reader(hint))
        names.append(param.name)
    result = _declared("the result", hints.get("return", Any))

    def call(*args: Any) -> Any:
        return function(**{name: read(it) for name, read, it in zip(names, readers, args)})

    return params, result, call


def _declared(of: str, hint: Any) -> str:
    try:
        return type_text(hint)
    except TypeError as err:
        raise TypeError(f"{of}: {err}") from None


def _shown(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
