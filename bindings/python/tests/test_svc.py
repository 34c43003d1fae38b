"""Tests of the package `svc`: `python -m unittest discover -s bindings/python/tests`."""

import asyncio
import dataclasses
import datetime
import decimal
import enum
import gc
import multiprocessing
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import typing
import unittest
import weakref

import svc


@dataclasses.dataclass
class Order:
    total: decimal.Decimal
    waited: datetime.timedelta = datetime.timedelta(0)


@dataclasses.dataclass
class Customer:
    name: str
    age: typing.Optional[int] = None
    orders: typing.List[Order] = dataclasses.field(default_factory=list)


class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"


CUSTOMER = "{ name: string, age: int?, orders: [{ total: money, waited: duration }] }"


class Scripts(unittest.TestCase):
    def setUp(self):
        self.engine = svc.Engine()

    def test_params_and_results(self):
        script = 'param n: int  ["a", "b", "c"] >> take(n: n) >> each { upper }'
        result = self.engine.run(script, n=2)
        self.assertEqual(result.value, ["A", "B"])
        self.assertEqual(result.usage, svc.Usage(0, decimal.Decimal("0.00")))
        self.assertEqual(self.engine.run("upper", input="a").value, "A")
        self.assertEqual(self.engine.run("param timeout: int  timeout", params={"timeout": 3}).value, 3)

    def test_values_are_those_of_python(self):
        script = "param it_is: {} it_is"
        for of, value in [
            ("json", None),
            ("bool", True),
            ("int", -(2**63)),
            ("float", 0.5),
            ("string", "ä\0ö"),
            ("bytes", b"\x00\xff"),
            ("duration", datetime.timedelta(milliseconds=1500)),
            ("time", datetime.datetime(2026, 11, 23, 8, 0, 0, 250, datetime.timezone.utc)),
            ("date", datetime.date(2026, 11, 23)),
            ("money", decimal.Decimal("0.05")),
            ("[[int]]", [[1], []]),
            ("{ a: int?, b: string }", {"a": None, "b": "x"}),
        ]:
            found = self.engine.run(script.format(of), it_is=value).value
            self.assertEqual((type(found), found), (type(value), value), of)
        berlin = datetime.timezone(datetime.timedelta(hours=1))
        at = datetime.datetime(2026, 11, 23, 9, tzinfo=berlin)
        self.assertEqual(self.engine.run(script.format("time"), it_is=at).value, at)
        with self.assertRaisesRegex(ValueError, "tzinfo"):
            self.engine.run(script.format("time"), it_is=at.replace(tzinfo=None))
        self.assertEqual(self.engine.run(script.format("path"), it_is=pathlib.Path("a/b")).value, "a/b")
        self.assertEqual(self.engine.run(script.format("string"), it_is=Level.HIGH).value, "high")
        customer = Customer("ada", 36, [Order(decimal.Decimal(3))])
        found = self.engine.run(script.format(CUSTOMER), it_is=customer).value
        self.assertEqual(found, dataclasses.asdict(customer))

    def test_what_is_not_a_value_is_named_with_its_place(self):
        nested: list = []
        nested.append(nested)
        for value, error, message in [
            ({"a": [1, {2}]}, TypeError, "`x.a[1]` is a set"),
            (2**63, ValueError, "expected an int of 64 bits for `x`"),
            ([float("nan")], ValueError, "expected a finite float for `x[0]`"),
            ({1: 2}, ValueError, "expected keys that are strings for `x`"),
            ("\ud800", ValueError, "expected text of Unicode characters"),
            (datetime.timedelta(-1), ValueError, "not negative"),
            (nested, ValueError, "nested too deeply"),
        ]:
            with self.assertRaisesRegex(error, message.replace("[", r"\[")):
                self.engine.run("param x: json  x", x=value)

    def test_a_wrong_script_is_reported_before_it_runs(self):
        verdict = self.engine.check('["a"] >> each { uper }\n"b" >> len + "c"')
        self.assertFalse(verdict)
        first = verdict.problems[0]
        self.assertEqual((first.code, first.line, first.column), ("E201", 1, 17))
        self.assertEqual(first.help, "did you mean `upper`?")
        self.assertIn("unknown name `uper`", str(verdict))
        with self.assertRaises(svc.CheckError) as caught:
            self.engine.run('"a" >> uper')
        self.assertEqual(caught.exception.message, "unknown name `uper`")
        self.assertEqual(caught.exception.help, "did you mean `upper`?")
        self.assertIsNone(caught.exception.kind)
        self.assertTrue(self.engine.check('"a" >> upper'))

    def test_wrong_params_are_input_errors(self):
        with self.assertRaisesRegex(svc.InputError, "expected int for `n`, found \"x\""):
            self.engine.run("param n: int  n", n="x")
        with self.assertRaisesRegex(ValueError, "did you mean `name`"):
            self.engine.run("param name: string  name", nam="x")
        with self.assertRaisesRegex(svc.InputError, "unknown field|invalid amount"):
            self.engine.run("1", max_cost="five")
        with self.assertRaisesRegex(TypeError, "given twice"):
            self.engine.run("param n: int  n", params={"n": 1}, n=2)

    def test_a_plan_says_what_a_run_can_take(self):
        plan = self.engine.plan("[1, 2] >> each { wait(duration: 1s) }")
        self.assertIn("envelope", plan.raw)
        self.assertIn("each[]", str(plan))
        with self.assertRaises(svc.CheckError):
            self.engine.plan("1 >> uper")

    def test_a_file_is_a_script_with_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "lib.svc").write_text("flow twice(n: int) -> int { n * 2 }\n")
            (path / "main.svc").write_text('use "./lib.svc" as lib\nparam n: int\nn >> lib.twice\n')
            self.assertEqual(self.engine.run(path / "main.svc", n=4).value, 8)

    def test_bounds_are_errors_of_their_own(self):
        started = time.monotonic()
        with self.assertRaises(svc.TimeoutError) as caught:
            self.engine.run("param d: duration  1 >> wait(duration: d)", d=datetime.timedelta(hours=1), timeout=0.1)
        self.assertLess(time.monotonic() - started, 5)
        self.assertIsInstance(caught.exception, TimeoutError)
        self.assertEqual(caught.exception.kind, "timeout")
        with self.assertRaises(svc.ExhaustedError):
            self.engine.run("param n: int  range(0, n) >> each { it } >> len", n=10_000_000, max_memory=1_000_000)

    def test_a_policy_denies_effects(self):
        engine = svc.Engine(policy=svc.Policy(allow=[]))

        @engine.op("mail.send", effect="writes mail")
        def send(text: str) -> bool:
            return True

        verdict = engine.check('"hi" >> mail.send')
        self.assertEqual(verdict.problems[0].code, "E315")
        allowed = svc.Policy(allow=["writes mail"])
        self.assertIs(engine.run('"hi" >> mail.send', policy=allowed).value, True)
        with self.assertRaisesRegex(ValueError, "invalid policy"):
            svc.Engine(policy=svc.Policy(allow=["eats"]))

    def test_errors_can_be_pickled(self):
        with self.assertRaises(svc.CheckError) as caught:
            self.engine.run("1 >> uper")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(str(again), str(caught.exception))
        self.assertEqual(again.problems, caught.exception.problems)


class Functions(unittest.TestCase):
    def setUp(self):
        self.engine = svc.Engine()

    def test_type_hints_are_the_types_in_scripts(self):
        @self.engine.op("crm.score", effect="reads crm", version=1)
        def score(customer: Customer, weight: float = 1.5, level: Level = Level.LOW) -> float:
            "Scores a customer."
            self.assertIsInstance(customer, Customer)
            self.assertIsInstance(customer.orders[0], Order)
            self.assertIsInstance(level, Level)
            return weight * float(customer.orders[0].total) * (2 if level is Level.HIGH else 1)

        customer = Customer("ada", None, [Order(decimal.Decimal(2))])
        script = "param c: " + CUSTOMER + "  c >> crm.score(%s)"
        self.assertEqual(self.engine.run(script % "", c=customer).value, 3.0)
        self.assertEqual(self.engine.run(script % 'weight: 2, level: "high"', c=customer).value, 8.0)
        self.assertIn("expects { name: string, age: int?", str(self.engine.check('"ada" >> crm.score')))
        self.assertEqual(score(customer), 3.0)

    def test_results_are_records(self):
        @self.engine.op
        def customers() -> typing.List[Customer]:
            return [Customer("ada", 36), Customer("bob", None, [Order(decimal.Decimal("0.5"))])]

        found = self.engine.run("customers() >> where { it.age == null } >> each { it.orders }").value
        self.assertEqual(found, [[{"total": decimal.Decimal("0.50"), "waited": datetime.timedelta(0)}]])

    def test_a_result_of_another_type_is_an_error(self):
        @self.engine.op
        def wrong() -> int:
            return "text"  # type: ignore[return-value]

        with self.assertRaisesRegex(svc.RunError, 'expected int, found "text"') as caught:
            self.engine.run("wrong()")
        self.assertEqual(caught.exception.kind, "invalid_output")

    def test_an_exception_is_the_cause_of_the_error(self):
        @self.engine.op("crm.find")
        def find(name: str) -> str:
            if name == "lost":
                raise FileNotFoundError("no file")
            if name == "busy":
                raise svc.OpError("no such customer", kind="denied", help="ask an admin")
            return {"ada": "a"}[name]

        with self.assertRaises(svc.RunError) as caught:
            self.engine.run('"bob" >> crm.find')
        self.assertIn("`crm.find` failed: KeyError: 'bob'", str(caught.exception))
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertIsNotNone(caught.exception.__cause__.__traceback__)
        self.assertEqual((caught.exception.path, caught.exception.component), ("crm.find", "crm.find"))
        with self.assertRaises(svc.NotFoundError):
            self.engine.run('"lost" >> crm.find')
        with self.assertRaises(svc.DeniedError) as caught:
            self.engine.run('"busy" >> crm.find')
        self.assertEqual(caught.exception.help, "ask an admin")
        self.assertEqual(self.engine.run('"bob" >> crm.find fallback "none"').value, "none")

    def test_unavailable_calls_are_retried(self):
        calls = []

        @self.engine.op("web.get", effect="reads net")
        def get() -> int:
            calls.append(1)
            if len(calls) < 3:
                raise svc.OpError("busy", kind="unavailable", retry_after=0.01)
            return len(calls)

        self.assertEqual(self.engine.run("web.get()").value, 3)

    def test_a_price_counts_against_a_cap(self):
        calls = []

        @self.engine.op("ask.model", price="0.01")
        def ask(text: str) -> str:
            calls.append(text)
            return text

        script = 'param all: [string]  all >> each { ask.model }'
        result = self.engine.run(script, all=["a", "b"], max_cost=decimal.Decimal("0.02"))
        self.assertEqual(result.usage.cost, decimal.Decimal("0.02"))
        with self.assertRaises(svc.BudgetError):
            self.engine.run(script, all=["a", "b"], max_cost=0.01)
        self.assertEqual(len(calls), 2)

    def test_what_cannot_be_an_op_is_refused_at_once(self):
        def of_set(it: set) -> int:
            return 1

        def rest(*all: int) -> int:
            return 1

        def either(it: typing.Union[int, str]) -> int:
            return 1

        def plain(it: int = "x") -> int:  # type: ignore[assignment]
            return 1

        for function, message in [
            (of_set, "cannot add `x`: `it`: set is not a type of svc"),
            (rest, "must have a name that scripts can use"),
            (either, "has only Optional"),
        ]:
            with self.assertRaisesRegex(TypeError, message):
                self.engine.op("x")(function)
        with self.assertRaisesRegex(svc.InputError, 'invalid default: expected int for `it`, found "x"'):
            self.engine.op("x")(plain)
        with self.assertRaisesRegex(svc.InputError, "invalid effect `eats`"):
            self.engine.op("x", effect="eats")(lambda: 1)
        with self.assertRaisesRegex(svc.InputError, "cannot add `upper`"):
            self.engine.op("upper")(lambda: 1)

    def test_a_function_may_run_scripts(self):
        @self.engine.op
        def shout(text: str) -> str:
            return self.engine.run("upper", input=text).value

        self.assertEqual(self.engine.run('["a", "b"] >> each { shout }').value, ["A", "B"])

    def test_functions_run_at_the_same_time(self):
        barrier = threading.Barrier(2, timeout=10)

        @self.engine.op("meet", effect="reads others")
        def meet(n: int) -> int:
            barrier.wait()
            return n

        self.assertEqual(self.engine.run("[1, 2] >> each { meet }").value, [1, 2])

    def test_functions_are_freed_with_their_engine(self):
        class Model:
            def score(self, n: int) -> int:
                return n

        model = Model()
        engine = svc.Engine()
        engine.op("score")(model.score)
        self.assertEqual(engine.run("1 >> score").value, 1)
        gone = weakref.ref(model)
        del engine, model
        deadline = time.monotonic() + 5
        while gone() is not None and time.monotonic() < deadline:
            gc.collect()
            time.sleep(0.01)
        self.assertIsNone(gone())

    def test_a_secret_reaches_only_the_op_that_declares_it(self):
        code = textwrap.dedent("""
            import svc
            engine = svc.Engine()
            @engine.op("api.call", effect="reads api")
            def call(text: str, key: svc.Secret) -> str:
                assert key == "hunter2", key
                return f"sent {key}"
            result = engine.run('secret api_key\\n"a" >> api.call(key: api_key)')
            assert "hunter2" not in str(result.value), result
            try:
                engine.run('secret api_key\\n"a" >> api.call(key: "text")')
            except svc.CheckError as err:
                print(err)
        """)
        done = subprocess.run(
            [sys.executable, "-c", code], env={**__import__("os").environ, "SVC_SECRET_API_KEY": "hunter2"},
            capture_output=True, text=True, timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("expects secret", done.stdout)


class Asyncio(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.engine = svc.Engine()

    async def test_runs_share_the_event_loop(self):
        results = await asyncio.gather(*(self.engine.run_async("param n: int  n + 1", n=n) for n in range(20)))
        self.assertEqual([it.value for it in results], list(range(1, 21)))

    async def test_async_functions_run_in_the_loop_of_the_caller(self):
        loop = asyncio.get_running_loop()
        lock = asyncio.Lock()

        @self.engine.op("web.get", effect="reads net")
        async def get(n: int) -> int:
            self.assertIs(asyncio.get_running_loop(), loop)
            async with lock:
                await asyncio.sleep(0.01)
            return n * 2

        result = await self.engine.run_async("[1, 2, 3] >> each { web.get }")
        self.assertEqual(result.value, [2, 4, 6])

    async def test_cancelling_the_task_cancels_the_run(self):
        cancelled = asyncio.Event()

        @self.engine.op("web.wait", effect="reads net")
        async def wait() -> int:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return 1

        started = time.monotonic()
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.engine.run_async("web.wait()"), 0.2)
        await asyncio.wait_for(cancelled.wait(), 5)
        self.assertLess(time.monotonic() - started, 5)

    async def test_a_bound_cancels_an_async_function(self):
        cancelled = asyncio.Event()

        @self.engine.op("web.wait", effect="reads net")
        async def wait() -> int:
            try:
                await asyncio.sleep(60)
            finally:
                cancelled.set()
            return 1

        with self.assertRaises(svc.TimeoutError):
            await self.engine.run_async("web.wait()", timeout=datetime.timedelta(milliseconds=100))
        await asyncio.wait_for(cancelled.wait(), 5)

    async def test_an_exception_of_an_async_function_is_the_cause(self):
        @self.engine.op("web.fail")
        async def fail() -> int:
            raise LookupError("nothing")

        with self.assertRaisesRegex(svc.RunError, "LookupError: nothing") as caught:
            await self.engine.run_async("web.fail()")
        self.assertIsInstance(caught.exception.__cause__, LookupError)

    async def test_events_of_a_run(self):
        @self.engine.op("web.get", effect="reads net")
        async def get(n: int) -> int:
            return n * 2

        run = self.engine.start("[1, 2] >> each { web.get }")
        names = [it["event"] async for it in run]
        self.assertEqual((names[0], names[-1]), ("begun", "ended"))
        self.assertEqual(names.count("finished"), 2)
        self.assertEqual((await run.result_async()).value, [2, 4])


class Runs(unittest.TestCase):
    def setUp(self):
        self.engine = svc.Engine()

    def test_events_and_the_result(self):
        run = self.engine.start("[1, 2] >> each { it + 1 }")
        events = list(run)
        self.assertEqual(events[-1]["event"], "ended")
        self.assertEqual(run.result().value, [2, 3])
        self.assertEqual(run.result().value, [2, 3])

    def test_a_run_is_cancelled_from_another_thread(self):
        run = self.engine.start("1 >> wait(duration: 1h)")
        with self.assertRaises(TimeoutError):
            run.result(timeout=0.05)
        threading.Timer(0.1, run.cancel).start()
        with self.assertRaises(svc.CancelledError):
            run.result()

    def test_an_async_function_needs_no_event_loop(self):
        @self.engine.op("web.get", effect="reads net")
        async def get(n: int) -> int:
            await asyncio.sleep(0.01)
            return n * 2

        self.assertEqual(self.engine.run("[1, 2] >> each { web.get }").value, [2, 4])

    def test_a_long_run_leaves_the_interpreter_to_others(self):
        turns = 0
        run = self.engine.start("1 >> wait(duration: 300ms)")
        other = threading.Thread(target=run.result)
        other.start()
        while other.is_alive():
            turns += 1
        self.assertGreater(turns, 100)

    @unittest.skipIf(sys.platform == "win32", "signals of POSIX")
    def test_ctrl_c_cancels_a_run(self):
        # A shell that starts the tests in the background has them ignore Ctrl-C.
        code = """
import signal, svc
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
svc.Engine().run("1 >> wait(duration: 1h)")
"""
        program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        program.stdout.readline()
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=10)
        self.assertIn(b"KeyboardInterrupt", errors)

    @unittest.skipUnless(hasattr(__import__("os"), "fork"), "systems that fork")
    def test_a_forked_process_runs_scripts(self):
        self.assertEqual(self.engine.run("1 + 1").value, 2)
        context = multiprocessing.get_context("fork")
        with context.Pool(1) as pool:
            self.assertEqual(pool.apply_async(_in_child, (3,)).get(timeout=20), 4)

    def test_a_program_ends_while_runs_and_functions_go_on(self):
        code = textwrap.dedent("""
            import asyncio, time, svc
            engine = svc.Engine()
            @engine.op
            def busy(n: int) -> int:
                until = time.monotonic() + 0.2
                while time.monotonic() < until:
                    pass
                return n
            async def main():
                await asyncio.gather(*(engine.run_async("1 >> upper") for _ in range(50)), return_exceptions=True)
                raise ValueError("the end")
            runs = [engine.start("[1, 2, 3, 4] >> each { busy }") for _ in range(4)]
            time.sleep(0.05)
            asyncio.run(main())
        """)
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
            self.assertIn("ValueError: the end", done.stderr)
            self.assertEqual(done.returncode, 1, done.stderr)

    def test_the_programs_of_the_book_work(self):
        root = pathlib.Path(__file__).parents[3]
        for page in ["docs/other-languages.md", "bindings/python/README.md"]:
            programs = re.findall(r"\n```python\n(.*?)\n```\n", (root / page).read_text("utf-8"), re.DOTALL)
            self.assertTrue(programs, page)
            for program in programs:
                done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_package_describes_itself(self):
        self.assertIn("max_cost", svc.Engine.run.__doc__)
        self.assertEqual(svc.CheckError.__module__, "svc")
        self.assertRegex(repr(self.engine), r"<svc.Engine components=\d+>")
        self.assertEqual(repr(svc.Secret("x")), "Secret('***')")


def _in_child(n):
    return svc.Engine().run("param n: int  n + 1", n=n).value


if __name__ == "__main__":
    unittest.main()
