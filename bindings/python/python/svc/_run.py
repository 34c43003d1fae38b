"""Started runs."""

from __future__ import annotations

import asyncio
import json
from typing import Any, AsyncIterator, Dict, Iterator, Optional

from ._errors import Problem, Usage, succeeded
from ._results import Result


class Run:
    """A started run, from ``Engine.start``. Iterating over it returns its events as dicts, with the
    keys ``event``, ``path`` and others; the last one is ``ended``. They need not be read.

    The run is cancelled when the object is dropped, or at the end of a ``with`` block.
    """

    def __init__(self, native: Any) -> None:
        self._native = native
        self._ended: Any = None

    def __repr__(self) -> str:
        return f"<svc.Run {'ended' if self._ended else 'running'}>"

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: Any) -> None:
        self.cancel()

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        while True:
            event = self._native.next_event(None)
            if not event:
                return
            yield json.loads(event)

    async def __aiter__(self) -> AsyncIterator[Dict[str, Any]]:
        loop = asyncio.get_running_loop()
        while True:
            # In turns: a thread that waits must not outlive a cancelled task for long.
            event = await loop.run_in_executor(None, self._native.next_event, 0.5)
            if event == "":
                return
            if event is not None:
                yield json.loads(event)

    def cancel(self) -> None:
        """Cancels the run. Its result is then ``svc.CancelledError``, unless it had ended."""
        self._native.cancel()

    def result(self, timeout: Optional[float] = None) -> Result:
        """Waits for the result, at most ``timeout`` seconds: then ``TimeoutError`` of Python is
        raised, and the run continues. Raises ``svc.RunError`` if the run failed."""
        if self._ended is None:
            self._ended = self._native.join(timeout)
        if self._ended is None:
            raise TimeoutError(f"the run has not ended within {timeout} s")
        return result_of(self._ended)

    async def result_async(self) -> Result:
        """The same in asyncio. If the task is cancelled, so is the run."""
        loop = asyncio.get_running_loop()
        ended = loop.create_future()

        def wake() -> None:
            if not ended.done():
                ended.set_result(None)

        def notify() -> None:
            try:
                loop.call_soon_threadsafe(wake)
            except RuntimeError:
                pass  # The loop was closed: no one waits.

        self._native.when_ended(notify)
        try:
            await ended
        except asyncio.CancelledError:
            self.cancel()
            raise
        return self.result()


def result_of(ended: Any) -> Result:
    value, usage, warnings = succeeded(ended)
    found = [Problem._of(it) for it in json.loads(warnings)]
    return Result(value, Usage._of(json.loads(usage)), found)
