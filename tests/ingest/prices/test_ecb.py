"""Reference rates of the ECB in each of its forms."""

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
ONE_DAY_CSV = "Date, USD, JPY, GBP, \n30 October 2026, 1.1172, 175.68, 0.83380, \n"
XML = """<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
 xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject>
<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
<Cube>{}</Cube></gesmes:Envelope>"""
DAYS = (
    '<Cube time="2026-10-30"><Cube currency="USD" rate="1.1172"/><Cube currency="JPY" rate="175.68"/>'
    '<Cube currency="GBP" rate="0.8338"/></Cube>'
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


NEWEST = {("2026-10-30", "USD"): 1.1172, ("2026-10-30", "JPY"): 175.68, ("2026-10-30", "GBP"): 0.8338}


def test_the_history():
    parsed = parse(CSV)
    assert rates(parsed) == NEWEST | {
        ("2026-10-29", "USD"): 1.113,
        ("2026-10-29", "JPY"): 175.92,
        ("2026-10-29", "GBP"): 0.83578,
    }
    assert parsed.left_out == {NOT_FIXED: 4, TOO_OLD: 5}
    assert parsed.records_in == 15 and not parsed.rejects
    first = parsed.rows[0]
    assert first.date == datetime(2026, 10, 30, tzinfo=UTC) and first.record == "line 2, USD"


def test_all_forms_say_the_same():
    daily = parse(XML.format(DAYS))
    assert rates(daily) == rates(parse(ONE_DAY_CSV)) == NEWEST
    assert [r.record for r in daily.rows] == ["2026-10-30, USD", "2026-10-30, JPY", "2026-10-30, GBP"]
    packed = parse(zipped({"eurofxref-hist.csv": CSV}))
    assert rates(packed) == rates(parse(CSV))
    assert packed.rows[0].record == "eurofxref-hist.csv line 2, USD"


def test_the_first_day_is_kept():
    parsed = parse("Date,USD,\n2023-01-01,1.07,\n2022-12-31,1.06,\n")
    assert rates(parsed) == {("2023-01-01", "USD"): 1.07} and datetime(2023, 1, 1, tzinfo=UTC) == FIRST_DAY


def test_the_same_rate_twice_is_one_and_a_contradiction_is_none():
    assert parse(CSV, XML.format(DAYS)).duplicates == 3
    parsed = parse(CSV, XML.format(DAYS.replace("1.1172", "1.2")))
    assert ("2026-10-30", "USD") not in rates(parsed) and len(parsed.rejects) == 2
    assert "1.1172, 1.2" in parsed.rejects[0].problem
    assert {r.payload for r in parsed.rejects} == {"history"}


def test_a_column_of_no_currency_is_rejected_by_its_word():
    parsed = parse(CSV.replace("USD,JPY", "USD,US$", 1))
    assert ("2026-10-29", "GBP") in rates(parsed) and {"US$" in r.problem for r in parsed.rejects} == {True}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.1172", "1,1172"),  # 1 would be dollars and 1172 yen
        ("2026-10-30,1.1172,175.68,N/A,0.8338,N/A,", "2026-10-30,1.1172"),
        ("175.68,N/A", "175.68"),
    ],
)
def test_a_line_of_another_length_is_not_read(old, new):
    parsed = parse(CSV.replace(old, new, 1))
    assert {day for day, _ in rates(parsed)} == {"2026-10-29"}
    assert len(parsed.rejects) == 5 and all("cells" in r.problem for r in parsed.rejects)


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    "payload",
    [
        b"Date,EUR\n",
        b"price,USD\n1,2\n",
        XML.format(DAYS)[:-30].encode(),
        XML.format("").encode(),
        (BOMB + XML.format(DAYS).split("?>")[1]).encode(),
        zipped({"a.csv": CSV, "b.csv": CSV}),
        zipped({"readme.txt": "x"}),
        zipped({"eurofxref-hist.csv": "x"})[:60],
        zipped({"eurofxref-hist.csv": "Date,USD\n" + "0" * (9 << 20)}),
    ],
    ids=range(9),
)
def test_what_is_no_file_of_rates_is_refused(payload):
    with pytest.raises(PayloadRejected):
        parse(payload)
