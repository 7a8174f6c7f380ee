-- One row per figure that generations are compared by, in one form. The next build reads it from the published
-- file. `input_version` hashes the source's own words behind a row: a figure that moves while they stay was moved by us.
-- tables that no other public table is made of: once these are there, all are
{% for name in [
    'fct_training_run', 'mart_build_vs_rent', 'mart_calibration', 'mart_cost_to_train', 'mart_energy_model_check',
    'mart_findings', 'mart_frontier_cost_check', 'mart_inference_source_agreement', 'mart_measurement_check',
    'mart_owned_cost_per_mtok', 'mart_price_index', 'mart_published_tables', 'mart_published_values', 'mart_same_seller_ratio',
    'mart_seller_price_level', 'mart_serving_frontier', 'mart_software_progress', 'mart_spec_agreement', 'mart_spec_value', 'mart_task_cost',
    'mart_tco_assumptions', 'mart_tco_sensitivity', 'mart_token_cost_and_price', 'mart_trained_tokens'
] %}{% do ref(name) %}{% endfor %}
{%- set on_assumptions = [] %}
{%- for node in (graph.nodes.values() if execute else []) if node.config.meta.rows_depend_on == 'assumptions' %}
{%- do on_assumptions.append(node.name) %}
{%- endfor %}
with

-- the payloads or fetches of each round and source
polls as (
    select source, md5(concat_ws('/', count(*), max(polled_at))) as version
    from {{ ref('stg_prices__polls') }}
    group by source
),

payloads as (
    select
        case
            when source like 'mlperf-training%' then 'training/' || release
            when source like 'mlperf-inference%' then 'inference/' || release
            else source
        end as subject,
        min(source) as source,
        md5(string_agg(distinct payload_sha256, '/' order by payload_sha256)) as version
    from {{ ref('ops_reconciliation') }}
    group by all
),

inputs as (
    select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, payloads.subject,
        payloads.source, null::double as value, coalesce(polls.version, payloads.version) as input_version
    from payloads
    left join polls using (source)
    union all by name
    -- and the override files of the user
    select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, 'overrides' as subject,
        null::double as value, coalesce(md5(string_agg(seed || record::varchar, ',' order by seed, record::varchar)), '') as input_version
    from {{ ref('stg_accelmart__overrides') }}
),

offers as (
    select provider, count(*) as offers_in_force, count(*) filter (is_comparable) as comparable_offers_in_force
    from {{ ref('int_changes__values') }}
    where role = 'price' and provider is not null
    group by provider
),

-- of each public table, of the rounds in a fact, and of the current offers of a seller
counts as (
    select
        'count' as role, 'fct_price_interval' as relation, figure, provider as subject, 'offers' as unit, provider,
        null::varchar as release, value::double as value
    from offers unpivot (value for figure in (offers_in_force, comparable_offers_in_force))
    where value > 0

    union all by name
    select 'count' as role, relation, 'rows_of_release' as figure, release as subject, 'rows' as unit, release, cast(count(*) as double) as value
    from {{ ref('int_changes__values') }}
    where role = 'result' and is_primary
    group by relation, release

    -- DuckDB knows how many rows a table has that was written at once; `meta` marks those whose rows the user's own assumptions decide
    union all by name
    select 'count' as role, table_name as relation, 'rows' as figure, table_name as subject, 'rows' as unit,
        cast(estimated_size as double) as value,
        table_name in ('{{ on_assumptions | sort | join("', '") }}') as depends_on_assumptions
    from duckdb_tables()
    where database_name = current_database() and schema_name = 'main'
        and regexp_matches(table_name, '^(dim|fct|mart)_') and table_name <> 'mart_changes'
),

figures as (
    select * exclude (is_comparable) from {{ ref('int_changes__values') }}
    union all by name
    select * from counts
    union all by name
    select * from inputs
),

-- in whichever file they stand
overrides as (select * exclude (file) from {{ ref('stg_tco__overrides') }}),

-- of the ownership assumptions that the user overrides
assumptions as (
    select md5(coalesce(string_agg(cast(overrides as varchar), '/' order by cast(overrides as varchar)), '')) as version
    from overrides
)

select
    figures.* exclude (figures.depends_on_assumptions)
        replace (case when figures.depends_on_assumptions then assumptions.version else figures.input_version end as input_version)
from figures
cross join assumptions
-- the figures of one subject beside each other: their words are alike, and take a third of the space
order by figures.subject, figures.figure
