"""The index of prices over time by a second method: on the price series as published, and on the warehouse's own prices."""

import csv
import math
from collections import defaultdict
from datetime import date, timedelta
from itertools import pairwise
from statistics import fmean

import pytest
from scipy.stats import t as student

H100 = "nvidia-h100-sxm-80gb"


def ordinal(day):
    return day.year * 12 + day.month - 1


def monthly(observations):
    """{offer: {month: mean of ln(price)}} from (offer, first day, last day, US$); an offer is a tuple that begins with its seller."""
    days = defaultdict(lambda: defaultdict(list))
    for offer, first, last, usd in observations:
        for n in range((last - first).days + 1):
            days[offer][ordinal(first + timedelta(n))].append(math.log(usd))
    return {offer: {month: fmean(logs) for month, logs in months.items()} for offer, months in days.items()}


def changes(offers):
    """{month: {seller: mean change}}: an offer's change falls in the month of the later of two observations."""
    found = defaultdict(lambda: defaultdict(list))
    for offer, months in offers.items():
        for before, after in pairwise(sorted(months)):
            if after - before <= 6:
                for carried in range(before + 1, after):
                    found[carried][offer[0]].append(0.0)
                found[after][offer[0]].append(months[after] - months[before])
    return {month: {seller: fmean(of) for seller, of in sellers.items()} for month, sellers in found.items()}


def ln_ratio(by_month, start, end, without=None):
    """The chain from one month to another, of all sellers or of all but one."""
    if end < start:
        return -ln_ratio(by_month, end, start, without)
    total = 0.0
    for month in range(start + 1, end + 1):
        kept = [change for seller, change in by_month[month].items() if seller != without]
        total += fmean(kept) if kept else 0.0
    return total


def published_prices(series, accelerator):
    """Prices on demand as the files state them; an offer is a seller's name of it, with size and region."""
    for name, sold, first, last in (
        ("archived_rate_cards_2023-05_2026-09", "gpu_as_listed", "seen_on", "seen_on"),
        ("gcp_accelerator_vms_weekly_2022-02_2026-07", "instance_type", "first_seen", "last_seen"),
        ("aws_p5_us_east_1_daily_2025-04-23_2026-08-22", "instance_type", "first_seen", "last_seen"),
        ("cheapest_on_demand_7_sellers_2026-08-01_2026-10-04", "gpu_as_listed", "seen_on", "seen_on"),
        ("runpod_lambda_daily_2026-03-11_2026-08-22", "accelerator_id", "first_seen", "last_seen"),
    ):
        with (series / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                kind = row.get("pricing_model") or row["price_kind"]
                is_standard = kind in ("on_demand", "on_demand_secure", "on_demand_highest")
                is_other = row.get("is_component_only") == "true" or row["provider"] == "vast.ai"
                # the file of cheapest prices has RunPod's community tier
                is_community = name.startswith("cheapest") and row["provider"] == "runpod"
                if row["accelerator_id"] == accelerator and is_standard and not is_other and not is_community:
                    offer = (row["provider"], row[sold], row.get("accelerator_count"), row.get("region"))
                    days = (date.fromisoformat(row[column]) for column in (first, last))
                    yield offer, *days, float(row["usd_per_accelerator_hour"])


@pytest.mark.parametrize(
    ("accelerator", "base", "month", "expected", "points"),
    [
        (H100, (2024, 1), (2024, 12), 72.4, 2),
        (H100, (2024, 1), (2025, 5), 72.3, 2),
        (H100, (2024, 1), (2025, 7), 62.6, 2),
        (H100, (2024, 1), (2025, 12), 62.6, 2),
        (H100, (2024, 1), (2026, 10), 66.4, 2),
        # "about", on few sellers
        ("nvidia-b200-sxm-180gb", (2025, 6), (2026, 10), 124, 5),
    ],
)
def test_chained_prices_of_the_published_series(price_data, accelerator, base, month, expected, points):
    by_month = changes(monthly(published_prices(price_data / "series", accelerator)))
    ratio = ln_ratio(by_month, ordinal(date(*base, 1)), ordinal(date(*month, 1)))
    assert 100 * math.exp(ratio) == pytest.approx(expected, abs=points)


def warehouse_changes(warehouse, accelerator):
    rows = warehouse.execute(
        """
        select coalesce(s.resells, f.provider), f.provider, f.instance_type, f.region, f.purchase_option,
            f.operating_system, f.variant, f.term_hours, f.price_unit, if(f.is_size_stated, f.accelerator_count, null),
            f.source_rank, f.source, f.valid_from::date, f.last_seen_at::date, f.usd_per_accelerator_hour
        from fct_price_interval as f join dim_provider as s using (provider)
        where f.accelerator_id = ? and f.pricing_model = 'on_demand' and f.is_comparable
            and f.observed_precision <> 'year' and s.segment not in ('aggregate', 'marketplace')
            and not coalesce(starts_with(lower(f.variant), 'community'), false)
        """,
        [accelerator],
    ).fetchall()
    # of several sources of an offer and month: the best, then the one that saw it last
    days = defaultdict(list)
    for *offer, rank, source, first, last, usd in rows:
        for n in range((last - first).days + 1):
            day = first + timedelta(n)
            days[tuple(offer), ordinal(day)].append((rank, source, day, usd))
    observations = []
    for (offer, _), seen in days.items():
        newest = {source: max(day for _, s, day, _ in seen if s == source) for _, source, _, _ in seen}
        _, best = min((rank, (-newest[source].toordinal(), source)) for rank, source, _, _ in seen)
        observations += [(offer, day, day, usd) for _, source, day, usd in seen if source == best[1]]
    return changes(monthly(observations))


def test_the_index_and_its_range_equal_a_second_method(warehouse):
    """Of every accelerator on demand: the chain, the jackknife over sellers, and how many are matched."""
    rows = warehouse.execute(
        "select accelerator_id, month, base_month, index, low, high, n_sellers from mart_price_index "
        "where pricing_model = 'on_demand' order by all"
    ).fetchall()
    by_accelerator = {
        accelerator: warehouse_changes(warehouse, accelerator) for accelerator in {r[0] for r in rows}
    }
    assert len(rows) > 100
    for accelerator, month, base, index, low, high, n_sellers in rows:
        by_month, at = by_accelerator[accelerator], ordinal(month)
        assert n_sellers == len(by_month.get(at, ())), (accelerator, month)
        if base is None:
            assert index is None
            continue
        start = ordinal(base)
        ratio = ln_ratio(by_month, start, at)
        assert index == pytest.approx(100 * math.exp(ratio)), (accelerator, month)
        sellers = {s for m in range(min(start, at) + 1, max(start, at) + 1) for s in by_month[m]}
        if low is None:
            assert len({round(ln_ratio(by_month, start, at, s), 9) for s in sellers}) <= 1
            continue
        replicates = [ln_ratio(by_month, start, at, seller) for seller in sellers]
        count, mean = len(replicates), fmean(replicates)
        error = math.sqrt((count - 1) / count * sum((r - mean) ** 2 for r in replicates))
        margin = student.ppf(0.975, count - 1) * error
        expected = [100 * math.exp(ratio - margin), 100 * math.exp(ratio + margin)]
        assert [low, high] == pytest.approx(expected, rel=2e-3), (accelerator, month)
