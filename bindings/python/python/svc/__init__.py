"""svc: a pipeline language that is checked before it runs.

    import svc

    engine = svc.Engine()
    result = engine.run('param n: int  ["a", "b", "c"] >> take(n: n) >> each { upper }', n=2)
    assert result.value == ["A", "B"]

``Engine.check`` finds every problem of a script without running it, ``Engine.plan`` says what a run
can take, ``Engine.run`` runs it, and ``Engine.run_async`` runs it in asyncio. ``Engine.op`` makes a
Python function a component.

Values of scripts are None, bool, int, float, str, bytes, list and dict; durations are
``datetime.timedelta``, times are ``datetime.datetime`` with a time zone, in UTC, dates are
``datetime.date``, and money is ``decimal.Decimal`` in US dollars. Dataclasses and enums can be
passed in, and are what a function with such type hints gets.
"""

from ._engine import Engine, Policy
from ._errors import (
    BudgetError,
    CancelledError,
    CheckError,
    DeniedError,
    Error,
    ExhaustedError,
    InputError,
    NotFoundError,
    OpError,
    Problem,
    RunError,
    TimeoutError,
    Usage,
)
from ._results import Plan, Result, Verdict
from ._run import Run
from ._svc import version as _version
from ._types import Secret

__version__ = _version()

__all__ = [
    "BudgetError",
    "CancelledError",
    "CheckError",
    "DeniedError",
    "Engine",
    "Error",
    "ExhaustedError",
    "InputError",
    "NotFoundError",
    "OpError",
    "Plan",
    "Policy",
    "Problem",
    "Result",
    "Run",
    "RunError",
    "Secret",
    "TimeoutError",
    "Usage",
    "Verdict",
]

# Messages and `help` name what users import.
for _name in __all__:
    globals()[_name].__module__ = __name__
del _name
