"""What agents may ask: the questions of the package, with a short answer first, and two tools for everything else."""

from __future__ import annotations

from dataclasses import asdict

from accelmart import arguments as of
from accelmart import choosing, citing, comparing, estimate, owning, producing, ranking
from accelmart import pricing as offers
from accelmart.agents.answers import ROWS, Answer, Answers, plain
from accelmart.errors import QuestionError
from accelmart.names import ON_DEMAND

# methods of `Tools` that agents can call
TOOLS = (
    *("search", "query", "rank", "choose", "compare", "alternatives", "prices", "tokens", "electricity"),
    *(
        "estimate_training",
        "estimate_serving",
        "estimate_ownership",
        "keep_or_sell",
        "power_budget",
        "evidence",
    ),
)

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


class Tools(Answers):
    """The tools; answers are JSON without nulls: summary, rows or figures, standing, generation, how to cite."""

    def search(self, words: str, limit: int = 20) -> Answer:
        """Find tables, columns (with units) and SQL macros by words, best matches first. Use it before `query`.

        words: such as "cost output token" or "power accelerator". limit: 1 to 100 entries.
        """
        if not 1 <= limit <= 100 or not any(c.isalnum() for c in words):
            raise QuestionError("search needs words, and a limit between 1 and 100")
        with self._access.reader() as reader:
            table = reader.table(_SEARCH, {"words": words, "most": limit})
            return self._rows(reader, table, ROWS)

    def query(self, sql: str, limit: int = 100) -> Answer:
        """Run one read-only SELECT (DuckDB SQL) on the warehouse.

        Tables need no schema. Units end the names of columns (_usd_per_output_mtok: US$ per million output tokens, _w,
        _gb: 1e9 bytes) and are in `units`. Public tables: fct_ (observations), dim_ (entities), mart_ (answers), ops_
        (operation). Of columns of one name the second is name_2. limit: 1 to 1000 rows. Statements that write, or read
        files or networks, are refused.
        """
        table, is_cut = self._access.query(sql, limit)
        with self._access.reader() as reader:
            return self._rows(reader, table, ROWS, is_cut=is_cut)

    def rank(
        self,
        model: of.Model,
        scenario: of.MlperfScenario = "Server",
        pricing: of.Pricing = ON_DEMAND,
        provider: of.Provider = None,
        region: of.Region = None,
        release: of.Release = None,
        max_j_per_token: of.MaxJoules = None,
        carbon: of.Carbon = False,
        max_extra_cost_pct: of.MaxExtraCost = None,
        as_of: of.AsOf = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Rank offers by what a million output tokens cost: of each accelerator the cheapest of each seller.

        Each accelerator has sellers of its own, so that these offers compare sellers: to compare accelerators use
        `compare` or `headlines`, which are at price levels (what an average neocloud would ask).

        One row per offer: usd_per_output_mtok (US dollars per million output tokens at full use),
        usd_per_accelerator_hour, the submission and the offer used, and size_note where the price is of fewer
        accelerators than were measured. Offers that cannot be ranked, and those of accelerators without an
        available result (preview, research), come last, with rank_reason; before them those of which the price is
        no longer current (price_standing), cheapest first as the others. With carbon one row per accelerator,
        seller, pricing model and region: carbon_rank, kg_co2e_per_output_mtok with low and high, extra_cost_pct,
        the grid, and carbon_rank_reason where it has no rank. notes: what names were taken for, sellers without a
        region. A summary; details=true gives all columns of at most `limit` rows. Units end the names of figures.
        """
        return self._answer(
            ranking.rank,
            details,
            limit,
            model=model,
            scenario=scenario,
            pricing=pricing,
            provider=provider,
            region=region,
            release=release,
            max_j_per_token=max_j_per_token,
            carbon=carbon,
            max_extra_cost_pct=max_extra_cost_pct,
            as_of=as_of,
        )

    def choose(
        self,
        model: of.Model,
        tokens_per_day: of.TokensPerDay,
        budget: of.Budget,
        months: of.Months = 12,
        region: of.Region = None,
        max_j_per_token: of.MaxJoules = None,
        max_ttft_ms: of.MaxFirstToken = None,
        have: of.MayHave = None,
        scenario: of.MlperfScenario = "Server",
        utilisation: of.Utilisation = 60,
        owner: of.Owner = None,
        as_of: of.AsOf = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Return options for serving a model within a budget, those that can be recommended first, cheapest
        first.

        An option is an accelerator, a number of it, and how it is paid: rent (on demand, at the price level), own
        (purchase and running cost of an owner) or have (running cost of accelerators one has).

        One row an option. rank is null where the option cannot be recommended, and reason says why. cost_usd
        (with low and high) is the rent or the cost of ownership over the months, paid_usd what must be paid
        within them. size_note is set where the prices or the machine are of fewer accelerators than were
        measured. Columns ending in _usd are US dollars, in _gb 1e9 bytes, in _kwh kilowatt-hours. A summary;
        details=true gives all columns of at most `limit` rows. Units end the names of figures.
        """
        return self._answer(
            choosing.choose,
            details,
            limit,
            model=model,
            tokens_per_day=tokens_per_day,
            budget=budget,
            months=months,
            region=region,
            max_j_per_token=max_j_per_token,
            max_ttft_ms=max_ttft_ms,
            have=have,
            scenario=scenario,
            utilisation=utilisation,
            owner=owner,
            as_of=as_of,
        )

    def tokens(
        self,
        model: of.Model,
        scenario: of.MlperfScenario = "Server",
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Return what a million tokens of a model cost to produce, and what providers charge for them.

        Both are of input and output tokens together, in the proportion of the benchmark; a price covers more than
        accelerators, so never subtract them. row_kind cost: an accelerator rented on demand at its price level, at
        full use and at low_use_pct per cent use, with the prices charged next to it; price: the list price of a
        provider; price apart: discounts, prices of some hours, related models. A summary of the costs; details=true
        gives all columns of at most `limit` rows. Units end the names of figures.
        """
        return self._answer(producing.tokens, details, limit, model=model, scenario=scenario)

    def electricity(
        self,
        model: of.Model,
        places: of.Places,
        scenario: of.MlperfScenario = "Server",
        pricing: of.PaidPricing = ON_DEMAND,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Return electricity, carbon and rent of a million output tokens in some places.

        One row an accelerator and place: kWh (modelled, with PUE), kg CO2e and US dollars of it, with low and high; the
        cheapest recent rent of a seller with a site there, which contains the electricity; carbon_to_lowest_place at
        equal energy; reason says what is missing. A summary; details=true gives all columns of at most `limit` rows.
        Units end the names of figures.
        """
        return self._answer(
            producing.electricity,
            details,
            limit,
            model=model,
            places=places,
            scenario=scenario,
            pricing=pricing,
        )

    def compare(
        self,
        a: of.AcceleratorA,
        b: of.AcceleratorB,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Return what is known of both accelerators: specification, throughput, cost, rent, ownership, energy.

        One row an item that both have, beginning with what the same sellers ask for both: accelerator_a,
        accelerator_b, topic, item, unit (of the values), release_a, release_b, value_a, value_b and a_to_b (their
        ratio), each with low and high where known, detail_a and detail_b (sellers and machines behind a price),
        evidence_a and evidence_b (ids of results and offers), size_note_a and size_note_b where a price is of
        fewer accelerators than were measured. Inference and costs of tokens rest on the best available result of
        each, of any round; a_to_b_of_medians is the ratio of medians in the newest round with both, and
        medians_note is set where it differs by more than 10 %. A summary; details=true gives all columns of at
        most `limit` rows. Units end the names of figures.
        """
        return self._answer(
            comparing.compare,
            details,
            limit,
            a=a,
            b=b,
        )

    def alternatives(
        self,
        accelerator: of.AcceleratorFamily,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Return what the tasks that MLPerf measured on an accelerator cost on it and on every other one measured at
        them, such as TPU against GPU.

        One row per task and accelerator, training first, each task by cost: usd_per_task with low and high on
        demand, usd_per_task_at_spot as spot, and at the list price of the seller (usd_per_task_at_only_seller) where
        the accelerators asked for have only one; rent_basis, verdict and caveats in words. Costs of one task compare;
        one accelerator is a TPU chip or a GPU package. A summary; details=true gives all columns of at most `limit`
        rows. Units end the names of figures.
        """
        return self._answer(
            comparing.alternatives,
            details,
            limit,
            accelerator=accelerator,
        )

    def prices(
        self,
        accelerator: of.AcceleratorWord,
        quoted: of.Quoted = None,
        pricing: of.Pricing = ON_DEMAND,
        region: of.Region = None,
        provider: of.Provider = None,
        machine_size: of.MachineSize = None,
        as_of: of.AsOf = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Return the cheapest current offer of each seller; of a quote, whether it is a low or a high price.

        Offers: one row per pricing model and seller; reason says why one does not count. A quote: one row with
        percentile (of the sellers, those that charge less), standing, the next offers, the range that another
        neocloud would charge, and sentence. A summary; details=true gives all columns of at most `limit` rows.
        Units end the names of figures.
        """
        return self._answer(
            offers.prices,
            details,
            limit,
            accelerator=accelerator,
            quoted=quoted,
            pricing=pricing,
            region=region,
            provider=provider,
            machine_size=machine_size,
            as_of=as_of,
        )

    def estimate_training(
        self,
        params: of.Params,
        tokens: of.Tokens,
        accelerator: of.Accelerator,
        gpus: of.Gpus,
        price: of.Price = None,
        provider: of.PaidProvider = None,
        pricing: of.PaidPricing = ON_DEMAND,
        region: of.Site = None,
        scenario: of.Owner = None,
        layers: of.Layers = None,
        hidden: of.Hidden = None,
        sequence_length: of.SequenceLength = None,
        mfu: of.Mfu = None,
        precision: of.Precision = None,
        total_params: of.TotalParams = None,
        pue: of.Pue = None,
        electricity: of.Electricity = None,
        grid: of.Grid = None,
        capex: of.Capex = None,
        depreciation_years: of.DepreciationYears = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Estimate time, cost, energy and memory of training a model on so many tokens.

        The estimate; dollars, hours, joules and gigabytes as named, with low and high where the speed has them; a
        rental also with those of the price level. A summary; details=true gives all columns of at most `limit`
        rows. Units end the names of figures.
        """
        return self._answer(
            estimate.estimate_training,
            details,
            limit,
            params=params,
            tokens=tokens,
            accelerator=accelerator,
            gpus=gpus,
            price=price,
            provider=provider,
            pricing=pricing,
            region=region,
            scenario=scenario,
            layers=layers,
            hidden=hidden,
            sequence_length=sequence_length,
            mfu=mfu,
            precision=precision,
            total_params=total_params,
            pue=pue,
            electricity=electricity,
            grid=grid,
            capex=capex,
            depreciation_years=depreciation_years,
        )

    def estimate_serving(
        self,
        model: of.Model,
        tokens_per_day: of.ServedPerDay = None,
        tokens_per_s_per_user: of.SpeedPerUser = None,
        workload: of.Workload = None,
        accelerator: of.AnyAccelerator = None,
        price: of.Price = None,
        provider: of.PaidProvider = None,
        pricing: of.PaidPricing = ON_DEMAND,
        region: of.Site = None,
        scenario: of.Owner = None,
        mlperf_scenario: of.MlperfScenario = "Server",
        utilisation: of.Utilisation = 60,
        params: of.ServedParams = None,
        weights: of.Weights = None,
        kv_cache: of.KvCache = "fp16",
        context_length: of.ContextLength = 8192,
        sequences: of.Sequences = 16,
        pue: of.Pue = None,
        electricity: of.Electricity = None,
        grid: of.Grid = None,
        capex: of.Capex = None,
        depreciation_years: of.DepreciationYears = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Estimate accelerators, cost, energy and memory of serving output tokens, a day or at a speed of each
        user.

        With tokens_per_s_per_user the answer is an MLPerf result whose limit on latency guarantees that speed,
        else read from a frontier that was measured outside of MLPerf, else null with a reason. Without it,
        MLPerf's throughput is used.

        The estimate; dollars, joules and gigabytes as named, rent with low and high of the price level. size_note
        is among the figures where the price is of fewer accelerators than were measured. State what
        extrapolations says, and never rank a result with what stands apart. A summary; details=true gives all
        columns of at most `limit` rows. Units end the names of figures.
        """
        return self._answer(
            estimate.estimate_serving,
            details,
            limit,
            model=model,
            tokens_per_day=tokens_per_day,
            tokens_per_s_per_user=tokens_per_s_per_user,
            workload=workload,
            accelerator=accelerator,
            price=price,
            provider=provider,
            pricing=pricing,
            region=region,
            scenario=scenario,
            mlperf_scenario=mlperf_scenario,
            utilisation=utilisation,
            params=params,
            weights=weights,
            kv_cache=kv_cache,
            context_length=context_length,
            sequences=sequences,
            pue=pue,
            electricity=electricity,
            grid=grid,
            capex=capex,
            depreciation_years=depreciation_years,
        )

    def estimate_ownership(
        self,
        accelerator: of.Accelerator,
        gpus: of.Gpus,
        months: of.WholeMonths,
        utilisation: of.HoursUsed = 60,
        scenario: of.Owner = None,
        price_each: of.PriceEach = None,
        price_is: of.PriceIs = "all-in",
        running: of.Running = None,
        residual_pct: of.Residual = None,
        interest_pct: of.Interest = None,
        rent: of.Rent = None,
        rent_1y: of.Rent1y = None,
        rent_3y: of.Rent3y = None,
        as_of: of.AsOf = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Own or rent accelerators over months: purchase, interest, running cost and residual value against
        rents.

        The formula is the macro rent_or_own. Each way has a cost with its range, and where owning breaks even.

        One row an option, lowest first: usd with low and high, standing and verdict (costs less, probably costs less,
        about the same), months_to_break_even and break_even_utilisation_pct (from when owning costs no more
        than that rent), basis in words, every input and its source. A summary; details=true gives all columns of
        at most `limit` rows. Units end the names of figures.
        """
        return self._answer(
            estimate.estimate_ownership,
            details,
            limit,
            accelerator=accelerator,
            gpus=gpus,
            months=months,
            utilisation=utilisation,
            scenario=scenario,
            price_each=price_each,
            price_is=price_is,
            running=running,
            residual_pct=residual_pct,
            interest_pct=interest_pct,
            rent=rent,
            rent_1y=rent_1y,
            rent_3y=rent_3y,
            as_of=as_of,
        )

    def keep_or_sell(
        self,
        model: of.Model,
        have: of.Have,
        months: of.WholeMonths = 24,
        age_months: of.Age = None,
        scenario: of.MlperfScenario = "Server",
        utilisation: of.Utilisation = 60,
        owner: of.Owner = None,
        as_of: of.AsOf = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Compare keeping the accelerators you have with selling them and renting others for the same tokens.

        First the row keep, then one row an accelerator that can be rented instead, cheapest first. usd (with low and
        high) is the cost over the months, running_usd_per_output_mtok what a million tokens cost to run. resale_usd is
        what the accelerators would sell for, with its range and basis. sell_from_month: for that many months and any
        longer time, selling and renting costs no more than keeping. task_note names the task where the accelerator has
        no result of the model. A summary; details=true gives all columns of at most `limit` rows. Units end the names
        of figures.
        """
        return self._answer(
            owning.keep_or_sell,
            details,
            limit,
            model=model,
            have=have,
            months=months,
            age_months=age_months,
            scenario=scenario,
            utilisation=utilisation,
            owner=owner,
            as_of=as_of,
        )

    def power_budget(
        self,
        model: of.Model,
        megawatts: of.Megawatts = None,
        machines: of.Machines = None,
        months: of.Months = 24,
        scenario: of.MlperfScenario = "Server",
        utilisation: of.Utilisation = 60,
        owner: of.Owner = None,
        as_of: of.AsOf = None,
        details: bool = False,
        limit: int = 20,
    ) -> Answer:
        """Return how many machines of each accelerator a power limit carries, and what they generate, cost and emit.

        One row an accelerator, most tokens_per_day first. machines and accelerators are at provisioned power (full load
        with host and network) times PUE; machines_at_drawn_power at the power drawn on average. rented_usd and
        owned_usd are over the months, with low and high, and a month with _per_month. rank is null where the limit
        carries no machine, and reason says why. A summary; details=true gives all columns of at most `limit` rows.
        Units end the names of figures.
        """
        return self._answer(
            owning.power_budget,
            details,
            limit,
            model=model,
            megawatts=megawatts,
            machines=machines,
            months=months,
            scenario=scenario,
            utilisation=utilisation,
            owner=owner,
            as_of=as_of,
        )

    def evidence(self, id: of.EvidenceId) -> Answer:  # noqa: A002  the word that readers know it by
        """Return what a figure rests on: every column of its row, its source, standing and how to cite it.

        Ids are in columns such as evidence_a, cheapest_offer_id and rests_on.
        """
        with self._access.reader() as reader:
            basis = citing.evidence(id, database=reader)
            record = plain(asdict(basis))
            return {**record, **self._head(reader, list(record["record"]), basis.standing)}
