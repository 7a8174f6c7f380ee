"""Money words, tables by header, anchors and the account: the rules every price page shares."""

import io

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from price_pages import PAGES

from ingest.core.errors import LayoutChanged
from ingest.core.html import text_of
from ingest.core.html_tables import read_grid, read_table
from ingest.prices import coreweave, crusoe, hyperstack, lambda_cloud, nebius, together, verda
from ingest.prices.money import LOWEST_ONLY, NO_PRICE, ON_REQUEST, agreed, money, stated
from ingest.prices.pages import gigabytes, number, page_source

MODULES = (lambda_cloud, coreweave, nebius, crusoe, together, hyperstack, verda)


def tag(html):
    return BeautifulSoup(html, "html.parser").find()


@pytest.mark.parametrize(
    ("words", "amount", "currency", "per"),
    [
        ("$2.49", 2.49, "USD", ""),
        ("$2.49 / GPU / hr", 2.49, "USD", "gpu-hour"),
        ("$3.90/GPU-hr", 3.9, "USD", "gpu-hour"),
        ("$3.90 per GPU per hour", 3.9, "USD", "gpu-hour"),
        ("$49.24 / Hour", 49.24, "USD", "hour"),
        ("\xa0$1.40 ", 1.4, "USD", ""),
        ("US$1,234.50", 1234.5, "USD", ""),
        ("$3.99*", 3.99, "USD", ""),
        ("2.49 USD", 2.49, "USD", ""),
        ("€1,99", 1.99, "EUR", ""),
        ("1,99 €", 1.99, "EUR", ""),
        ("€0.645", 0.645, "EUR", ""),
        ("€1.234,50", 1234.5, "EUR", ""),
        ("£2.10/hr", 2.1, "GBP", "hour"),
        ("C$4.10", 4.1, "CAD", ""),
        ("$4.10 CAD", 4.1, "CAD", ""),
        ("A$4", 4.0, "AUD", ""),
    ],
)
def test_a_price_is_read_in_the_currency_beside_it(words, amount, currency, per):
    read = money(words)
    assert (read.amount, read.currency, read.per, read.absent, read.problem) == (
        amount,
        currency,
        per,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        *((dash, NO_PRICE) for dash in ("—", "–", "––", "-", "", " \xa0", "N/A", "n/a")),
        *((ask, ON_REQUEST) for ask in ("Contact sales", "Contact us", "Talk to our team", "Coming soon")),
        *((low, LOWEST_ONLY) for low in ("from $0.79", "Starting at $1.99", "Starting from $2.79", "$1.49+")),
        ("as low as $1.25/GPU-hr", LOWEST_ONLY),
    ],
)
def test_what_is_rightly_no_price_says_why(words, reason):
    read = money(words)
    assert (read.amount, read.absent, read.problem) == (None, reason, None)


@pytest.mark.parametrize(
    "words",
    [
        *("2.49", "0"),  # no currency: never assumed to be dollars
        *("¥300", "₹249", "kr 20"),  # yen or yuan; not known; krona or krone
        *("$0.00", "€0,00"),
        *("€1.234", "€1,234"),  # a thousand, or one and a bit
        *("$1.2.3", "$2.", "$1,2,3"),
        *("$0.04/vCPU-hr", "$0.08 per GiB/month", "$1.50 per 1M tokens", "$2,339/month"),
        *("$2.49 $1.99", "2.49 EUR 1.99", "$2.49 - $3.49", "H100: $2.49", "€2.49 USD"),
        *("Free", "Sold out"),
    ],
)
def test_what_cannot_be_trusted_as_a_price_is_a_problem_not_a_price(words):
    read = money(words)
    assert read.amount is None
    assert read.problem and words.split()[0] in read.problem


@given(st.decimals("0.01", "99999", places=2))
def test_a_price_survives_being_written_the_american_and_the_german_way(price):
    american = f"{price:,}"
    german = american.translate(str.maketrans(",.", ".,"))
    assert money(f"${american}").amount == float(price)
    assert money(f"{german} €").amount == float(price)


@given(st.text())
def test_no_text_breaks_the_reader_and_every_text_has_one_meaning(words):
    read = money(words)
    assert [read.amount is not None, read.absent is not None, read.problem is not None].count(True) == 1


def test_copies_of_a_cell_count_only_when_they_agree():
    assert agreed(["$42.00", "$42.00"]).amount == 42
    assert agreed(["Contact sales", ""]).absent == ON_REQUEST
    assert agreed(["N/A", "N/A"]).absent == NO_PRICE
    for contradiction in (["$34.11", "$34.87"], ["$42.00", "Contact sales"], ["$42.00", "€42.00"], []):
        assert agreed(contradiction).amount is None
        assert agreed(contradiction).problem


def test_machine_readable_prices_need_an_amount_and_a_currency_code():
    assert (stated(4, "USD").amount, stated("1.718", "EUR").currency) == (4.0, "EUR")
    for amount, currency in (
        (0, "USD"),
        (None, "USD"),
        ("free", "USD"),
        (True, "USD"),
        (1.5, None),
        (1.5, "$"),
    ):
        assert stated(amount, currency).problem


def test_figures_and_gigabytes():
    assert (number("2,048"), number("61.44"), number("16-192"), number("4^1")) == (2048, 61.44, None, None)
    assert (gigabytes("80 GB"), gigabytes("186GB"), gigabytes("1800 GiB"), gigabytes("96-1152")) == (
        80,
        186,
        1800,
        None,
    )


def test_text_is_what_a_person_reads():
    html = (
        "<div><p><span>NVIDIA</span><span> </span><span>HGX H100</span></p><p>8<sup>1</sup> GPUs</p>a<br>b"
        "<script>var x = '$9.99'</script><style>p{}</style><!-- $8.88 --></div>"
    )
    assert text_of(tag(html)) == "NVIDIA HGX H100 8 GPUs a b"  # the footnote mark does not make it 81
    assert text_of(None) == ""


def test_a_table_in_levels_is_read_by_header():
    table = tag(
        "<table><thead><tr><th rowspan='2'>Hardware</th><th>ON-Demand</th><th colspan='2'>Reserved</th></tr>"
        "<tr><th>Pay as you go</th><th>7-30 days</th><th>31-90 days</th></tr></thead><tbody>"
        "<div><tr><td>H100</td><td>$3</td><td>$2</td><td>$1</td></tr></div>"
        "<tr><td>B300</td><td>—</td><td colspan='2'>Contact us</td></tr>"
        "<tr><td>B200</td><td>$9</td></tr></tbody></table>"
    )
    first, spanning, short = read_table(table)
    assert {c.header: c.text for c in first.cells} == {
        "Hardware": "H100",
        "ON-Demand / Pay as you go": "$3",
        "Reserved / 7-30 days": "$2",
        "Reserved / 31-90 days": "$1",
    }
    assert spanning.cells[-1].headers == ("Reserved / 7-30 days", "Reserved / 31-90 days")
    assert first.problem is None and spanning.problem is None
    assert short.problem == "has not the 4 cells of its header"


def test_a_table_whose_cells_reach_down_and_whose_head_is_a_first_row():
    table = tag(
        "<table><tr><th>Board</th><th>Size</th><th>Price</th><th>Price</th></tr>"
        "<tr><th rowspan=2>H100</th><td>8x</td><td>$3</td><td>$2</td></tr><tr><td>1x</td><td>$4</td><td>$5</td></tr></table>"
    )
    eight, one = read_table(table)
    assert (eight.get("board"), one.get("Board"), one.get("Size"), one.get("Price")) == (
        "H100",
        "H100",
        "1x",
        "$4",
    )
    assert one.get("Price (2)") == "$5"


def test_a_head_without_its_row_and_labels_on_cells():
    bare = tag(
        "<table><thead><th>A</th><th>B</th></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    )
    assert [c.headers for c in read_table(bare)[0].cells] == [("A",), ("B",)]
    labelled = tag(
        "<table><tr><th>A</th><th>B</th><th>C</th></tr>"
        "<tr><td data-label='PRICE'>$2</td><td data-label='PLAN'>H100</td></tr></table>"
    )
    (row,) = read_table(labelled)
    assert (row.get("price"), row.get("plan"), row.problem) == ("$2", "H100", None)


def test_definitions_are_one_row():
    (row,) = read_table(tag("<dl><dt>GPU</dt><dd>H100</dd><dt>Price</dt><dd>$2</dd></dl>"))
    assert (row.get("GPU"), row.get("Price")) == ("H100", "$2")
    assert read_table(tag("<dl><dt>GPU</dt><dt>Price</dt><dd>$2</dd></dl>"))[0].problem


def test_a_line_of_another_width_than_its_head_is_named():
    good, bad = read_grid(["A", "B"], [["1", "2"], ["1"]])
    assert (good.get("B"), good.problem) == ("2", None)
    assert bad.problem == "has 1 cells under 2 headers"


# ---------------------------------------------------------------- the account

LINES = [("H100", "$2.49"), ("A100", "$1.99")]


def settle(*lines, n_prices=(1, 9), html=b"<p>prices per GPU</p>", **more):
    """The account of a page with these (instance type, words of the price cell)."""

    def read(page, account):
        fields = {"price_unit": "accelerator_hour", "pricing_model": "on_demand"} | more
        for i, (instance_type, words) in enumerate(lines, 1):
            account.price(f"line {i}", money(words), instance_type=instance_type, **fields)

    url = "https://example.com/pricing"
    source = page_source("example", "", url, read, licence_note="", n_prices=n_prices, anchors=("per GPU",))
    return source.parse([("", io.BytesIO(html))], key="pricing")


def test_every_record_has_its_place_and_a_bad_one_does_not_take_its_neighbours():
    found = settle(("H100", "$2.49"), *LINES, ("H100", "Contact sales"), ("H100", "$0.00"), ("", "$1.99"))
    assert [(r.instance_type, r.price) for r in found.rows] == [("H100", 2.49), ("A100", 1.99)]
    assert (found.records_in, found.duplicates, found.left_out) == (6, 1, {ON_REQUEST: 1})
    assert [(r.record, r.problem) for r in found.rejects] == [
        ("line 5", "the price is '$0.00'"), ("line 6", "names no accelerator"),
    ]  # fmt: skip


def test_copies_that_contradict_each_other_are_both_rejected():
    found = settle(*LINES, ("H100", "$2.59"))
    assert [r.instance_type for r in found.rows] == ["A100"]
    assert len(found.rejects) == 2 and "$2.49, $2.59" in str(found.rejects[0])


@pytest.mark.parametrize(
    ("words", "more", "problem"),
    [
        ("$3.90/GPU-hr", {"price_unit": "instance_hour", "accelerator_count": 8.0}, "per accelerator"),
        ("$399", {}, "not plausible"),
        ("$2,339.28", {"accelerator_count": 8.0}, "not plausible"),
        ("$0.009", {}, "not plausible"),
        ("$1,800.00", {"price_unit": "instance_hour", "accelerator_count": 8.0}, "not plausible"),
        ("$0.07", {"price_unit": "instance_hour", "accelerator_count": 8.0}, "not plausible"),
    ],
)
def test_a_price_that_cannot_be_is_rejected(words, more, problem):
    found = settle(("H100", words), ("A100", "$2.49"), **more)
    assert [r.instance_type for r in found.rows] == ["A100"] and problem in found.rejects[0].problem


@pytest.mark.parametrize("n_prices", [(3, 9), (1, 1)])
def test_an_implausible_number_of_prices_is_a_changed_layout(n_prices):
    with pytest.raises(LayoutChanged, match=r"example.com/pricing.*2 were read.*no currency"):
        settle(*LINES, ("B200", "2.99"), n_prices=n_prices)


def test_anchors_are_looked_for_in_what_a_person_reads():
    settle(*LINES, html=b"<h2>PER<br>gpu</h2>")
    with pytest.raises(LayoutChanged, match=r"'per GPU'.*titled .Please log in.") as caught:
        settle(*LINES, html=b"<title> Please\n log in </title><script>var hidden = 'per GPU'</script>")
    assert caught.value.url == "https://example.com/pricing"
    with pytest.raises(LayoutChanged, match=r"is not there\. To fix"):
        settle(*LINES, html=b"<p>Your e-mail, please.")


# ---------------------------------------------------------------- all sources


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.SOURCE.name)
def test_the_plan_is_one_polite_request_for_a_page_that_can_be_replayed(module):
    (fetch,) = module.SOURCE.plan({})
    assert fetch.is_page and fetch.follow is None
    assert fetch.first.url == module.URL == module.SOURCE.home_url
    assert fetch.first.url in PAGES and fetch.first.json is None and not fetch.first.headers


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.SOURCE.name)
def test_rows_of_a_page_can_be_walked_back_to_its_bytes(module):
    body = PAGES[module.URL]
    found = module.SOURCE.parse([("page.html", io.BytesIO(body))], key="pricing")
    assert found.is_balanced and not found.rejects
    text = body.decode().replace("&nbsp;", "")
    for row in found.rows:
        assert (
            row.price_published in text
            and row.accelerator_published in text_of(BeautifulSoup(text, "html.parser")) + text
        )
        assert (row.member, row.source, row.source_url) == ("page.html", module.SOURCE.name, module.URL)
        assert row.record and row.currency == "USD" and row.observed_at is None


@pytest.mark.parametrize("module", [m for m in MODULES if m is not verda], ids=lambda m: m.SOURCE.name)
def test_a_page_for_visitors_of_another_country_is_read_in_their_currency(module):
    body = PAGES[module.URL].replace(b"$", "€".encode())
    found = module.SOURCE.parse([("", io.BytesIO(body))], key="pricing")
    dollars = module.SOURCE.parse([("", io.BytesIO(PAGES[module.URL]))], key="pricing")
    assert {r.currency for r in found.rows} == {"EUR"}
    assert [r.price for r in found.rows] == [r.price for r in dollars.rows]
    # another currency is another offer, not a new price of the same
    assert not {r.offer_id for r in found.rows} & {r.offer_id for r in dollars.rows}


@pytest.mark.parametrize("module", [m for m in MODULES if m is not verda], ids=lambda m: m.SOURCE.name)
def test_prices_without_a_currency_are_no_prices(module):
    body = PAGES[module.URL].replace(b"$", b"")
    with pytest.raises(LayoutChanged, match="no currency"):
        module.SOURCE.parse([("", io.BytesIO(body))], key="pricing")
