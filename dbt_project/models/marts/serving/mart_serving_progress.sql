-- What software gained at a fixed speed of one user: the frontier of each day of runs, read at round speeds, against the
-- first day with a figure. Days of one group, speculation and arrangement of pools only, so that the runs differ in software.
{% set group = serving_group() + ['speculation', 'is_disaggregated'] %}
with

points as (
    select *
    from {{ ref('fct_serving_point') }}
    where exclusion_reason is null and measured_on_basis = 'day of the run' and measured_on is not null
),

frontier as (
    select * from points
    qualify {{ is_on_frontier('tokens_per_s_per_user', 'output_tokens_per_s_per_accelerator', (group + ['measured_on']) | join(', ')) }}
),

versions as (
    select {{ group | join(', ') }}, measured_on, string_agg(distinct framework_version, ', ' order by framework_version) as framework_versions
    from points
    group by all
),

reads as ({{ frontier_reads('frontier', group + ['measured_on']) }}),

compared as (
    select
        *,
        first_value(output_tokens_per_s_per_accelerator ignore nulls) over days as first_output_tokens_per_s_per_accelerator,
        first_value(case when reason is null then measured_on end ignore nulls) over days as first_measured_on,
        count(*) over (partition by {{ group | join(', ') }}, tokens_per_s_per_user) as n_days
    from reads
    window days as (
        partition by {{ group | join(', ') }}, tokens_per_s_per_user order by measured_on
        rows between unbounded preceding and unbounded following
    )
)

select
    {% for column in group -%}
    compared.{{ column }},
    {% endfor -%}
    compared.measured_on,
    versions.framework_versions,
    compared.tokens_per_s_per_user,
    compared.output_tokens_per_s_per_accelerator,
    compared.basis,
    compared.reason,
    compared.n_frontier_points,
    compared.first_measured_on,
    compared.first_output_tokens_per_s_per_accelerator,
    {{ gain_ratio("'tokens/s'", 'compared.output_tokens_per_s_per_accelerator', 'compared.first_output_tokens_per_s_per_accelerator') }}
        as gain_ratio
from compared
left join versions
    on {% for column in group + ['measured_on'] %}
    compared.{{ column }} is not distinct from versions.{{ column }}{{ ' and ' if not loop.last }}
    {%- endfor %}
where compared.n_days > 1
