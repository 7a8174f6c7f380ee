"""`answers.csv`: the answers as one flat table for a spreadsheet, a row an accelerator, model and MLPerf scenario.

Its columns are those of public tables, which describe them. Names of columns stay.
"""

from __future__ import annotations

from warehouse.storage.database import PublicColumn

ANSWERS = "answers"
ANSWERS_DESCRIPTION = (
    "One row per accelerator, model and MLPerf scenario: the result that represents the accelerator, its cost at the "
    "typical on-demand price of a neocloud and when owned, energy and carbon, with low and high ends. Notes say why a "
    "figure is missing."
)
_TABLES = {
    "a": "dim_accelerator",
    "b": "dim_benchmark",
    "t": "mart_token_throughput",
    "h": "mart_cost_headline",
    "o": "mart_owned_cost_per_mtok",
    "e": "mart_energy",
    "m": "mart_energy",
}


def _ranged(name: str, source: str) -> dict[str, str]:
    return {f"{name}{end}": f"{source}{end}" for end in ("", "_low", "_high")}


_COLUMNS = {
    "accelerator": "a.product_name",
    "model": "b.model_name",
    "scenario": "t.scenario",
    "price_day": "computed",
    "output_tokens_per_s_per_accelerator": "t.output_tokens_per_s_per_accelerator",
    **_ranged("rent_usd_per_accelerator_hour", "h.usd_per_accelerator_hour_at_level"),
    **_ranged("own_usd_per_accelerator_hour", "o.usd_per_accelerator_hour"),
    **_ranged("rent_usd_per_output_mtok", "h.usd_per_output_mtok_at_level"),
    **_ranged("own_usd_per_output_mtok", "o.usd_per_output_mtok"),
    **_ranged("j_per_output_token_modelled", "e.j_per_output_token_modelled"),
    "j_per_output_token_measured": "m.j_per_output_token_measured",
    **_ranged("kg_co2e_per_output_mtok_modelled", "computed"),
    "rent_note": "h.level_reason",
    "own_note": "o.reason",
    "vendor": "a.vendor",
    "accelerator_id": "t.accelerator_id",
    "benchmark_id": "t.benchmark_id",
    "mlperf_round": "t.release",
    "submitter": "t.submitter",
    "result_id": "t.result_id",
    "source_url": "t.source_url",
}
# of columns that no table has: expression, type, unit, description
_COMPUTED = {
    "price_day": ("newest_price_day()", "DATE", "", "Prices are those of this day."),
    **{
        f"kg_co2e_per_output_mtok_modelled{end}": (
            f"kg_co2e_per_mtok(e.j_per_output_token_modelled{end}, e.kg_co2e_per_kwh)",
            "DOUBLE",
            "kg/Mtok",
            f"kg CO2e of a million output tokens at j_per_output_token_modelled{end}, on the world's average grid.",
        )
        for end in ("", "_low", "_high")
    },
}
_JOINS = """
    from mart_token_throughput as t
    inner join mart_cost_headline as h
        on t.result_id = h.result_id and h.is_representative and h.pricing_model = 'on_demand'
    left join dim_accelerator as a on t.accelerator_id = a.accelerator_id
    left join dim_benchmark as b on t.benchmark_id = b.benchmark_id
    left join mart_owned_cost_per_mtok as o
        on t.result_id = o.result_id and o.is_default and o.scenario_id = default_owner()
    left join mart_energy as e on t.result_id = e.result_id and e.power_basis = 'modelled'
    left join intermediate.least_measured_energy((select list(k.benchmark_id) from dim_benchmark as k), null) as w
        on t.benchmark_id = w.benchmark_id and t.accelerator_id = w.accelerator_id and t.scenario = w.scenario
    left join mart_energy as m on w.result_id = m.result_id and m.power_basis = 'measured'
    where t.is_representative
    order by b.model_name, t.benchmark_id, t.scenario, h.usd_per_output_mtok_at_level, a.product_name, t.accelerator_id
"""


def answers_fields(columns: list[PublicColumn]) -> list[PublicColumn]:
    """Return the columns of the file, described as in their tables; none if the warehouse has no results."""
    described = {(c.table, c.name): c for c in columns}
    if ("mart_token_throughput", "result_id") not in described:
        return []
    fields = []
    for name, source in _COLUMNS.items():
        if name in _COMPUTED:
            fields.append(PublicColumn(ANSWERS, name, *_COMPUTED[name][1:], is_nullable=True))
        else:
            alias, _, column = source.partition(".")
            of_table = described[_TABLES[alias], column]
            fields.append(of_table._replace(table=ANSWERS, name=name, is_nullable=True))
    return fields


def answers_query(fields: list[PublicColumn]) -> str:
    """Return the query of the file. Figures have six digits: more would claim a precision that they lack."""
    shown = []
    for field in fields:
        source = _COMPUTED[field.name][0] if field.name in _COMPUTED else _COLUMNS[field.name]
        is_figure = field.data_type == "DOUBLE"
        value = f"cast(format('{{:.6g}}', {source}) as double)" if is_figure else source
        shown.append(f"{value} as {field.name}")
    return f"select {', '.join(shown)} {_JOINS}"
