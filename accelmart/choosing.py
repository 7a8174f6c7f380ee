"""Which accelerator, how many of it, rented or owned, serves a model within a budget.

The rules and the arithmetic are the SQL macro ``choose`` of the published file
(dbt_project/functions/answers/choose.sql). Here the arguments are checked and names that people use are resolved.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from accelmart.calibration import level_errors
from accelmart.names import ON_DEMAND, Names, check_region, read_day, region_note
from accelmart.published import Database, Row, Table, reading


def choose(
    model: str,
    tokens_per_day: float,
    budget: float,
    months: float = 12,
    *,
    region: str | None = None,
    max_j_per_token: float | None = None,
    max_ttft_ms: float | None = None,
    have: str | None = None,
    scenario: str = "Server",
    utilisation: float = 60,
    owner: str | None = None,
    as_of: date | str | None = None,
    database: Database = None,
) -> Table:
    """Return options for serving a model within a budget, those that can be recommended first, cheapest first.

    An option is an accelerator, a number of it, and how it is paid: ``rent`` (on demand, at the price level),
    ``own`` (purchase and running cost of an owner) or ``have`` (running cost of accelerators one has).

    Args:
        model: MLCommons' benchmark, such as ``llama3.1-405b``; case, hyphens and dots do not matter.
        tokens_per_day: output tokens a day.
        budget: US dollars that may be paid within the months: the rent, or the purchase and the running cost.
        months: months of 730 hours.
        region: region of rented machines (``%`` is a wildcard), country code, or group such as ``EU``; None is all.
            Offers without a region are in none: a note counts their sellers.
        max_j_per_token: most joules per output token at full use, with the PUE of the owner, or a default where one
            rents. The measured value counts where there is one, else the modelled value: ``energy_basis``.
        max_ttft_ms: longest time to first token in milliseconds, 99th percentile. Results of Server and Interactive
            count then; without it, results of `scenario`.
        have: accelerators you have, such as ``A100-80GB:64`` or ``64xA100-80GB``.
        scenario: Server, Offline or Interactive: which measured throughput.
        utilisation: per cent of the measured throughput that is used on average.
        owner: an ownership scenario, such as ``hyperscaler``; default: ``default_owner()`` of the file, a small buyer.
        as_of: prices and rounds of that day, YYYY-MM-DD; default: the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row an option. ``rank`` is null where the option cannot be recommended, and ``reason`` says why.
        ``cost_usd`` (with low and high) is the rent or the cost of ownership over the months, ``paid_usd`` what must be
        paid within them. ``size_note`` is set where the prices or the machine are of fewer accelerators than were
        measured. Columns ending in ``_usd`` are US dollars, in ``_gb`` 1e9 bytes, in ``_kwh`` kilowatt-hours.

    Raises:
        QuestionError: an argument cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        benchmark_id = names.key("model", model)
        names.had(have)
        day = read_day(as_of)
        given: Row = {"owner": names.key("ownership scenario", owner)} if owner else {}
        given |= {"scenario": names.key("MLPerf scenario", scenario), "region": region}
        check_region(reader, region)
        options = reader.ask(
            "choose",
            model=benchmark_id,
            have=have,
            as_of=day,
            tokens_per_day=tokens_per_day,
            budget=budget,
            months=months,
            max_j_per_token=max_j_per_token,
            max_ttft_ms=max_ttft_ms,
            utilisation=utilisation,
            **given,
        )
        excluded = region_note(reader, region, benchmark_id, ON_DEMAND, day)
        return replace(options, notes=(*names.notes, *excluded, *level_errors(reader)))
