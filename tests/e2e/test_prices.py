"""Prices of the warehouse built from the bundled snapshot: an independent source, headlines of earlier days, no future."""

import pytest
from queries import rows


def test_an_independent_aggregator_saw_the_same_prices(warehouse, price_data):
    """A source that is not bundled; sellers without tiers, whose pages were read on the same days."""
    file = price_data / "series" / "aggregator_getdeploying_daily_2026-02-11_2026-05-08.csv"
    found = rows(
        warehouse,
        """
        with pairs as (
            select w.provider, w.accelerator_id_guess, w.accelerator_count, w.usd_per_accelerator_hour, w.first_seen,
                min(abs(p.usd_per_accelerator_hour / w.usd_per_accelerator_hour - 1)) as difference
            from read_csv(?) as w
            inner join fct_price_interval as p
                on w.provider = p.provider and w.accelerator_id_guess = p.accelerator_id and p.is_comparable
                and p.pricing_model = 'on_demand' and w.pricing_model = 'on_demand'
                and p.valid_from::date <= w.last_seen + 10 and p.last_seen_at::date >= w.first_seen - 10
                and (p.accelerator_count = w.accelerator_count or not p.is_size_stated)
                and p.source in ('archived-price-pages', 'runpod-lambda-history', 'cloud-price-apis')
            where w.provider in ('aws', 'coreweave', 'hyperstack', 'lambda', 'nebius')
            group by all
        )
        select count(*), count(*) filter (where difference < 0.01) from pairs
        """,
        str(file),
    )
    assert found[0][0] >= 25 and found[0][1] == found[0][0]


@pytest.mark.parametrize("day", ["2026-06-30", "2025-07-01"])
def test_headlines_of_an_earlier_day_use_what_was_known_then(warehouse, day):
    ((as_of, is_known_then, n_headlines),) = rows(
        warehouse,
        "select max(price_as_of)::varchar, max(oldest_price_on) <= $1::date, count(*) filter (n_sellers > 0) "
        "from cost_headline(as_of := $1::date)",
        day,
    )
    assert (as_of, is_known_then) == (day, True) and n_headlines > 0


def test_nothing_published_lies_in_the_future(warehouse):
    """Times of observations and fetches; the days of announcements and deliveries are dates."""
    columns = rows(
        warehouse,
        "select table_name, column_name from duckdb_columns() where schema_name = 'main' "
        "and data_type = 'TIMESTAMP WITH TIME ZONE'",
    )
    assert ("fct_price_interval", "valid_from") in columns and len(columns) > 10
    ahead = [
        (table, column)
        for table, column in columns
        if rows(warehouse, f'select count(*) from main."{table}" where "{column}" > now()') != [(0,)]
    ]
    assert ahead == []


def test_within_a_region_sellers_without_one_are_placed_by_their_sites(warehouse):
    """H100 in the EU: all sites inside, then one price for all sites, then hyperscalers; by the seeds, apart from the functions."""
    eu = {c for (c,) in rows(warehouse, "select country from seeds.region_groups where region_group = 'EU'")}
    sites = dict(
        rows(
            warehouse,
            "select provider, list(distinct country) from seeds.cloud_regions where country_rule = 'fixed' group by provider",
        )
    )
    segments = dict(rows(warehouse, "select provider, segment from seeds.cloud_providers"))
    listed = rows(
        warehouse,
        "select provider, country, sites from cost_per_mtok('llama2-70b-99', 'Server', region := 'EU') "
        "where accelerator_id = 'nvidia-h100-sxm-80gb' and rank_reason is null",
    )
    tiers = []
    for provider, country, words in listed:
        of_seller = set(sites[provider])
        assert of_seller & eu and (words is None) == (country is not None)
        assert words is None or words == "one price for all sites: " + ", ".join(sorted(of_seller))
        inside = country in eu or of_seller <= eu
        tiers.append(3 if segments[provider] == "hyperscaler" else 1 if inside else 2)
    assert tiers == sorted(tiers) and set(tiers) == {1, 2, 3}
    assert {"scaleway": 1, "verda": 2, "nebius": 2, "gcp": 3, "azure": 3}.items() <= dict(
        zip((provider for provider, _, _ in listed), tiers, strict=True)
    ).items()


# what the range of 2.1 to 7.4 US$ for another neocloud means for a quote inside, below and above it
QUOTES = {
    3.2: ("low", "a low price"),
    2.0: ("below_range", "less than another seller would charge: ask what it includes"),
    9.0: ("above_range", "more than another seller would charge"),
}


@pytest.mark.parametrize("quoted", QUOTES)
def test_a_quote_lies_where_pandas_finds_it_among_current_prices(warehouse, quoted):
    rows = warehouse.execute(
        "select p.provider, p.usd_per_accelerator_hour_min as usd, p.best_days_before as days, d.segment, d.resells "
        "from mart_price_current as p inner join dim_provider as d using (provider) "
        "where p.accelerator_id = $1 and p.pricing_model = 'on_demand'",
        ["nvidia-h100-sxm-80gb"],
    ).df()
    sellers = rows[rows.segment.isin(["hyperscaler", "neocloud"]) & (rows.days <= 90) & rows.resells.isna()]
    below, above = (sellers[sellers.usd < quoted], sellers[sellers.usd > quoted])
    low, high = warehouse.execute(
        "select seller_price_low, seller_price_high from price_level($1)", ["nvidia-h100-sxm-80gb"]
    ).fetchone()
    answer = dict(warehouse.execute("from price_quote('H100', $1)", [quoted]).df().iloc[0])
    same = len(sellers) - len(below) - len(above)
    assert len(sellers) > 8 and answer["n_sellers"] == len(sellers)
    assert answer["percentile"] == pytest.approx(100 * (len(below) + same / 2) / len(sellers))
    standing, words = QUOTES[quoted]
    assert answer["standing"] == standing
    sentences = [
        f"{quoted:.2f} US$ an hour is {words}.",
        f"Lower: {len(below)} of {len(sellers)} sellers; higher: {len(above)}.",
    ]
    sentences += [
        f"Percentile {answer['percentile']:.0f}.",
        f"A neocloud that is not in the data would charge {low:.2f} to {high:.2f}.",
    ]
    for side, end, place in (("below", below, -1), ("above", above, 0)):
        if len(end):
            nearest = end.sort_values(["usd", "provider"]).iloc[place]
            sentences += [f"Next {side}: {nearest.usd:.2f} at {nearest.provider}."]
    assert answer["sentence"] == " ".join(sentences)
