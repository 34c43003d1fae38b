"""Makes the files that `table_files` reads: `python make.py FOLDER`, with pandas, pyarrow and openpyxl."""

import datetime as dt
import decimal
import sys
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(sys.argv[1])
UTC = dt.timezone.utc


def frame():
    return pd.DataFrame(
        {
            "id": [1, 2, 3],
            "name": ["tea", None, 'a "b", ü'],
            "price": [4.5, float("nan"), -0.25],
            "sold": [True, False, True],
            "at": pd.to_datetime(["2026-01-31 09:30:00.000001", None, "1969-12-31 23:59:59"], utc=True, format="ISO8601"),
        }
    )


for compression in ["snappy", "gzip", "lz4", "none"]:
    frame().to_parquet(FOLDER / f"pandas_{compression}.parquet", compression=compression, index=False)

table = pa.table(
    {
        "i8": pa.array([-1, None, 3], pa.int8()),
        "u32": pa.array([4_000_000_000, 1, None], pa.uint32()),
        "f16": pa.array([1.5, None, -2.0], pa.float16()),
        "f32": pa.array([0.1, 2.0, None], pa.float32()),
        "day": pa.array([dt.date(2026, 1, 31), None, dt.date(1960, 2, 29)]),
        "clock": pa.array([dt.time(9, 30), None, dt.time(23, 59, 59)], pa.time64("us")),
        "cents": pa.array([decimal.Decimal("12.34"), None, decimal.Decimal("-0.01")], pa.decimal128(12, 2)),
        "word": pa.array(["x", "y", "x"]).dictionary_encode(),
        "raw": pa.array([b"\xff\x00", None, b""]),
        "ms": pa.array([dt.datetime(2026, 1, 31, 9, 30, tzinfo=UTC), None, None], pa.timestamp("ms", "UTC")),
        "empty": pa.array([None, None, None], pa.int64()),
    }
)
pq.write_table(table, FOLDER / "pyarrow.parquet", row_group_size=2, data_page_version="2.0")
pq.write_table(table, FOLDER / "int96.parquet", use_deprecated_int96_timestamps=True, use_dictionary=False)
pq.write_table(pa.table({"id": [1, 2], "tags": [["a"], ["b", "c"]]}), FOLDER / "nested.parquet")
pq.write_table(pa.table({"id": pa.array([], pa.int64())}), FOLDER / "no_rows.parquet")
pq.write_table(pa.table({"id": [1]}), FOLDER / "zstd.parquet", compression="zstd")

book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Stock"
rows = [
    ["item", "count", "price", "since", "sold", "zip", None],
    ["pear", 12, 0.5, dt.date(2026, 1, 31), True, "0150", None],
    ["fig", None, 2, dt.datetime(2026, 2, 1, 9, 30), False, "5003", "note"],
]
for row in rows:
    sheet.append(row)
other = book.create_sheet("Other")
other.append(["a", "a"])
other.append([1, 2])
book.create_sheet("Empty")
book.save(FOLDER / "openpyxl.xlsx")
