"""The engine."""

from __future__ import annotations

import asyncio
import atexit
import datetime
import decimal
import functools
import inspect
import json
import os
import pathlib
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, TypeVar, Union, overload

from . import _svc
from ._errors import op_error, succeeded
from ._results import Plan, Result, Verdict
from ._run import Run
from ._types import signature

F = TypeVar("F", bound=Callable[..., Any])

Script = Union[str, "os.PathLike[str]"]
Seconds = Union[float, datetime.timedelta]
Dollars = Union[str, float, decimal.Decimal]

_ABSENT: Any = object()

atexit.register(_svc.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_svc.after_fork)


@dataclass(frozen=True)
class Policy:
    """Which effects scripts may have, such as ``reads fs:./docs``, ``writes``, ``runs cmd:git`` or ``spends``.

    Without ``allow``, everything is allowed that ``deny`` does not name; an empty ``allow`` allows only
    computing. Paths are relative to the current folder.
    """

    allow: Optional[Sequence[str]] = None
    deny: Sequence[str] = ()

    def _rules(self) -> Dict[str, Any]:
        allow = None if self.allow is None else list(self.allow)
        return {"allow": allow, "deny": list(self.deny)}


class Engine:
    """Checks, plans and runs scripts.

    A script is a ``str`` with its text, or a path of a file. An engine may be used by several
    threads at once.

    ``policy`` restricts all scripts of the engine. ``max_memory`` bounds each run, in bytes.
    """

    def __init__(self, *, policy: Optional[Policy] = None, max_memory: Optional[int] = None) -> None:
        rules = None if policy is None else json.dumps(policy._rules())
        self._native = _svc.NativeEngine(rules, max_memory)
        self._ops: List[str] = []
        self._changing = threading.Lock()

    def __repr__(self) -> str:
        ops = f" ops={self._ops}" if self._ops else ""
        return f"<svc.Engine components={len(self._native.components())}{ops}>"

    def check(self, script: Script) -> Verdict:
        """Finds every problem of a script, without running it."""
        text, name, folder = _read(script)
        raw, shown = self._native.check(text, name, folder)
        return Verdict(json.loads(raw), shown.strip())

    def plan(
        self,
        script: Script,
        *,
        input: Any = _ABSENT,
        params: Optional[Dict[str, Any]] = None,
        max_cost: Optional[Dollars] = None,
        max_tokens: Optional[int] = None,
        timeout: Optional[Seconds] = None,
        max_memory: Optional[int] = None,
        policy: Optional[Policy] = None,
        **more: Any,
    ) -> Plan:
        """What a run with these params and caps would do, and the most that it can take.

        Params that are not given are unknown. Raises ``svc.CheckError`` if the script is wrong.
        """
        text, options = _options(script, max_cost, max_tokens, timeout, max_memory, policy)
        raw, shown = succeeded(self._native.plan(text, options, _given(input, params, more)))
        return Plan(json.loads(raw), shown)

    def start(
        self,
        script: Script,
        *,
        input: Any = _ABSENT,
        params: Optional[Dict[str, Any]] = None,
        max_cost: Optional[Dollars] = None,
        max_tokens: Optional[int] = None,
        timeout: Optional[Seconds] = None,
        max_memory: Optional[int] = None,
        policy: Optional[Policy] = None,
        **more: Any,
    ) -> Run:
        """Starts a run, and returns a handle with its events and its result. The arguments are those
        of ``run``."""
        text, options = _options(script, max_cost, max_tokens, timeout, max_memory, policy)
        given = _given(input, params, more)
        return Run(succeeded(self._native.start(text, options, given, _loop())))

    def run(
        self,
        script: Script,
        *,
        input: Any = _ABSENT,
        params: Optional[Dict[str, Any]] = None,
        max_cost: Optional[Dollars] = None,
        max_tokens: Optional[int] = None,
        timeout: Optional[Seconds] = None,
        max_memory: Optional[int] = None,
        policy: Optional[Policy] = None,
        **more: Any,
    ) -> Result:
        """Runs a script and returns its result.

        Keywords set the params of the script: ``engine.run("param n: int  n + 1", n=2)``. One that
        has the name of an option is set with ``params={"timeout": ..}``. ``input`` is the input of a
        script that begins with a stage, or else its first param.

        ``max_cost`` caps the cost in US dollars, ``max_tokens`` the tokens of language models,
        ``timeout`` the time in seconds or as a timedelta, and ``max_memory`` the memory in bytes. ``policy``
        replaces that of the engine.

        Raises ``svc.CheckError`` if the script is wrong, ``svc.InputError`` if the params do not fit, and
        ``svc.RunError`` if the run failed. Ctrl-C cancels the run. Inside a coroutine this blocks the
        event loop; use ``run_async`` there.
        """
        text, options = _options(script, max_cost, max_tokens, timeout, max_memory, policy)
        # This thread waits, so async functions cannot run in an event loop that it may have.
        given = _given(input, params, more)
        with Run(succeeded(self._native.start(text, options, given, None))) as run:
            return run.result()

    async def run_async(
        self,
        script: Script,
        *,
        input: Any = _ABSENT,
        params: Optional[Dict[str, Any]] = None,
        max_cost: Optional[Dollars] = None,
        max_tokens: Optional[int] = None,
        timeout: Optional[Seconds] = None,
        max_memory: Optional[int] = None,
        policy: Optional[Policy] = None,
        **more: Any,
    ) -> Result:
        """``run`` for asyncio. If the task is cancelled, so is the run. Async functions that are
        components run in the event loop of the caller."""
        run = self.start(
            script,
            input=input,
            params=params,
            max_cost=max_cost,
            max_tokens=max_tokens,
            timeout=timeout,
            max_memory=max_memory,
            policy=policy,
            **more,
        )
        return await run.result_async()

    @overload
    def op(self, name: F) -> F: ...

    @overload
    def op(
        self,
        name: Optional[str] = None,
        *,
        effect: Union[str, Iterable[str]] = (),
        version: Optional[int] = None,
        price: Optional[Dollars] = None,
        alias: Optional[str] = None,
    ) -> Callable[[F], F]: ...

    def op(
        self,
        name: Any = None,
        *,
        effect: Union[str, Iterable[str]] = (),
        version: Optional[int] = None,
        price: Optional[Dollars] = None,
        alias: Optional[str] = None,
    ) -> Any:
        """Makes a function a component of this engine::

            @engine.op("crm.score", effect="reads crm")
            def score(customer: Customer, weight: float = 1.0) -> float:
                "Scores a customer."

        Scripts then call ``crm.score(weight: 2.0)``. The first parameter is the input. The type hints are
        the types in scripts: a dataclass is a record, ``Optional[T]`` is ``T?``, and no hint is ``json``.
        The docstring is the documentation. Without a name, it is that of the function.

        A plain function runs on a thread of its own, several at once, and must be safe for that. An
        ``async def`` runs in the event loop of ``run_async``, or else in one that svc starts, and is
        cancelled with its call.

        ``effect`` says what the function does besides computing: ``reads crm``, ``writes mail``, ``reads fs:<path>``
        with the parameter that names the path, ``reads web:<url>``, ``spends`` or ``asks``, or several of them.
        ``price`` is what a call costs in US dollars, so that caps on the cost count it.
        ``version`` lets other runs reuse its results; increase it when they change.

        An exception is the error of the call; see ``svc.OpError``. The function is returned unchanged.
        """
        if callable(name):
            return self.op()(name)

        def add(function: F) -> F:
            self._add(function, name or function.__name__, effect, version, price, alias)
            return function

        return add

    def _add(
        self,
        function: Callable[..., Any],
        name: str,
        effect: Union[str, Iterable[str]],
        version: Optional[int],
        price: Optional[Dollars],
        alias: Optional[str],
    ) -> None:
        try:
            params, result, call = signature(function)
        except TypeError as err:
            raise TypeError(f"cannot add `{name}`: {err}") from None
        declaration = {
            "name": name,
            "doc": inspect.getdoc(function) or "",
            "params": params,
            "returns": result,
            "effects": [effect] if isinstance(effect, str) else list(effect),
            "version": version,
            "price": _dollars(price),
            "alias": alias,
        }
        is_async = inspect.iscoroutinefunction(function)
        native_function = functools.partial(_submit, call) if is_async else _guarded(call)
        declared = json.dumps(declaration, default=_json)
        with self._changing:
            self._native = succeeded(self._native.with_op(declared, native_function, is_async))
            self._ops.append(name)


def _guarded(call: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*args: Any) -> Any:
        try:
            return call(*args)
        except Exception as err:
            error = op_error(err)
            if error is err:
                raise
            raise error from err

    return guarded


def _submit(call: Callable[..., Any], args: Any, caller: Any, done: Callable[[Any], None]) -> Any:
    """Runs a coroutine function in the caller's event loop, or in the one of svc."""

    async def guarded() -> Any:
        try:
            return await call(*args)
        except Exception as err:
            error = op_error(err)
            if error is err:
                raise
            raise error from err

    loop = caller if caller is not None and caller.is_running() else _own_loop()
    future = asyncio.run_coroutine_threadsafe(guarded(), loop)
    future.add_done_callback(done)
    return future


_own: Optional[asyncio.AbstractEventLoop] = None
_owner: Optional[int] = None
_own_lock = threading.Lock()


def _own_loop() -> asyncio.AbstractEventLoop:
    """An event loop on a thread of its own, one for each process."""
    global _own, _owner
    with _own_lock:
        if _own is None or _owner != os.getpid():
            _own, _owner = asyncio.new_event_loop(), os.getpid()
            threading.Thread(target=_own.run_forever, name="svc-asyncio", daemon=True).start()
        return _own


def _loop() -> Any:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _read(script: Script) -> Any:
    """The text of a script, its name and its folder."""
    if isinstance(script, str):
        return script, None, None
    if isinstance(script, os.PathLike):
        path = pathlib.Path(script)
        return path.read_text(encoding="utf-8"), str(path), str(path.parent)
    raise TypeError(f"expected a script as str, or a path, found {type(script).__name__}")


def _given(input: Any, params: Optional[Dict[str, Any]], more: Dict[str, Any]) -> Dict[Any, Any]:
    """The params by name; the input has the name None."""
    twice = sorted(set(params or ()) & set(more))
    if twice:
        raise TypeError(f"the param `{twice[0]}` is given twice")
    given: Dict[Any, Any] = {**(params or {}), **more}
    if input is not _ABSENT:
        given[None] = input
    return given


def _options(
    script: Script,
    max_cost: Optional[Dollars],
    max_tokens: Optional[int],
    timeout: Optional[Seconds],
    max_memory: Optional[int],
    policy: Optional[Policy],
) -> Any:
    text, name, folder = _read(script)
    options: Dict[str, Any] = {"name": name, "folder": folder}
    options["max_cost"] = _dollars(max_cost)
    if timeout is not None:
        seconds = timeout.total_seconds() if isinstance(timeout, datetime.timedelta) else timeout
        if not 0 <= seconds < 1e15:
            raise ValueError(f"invalid timeout: {timeout}; expected seconds, 0 or more")
        options["timeout_ms"] = round(seconds * 1000)
    options.update(max_tokens=max_tokens, max_memory=max_memory)
    if policy is not None:
        options["policy"] = policy._rules()
    return text, json.dumps(options)


def _dollars(it: Optional[Dollars]) -> Any:
    return format(it, "f") if isinstance(it, decimal.Decimal) else it


def _json(it: Any) -> Any:
    """A default of a parameter in JSON."""
    if isinstance(it, decimal.Decimal):
        return f"${it:f}"
    if isinstance(it, datetime.timedelta):
        return f"{it // datetime.timedelta(milliseconds=1)}ms"
    if isinstance(it, datetime.date):
        return it.isoformat()
    if isinstance(it, bytes):
        return it.hex()
    if hasattr(it, "__dataclass_fields__"):
        return {name: getattr(it, name) for name in it.__dataclass_fields__}
    if hasattr(it, "__fspath__"):
        return os.fspath(it)
    if hasattr(it, "value"):
        return it.value
    raise TypeError(f"a default of an op cannot be a {type(it).__name__}")
