"""The index of prices over time by a second method."""

import math
from collections import defaultdict
from datetime import timedelta
from itertools import pairwise
from statistics import fmean

import pytest
from scipy.stats import t as student


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
        "select accelerator_id, month, base_month, index, low, high, n_sellers, n_offers from mart_price_index "
        "where pricing_model = 'on_demand' order by all"
    ).fetchall()
    by_accelerator = {
        accelerator: warehouse_changes(warehouse, accelerator) for accelerator in {r[0] for r in rows}
    }
    assert len(rows) > 100
    for accelerator, month, base, index, low, high, n_sellers, n_offers in rows:
        by_month, at = by_accelerator[accelerator], ordinal(month)
        assert n_sellers == len(by_month.get(at, ())), (accelerator, month)
        if base is None:
            assert index is None
            continue
        start = ordinal(base)
        ratio = ln_ratio(by_month, start, at)
        assert index is None or index == pytest.approx(100 * math.exp(ratio)), (accelerator, month)
        sellers = {s for m in range(min(start, at) + 1, max(start, at) + 1) for s in by_month[m]}
        replicates = [ln_ratio(by_month, start, at, seller) for seller in sellers]
        replicates = [r for r in replicates if abs(r - ratio) > 1e-9]  # the others do not move it
        if low is None and index is not None:
            assert len(replicates) < 4
            continue
        if not n_offers:
            assert index is None
            continue
        count, mean = len(replicates), fmean(replicates)
        error = math.sqrt((count - 1) / count * sum((r - mean) ** 2 for r in replicates))
        margin = student.ppf(0.975, count - 1) * error
        expected = [100 * math.exp(ratio - margin), 100 * math.exp(ratio + margin)]
        if index is None:
            assert expected[1] > 4 * expected[0], (accelerator, month)  # a range that says nothing
            continue
        assert [low, high] == pytest.approx(expected, rel=2e-3), (accelerator, month)
