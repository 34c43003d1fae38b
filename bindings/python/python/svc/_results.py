"""What an engine says of scripts and runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List

from ._errors import Problem, Usage


@dataclass(frozen=True, repr=False)
class Verdict:
    """The result of a check. It is true if the script is correct; ``str`` of it is the problems as
    text."""

    raw: Dict[str, Any]
    """The object that ``svc check --json`` prints."""
    text: str

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text or "ok"

    def __repr__(self) -> str:
        return f"<svc.Verdict ok={self.ok} problems={len(self.problems)}>"

    @property
    def ok(self) -> bool:
        """Whether the script is correct; it may have warnings."""
        return bool(self.raw["ok"])

    @property
    def problems(self) -> List[Problem]:
        """Every problem, also warnings."""
        return [Problem._of(it) for it in self.raw["problems"]]


@dataclass(frozen=True, repr=False)
class Plan:
    """What a run will do. ``str`` of it is the plan as text."""

    raw: Dict[str, Any]
    """The object that ``svc plan --json`` prints."""
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<svc.Plan nodes={len(self.raw.get('nodes', []))}>"


@dataclass(frozen=True)
class Result:
    """The result of a run."""

    value: Any
    usage: Usage
    warnings: List[Problem]
    """The warnings of the check."""
