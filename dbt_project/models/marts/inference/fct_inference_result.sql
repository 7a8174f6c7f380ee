-- One row per published MLPerf Inference result: what ran (identified), what was measured (measured), whether it can stand for one
-- accelerator (judged), and whether it lies far from its peers (compared).
with

results as (select * from {{ ref('int_inference__active') }}),

identified as (
    select
        results.*,
        -- a folder of the open division holds any network: its name is no benchmark
        results.division = 'open' and results.benchmark_published is null and not {{ is_mapped('benchmarks.benchmark_id') }}
            as is_any_network,
        case when not is_any_network then benchmarks.benchmark_id end as benchmark_id,
        case when not is_any_network then benchmarks.benchmark_family end as benchmark_family,
        coalesce(versions.benchmark_version, 1) as benchmark_version,
        accelerators.accelerator_id,
        accelerators.is_mixed,
        accelerators.candidates,
        accelerators.is_name_absent,
        coalesce(accelerators.is_embedded, false) as is_embedded,
        {{ key_or_unmapped('submitters.submitter_id', 'results.submitter_published') }} as submitter_id,
        coalesce(variants.variant, 'standard') as variant,
        coalesce(variants.is_virtualised, false) as is_virtualised,
        coalesce(variants.is_power_capped, false) as is_power_capped,
        coalesce(variants.is_partitioned, false) as is_partitioned,
        accelerators.is_override as is_accelerator_override,
        benchmarks.is_override as is_benchmark_override,
        coalesce(submitters.is_override, false) as is_submitter_override
    from results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks
        on results.release = benchmarks.release and results.benchmark_words = benchmarks.benchmark_words
    left join {{ ref('int_mlperf__accelerators') }} as accelerators
        on {{ is_of_system('accelerators', 'results') }}
    left join {{ ref('stg_reference__mlperf_submitters') }} as submitters using (submitter_published)
    left join {{ ref('int_inference__variants') }} as variants using (result_number)
    left join {{ ref('mlperf_benchmark_versions') }} as versions
        on versions.suite_kind = 'inference'
        and benchmarks.benchmark_id = versions.benchmark_id
        and {{ is_in_releases('results.release', 'versions') }}
),

measured as (
    select
        identified.*,
        units.result,
        units.result_unit,
        units.unit_basis,
        units.is_unit_override,
        units.output_tokens_per_s,
        counts.accelerator_count,
        counts.accelerator_count_basis,
        counts.correction_reason,
        counts.corrected_number_of_nodes,
        counts.count_nodes_x_per_node,
        counts.count_in_accelerator_name,
        counts.count_in_platform,
        counts.count_in_system_name,
        counts.do_counts_disagree,
        coalesce(published_twice.result_id, identified.result_id) as run_id,
        runs.is_same_run_as_99_9,
        runs.is_derived,
        runs.is_derived_basis,
        formats.number_format,
        formats.number_format_basis,
        formats.number_format_evidence,
        limits.limit_reason,
        limits.ratio_to_usual,
        {{ availability_of('identified.availability') }} as availability_class,
        -- `reference` for results of MLCommons' reference implementation, `optimised` for all others. MLCommons'
        -- automation names such a system "<host>-reference-<device>-…".
        case
            when regexp_matches(concat_ws(' ', identified.platform, identified.software), '(^|[-_ ])reference([-_ ]|$)', 'i') then 'reference'
            else 'optimised'
        end as software_class,
        case when identified.power_unit_published = 'Watts' then identified.power_published end as power_w,
        case when identified.power_unit_published = 'millijoules' then identified.power_published / 1000 end
            as energy_j_per_query
    from identified
    inner join {{ ref('int_inference__units') }} as units using (result_number)
    inner join {{ ref('int_inference__accelerator_counts') }} as counts using (result_number)
    inner join {{ ref('int_inference__runs') }} as runs using (result_number)
    left join {{ ref('int_inference__active') }} as published_twice
        on runs.is_same_run_as_99_9 and runs.run_number = published_twice.result_number
    inner join {{ ref('int_inference__number_formats') }} as formats using (result_number)
    left join {{ ref('int_inference__physical_limits') }} as limits using (result_number)
),

judged as (
    select
        *,
        case
            {{ reasons_of_system() }}
            when benchmark_id is null then 'a network of the open division whose benchmark is not stated'
            when not {{ is_mapped('benchmark_id') }} then 'benchmark is not mapped'
            when not {{ is_mapped('scenario') }} then 'scenario is not mapped'
            when is_partitioned then 'a slice of an accelerator (MIG)'
            when correction_reason is not null then correction_reason
            {{ reasons_of_count() }}
            when result_unit is null then 'unit is unknown'
            when not {{ is_mapped('result_unit') }} then 'unit is not mapped'
            when unit_basis = 'contradictory' then 'the published unit is not that of the benchmark, and its size does not decide'
            when not {{ is_throughput('result_unit') }} then 'a latency, never divided by accelerators'
            when starts_with(log_validity, 'INVALID: ') then 'queries failed in the run: the rate counts them'
            when limit_reason is not null then limit_reason
        end as invalid_reason,
        invalid_reason is null as is_per_accelerator_valid,
        case when is_per_accelerator_valid then {{ throughput_per_accelerator('result', 'result_unit', 'accelerator_count') }} end
            as throughput_per_accelerator,
        -- results that others of their part are compared with
        is_per_accelerator_valid and is_derived is not true and software_class = 'optimised' as is_peer
    from measured
),

round_medians as (
    select
        release, division, benchmark_id, benchmark_version, scenario, accelerator_id, result_unit,
        median(throughput_per_accelerator) as round_median,
        count(*) as n_peers
    from judged
    where is_peer
    group by release, division, benchmark_id, benchmark_version, scenario, accelerator_id, result_unit
),

peers as (
    select * exclude (benchmark_version) from round_medians where n_peers >= {{ var('peers_min') }}
),

-- for results that have no such peers in their round; one vote a round
peers_of_all_rounds as (
    select
        division, benchmark_id, benchmark_version, scenario, accelerator_id, result_unit,
        median(round_median) as all_rounds_median
    from round_medians
    group by division, benchmark_id, benchmark_version, scenario, accelerator_id, result_unit
    having count(*) >= {{ var('peers_min') }}
),

-- for closed results that have none of both: the others of the part in any round and division
others as (
    select
        result_number,
        median(case when is_peer then throughput_per_accelerator end) over (
            partition by benchmark_id, benchmark_version, scenario, accelerator_id, result_unit
            rows between unbounded preceding and unbounded following exclude current row
        ) as others_median
    from judged
    where is_per_accelerator_valid
),

compared as (
    select
        judged.*,
        judged.is_per_accelerator_valid and coalesce(
            not {{ is_near_peers('judged.throughput_per_accelerator', 'peers.round_median', var('peers_factor')) }},
            not {{ is_near_peers(
                'judged.throughput_per_accelerator', 'peers_of_all_rounds.all_rounds_median', var('peers_all_rounds_factor')
            ) }},
            judged.division = 'closed' and judged.software_class = 'optimised'
            and not {{ is_near_peers('judged.throughput_per_accelerator', 'others.others_median', var('peers_all_rounds_factor')) }}
            -- the one that is further from what all parts do is the odd one
            and coalesce(
                abs(ln(judged.ratio_to_usual))
                > abs(ln(judged.ratio_to_usual * others.others_median / judged.throughput_per_accelerator)),
                judged.throughput_per_accelerator > others.others_median
            ),
            false
        ) as is_peer_outlier
    from judged
    left join peers using (release, division, benchmark_id, scenario, accelerator_id, result_unit)
    left join peers_of_all_rounds using (division, benchmark_id, benchmark_version, scenario, accelerator_id, result_unit)
    left join others on judged.result_number = others.result_number
)

select
    * exclude (
        -- under the names below
        submitter_published, availability_class, submission_id_published, count_nodes_x_per_node, count_in_accelerator_name,
        count_in_platform, count_in_system_name, corrected_number_of_nodes, do_counts_disagree,
        -- what a result was judged by
        is_any_network, is_mixed, candidates, is_name_absent, is_embedded, is_partitioned, is_system_described, is_peer, correction_reason,
        limit_reason, ratio_to_usual, benchmark_words, folder, result_number, release_number, log_scenario, errors_published,
        is_accelerator_override, is_benchmark_override, is_scenario_override, is_unit_override, is_submitter_override,
        -- words of the source beside the figures made of them
        result_value_published, power_published, power_unit_published, benchmark_published, accelerators_per_node_published,
        source
    ) replace (
        availability_class as availability,
        coalesce(corrected_number_of_nodes, number_of_nodes) as number_of_nodes,
        case when number_format_basis <> 'published' then number_format_evidence end as number_format_evidence
    ),
    coalesce(submission_id_published, concat_ws('/', release, division, submitter_published, platform)) as submission_id,
    case when submission_id_published is null then 'built here' else 'published' end as submission_id_basis,
    submitter_published as submitter,
    -- A system of both suites is one row: served or interactive results belong to the datacenter, streams
    -- to the edge, Offline to both and stands under datacenter.
    case
        when suite_published not like '%,%' then suite_published
        when scenario in ('SingleStream', 'MultiStream') then 'edge'
        -- v0.5 states no suite: an embedded part stands in no datacenter
        when suite_published is null and is_embedded then 'edge'
        else 'datacenter'
    end as suite,
    compared.availability as availability_published,
    -- Why a result cannot stand for its accelerator and is listed apart from rankings; null where it can.
    case
        when availability_class in ('preview', 'research') then availability_class || ' system'
        when availability_class = 'unknown' then 'availability of the system is not stated'
        when software_class = 'reference' then 'reference software'
    end as apart_reason,
    count_nodes_x_per_node as accelerator_count_nodes_x_per_node,
    count_in_accelerator_name as accelerator_count_in_accelerator_name,
    count_in_platform as accelerator_count_in_platform,
    count_in_system_name as accelerator_count_in_system_name,
    -- of a mixed system each name counts a part
    coalesce(do_counts_disagree and not is_name_absent and not is_mixed, false) as do_accelerator_counts_disagree,
    case when is_per_accelerator_valid then output_tokens_per_s / accelerator_count end as output_tokens_per_s_per_accelerator,
    case when limit_reason is null then {{ j_per_output_token('power_w', 'output_tokens_per_s') }} end as j_per_output_token,
    -- what is stated against the run; its published figure stays
    nullif(concat_ws('; ',
        case when coalesce(nullif(errors_published, ''), '0') not in ('0', '0.0') then errors_published || ' errors' end,
        case when upper(log_validity) <> 'VALID' then log_validity end
    ), '') as run_problem,
    -- Number formats named in a submitter's words, each once, in lower case: INT8, "bf16, fp8" and a dict per
    -- sub-network alike. Null where none is named (UNSET).
    nullif(array_to_string(list_sort(list_distinct(
        regexp_extract_all(lower(weight_data_types_published), '(?:mx|nv)?(?:fp|bf|tf|int|uint)[0-9]+')
    )), ','), '') as weight_number_formats,
    nullif(concat_ws(', ',
        case when is_accelerator_override then 'accelerator_aliases' end,
        case when is_benchmark_override then 'mlperf_benchmarks' end,
        case when is_scenario_override then 'mlperf_scenarios' end,
        case when is_unit_override then 'mlperf_units' end,
        case when is_submitter_override then 'mlperf_submitters' end
    ), '') as overridden_by,
    -- its main form is
    ends_with(publication_basis, 'read_singly') as is_round_incomplete
from compared
