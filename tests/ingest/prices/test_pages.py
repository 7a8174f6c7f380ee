"""Money words, tables by header, anchors and the account: the rules every price page shares."""

import io

import price_pages
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from ingest.core.errors import LayoutChanged, PayloadRejected
from ingest.core.html import text_of
from ingest.core.html_tables import read_table
from ingest.prices.money import LOWEST_ONLY, NO_PRICE, ON_REQUEST, agreed, money, stated
from ingest.prices.pages import gigabytes, number, page_source
from ingest.prices.registry import PRICE_SOURCES


def tag(html):
    return BeautifulSoup(html, "html.parser").find()


@pytest.mark.parametrize(
    ("words", "amount", "currency", "per"),
    [
        ("$2.49", 2.49, "USD", ""),
        ("$3.90/GPU-hr", 3.9, "USD", "gpu-hour"),
        ("$49.24 / Hour", 49.24, "USD", "hour"),
        ("US$1,234.50", 1234.5, "USD", ""),
        ("$1,234", 1234.0, "USD", ""),
        ("€1,99", 1.99, "EUR", ""),
        ("1,99 €", 1.99, "EUR", ""),
        ("€1.234,50", 1234.5, "EUR", ""),
        ("£2.10/hr", 2.1, "GBP", "hour"),
        ("C$4.10", 4.1, "CAD", ""),
        ("$4.10 CAD", 4.1, "CAD", ""),
    ],
)
def test_a_price_is_read_in_the_currency_beside_it(words, amount, currency, per):
    read = money(words)
    assert (read.amount, read.currency, read.per) == (amount, currency, per)
    assert read.absent is None and read.problem is None


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        *((dash, NO_PRICE) for dash in ("—", "–", "-", "", " \xa0", "N/A")),
        *((ask, ON_REQUEST) for ask in ("Contact sales", "Talk to our team", "Coming soon")),
        *(
            (low, LOWEST_ONLY)
            for low in ("from $0.79", "Starting at $1.99", "$1.49+", "as low as $1.25/GPU-hr")
        ),
    ],
)
def test_what_is_rightly_no_price_says_why(words, reason):
    read = money(words)
    assert (read.amount, read.absent, read.problem) == (None, reason, None)


@pytest.mark.parametrize(
    "words",
    [
        "2.49",  # no currency: never assumed to be dollars
        *("¥300", "₹249", "kr 20"),  # yen or yuan; not known; krona or krone
        *("€0,00", "Sold out"),
        *("€1.234", "€1,234"),  # a thousand, or one and a bit
        *("$1.2.3", "$2.", "$1,2,3"),
        *("$0.04/vCPU-hr", "$0.08 per GiB/month", "$2,339/month"),
        *("$2.49 $1.99", "$2.49 - $3.49", "H100: $2.49", "€2.49 USD"),
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
    for amount, currency in ((0, "USD"), ("free", "USD"), (True, "USD"), (1.5, None), (1.5, "$")):
        assert stated(amount, currency).problem


def test_figures_and_gigabytes():
    assert (number("2,048"), number("61.44"), number("16-192"), number("4^1")) == (2048, 61.44, None, None)
    assert [gigabytes(words) for words in ("186GB", "1800 GiB", "96-1152")] == [186, 1800, None]


def test_text_is_what_a_person_reads():
    html = (
        "<div><p><span>NVIDIA</span><span> </span><span>HGX H100</span></p><p>8<sup>1</sup> GPUs</p>a<br>b"
        "<script>var x = '$9.99'</script><style>p{}</style><!-- $8.88 --></div>"
    )
    assert text_of(tag(html)) == "NVIDIA HGX H100 8 GPUs a b"  # the footnote mark does not make it 81
    assert text_of(None) == ""


def test_a_table_whose_cells_reach_down_and_whose_head_is_a_first_row():
    table = tag(
        "<table><tr><th>Board</th><th>Size</th><th>Price</th><th>Price</th></tr>"
        "<tr><th rowspan=2>H100</th><td>8x</td><td>$3</td><td>$2</td></tr><tr><td>1x</td><td>$4</td><td>$5</td></tr></table>"
    )
    eight, one = read_table(table)
    assert eight.get("board") == one.get("Board") == "H100"
    assert (one.get("Size"), one.get("Price")) == ("1x", "$4")
    assert one.get("Price (2)") == "$5"


def test_a_head_without_its_row_and_labels_on_cells():
    head = "<thead><th>A</th><th>B</th></thead>"
    (bare,) = read_table(tag(f"<table>{head}<tr><td>1</td><td>2</td></tr></table>"))
    assert [c.headers for c in bare.cells] == [("A",), ("B",)]
    cells = "<td data-label='PRICE'>$2</td>"
    (labelled,) = read_table(tag(f"<table>{head}<tr>{cells}</tr></table>"))
    assert (labelled.get("price"), labelled.problem) == ("$2", None)


LINES = [("H100", "$2.49"), ("A100", "$1.99")]


def settle(*lines, n_prices=(1, 9), html=b"<p>prices per GPU</p>", **more):
    """The account of a page with these (instance type, words of the price cell)."""

    def read(page, account):
        fields = {"price_unit": "accelerator_hour", "pricing_model": "on_demand"} | more
        for i, (instance_type, words) in enumerate(lines, 1):
            account.price(f"line {i}", money(words), instance_type=instance_type, **fields)

    url = "https://example.com/pricing"
    source = page_source("example", "", url, read, n_prices=n_prices, anchors=("per GPU",))
    return source.parse([("", io.BytesIO(html))], key="pricing")


@pytest.mark.parametrize(
    ("words", "more", "problem"),
    [
        ("$3.90/GPU-hr", {"price_unit": "instance_hour", "accelerator_count": 8.0}, "per accelerator"),
        ("$399", {"accelerator_count": 8.0}, "not plausible"),
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


@pytest.mark.parametrize("share", [0.4, 0.7, 0.95])
@pytest.mark.parametrize(
    "name", ["coreweave", "crusoe", "hyperstack", "lambda", "nebius", "together", "verda"]
)
def test_a_page_that_is_cut_off_is_refused_whole(name, share):
    """A parser cannot tell a list that ends early from a shorter one."""
    page = getattr(price_pages, f"{name}_page")
    rows = {
        "crusoe": [price_pages.CRUSOE_GPUS],
        "hyperstack": [price_pages.HYPERSTACK_ON_DEMAND],
        "verda": [price_pages.VERDA_PAGE],
        "nebius": [[("NVIDIA GPU Instances", price_pages.NEBIUS_HEADER, price_pages.NEBIUS_GPUS)]],
    }
    whole = page(*rows.get(name, []))
    assert price_pages.read_page(PRICE_SOURCES[name], whole)
    with pytest.raises(PayloadRejected, match="the page is cut off: it ends before </html>"):
        price_pages.read_page(PRICE_SOURCES[name], whole[: int(len(whole) * share)])
