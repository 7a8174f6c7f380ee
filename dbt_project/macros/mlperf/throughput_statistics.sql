{#- What every aggregate of throughputs shows: how many, how spread, and which result is the best. -#}
{% macro throughput_statistics() -%}
    count(*) as n_results,
    bool_or(is_round_incomplete) as is_round_incomplete,
    count(distinct run_id) as n_runs,
    count(distinct submitter) as n_submitters,
    min(throughput_per_accelerator) as throughput_per_accelerator_min,
    median(throughput_per_accelerator) as throughput_per_accelerator_median,
    {{ mean('throughput_per_accelerator') }} as throughput_per_accelerator_mean,
    max(throughput_per_accelerator) as throughput_per_accelerator_max,
    {%- for column in ['result_id', 'submission_id', 'submitter', 'system_name', 'number_format', 'source_url'] %}
    arg_max_null({{ column }}, (throughput_per_accelerator, result_id)) as best_{{ column }}{{ ',' if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{#- Which results may stand for an accelerator: in a best result, cost, rank, range or headline. A result whose derivation
    is unknown counts. -#}
{% macro stands_for_accelerator(relation='') -%}
    {%- set of = relation ~ '.' if relation else '' -%}
    {{ of }}is_per_accelerator_valid and {{ of }}is_derived is not true and {{ of }}is_peer_outlier is not true
{%- endmacro %}

{#- Training results that may stand for an accelerator, as above. -#}
{% macro trained_to_target() -%}
    score_minutes is not null and {{ is_mapped('accelerator_id') }} and accelerator_count > 0
    and is_peer_outlier is not true
{%- endmacro %}

{#- Results that enter a statistic: those of optimised software; of a cell that has none, those of reference software. -#}
{% macro without_reference(relation, keys) -%}
    select * from {{ relation }}
    qualify software_class = 'optimised' or not bool_or(software_class = 'optimised') over (partition by {{ keys }})
{%- endmacro %}

{#- Availability of a measured system in MLCommons' categories: available, preview, research (research, development or
    internal); unknown where none is stated. -#}
{% macro availability_of(published) -%}
    case
        when {{ published }} ilike '%preview%' then 'preview'
        when regexp_matches({{ published }}, 'research|development|internal|rdi', 'i') then 'research'
        when regexp_matches({{ published }}, 'available|cloud|prem', 'i') then 'available'
        else 'unknown'
    end
{%- endmacro %}

{#- Whether a round lies between first_release and last_release of a seed's row. -#}
{% macro is_in_releases(release, spans) -%}
    ({{ release_number(release) }} >= {{ release_number(spans ~ '.first_release') }}
        and ({{ spans }}.last_release is null
            or {{ release_number(release) }} <= {{ release_number(spans ~ '.last_release') }}))
{%- endmacro %}

{#- The rule of which result stands for an accelerator, over rows of one result or of one round each: the best available one of
    any round of the newest version of the task. An accelerator that has none is shown with its best other result, which
    has an apart_reason. The expression is true for one row an accelerator, benchmark and scenario, at most.

    relation    alias of the rows: benchmark_id, benchmark_version, scenario, accelerator_id, apart_reason, release
    throughput  column that is compared
    keys        further columns that separate accelerators' results, such as their unit
    first       what comes before the throughput, such as a limit on latency
    questions   columns that separate questions, each with its own rows -#}
{% macro is_best_of_accelerator(relation, throughput, keys=['scenario'], first=[], questions=[]) -%}
    {%- set r = relation -%}
    (
        {{ r }}.benchmark_version is not distinct from max({{ r }}.benchmark_version) over (
            partition by {{ r }}.benchmark_id{% for key in questions %}, {{ r }}.{{ key }}{% endfor %}
        )
        and row_number() over (
            partition by {{ r }}.benchmark_id, {{ r }}.accelerator_id{% for key in keys + questions %}, {{ r }}.{{ key }}{% endfor %}
            order by
                {{ r }}.benchmark_version desc, {{ r }}.apart_reason is not null,
                {% for expression in first %}{{ expression }}, {% endfor %}
                {{ r }}.{{ throughput }} desc, {{ release_number(r ~ '.release') }} desc, {{ r }}.result_id desc
        ) = 1
    )
{%- endmacro %}

{#- What stands beside that result: the newest round with an available result of the same task, its median and its
    results. -#}
{% macro newest_round_columns(relation, median, keys=['scenario']) -%}
    {%- set r = relation -%}
    {%- for column, name in [('release', 'newest_release'), (median, 'newest_release_median'), ('n_results', 'newest_release_n_results')] %}
    arg_max({{ r }}.{{ column }}, {{ release_number(r ~ '.release') }}) filter (where {{ r }}.apart_reason is null) over (
        partition by
            {{ r }}.benchmark_id, {{ r }}.benchmark_version, {{ r }}.accelerator_id
            {%- for key in keys %}, {{ r }}.{{ key }}{% endfor %}
    ) as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
{%- endmacro %}
