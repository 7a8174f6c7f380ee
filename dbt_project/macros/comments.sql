{#- Descriptions in the published file itself, so that any SQL tool shows them: of tables from YAML, of columns from seed
    column_dictionary; of a number the unit comes first, as `[USD per million tokens] …`. -#}
{% macro comment_on_everything() -%}
{%- if execute %}
    -- some thousands of statements: one by one each would wait for the disk
    begin transaction;
    {%- set relations = [] -%}
    {%- for result in results if result.status == 'success' and result.node.resource_type in ('model', 'seed') -%}
        {%- set node = graph.nodes[result.node.unique_id] -%}
        {%- do relations.append(node.schema ~ '.' ~ node.name) %}
        comment on table {{ relations[-1] }} is {{ quoted_text(node.description) }};
        {%- if node.schema == 'main' %}
        {%- do relations.append(var('public_schema') ~ '.' ~ node.name) %}
        comment on view {{ relations[-1] }} is {{ quoted_text(node.description) }};
        {%- endif %}
    {%- endfor %}
    {%- if relations %}
    {%- for comment in run_query(comments_on_columns(relations)).columns[0].values() %}
    {{ comment }}
    {%- endfor %}
    {%- endif %}
    {%- for macro in public_macros() %}
        comment on macro {{ 'table ' if macro.is_table else '' }}main.{{ macro.name }} is {{ quoted_text(macro.description) }};
    {%- endfor %}
    commit;
{%- endif -%}
{%- endmacro %}

{#- A statement for every column of these relations that the dictionary knows; a meaning for the table goes before the general one. -#}
{% macro comments_on_columns(relations) -%}
    {%- set dictionary = graph.nodes['seed.' ~ project_name ~ '.column_dictionary'] %}
    select format(
        'comment on column {}.{}."{}" is ''{}'';',
        columns.schema_name,
        columns.table_name,
        columns.column_name,
        replace(coalesce('[' || meanings.unit || '] ', '') || meanings.description, '''', '''''')
    )
    from duckdb_columns() as columns
    inner join {{ dictionary.schema }}.{{ dictionary.name }} as meanings
        on columns.column_name = meanings.column_name
        and coalesce(list_contains(string_split(meanings.tables, ' '), columns.table_name), true)
    where columns.database_name = current_database()
        and columns.schema_name || '.' || columns.table_name in ('{{ relations | join("', '") }}')
    qualify
        row_number() over (
            partition by columns.schema_name, columns.table_name, columns.column_name
            order by meanings.tables is null
        ) = 1
{%- endmacro %}

{% macro quoted_text(text) -%}
    '{{ (text or '') | trim | replace("\n", ' ') | replace("'", "''") }}'
{%- endmacro %}

{#- What each SQL macro of the published file answers: its arguments with units, and what comes out. -#}
{% macro public_macros() -%}
    {%- set tables = [
        ('price_on', 'Comparable prices in force at the end of a day (UTC): rows of fct_price_interval, with the segment of the seller and the seller that has its vote.'),
        ('price_level', 'The price level of an accelerator on a day (as_of, default the newest price day): the row of mart_rental_price_level of the newest stored day that is not later.'),
        ('price_index', 'mart_price_index of one accelerator and pricing model (pricing, default on_demand), oldest month first: the index with its range, sellers and offers matched, whether the month is marked because fewer than three sellers were, and the sellers that moved it.'),
        ('token_throughput', 'mart_token_throughput with the rule of which result stands for an accelerator applied to one round (release), or to the rounds published by a day (as_of). is_representative: the best available result of the newest version of the task; is_best_of_accelerator: that, or without an available result the best other one, which has an apart_reason.'),
        ('cost_headline', 'mart_cost_headline with the prices in force at the end of a day (as_of, default the newest price day) and the rounds published by then; release: of one round.'),
        ('cost_per_mtok', 'US$ per million output tokens at full use, cheapest first: the result that stands for each accelerator (the best available one of any round, or of release) on a benchmark (model) in a scenario and the cheapest offer of each seller and pricing model. pricing, provider, region (% is a wildcard; or a country code or group such as EU, see in_region), release narrow it; as_of (or day): prices of that day, else of the newest price. Old, undated and too small offers, and accelerators without an available result (preview, research), stand last, with rank_reason.'),
        ('carbon_per_mtok', 'kg CO2e of the electricity of a million output tokens, lowest first, among the offers that cost at most max_extra_cost_pct per cent more than the cheapest one of a known grid (default 10): for each accelerator, seller, pricing model and region the cheapest offer. Energy is modelled, with PUE; the grid is that of the cloud region, else of the US state, else of the country (grid_level, grid_year): annual averages. pricing, provider, region, release, as_of as in cost_per_mtok. What has no carbon_rank stands last, with carbon_rank_reason.'),
        ('best_result', 'The result that stands for each accelerator on a benchmark (model) in a scenario: the best available one of any round of the newest version of the task; MLPerf Inference, closed, datacenter, plain systems. newest_release_median: median of the newest round beside it. Accelerators with preview, research or reference results only come last, with a reason and no figure. With release: the best of that round; those others come last with their figure and a reason. accelerator: one of them.'),
        ('compare', 'Two accelerators side by side: specifications, throughput, rent, ownership, energy. Only what both have. Inference and costs of tokens: the result that stands for each (see best_result), of release_a and release_b; a_to_b_of_medians is the ratio of medians in the newest round with both, and medians_note states it where it differs by more than 10 %. Training: the best available result of each at the smallest size that both have. Ownership: prices of the same date. It begins with the ratios of prices, and of costs of a token, at the sellers that have both (median, low and high). a_to_b is value_a ÷ value_b; detail_a and detail_b name sellers and machines; evidence_a and evidence_b are keys of the facts; size_note_a and size_note_b mark a cost of tokens whose price is of fewer accelerators than were measured.'),
        ('tco', 'What owning an accelerator costs an hour, with every component: as mart_tco has it, or with any assumption replaced, such as electricity_usd_per_kwh := 0.05 or capex_usd := 30000. scenario: one of them. capex_basis and price_level: how the capital is known, and the month of its prices; by default the row of mart_tco with is_default.'),
        ('choose', 'Options for serving a model (key of dim_benchmark) within a budget, ranked by cost: accelerator, number, rent or own. tokens_per_day: output tokens. budget: US$ that may be paid within the months: the rent, or the purchase and the running cost. cost_usd: the rent (price level of the accelerator; in a region the median over sellers), or the cost of ownership over the months. max_j_per_token (joules with PUE, modelled where it is known), max_ttft_ms (99th percentile), region (% is a wildcard; or a country code or group such as EU, see in_region) narrow it. have_accelerator and have_count: accelerators that one has, at their running cost. utilisation: per cent of the measured throughput in use. Options that do not hold the model or break a limit have no rank, and the reason.'),
        ('rent_rates', 'US$ per accelerator-hour of renting on demand (price level with its range, else the plain median) and under 1- and 3-year commitments (median of the sellers with theirs as range; a rent that third parties published where nobody sells), on a day (as_of). usd_cheapest, cheapest_provider and cheapest_offer_id: the cheapest offer; usd_published: the third-party figure beside it.'),
        ('rent_or_own', 'Own or rent so many accelerators (gpus) for whole months: one row each for owning (purchase with interest and running cost less the residual value), renting always on, renting by the hour (utilisation in per cent) and 1- and 3-year commitments, which are paid for whole terms. Machines are bought whole. standing: cheapest, more expensive, no order where ranges overlap, no range. months_to_break_even and break_even_utilisation_pct: from when owning costs no more than that rent. price_each (US$, all-in, or of a server: price_is), running_usd_per_hour, residual_pct, interest_pct (a year) and rents (US$ per accelerator-hour) replace the inputs.'),
        ('columns_of', 'The columns of a public table: type, unit, description. DESCRIBE shows no comments.'),
        ('serving_frontier_at', 'Measured serving outside of MLPerf (no MLPerf results, not verified by MLCommons) at speed_per_user output tokens/s of one user: the frontier of each source, model, part, number format, framework and workload, on the straight line between its neighbours, cheapest rent first. The mart of serving frontiers has it at round speeds. Outside of lowest_ to highest_tokens_per_s_per_user there are no figures, and reason says why; at the edge of a frontier or with few requests in flight there is no cost, and cost_reason says why. model (model_id), accelerator and weights (number format) narrow it.'),
        ('mlperf_serving_at', 'MLPerf results under MLCommons'' limits on latency (Server, Interactive), the best of each accelerator: guaranteed_tokens_per_s_per_user is what 99 % of users get at least (1000 ÷ the limit of the time per output token in ms), is_guaranteed whether that is speed_per_user or more; cost of a token by rent and ownership. model (benchmark), accelerator and weights (number format) narrow it. Never ranked together with serving_frontier_at.'),
        ('estimate_training', 'A training run: tokens/s, days, US$ by rental and by outlay, energy, memory. mfu in per cent of peak_tflops (dense TFLOP/s), usd_per_hour per accelerator, watts_each and hardware_usd_each per accelerator, kg_per_kwh CO2e.'),
        ('estimate_serving', 'Serving tokens_per_day output tokens: accelerators, US$ a day, energy, memory. tokens_per_s per accelerator measured at full use, utilisation in per cent of it; price US$ per accelerator-hour, capex US$ and watts per accelerator, electricity US$ per kWh. Arguments of the command of the same name bear its names.'),
    ] -%}
    {%- set scalars = [
        ('accelerator_named', 'The key of dim_accelerator as given; an unknown one is an error that names near ones.'),
        ('benchmark_named', 'The key of dim_benchmark as given; an unknown one is an error that names near ones.'),
        ('ownership_scenario_named', 'The key of an ownership scenario as given; an unknown one is an error that names near ones.'),
        ('serving_model_named', 'The model_id of measured serving as given; an unknown one is an error that names near ones.'),
        ('provider_of', 'The key of a seller from its key or a common name, such as amazon; null for an unknown one.'),
        ('provider_named', 'The key of a seller from its key or a common name, such as amazon; an unknown one is an error that lists the sellers.'),
        ('in_region', 'Whether an offer with this region and country is in the wanted region: a region or zone of a seller (% is a wildcard), a country code, or a group of countries of seeds.region_groups such as EU, Europe or Asia. An offer that states neither is in none.'),
        ('newest_price_day', 'Day of the newest comparable price in the file: what prices are read as of by default.'),
        ('price_current_days', '[d] Days after which a price is no longer current.'),
        ('usd_per_output_mtok', '[USD per million tokens] US$ per million output tokens at full use, from US$ per accelerator-hour and output tokens/s per accelerator.'),
        ('usd_per_total_mtok', '[USD per million tokens] US$ per million tokens of input and output together, from US$ per million output tokens and the mean lengths of a request (dim_benchmark).'),
        ('size_note', 'Words beside a cost whose prices are of fewer accelerators than were measured; null where none is. sizes: a list, accelerators of each price; measured: accelerators of the measured system.'),
        ('usd_per_trained_mtok', '[USD per million tokens] US$ per million trained tokens, from US$ per accelerator-hour and trained tokens/s per accelerator.'),
        ('training_flops_per_token', '[FLOP/token] 6·P + 12·L·d·s: parameters, layers, hidden size, tokens of a sequence.'),
        ('trained_tokens_per_s', '[tokens/s] Trained tokens per second and accelerator at an MFU (per cent), FLOP/token and dense peak (TFLOP/s).'),
        ('training_accelerator_hours', '[h] Accelerator-hours that so many tokens take at tokens/s per accelerator.'),
        ('training_hours', '[h] Hours that so many tokens take on so many accelerators at tokens/s per accelerator.'),
        ('training_state_bytes', '[B] Weights, gradients and optimiser of mixed-precision Adam for so many parameters.'),
        ('j_per_token', '[J] Joules per token: watts per accelerator × PUE ÷ tokens/s per accelerator.'),
        ('tokens_per_kwh', '[tokens/kWh] Tokens for a kilowatt-hour, from joules per token.'),
        ('tokens_per_household_year', '[tokens] Tokens for the electricity of a US household in a year, from joules per token.'),
        ('household_years', '[years] Years of electricity of a US household that so many tokens take at joules per token.'),
        ('kg_co2e_per_mtok', '[kg/Mtok] CO2e of a million tokens, from joules per token and kg CO2e per kWh.'),
        ('creation_outlay_usd', '[USD] Outlay of creating a model, from the US$ of its hardware.'),
        ('amortised_usd', '[USD] Share of hardware bought that its use for so many hours takes, over a life in years.'),
        ('accelerators_for_load', '[accelerators] Accelerators that tokens a day keep busy at tokens/s per accelerator and a utilisation in per cent.'),
        ('kv_cache_bytes_per_token', '[B] KV cache of one token of context: layers, key-value heads, head size, bytes of a value.'),
        ('accelerators_bought', '[accelerators] Accelerators of the fewest whole machines that have so many: scale-up domains, or nodes where these are larger (node_size).'),
        ('accelerators_that_hold', '[accelerators] Fewest accelerators whose memory (GB of 1e9 bytes each) holds so many bytes.'),
    ] -%}
    {%- set all = [] -%}
    {%- for name, description in tables -%}{%- do all.append({'name': name, 'description': description, 'is_table': true}) -%}{%- endfor -%}
    {%- for name, description in scalars -%}{%- do all.append({'name': name, 'description': description, 'is_table': false}) -%}{%- endfor -%}
    {{ return(all) }}
{%- endmacro %}
