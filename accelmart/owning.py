"""Accelerators that one has, and machines that a power limit carries.

Both are table functions of the published file (dbt_project/functions/answers). Here names that people use are resolved.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from accelmart.names import Names, read_day
from accelmart.published import Database, Row, Table, reading


def keep_or_sell(
    model: str,
    have: str,
    months: int = 24,
    *,
    age_months: int | None = None,
    scenario: str = "Server",
    utilisation: float = 60,
    owner: str | None = None,
    as_of: date | str | None = None,
    database: Database = None,
) -> Table:
    """Compare keeping the accelerators you have with selling them and renting others for the same tokens.

    They are the rows of the function ``keep_or_sell``. Keeping costs the running of the accelerators, what they lose in
    value over the months, and interest on what they would sell for today.

    Args:
        model: MLCommons' benchmark, such as ``llama2-70b-99``. If the accelerator has no result of it, the nearest
            older task that it has a result of is used, and ``task_note`` names it.
        have: accelerators you have, such as ``A100-80GB:64`` or ``64xA100-80GB``.
        months: whole months of 730 hours, at most 120.
        age_months: age of the accelerators; default: 36, or the months since they came out if that is less.
        scenario: Server, Offline or Interactive: which measured throughput.
        utilisation: per cent of the measured throughput that is used on average.
        owner: an ownership scenario, such as ``hyperscaler``; default: ``default_owner()`` of the file, a small buyer.
        as_of: prices and rounds of that day, YYYY-MM-DD; default: the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        First the row ``keep``, then a row for each accelerator that can be rented instead, cheapest first. ``usd``
        (with low and high) is the cost over the months, ``running_usd_per_output_mtok`` what a million tokens cost
        to run.
        ``resale_usd`` is what the accelerators would sell for on ``price_as_of``, with its range and basis.
        ``sell_from_month``: for that many months and any longer time, selling and renting costs no more than keeping.

    Raises:
        QuestionError: an argument cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        names.had(have)
        given: Row = {"owner": names.key("ownership scenario", owner)} if owner else {}
        answer = reader.ask(
            "keep_or_sell",
            model=names.key("model", model),
            have=have,
            months=months,
            age_months=age_months,
            scenario=names.key("MLPerf scenario", scenario),
            utilisation=utilisation,
            as_of=read_day(as_of),
            **given,
        )
        return replace(answer, notes=tuple(names.notes))


def power_budget(
    model: str,
    megawatts: float | None = None,
    machines: int | None = None,
    months: float = 24,
    *,
    scenario: str = "Server",
    utilisation: float = 60,
    owner: str | None = None,
    as_of: date | str | None = None,
    database: Database = None,
) -> Table:
    """Return how many machines of each accelerator a power limit carries, and what they generate, cost and emit.

    They are the rows of the function ``power_budget``, most tokens first.

    Args:
        model: MLCommons' benchmark, such as ``deepseek-r1``.
        megawatts: power of the site with cooling (PUE of the owner); default: any, with ``machines``.
        machines: most machines; default: any, with ``megawatts``. A machine is a rack of a rack-scale system, else a
            server.
        months: months of 730 hours for the costs.
        scenario: Server, Offline or Interactive: which measured throughput.
        utilisation: per cent of the measured throughput that is used on average.
        owner: an ownership scenario, such as ``hyperscaler``; default: ``default_owner()`` of the file, a small buyer.
        as_of: prices and rounds of that day, YYYY-MM-DD; default: the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row an accelerator. ``machines`` and ``accelerators`` are at provisioned power: what they take at full load
        with host and network. ``machines_at_drawn_power`` (with low and high) is what the limit carries at the power
        drawn on average. ``rented_usd`` and ``owned_usd`` are over the months, each with low and high. ``rank`` is null
        where the limit carries no machine or the result cannot be recommended, and ``reason`` says why.

    Raises:
        QuestionError: an argument cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        given: Row = {"owner": names.key("ownership scenario", owner)} if owner else {}
        answer = reader.ask(
            "power_budget",
            model=names.key("model", model),
            megawatts=megawatts,
            machines=machines,
            months=months,
            scenario=names.key("MLPerf scenario", scenario),
            utilisation=utilisation,
            as_of=read_day(as_of),
            **given,
        )
        return replace(answer, notes=tuple(names.notes))
