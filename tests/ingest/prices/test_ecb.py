"""Reference rates of the ECB, as CSV and zipped."""

import io
import zipfile
from datetime import UTC, datetime

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices.ecb import FIRST_DAY, NOT_FIXED, SOURCE, TOO_OLD

# lines of the ECB's file of 2026-10-30, columns cut
CSV = (
    "Date,USD,JPY,BGN,GBP,RUB,\n"
    "2026-10-30,1.1172,175.68,N/A,0.8338,N/A,\n"
    "2026-10-29,1.113,175.92,N/A,0.83578,N/A,\n"
    "2022-12-30,1.0666,140.66,1.9558,0.88693,N/A,\n"
)


def parse(payload, *more):
    members = [("", io.BytesIO(p if isinstance(p, bytes) else p.encode())) for p in (payload, *more)]
    return SOURCE.parse(members, key="history")


def rates(parsed):
    return {(f"{r.date:%Y-%m-%d}", r.currency): r.per_eur for r in parsed.rows}


def zipped(files, compression=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_the_history():
    parsed = parse(CSV)
    assert rates(parsed) == {
        ("2026-10-30", "USD"): 1.1172,
        ("2026-10-30", "JPY"): 175.68,
        ("2026-10-30", "GBP"): 0.8338,
        ("2026-10-29", "USD"): 1.113,
        ("2026-10-29", "JPY"): 175.92,
        ("2026-10-29", "GBP"): 0.83578,
    }
    assert parsed.left_out == {NOT_FIXED: 4, TOO_OLD: 5}
    assert parsed.records_in == 15 and not parsed.rejects
    first = parsed.rows[0]
    assert first.date == datetime(2026, 10, 30, tzinfo=UTC) and first.record == "line 2, USD"


def test_the_zip_says_the_same():
    packed = parse(zipped({"eurofxref-hist.csv": CSV}))
    assert rates(packed) == rates(parse(CSV))
    assert packed.rows[0].record == "eurofxref-hist.csv line 2, USD"


def test_the_first_day_is_kept():
    parsed = parse("Date,USD,\n2023-01-01,1.07,\n2022-12-31,1.06,\n")
    assert rates(parsed) == {("2023-01-01", "USD"): 1.07} and datetime(2023, 1, 1, tzinfo=UTC) == FIRST_DAY


def test_a_contradiction_is_no_rate():
    parsed = parse(CSV, CSV.replace("1.1172", "1.2"))
    assert parsed.duplicates == 5 and ("2026-10-30", "USD") not in rates(parsed)
    assert ["1.1172, 1.2" in r.problem for r in parsed.rejects] == [True, True]


def test_a_column_of_no_currency_is_rejected_by_its_word():
    parsed = parse(CSV.replace("USD,JPY", "USD,US$", 1))
    assert ("2026-10-29", "GBP") in rates(parsed) and {"US$" in r.problem for r in parsed.rejects} == {True}


@pytest.mark.parametrize(("old", "new"), [("1.1172", "1,1172"), ("175.68,N/A", "175.68")])
def test_a_line_of_another_length_is_not_read(old, new):
    """A decimal comma would make 1 dollar and 1172 yen of 1.1172 dollars."""
    parsed = parse(CSV.replace(old, new, 1))
    assert {day for day, _ in rates(parsed)} == {"2026-10-29"}
    assert len(parsed.rejects) == 5 and all("cells" in r.problem for r in parsed.rejects)


@pytest.mark.parametrize(
    "payload",
    [
        b"Date,EUR\n",
        b"price,USD\n1,2\n",
        zipped({"a.csv": CSV, "b.csv": CSV}),
        zipped({"readme.txt": "x"}),
        zipped({"eurofxref-hist.csv": "x"})[:60],
        zipped({"eurofxref-hist.csv": "Date,USD\n" + "0" * (9 << 20)}),
    ],
    ids=range(6),
)
def test_what_is_no_file_of_rates_is_refused(payload):
    with pytest.raises(PayloadRejected):
        parse(payload)
