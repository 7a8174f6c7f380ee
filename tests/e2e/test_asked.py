"""Names as people write them, regions, and answers that would be empty: `rank`, `choose`, SQL macros and tools alike."""

import json

import pytest

import accelmart as reader


def countries(warehouse, region):
    found = warehouse.execute(
        "select distinct country from fct_price_interval where in_region(region, country, $region) and country is not null",
        {"region": region},
    ).fetchall()
    return {country for (country,) in found}


@pytest.mark.parametrize(
    ("region", "inside", "outside"),
    [
        ("EU", {"FI", "FR", "IE", "IT", "NL", "PL", "SE", "ES", "BE"}, {"NO", "US", "SG"}),
        ("europe", {"FI", "NO", "NL"}, {"US", "SG", "MA"}),
        ("US", {"US"}, {"CA", "FI"}),
        ("north america", {"US", "CA"}, {"BR", "FI"}),
        ("Asia", {"JP", "SG", "IN", "KR"}, {"AU", "US"}),
    ],
)
def test_a_group_of_countries_is_a_region(warehouse, region, inside, outside):
    """Members of the European Union by its treaties; Norway and the United Kingdom are none."""
    found = countries(warehouse, region)
    assert inside <= found and not outside & found


@pytest.mark.parametrize(
    ("offer", "country", "wanted", "is_in"),
    [
        (
            "us-east-1",
            "US",
            "use1-az1",
            True,
        ),  # an id of an AWS zone: the price of the region holds in its zones
        ("us-east-1-az1", "US", "use1-az1", True),
        ("us-east-1-az1", "US", "us-east-1", True),
        ("us-east-1-az2", "US", "use1-az1", False),
        ("us-east-2", "US", "use1-az1", False),
        ("us-central1-b", "US", "us-central1", True),
        ("us-east-1", "US", "us-%", True),
        ("us-east-1", "US", "US-EAST-1", True),
        ("eu-north1", "FI", "eu", True),
        ("europe-west2", "GB", "EU", False),
        ("Europe", None, "Europe", True),
        (None, None, "EU", False),
    ],
)
def test_a_region_is_found_by_its_zones_and_a_zone_by_its_region(warehouse, offer, country, wanted, is_in):
    assert warehouse.execute("select in_region($1, $2, $3)", [offer, country, wanted]).fetchone() == (is_in,)


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("amazon", "aws"), ("Amazon Web Services", "aws"), ("google", "gcp"), ("Google Cloud", "gcp"), ("oracle", "oci"),
        ("Microsoft", "azure"), ("lambda-labs", "lambda"), ("CoreWeave", "coreweave"), ("aws", "aws"),
    ],
)  # fmt: skip
def test_a_seller_is_found_by_its_common_name(warehouse, word, key):
    assert warehouse.execute("select provider_named($1)", [word]).fetchone() == (key,)


def test_common_names_answer_as_the_key_does(built_home):
    with reader.connect(built_home) as opened:
        by_key = opened.rank("llama3.1-405b", provider="aws", pricing="all")
        assert (
            len(by_key) > 2
            and opened.rank("llama3.1-405b", provider="amazon", pricing=None).rows == by_key.rows
        )
        macro = opened.table("from cost_per_mtok('llama3.1-405b', 'Server', provider := 'Amazon')")
        assert macro.rows == by_key.rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"region": "mars"}, 'no region matches "mars"; regions: Africa, Asia, EU, Europe, '),
        ({"provider": "acme"}, 'no seller matches "acme"; sellers: akash, amd-developer-cloud, aws, azure, '),
        ({"pricing": "barter"}, 'no pricing model matches "barter"; pricing models: capacity_block, marketplace, on_demand, '),
        ({"release": "v9.9"}, 'no round matches "v9.9"; rounds: v'),
        ({"region": "FI", "provider": "azure"}, "with another --region ("),
    ],
)  # fmt: skip
def test_an_answer_that_would_be_empty_says_what_there_is(built_home, options, message):
    with reader.connect(built_home) as opened, pytest.raises(reader.QuestionError) as raised:
        opened.rank("llama3.1-405b", **options)
    assert message in str(raised.value)


def test_choose_refuses_an_unknown_region(built_home):
    with (
        reader.connect(built_home) as opened,
        pytest.raises(reader.QuestionError, match='no region matches "mars"'),
    ):
        opened.choose("llama3.1-405b", 1e8, 1e7, region="mars")


def test_a_macro_names_the_sellers_for_an_unknown_one(warehouse):
    with pytest.raises(
        Exception, match='no seller matches "acme"; sellers: akash, amd-developer-cloud, aws, '
    ):
        warehouse.execute("from cost_per_mtok('llama3.1-405b', 'Server', provider := 'acme')").fetchall()


def test_a_regional_answer_counts_the_sellers_without_a_region(accelmart, built_home, warehouse):
    """The macro counts the sellers of which no price states a region; here they are counted price by price."""
    offers = warehouse.execute(
        "select provider, region, country from price_on(newest_price_day()) where pricing_model = 'on_demand' "
        "and accelerator_id in (select accelerator_id from mart_token_throughput where benchmark_id = 'llama3.1-405b')"
    ).fetchall()
    placed = {provider for provider, region, country in offers if region or country}
    silent = {provider for provider, _, _ in offers} - placed
    assert len(silent) > 5
    sentence = f"Region EU: offers that state a region in it; {len(silent)} more sellers state no region."
    done = accelmart(built_home, "rank", "--model", "llama3.1-405b", "--region", "EU")
    assert sentence in done.stdout.splitlines()
    asked = ("--tokens-per-day", "1e8", "--budget", "1e7", "--region", "EU")
    assert sentence in accelmart(built_home, "choose", "--model", "llama3.1-405b", *asked).stdout.splitlines()
    listed = json.loads(
        accelmart(built_home, "rank", "--model", "llama3.1-405b", "--region", "EU", "--json").stdout
    )
    assert listed and all(row["region"] or row["country"] for row in listed)
