with

results as (select * from {{ ref('int_inference__in_force') }}),

identified as (
    select
        results.*,
        benchmarks.benchmark_id,
        benchmarks.benchmark_family,
        accelerators.accelerator_id,
        accelerators.is_mixed,
        accelerators.is_name_absent,
        submitters.submitter_id,
        coalesce(variants.variant, 'standard') as variant,
        coalesce(variants.is_virtualised, false) as is_virtualised,
        coalesce(variants.is_power_capped, false) as is_power_capped,
        coalesce(variants.is_partitioned, false) as is_partitioned,
        corrections.invalid_reason as correction_reason
    from results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks
        on results.release = benchmarks.release
        and results.benchmark_published is not distinct from benchmarks.benchmark_published
    left join {{ ref('int_mlperf__accelerators') }} as accelerators
        on results.platform = accelerators.platform
        and results.accelerator_name_published is not distinct from accelerators.accelerator_name_published
    left join {{ ref('mlperf_submitters') }} as submitters using (submitter_published)
    left join {{ ref('int_inference__variants') }} as variants using (result_id)
    left join {{ ref('int_inference__corrections') }} as corrections using (result_id)
),

measured as (
    select
        identified.*,
        units.result,
        units.result_unit,
        units.unit_basis,
        units.output_tokens_per_s,
        counts.accelerator_count,
        counts.accelerator_count_basis,
        counts.count_nodes_x_per_node,
        counts.count_in_accelerator_name,
        counts.count_in_platform,
        counts.count_in_system_name,
        counts.do_witnesses_disagree,
        runs.run_id,
        runs.is_same_run_as_99_9,
        derived.is_derived,
        derived.is_derived_basis,
        case when identified.power_unit_published = 'Watts' then identified.power_published end as power_w,
        case when identified.power_unit_published = 'millijoules' then identified.power_published / 1000 end
            as energy_j_per_query
    from identified
    inner join {{ ref('int_inference__units') }} as units using (result_id)
    inner join {{ ref('int_inference__accelerator_counts') }} as counts using (result_id)
    inner join {{ ref('int_inference__runs') }} as runs using (result_id)
    inner join {{ ref('int_inference__derived') }} as derived using (result_id)
),

judged as (
    select
        *,
        case
            when not is_system_described then 'no system description: accelerator and count are unknown'
            when is_name_absent and coalesce(accelerators_per_node, 0) = 0 then 'no accelerator: CPU only'
            when is_name_absent then 'accelerators are counted but not named'
            when is_mixed then 'mixed accelerators in one system'
            when accelerator_id is null then 'accelerator name is not mapped'
            when is_partitioned then 'a slice of an accelerator (MIG)'
            when correction_reason is not null then correction_reason
            when accelerator_count is null then 'accelerator count is unknown'
            when result_unit is null then 'unit is unknown'
            when not {{ is_throughput('result_unit') }} then 'a latency, never divided by accelerators'
        end as invalid_reason
    from measured
)

select
    result_id,
    release,
    coalesce(submission_id_published, concat_ws('/', release, division, submitter_published, platform)) as submission_id,
    case when submission_id_published is null then 'built here' else 'published' end as submission_id_basis,
    submitter_published as submitter,
    submitter_id,
    division,
    -- A system of both suites is one row: served or interactive results belong to the datacenter, streams
    -- to the edge, Offline to both and stands under datacenter.
    case
        when suite_published not like '%,%' then suite_published
        when scenario in ('SingleStream', 'MultiStream') then 'edge'
        else 'datacenter'
    end as suite,
    suite_published,
    coalesce(availability, 'unknown') as availability,
    system_name,
    platform,
    benchmark_id,
    benchmark_family,
    scenario,
    model_published,
    accelerator_name_published,
    accelerator_id,
    variant,
    is_virtualised,
    is_power_capped,
    accelerator_count,
    accelerator_count_basis,
    number_of_nodes,
    accelerators_per_node,
    total_accelerators_published,
    count_nodes_x_per_node as accelerator_count_nodes_x_per_node,
    count_in_accelerator_name as accelerator_count_in_accelerator_name,
    count_in_platform as accelerator_count_in_platform,
    count_in_system_name as accelerator_count_in_system_name,
    -- of a mixed system each name counts a part
    coalesce(do_witnesses_disagree and not is_name_absent and not is_mixed, false) as do_count_witnesses_disagree,
    result,
    result_unit,
    result_published,
    result_unit_published,
    unit_basis,
    case when invalid_reason is null
        then {{ throughput_per_accelerator('result', 'result_unit', 'accelerator_count') }} end
        as throughput_per_accelerator,
    output_tokens_per_s,
    case when invalid_reason is null and output_tokens_per_s is not null
        then output_tokens_per_s / accelerator_count end as output_tokens_per_s_per_accelerator,
    invalid_reason is null as is_per_accelerator_valid,
    invalid_reason,
    is_derived,
    is_derived_basis,
    is_inferred_published,
    run_id,
    is_same_run_as_99_9,
    power_w,
    energy_j_per_query,
    {{ j_per_output_token('power_w', 'output_tokens_per_s') }} as j_per_output_token,
    tokens_per_sample,
    log_samples_per_s,
    log_tokens_per_s,
    accuracy_published,
    weight_data_types_published,
    {{ number_formats('weight_data_types_published') }} as weight_number_formats,
    software,
    operating_system,
    host_processor_name,
    notes,
    source_url,
    dialect,
    payload_url,
    payload_member,
    payload_record,
    payload_sha256,
    fetched_at,
    parser_version
from judged
