-- What compare states of two accelerators' specifications and of what MLPerf measured on both.
with named as (select part_a as id_a, part_b as id_b),

specs as (
    select s.accelerator_id, s.attribute, s.unit, s.curated_value
    from {{ ref('mart_spec_agreement') }} as s
    where s.curated_value is not null
),

spec_rows as (
    select
        2 as topic_order,
        'specification' as topic,
        x.attribute as item,
        x.unit,
        {{ of_both(value='#.curated_value') }}
    from named as n
    inner join specs as x on n.id_a = x.accelerator_id
    inner join specs as y on n.id_b = y.accelerator_id and x.attribute = y.attribute
),

-- of the newest round with both
pairs as (
    select p.*
    from named as n
    inner join {{ ref('mart_throughput_ratio') }} as p
        on n.id_a = p.accelerator_id and n.id_b = p.baseline_accelerator_id
    where p.suite_kind = 'inference'
    qualify row_number() over (
        partition by p.benchmark_id, p.scenario, p.result_unit
        order by {{ release_number('p.release') }} desc
    ) = 1
),

representatives as (
    select t.*
    from {{ ref('mart_inference_throughput') }} as t
    where t.is_representative and t.division = 'closed' and t.suite = 'datacenter' and t.variant = 'standard'
),

inference_rows as (
    select
        3 as topic_order,
        'inference' as topic,
        x.benchmark_id || ' ' || x.scenario as item,
        x.result_unit || ' per accelerator' as unit,
        {{ of_both(
            release='#.release', value='#.throughput_per_accelerator_max', detail='#.best_number_format', evidence='#.best_result_id'
        ) }},
        p.release as release_of_medians,
        p.throughput_ratio_of_medians as a_to_b_of_medians
    from named as n
    inner join representatives as x on n.id_a = x.accelerator_id
    inner join representatives as y
        on n.id_b = y.accelerator_id
        and x.benchmark_id = y.benchmark_id and x.scenario = y.scenario and x.result_unit = y.result_unit
    left join pairs as p
        on x.benchmark_id = p.benchmark_id
        and x.benchmark_version = p.benchmark_version and x.scenario = p.scenario and x.result_unit = p.result_unit
),

-- the best result of any round at each class of sizes
training_best as (select * from {{ ref('int_training__speeds') }} where is_best_of_size),

training_rows as (
    select
        4 as topic_order,
        'training' as topic,
        x.benchmark_id as item,
        x.result_unit || ' per accelerator' as unit,
        {{ of_both(
            release='#.release', value='#.throughput_per_accelerator', evidence='#.result_id',
            detail="concat_ws(', ', #.number_format, #.accelerator_count || ' accelerators')"
        ) }}
    from named as n
    inner join training_best as x on n.id_a = x.accelerator_id
    inner join training_best as y
        on n.id_b = y.accelerator_id and x.benchmark_id = y.benchmark_id
        and x.benchmark_version = y.benchmark_version and x.result_unit = y.result_unit
        and x.scale_class = y.scale_class
    qualify row_number() over (
        partition by x.benchmark_id, x.result_unit order by x.benchmark_version desc, x.scale_class asc
    ) = 1
)

from spec_rows
union all by name from inference_rows
union all by name from training_rows
