"""Ownership costs in the warehouse built from real data: expected figures and their consistency.

Expected values are published, or computed here from published inputs by a second method.
"""

from pathlib import Path

import pytest
import yaml
from queries import rows

from accelmart.published import DEFAULT_OWNER

ROOT = Path(__file__).resolve().parents[2]

H100, GB200 = "nvidia-h100-sxm-80gb", "nvidia-gb200-186gb"
"""Per cent: 17 of 18 nodes, an assumption (seed tco_hardware); 99.5 of other parts."""


def test_the_capital_cost_equals_a_loan_repaid_year_by_year(warehouse):
    # the annuity found by bisection on the balance of the loan, not by the formula
    for capex, power, rate, years, kwh, pue, colo, upkeep, staff, availability, cost in rows(
        warehouse,
        """
        select capex_usd_per_accelerator, it_power_w, cost_of_capital_pct, depreciation_years, electricity_usd_per_kwh,
            pue, colocation_usd_per_kw_month, maintenance_pct_of_capex_per_year, staff_usd_per_accelerator_year,
            availability_pct, usd_per_accelerator_hour
        from mart_tco
        """,
    ):
        low, high = 0.0, 2 * capex
        for _ in range(80):
            payment, balance = (low + high) / 2, capex
            for _year in range(int(years)):
                balance = balance * (1 + rate / 100) - payment
            low, high = (payment, high) if balance > 0 else (low, payment)
        year = payment + capex * upkeep / 100 + staff
        year += power / 1000 * (pue * kwh * 8760 + colo * 12)
        assert cost == pytest.approx(year / (8760 * availability / 100), rel=1e-9)


def test_commands_tables_and_report_name_one_owner_where_none_is_asked_for(warehouse):
    tables = yaml.safe_load((ROOT / "dbt_project/dbt_project.yml").read_text(encoding="utf-8"))["vars"]
    report = (ROOT / "warehouse/report/common.js").read_text(encoding="utf-8")
    assert tables["default_owner"] == DEFAULT_OWNER
    assert f'DEFAULT_OWNER = "{DEFAULT_OWNER}"' in report
    assert rows(warehouse, "select distinct scenario_id from mart_tco where scenario_id = ?", DEFAULT_OWNER)
