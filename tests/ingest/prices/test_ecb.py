"""Reference rates of the ECB, as CSV and zipped."""

import io
import zipfile

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices.ecb import NOT_FIXED, SOURCE, TOO_OLD

# lines of the ECB's file of 2026-10-30, columns cut
CSV = (
    "Date,USD,JPY,BGN,GBP,RUB,\n"
    "2026-10-30,1.1172,175.68,N/A,0.8338,N/A,\n"
    "2026-10-29,1.113,175.92,N/A,0.83578,N/A,\n"
    "2022-12-30,1.0666,140.66,1.9558,0.88693,N/A,\n"
)


def parse(payload):
    body = payload if isinstance(payload, bytes) else payload.encode()
    return SOURCE.parse([("", io.BytesIO(body))], key="history")


def rates(parsed):
    return {(f"{r.date:%Y-%m-%d}", r.currency): r.per_eur for r in parsed.rows}


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_the_history():
    parsed = parse(CSV)
    assert rates(parsed) == {
        ("2026-10-30", "USD"): 1.1172, ("2026-10-30", "JPY"): 175.68, ("2026-10-30", "GBP"): 0.8338,
        ("2026-10-29", "USD"): 1.113, ("2026-10-29", "JPY"): 175.92, ("2026-10-29", "GBP"): 0.83578,
    }  # fmt: skip
    assert parsed.exclusions == {NOT_FIXED: 4, TOO_OLD: 5}
    assert parsed.records_in == 15 and not parsed.rejects
    packed = parse(zipped({"eurofxref-hist.csv": CSV}))
    assert rates(packed) == rates(parsed)
    assert (parsed.rows[0].record, packed.rows[0].record) == ("line 2, USD", "eurofxref-hist.csv line 2, USD")


def test_the_first_day_is_kept():
    assert rates(parse("Date,USD,\n2023-01-01,1.07,\n2022-12-31,1.06,\n")) == {("2023-01-01", "USD"): 1.07}


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
    "files",
    [{"a.csv": CSV, "b.csv": CSV}, {"eurofxref-hist.csv": "Date,USD\n" + "0" * (9 << 20)}],
    ids=["two", "bomb"],
)
def test_an_archive_of_two_files_or_of_a_bomb_is_refused(files):
    with pytest.raises(PayloadRejected):
        parse(zipped(files))
