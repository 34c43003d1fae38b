"""The exceptions of svc."""

from __future__ import annotations

import builtins
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, List, Optional, Tuple, Type, TypeVar


@dataclass(frozen=True)
class Problem:
    """A problem of a script."""

    code: str
    """Such as ``E201``; the book of svc explains it."""
    severity: str
    """``error`` or ``warning``."""
    message: str
    help: Optional[str]
    line: Optional[int]
    """From 1; None for a problem without a place."""
    column: Optional[int]
    raw: Dict[str, Any]
    """The whole problem, with its labels and fixes."""

    @classmethod
    def _of(cls, raw: Dict[str, Any]) -> Problem:
        place = raw.get("span") or {}
        line, column = place.get("line"), place.get("column")
        help = raw.get("help") or None
        return cls(raw["code"], raw["severity"], raw["message"], help, line, column, raw)


@dataclass(frozen=True)
class Usage:
    """What a run has used."""

    tokens: int
    cost: Decimal
    """In US dollars."""

    @classmethod
    def _of(cls, raw: Dict[str, Any]) -> Usage:
        return cls(raw["tokens"], Decimal(raw["cost"].replace("$", "")))


class Error(Exception):
    """A script without a result. ``str`` of it is the whole message, with the place and help."""

    report: Dict[str, Any]
    """Everything that is known of the error, as JSON has it."""

    def __init__(self, text: str, report: Dict[str, Any]) -> None:
        super().__init__(text, report)
        self.report = report

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def message(self) -> str:
        """The message alone, on one line."""
        return str(self.report["message"])

    @property
    def code(self) -> str:
        """The code of the first error, such as ``E201``."""
        return str(self.report["code"])

    @property
    def kind(self) -> Optional[str]:
        """The kind of a failed run, such as ``budget``; None for a check."""
        kind: Optional[str] = self.report["kind"]
        return kind

    @property
    def help(self) -> Optional[str]:
        """What to do, if svc knows it."""
        helps = (it.help for it in self.problems if it.severity == "error")
        return next((it for it in helps if it), None)

    @property
    def problems(self) -> List[Problem]:
        """Every problem; a failed run has one."""
        return [Problem._of(it) for it in self.report["problems"]]


class CheckError(Error):
    """The script is wrong. Nothing ran."""


class InputError(Error, ValueError):
    """The params or options do not fit. Nothing ran."""

    @property
    def param(self) -> Optional[str]:
        """The param that was given wrongly or not at all, if the error is about one."""
        param: Optional[str] = self.report.get("param")
        return param


class RunError(Error):
    """The run failed at a place of the script. Its ``__cause__`` is the exception of the Python
    function that failed, if one did."""

    @property
    def path(self) -> str:
        """The node that failed, such as ``found/web/search``; empty for the whole run."""
        return str(self.report["path"])

    @property
    def component(self) -> Optional[str]:
        """The component that failed."""
        component: Optional[str] = self.report["component"]
        return component

    @property
    def usage(self) -> Optional[Usage]:
        """What the run had used."""
        raw = self.report["usage"]
        return None if raw is None else Usage._of(raw)

    @property
    def partial(self) -> Optional[Dict[str, Any]]:
        """The parts that were finished when a cap could not fund a call; its ``value`` has them."""
        partial: Optional[Dict[str, Any]] = self.report["partial"]
        return partial


class BudgetError(RunError):
    """Not enough is left of a cap on money or tokens."""


class TimeoutError(RunError, builtins.TimeoutError):
    """The run took longer than its bound."""


class CancelledError(RunError):
    """The run was cancelled."""


class DeniedError(RunError):
    """A policy or the system does not allow it."""


class NotFoundError(RunError):
    """A file, record or other named thing does not exist."""


class ExhaustedError(RunError):
    """The turns of a loop, or the memory of a bound, are used up."""


_KINDS: Dict[str, Type[RunError]] = {
    "budget": BudgetError,
    "timeout": TimeoutError,
    "cancelled": CancelledError,
    "denied": DeniedError,
    "not_found": NotFoundError,
    "exhausted": ExhaustedError,
}


T = TypeVar("T")
Failure = Tuple[str, str, Optional[BaseException]]


def succeeded(result: Tuple[Optional[T], Optional[Failure]]) -> T:
    """The success of a native call; raises the exception for its failure."""
    success, failure = result
    if success is None:
        assert failure is not None, "a native call has a success or a failure"
        raise error_of(failure)
    return success


def error_of(failure: Failure) -> Error:
    """The exception for what the native half reports."""
    raw, text, cause = failure
    report = json.loads(raw)
    # Python writes the name of the exception in front.
    text = text.strip().removeprefix("× ")
    error: Error
    if report["phase"] == "check":
        error = CheckError(text, report)
    elif report["phase"] == "input":
        error = InputError(text, report)
    else:
        error = _KINDS.get(report["kind"], RunError)(text, report)
    error.__cause__ = cause
    return error


class OpError(Exception):
    """The failure of a function that is a component.

    ``kind`` is one of ``failed``, ``invalid_input``, ``not_found``, ``unsupported``, ``denied``,
    ``timeout``, ``rate_limit``, ``unavailable``, ``invalid_output`` and ``exhausted``. The engine retries
    ``timeout``, ``rate_limit``, ``unavailable`` and ``invalid_output``, after ``retry_after`` seconds if given.
    Other exceptions of a function are failures of the kind ``failed``, but for those of the standard
    library that have a kind of their own, such as ``FileNotFoundError``.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "failed",
        help: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        if kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r}: expected one of {', '.join(KINDS)}")
        self.message = message
        self.kind = kind
        self.help = help
        self.retry_after = retry_after


KINDS = (
    "failed",
    "invalid_input",
    "not_found",
    "unsupported",
    "denied",
    "timeout",
    "rate_limit",
    "unavailable",
    "invalid_output",
    "exhausted",
)


def op_error(raised: Exception) -> OpError:
    """The exception of a function as a failure of its call."""
    if isinstance(raised, OpError):
        return raised
    kinds = (
        (FileNotFoundError, "not_found"),
        (PermissionError, "denied"),
        (builtins.TimeoutError, "timeout"),
        (ConnectionError, "unavailable"),
        (NotImplementedError, "unsupported"),
        (MemoryError, "exhausted"),
    )
    kind = next((kind for of, kind in kinds if isinstance(raised, of)), "failed")
    text = str(raised)
    name = type(raised).__name__
    return OpError(f"{name}: {text}" if text else name, kind=kind)
