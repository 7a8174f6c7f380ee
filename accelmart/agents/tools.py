"""What agents may ask. Docstrings are the tools' descriptions: agents read nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from accelmart import choosing, comparing, ranking
from accelmart.agents.access import Access
from accelmart.asked import age_note, oldest_price
from accelmart.citing import CITATION_RULE, DERIVED, evidence
from accelmart.errors import QuestionError
from accelmart.estimate import (
    Estimate,
    Given,
    Price,
    Site,
    estimate_ownership,
    estimate_serving,
    estimate_training,
)
from accelmart.published import DEFAULT_OWNER, Reader, Table, distinct

Answer = dict[str, Any]

_ROWS = (
    "Rows of the warehouse. MLPerf results are official where they stand in fct_inference_result.result and "
    "fct_training_result.score_minutes; prices are observations; all else is derived by Accelmart and not verified by "
    "MLCommons."
)
_DERIVED_PRICED = f"{DERIVED} Prices are observed on the stated days, not quotes of today."
# what a question needs of the words searched for: each hit counts, names more than descriptions
_SEARCH = """
with words as (select unnest(string_split_regex(lower($words), '[^a-z0-9]+')) as word),

entries as (
    select 'table' as kind, table_name as name, null as of_table, null as unit, comment as description
    from duckdb_tables() where schema_name = 'main' and not internal
    union all
    select
        'column', column_name, table_name, nullif(regexp_extract(comment, '^\\[([^\\]]+)\\] ', 1), ''),
        regexp_replace(comment, '^\\[[^\\]]+\\] ', '')
    from duckdb_columns() where schema_name = 'main' and not internal
    union all
    select 'macro', function_name || '(' || array_to_string(parameters, ', ') || ')', null, null, comment
    from duckdb_functions() where schema_name = 'main' and not internal and function_type like '%macro'
)

select
    e.kind, e.name, e.of_table, e.unit, e.description,
    sum(if(contains(lower(e.name), w.word), 3, 0) + if(contains(lower(e.description), w.word), 1, 0)) as score
from entries as e, words as w
where w.word <> ''
group by all
having score > 0
order by score desc, kind desc, name, of_table
limit $most
"""


class Tools:
    """The tools, each a method; answers are JSON: rows or figures, units, standing, generation, how to cite.

    Args:
        access: the warehouse.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def all(self) -> list[Callable[..., Answer]]:
        """Return every tool."""
        return [
            self.search,
            self.query,
            self.rank,
            self.estimate_training,
            self.estimate_serving,
            self.estimate_ownership,
            self.choose,
            self.compare,
            self.evidence,
        ]

    def search(self, words: str, limit: int = 20) -> Answer:
        """Find tables, columns (with units) and SQL macros by words, best matches first. Use it before `query`.

        words: such as "cost output token" or "power accelerator". limit: 1 to 100 entries.
        """
        if not 1 <= limit <= 100 or not any(c.isalnum() for c in words):
            raise QuestionError("search needs words, and a limit between 1 and 100")
        with self._access.reader() as reader:
            table = reader.table(_SEARCH, {"words": words, "most": limit})
            return self._rows(reader, table, _ROWS)

    def query(self, sql: str, limit: int = 100) -> Answer:
        """Run one read-only SELECT (DuckDB SQL) on the warehouse.

        Tables need no schema. Units end the names of columns (_usd_per_output_mtok: US$ per million output tokens, _w,
        _gb: 1e9 bytes) and are in `units`. Public tables: fct_ (observations), dim_ (entities), mart_ (answers), ops_
        (operation). Of columns of one name the second is name_2. limit: 1 to 1000 rows. Statements that write, or read
        files or networks, are refused.
        """
        table, is_cut = self._access.query(sql, limit)
        with self._access.reader() as reader:
            return self._rows(reader, table, _ROWS, is_cut=is_cut)

    def rank(
        self,
        model: str,
        scenario: str = "Server",
        pricing: str = "on_demand",
        provider: str | None = None,
        region: str | None = None,
        release: str | None = None,
        as_of: str | None = None,
        limit: int = 20,
    ) -> Answer:
        """What a million output tokens cost to rent (US$, at full use), cheapest first, with offer and MLPerf result.

        model: MLCommons' benchmark, such as llama3.1-405b. scenario: Server, Offline or Interactive. pricing:
        on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace; or all. provider: key or common name of
        a seller. region: name (% is a wildcard), country code, or a group: EU, Europe, US, Asia. release: an MLPerf
        round such as v6.0; default: the best available result of any round. as_of: prices of a day, YYYY-MM-DD.
        rank_reason: no rank, such as preview and research systems. size_note: the price is of fewer accelerators than
        were measured. notes: age of the prices, sellers without a region. Each accelerator has sellers of its own, so
        that the cheapest offers compare sellers: to compare accelerators use `compare`, or query mart_cost_headline
        (usd_per_output_mtok_at_level with low and high: at the price level, what an average neocloud would ask) and
        mart_same_seller_ratio.
        """
        with self._access.reader() as reader:
            table = ranking.rank(
                model,
                scenario,
                pricing=pricing,
                provider=provider,
                region=region,
                release=release,
                as_of=_day(as_of),
                database=reader,
            )
            sentence = ranking.region_sentence(
                model, region, pricing=pricing, as_of=_day(as_of), database=reader
            )
            notes = [
                age_note(
                    table.records()[0]["price_as_of"], oldest_price(table, "price_seen_on", "rank_reason")
                )
            ]
            answer = self._first(reader, table, limit, _DERIVED_PRICED)
            return {**answer, "notes": [*notes, *([sentence] if sentence else [])]}

    def estimate_training(
        self,
        params: float,
        tokens: float,
        accelerator: str,
        gpus: int,
        price_usd_per_hour: float | None = None,
        provider: str | None = None,
        scenario: str | None = None,
        mfu_pct: float | None = None,
        precision: str | None = None,
        total_params: float | None = None,
        pue: float | None = None,
        electricity_usd_per_kwh: float | None = None,
    ) -> Answer:
        """Time (days), cost (US$), energy and memory of training a model, from the nearest measured MLPerf result.

        params: parameters, such as 70e9; of a mixture of experts all (671e9), or active ones with total_params. tokens:
        trained tokens, such as 15e12. accelerator: key of dim_accelerator, such as nvidia-h100-sxm-80gb. gpus: number.
        At most one price: price_usd_per_hour (US$ per accelerator-hour), provider (its lowest price in force) or
        scenario (ownership: hyperscaler, neocloud_giant, emerging_neocloud); without one rent at the price level of
        the accelerator, with low and high: say its range and number of sellers (price_basis). mfu_pct: per cent of the
        dense peak. precision: bf16, fp8 or fp4. Units end the names of figures. State what `extrapolations` says.
        """
        with self._access.reader() as reader:
            done = estimate_training(
                params=params,
                tokens=tokens,
                accelerator=accelerator,
                gpus=gpus,
                price=Price(price_usd_per_hour, provider, scenario=scenario),
                site=Site(pue, electricity_usd_per_kwh),
                mfu=mfu_pct,
                precision=precision,
                total_params=total_params,
                database=reader,
            )
            return self._estimate(reader, done)

    def estimate_serving(
        self,
        model: str,
        tokens_per_day: float | None = None,
        accelerator: str | None = None,
        price_usd_per_hour: float | None = None,
        provider: str | None = None,
        scenario: str | None = None,
        tokens_per_s_per_user: float | None = None,
        mlperf_scenario: str = "Server",
        utilisation_pct: float = 60,
        params: float | None = None,
        pue: float | None = None,
        electricity_usd_per_kwh: float | None = None,
    ) -> Answer:
        """Accelerators, cost (US$), energy and memory of serving output tokens a day, from measured MLPerf throughput.

        model: MLCommons' benchmark, such as llama3.1-405b; any other name with params (active parameters), which
        extrapolates. accelerator: key of dim_accelerator; default: the cheapest per token. At most one price, as in
        estimate_training. utilisation_pct: per cent of the measured throughput in use. Units end the names of figures.
        tokens_per_s_per_user: what each user gets: an MLPerf result whose limit guarantees it, else a frontier measured
        outside of MLPerf, else null with a `reason`; never rank one with what stands `apart`. State what
        `extrapolations` says.
        """
        with self._access.reader() as reader:
            done = estimate_serving(
                model=model,
                tokens_per_day=tokens_per_day,
                tokens_per_s_per_user=tokens_per_s_per_user,
                accelerator=accelerator,
                price=Price(price_usd_per_hour, provider, scenario=scenario),
                mlperf_scenario=mlperf_scenario,
                utilisation=utilisation_pct,
                params=params,
                site=Site(pue, electricity_usd_per_kwh),
                database=reader,
            )
            return self._estimate(reader, done)

    def estimate_ownership(
        self,
        accelerator: str,
        gpus: int,
        months: int,
        utilisation_pct: float = 60,
        scenario: str = DEFAULT_OWNER,
        price_usd_each: float | None = None,
        price_is: str = "all-in",
        running_usd_per_hour: float | None = None,
        residual_pct: float | None = None,
        interest_pct: float | None = None,
        rent_usd_per_hour: float | None = None,
        as_of: str | None = None,
    ) -> Answer:
        """Own or rent accelerators over months: cost (US$) of each way with low and high, and where owning breaks even.

        accelerator: key of dim_accelerator or usual name, such as H100. gpus: number; machines are bought whole
        (accelerators_idle). months: 1 to 120. utilisation_pct: hours used. price_usd_each: of one accelerator, all-in
        or of its server (price_is: server). The others replace inputs, which stand in the row own with their source.
        standing: cheapest, more expensive, or no order where ranges overlap: claim none then. months_to_break_even and
        break_even_utilisation_pct: from when owning costs no more than that rent.
        """
        with self._access.reader() as reader:
            given = Given(
                price_usd_each, price_is, running_usd_per_hour, residual_pct, interest_pct, rent_usd_per_hour
            )
            table = estimate_ownership(
                accelerator,
                gpus,
                months,
                utilisation_pct,
                scenario=scenario,
                given=given,
                as_of=_day(as_of),
                database=reader,
            )
            return self._rows(reader, table, _DERIVED_PRICED)

    def choose(
        self,
        model: str,
        tokens_per_day: float,
        budget_usd: float,
        months: float = 12,
        region: str | None = None,
        max_j_per_token: float | None = None,
        max_ttft_ms: float | None = None,
        gpus_have: str | None = None,
        scenario: str = "Server",
        utilisation_pct: float = 60,
        owner: str = DEFAULT_OWNER,
        as_of: str | None = None,
        limit: int = 12,
    ) -> Answer:
        """Which accelerator, how many, rented or owned, serves a model within a budget (US$), recommended ones first.

        tokens_per_day: output tokens. months: of 730 hours. region: as in rank. max_j_per_token: joules with PUE.
        max_ttft_ms: time to first token, 99th percentile. gpus_have: accelerators one has, such as 64xH100. owner: an
        ownership scenario. rank is null where an option is not recommended, and reason says why; cost_usd over the
        months, with low and high, paid_usd within them. A rent is at the price level of the accelerator
        (n_sellers_of_level sellers), or the median over n_sellers where that is null; cost_usd_cheapest is that of the
        cheapest seller.
        """
        with self._access.reader() as reader:
            table = choosing.choose(
                model,
                tokens_per_day,
                budget_usd,
                months,
                region=region,
                max_j_per_token=max_j_per_token,
                max_ttft_ms=max_ttft_ms,
                gpus_have=gpus_have,
                scenario=scenario,
                utilisation=utilisation_pct,
                owner=owner,
                as_of=_day(as_of),
                database=reader,
            )
            sentence = ranking.region_sentence(model, region, as_of=_day(as_of), database=reader)
            answer = self._first(reader, table, limit, _DERIVED_PRICED)
            return {**answer, "notes": [sentence] if sentence else []}

    def compare(self, a: str, b: str) -> Answer:
        """Two accelerators side by side: same-seller prices, specification, throughput, cost, rent, ownership, energy.

        a, b: keys of dim_accelerator or usual names, such as B200 and H100. Each row: value_a, value_b in `unit`,
        a_to_b (their ratio), low and high of each where known, detail_a and detail_b (sellers and machines), release_a
        and release_b (of each accelerator the best available result of any MLPerf round), medians_note (the ratio of
        medians in the newest round with both, where it differs by more than 10 %; state it), evidence_a and evidence_b
        (ids for `evidence`). First what the same sellers ask for
        both: only the accelerators differ there. Rent is the price level (what an average neocloud would ask)
        with its range; where ranges overlap, claim no order.
        """
        with self._access.reader() as reader:
            return self._rows(reader, comparing.compare(a, b, database=reader), _DERIVED_PRICED)

    def evidence(self, id: str) -> Answer:  # noqa: A002  the word that agents know it by
        """What a figure rests on: the row of an MLPerf result, price or claim, its source, standing, and citation.

        id: result_id, offer_id or claim_id, as in evidence_a, best_offer_id, result_id, rests_on. Cite MLPerf results
        with the text in `citation`.
        """
        with self._access.reader() as reader:
            basis = evidence(id, database=reader)
            record = {name: _plain(value) for name, value in basis.record.items() if value is not None}
            return {**asdict(basis), "record": record, **self._head(reader, list(record), basis.standing)}

    def _first(self, reader: Reader, table: Table, limit: int, standing: str) -> Answer:
        most = self._access.limits.rows
        if not 1 <= limit <= most:
            raise QuestionError(f"limit is {limit}: it must be between 1 and {most}")
        shown = Table(table.columns, table.rows[:limit])
        return self._rows(reader, shown, standing, is_cut=len(table) > limit)

    def _rows(self, reader: Reader, table: Table, standing: str, *, is_cut: bool = False) -> Answer:
        rows = [{name: _plain(value) for name, value in record.items()} for record in table.records()]
        head = self._head(reader, table.columns, standing)
        keys = zip(distinct(table.columns), table.columns, strict=True)
        units = {key: head["units"][name] for key, name in keys if name in head["units"]}
        return {"rows": rows, "has_more_rows": is_cut, **head, "units": units}

    def _estimate(self, reader: Reader, done: Estimate) -> Answer:
        answer = {name: _plain(value) for name, value in asdict(done).items()}
        return {**answer, **self._head(reader, [*done.inputs, *done.figures], _DERIVED_PRICED)}

    def _head(self, reader: Reader, columns: list[str], standing: str) -> Answer:
        """Return what every answer carries: units of its columns, standing, how to cite, generation, day of prices."""
        units = reader.rows(
            """
            select column_name, mode(unit order by unit) as unit
            from (
                select column_name, nullif(regexp_extract(comment, '^\\[([^\\]]+)\\] ', 1), '') as unit
                from duckdb_columns() where schema_name = 'main' and list_contains($columns, column_name)
            )
            where unit is not null
            group by column_name
            """,
            {"columns": columns},
        )
        generation = reader.one(
            "select generation_id, built_at, newest_price_day() as prices_as_of from ops_generation"
        )
        return {
            "units": {row["column_name"]: row["unit"] for row in units},
            "standing": standing,
            "citation_rule": CITATION_RULE,
            **{name: _plain(value) for name, value in generation.items()},
        }


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as e:
        raise QuestionError(f"as_of is {text!r}: write a day such as 2026-10-24") from e


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: times in ISO 8601, decimals as numbers."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    return str(value)
