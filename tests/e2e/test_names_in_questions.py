"""Names as people write them, regions, and answers that would be empty: `rank`, `choose`, SQL macros and tools alike."""

import json

import pytest

import accelmart as reader
from accelmart.spelling import did_you_mean


# by the treaties: Norway and the United Kingdom are none of the European Union's
@pytest.mark.parametrize(
    ("region", "inside", "outside"),
    [
        ("EU", {"FI", "FR", "IE", "IT", "NL", "PL", "SE", "ES", "BE"}, {"NO", "US", "SG", "GB"}),
        ("europe", {"FI", "NO", "NL"}, {"US", "SG", "MA"}),
        ("north america", {"US", "CA"}, {"BR", "FI"}),
        ("Germany", {"DE"}, {"SE", "US"}),
    ],
)
def test_a_group_of_countries_is_a_region(warehouse, region, inside, outside):
    found = warehouse.execute(
        "select distinct country from fct_price_interval where in_region(region, country, $1) and country is not null",
        [region],
    ).fetchall()
    assert inside <= {country for (country,) in found} and not outside & {country for (country,) in found}


@pytest.mark.parametrize(
    ("offer", "country", "wanted", "is_in"),
    [
        ("us-east-1", "US", "use1-az1", True),  # the price of a region holds in its zones
        ("us-east-1-az1", "US", "us-east-1", True),
        ("us-east-1-az2", "US", "use1-az1", False),
        ("us-central1-b", "US", "us-central1", True),
        ("us-east-1", "US", "US-%", True),
        ("Europe", None, "Europe", True),
        (None, None, "EU", False),
    ],
)
def test_a_region_is_found_by_its_zones_and_a_zone_by_its_region(warehouse, offer, country, wanted, is_in):
    assert warehouse.execute("select in_region($1, $2, $3)", [offer, country, wanted]).fetchone() == (is_in,)


TAKEN = [
    ("accelerator", "H100", "nvidia-h100-sxm-80gb"),
    ("accelerator", "h100 nvl", "nvidia-h100-nvl-94gb"),
    ("accelerator", "RTX 5090", "nvidia-rtx-5090"),
    ("accelerator", "NVIDIA H100 80GB HBM3", "nvidia-h100-sxm-80gb"),
    ("accelerator", "8x H100", "nvidia-h100-sxm-80gb"),
    ("accelerator", "A100-80GB", "nvidia-a100-sxm-80gb"),
    ("accelerator", "A100 80GB SXM", "nvidia-a100-sxm-80gb"),
    ("accelerator", "NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm-80gb"),
    ("accelerator", "A100 PCIe 40GB", "nvidia-a100-pcie-40gb"),
    ("accelerator", "A100 40GB", "nvidia-a100-sxm-40gb"),
    ("benchmark", "Llama 3.1 405B", "llama3.1-405b"),
    ("benchmark", "llama2-70b-99", "llama2-70b-99"),
    ("model", "405b", "llama3.1-405b"),
    ("round", "6.1", "v6.1"),
    ("pricing model", "On Demand", "on_demand"),
    ("seller", "Amazon Web Services", "aws"),
    ("seller", "Microsoft", "azure"),
    ("seller", "google", "gcp"),
]
REFUSED = [
    ("accelerator", "rtx5090x", "near: nvidia-rtx-5090, "),
    ("accelerator", "H100 Ultra2", "near: "),
    ("accelerator", "H100,H200", "near: "),
    ("accelerator", "H200 and H100 NVL", "near: "),
    ("accelerator", "TPU", "TPU may be google-coral-usb, google-tpu-v2, "),
    (
        "accelerator",
        "A100",
        "A100 may be nvidia-a100-pcie-40gb, nvidia-a100-pcie-80gb, nvidia-a100-sxm-40gb, nvidia-a100-sxm-80gb: name one accelerator",
    ),
    ("accelerator", "A100 SXM", "A100 SXM may be nvidia-a100-sxm-40gb, nvidia-a100-sxm-80gb: "),
    ("accelerator", "V100 PCIe", "V100 PCIe may be nvidia-v100-pcie-16gb, nvidia-v100-pcie-32gb: "),
    ("benchmark", "llama2-70b", "may be llama2-70b-99, llama2-70b-99.9"),
    ("model", "acme", "; all: deepseek-r1, gpt-oss-120b, "),
    ("seller", "acme", "; all: akash, amd-developer-cloud, aws, azure, "),
    ("ownership scenario", "hyper", "all: emerging_neocloud, hyperscaler, neocloud_giant"),
]


@pytest.mark.parametrize(("thing", "word", "key"), TAKEN)
def test_a_unique_name_is_taken_and_the_note_says_for_what(warehouse, thing, word, key):
    found, note, problem = warehouse.execute("from resolve_name($1, $2)", [thing, word]).fetchone()
    assert (found, problem) == (key, None)
    assert note is None if word.lower() == key.lower() else note.startswith(f"{word} is read as {key}")


@pytest.mark.parametrize(("thing", "word", "words"), REFUSED)
def test_any_other_name_is_refused_with_candidates(warehouse, thing, word, words):
    found, note, problem = warehouse.execute("from resolve_name($1, $2)", [thing, word]).fetchone()
    assert found is None and note is None and words in problem


@pytest.mark.parametrize(
    ("word", "others"), [("MI300", "amd-mi300a"), ("L40", "nvidia-l40s"), ("RTX 5090", "")]
)
def test_a_note_names_what_else_the_word_may_be_of(warehouse, word, others):
    """An MI300A is not an MI300X, and an L4 no L40."""
    _, note, _ = warehouse.execute("from resolve_name('accelerator', $1)", [word]).fetchone()
    assert note.partition("; there is also ")[2] == others


def test_every_key_and_every_product_name_means_itself(warehouse):
    """Whatever aliases say: no accelerator can be taken for another one by its own name."""
    named = warehouse.execute(
        """
        select n.name, n.accelerator_id, r.id
        from (select accelerator_id, unnest([accelerator_id, product_name]) as name from dim_accelerator where is_mapped) as n,
            lateral (from resolve_name('accelerator', n.name)) as r
        """
    ).fetchall()
    assert len(named) > 100 and [row for row in named if row[1] != row[2]] == []


def test_a_bare_name_is_not_the_form_that_its_seller_names_on_that_day(warehouse):
    """Hyperstack lists "H100" at 2.50 and "H100 SXM" at 3.20 on one day: the first is the PCIe card."""
    priced = "select distinct accelerator_id from price_on('2026-10-10') where provider = 'hyperstack' and usd_per_accelerator_hour = "
    assert warehouse.execute(priced + "2.5").fetchall() == [("nvidia-h100-pcie-80gb",)]
    assert warehouse.execute(priced + "3.2").fetchall() == [("nvidia-h100-sxm-80gb",)]
    same = warehouse.execute(
        """
        select distinct bare.provider, bare.accelerator_published, named.accelerator_published
        from fct_price_interval as bare
        inner join fct_price_interval as named using (provider, source, stream, pricing_model, accelerator_id)
        where regexp_full_match(bare.accelerator_published, '(?i)(nvidia[ -])?[ahv][12]00')
            and named.accelerator_published ilike '%sxm%' and bare.is_comparable and named.is_comparable
            and bare.valid_from <= named.last_seen_at and named.valid_from <= bare.last_seen_at
            and bare.usd_per_accelerator_hour <> named.usd_per_accelerator_hour
        """
    ).fetchall()
    assert same == []


def test_sql_python_and_command_line_read_a_name_alike(built_home, warehouse, accelmart):
    by_key = warehouse.execute("from compare('nvidia-h100-sxm-80gb', 'nvidia-b200-sxm-180gb')").fetchall()
    assert warehouse.execute("from compare('H100', 'B200')").fetchall() == by_key
    assert reader.compare("H100", "B200", database=built_home).rows == by_key
    chosen = reader.choose("llama3.1-8b", 1e8, 1e6, have="A100-80GB:8", database=built_home)
    assert "A100-80GB is read as nvidia-a100-sxm-80gb" in " ".join(chosen.notes)
    done = accelmart(built_home, "compare", "H100", "B200", "--json")
    assert len(json.loads(done.stdout)) == len(by_key)
    assert "H100 is read as nvidia-h100-sxm-80gb; there is also nvidia-h100-nvl-94gb" in done.stderr
    refused = 'no accelerator matches "rtx5090x"; near: nvidia-rtx-5090, '
    assert refused in accelmart(built_home, "compare", "H100", "rtx5090x").stderr
    for ask in (
        lambda: warehouse.execute("from compare('H100', 'rtx5090x')"),
        lambda: reader.compare("H100", "rtx5090x", database=built_home),
    ):
        with pytest.raises(Exception, match=refused):
            ask()


def test_names_near_a_mistyped_one_are_suggested_in_order():
    assert (
        did_you_mean("us east", ["us-east-2", "eu-west-1", "us-east-1"])
        == " Did you mean us-east-1, us-east-2?"
    )
    assert did_you_mean("regoin", [f"region-{n}" for n in range(5)]).count("region-") == 5


def test_a_table_function_is_asked_by_its_name(built_home, warehouse):
    with reader.connect(built_home) as opened:
        answer = opened.ask("compare", a="H100", b="B200")
        assert answer.rows == warehouse.execute("from compare('H100', 'B200')").fetchall() and answer.columns
        assert opened.ask("price_level", accelerator="H100").records()[0]["pricing_model"] == "on_demand"
        for arguments, problem, message in (
            ({"a": "H100", "b": "rtx5090x"}, reader.QuestionError, "^no accelerator matches"),
            ({"a": "H100"}, reader.QueryError, r"compare\(a, b\)"),
            ({"a": "H100", "b or true": "B200"}, reader.QuestionError, "'b or true' is no name"),
        ):
            with pytest.raises(problem, match=message):
                opened.ask("compare", **arguments)
        with pytest.raises(reader.QueryError, match="compares does not exist"):
            opened.ask("compares", a="H100", b="B200")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"region": "mars"}, 'no region matches "mars"; regions: Africa, Asia, EU, Europe, '),
        ({"provider": "acme"}, 'no seller matches "acme"; near: '),
        ({"region": "FI", "provider": "azure"}, "with another region ("),
    ],
)
def test_an_answer_that_would_be_empty_says_what_there_is(built_home, options, message):
    with reader.connect(built_home) as opened, pytest.raises(reader.QuestionError) as raised:
        opened.rank("llama3.1-405b", **options)
    assert message in str(raised.value)


def test_a_regional_answer_counts_the_sellers_without_a_region(accelmart, built_home, warehouse):
    """The macro counts the sellers of which no price states a region; here they are counted price by price."""
    offers = warehouse.execute(
        "select provider, region, country from price_on(newest_price_day()) where pricing_model = 'on_demand' "
        "and accelerator_id in (select accelerator_id from mart_token_throughput where benchmark_id = 'llama3.1-405b')"
    ).fetchall()
    placed = {provider for provider, region, country in offers if region or country}
    countries = {
        c
        for (c,) in warehouse.execute(
            "select country from seeds.region_groups where region_group = 'EU'"
        ).fetchall()
    }
    sites = warehouse.execute(
        "select provider, site_countries from dim_provider where site_countries is not null"
    ).fetchall()
    with_site = {provider for provider, listed in sites if countries & set(listed.split(", "))}
    silent = {provider for provider, _, _ in offers} - placed - with_site
    assert len(silent) > 5 and with_site - placed
    sentence = (
        "Region EU: offers that state a region in it, and sellers that have one price for all their sites and a site in it; "
        f"{len(silent)} more sellers state no region."
    )
    done = accelmart(built_home, "rank", "--model", "llama3.1-405b", "--region", "EU")
    assert sentence in " ".join(done.stdout.split())
    asked = ("--tokens-per-day", "1e8", "--budget", "1e7", "--region", "EU")
    chosen = accelmart(built_home, "choose", "--model", "llama3.1-405b", *asked)
    assert sentence in " ".join(chosen.stdout.split())
    listed = json.loads(
        accelmart(built_home, "rank", "--model", "llama3.1-405b", "--region", "EU", "--json").stdout
    )
    assert listed and all(row["region"] or row["country"] or row["sites"] for row in listed)
