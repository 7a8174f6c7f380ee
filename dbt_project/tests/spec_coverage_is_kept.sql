-- BF16 peak, memory, bandwidth and power of datacenter parts, of those whose maker publishes a figure: as many as wanted
-- have two independent sources. The parts that have not are in the check beside it. An attribute with no row is a row.
with wanted as (select unnest(['bf16_dense_tflops', 'memory_gb', 'memory_bandwidth_gb_s', 'tdp_w']) as attribute)
select wanted.attribute, coverage.n_parts, coverage.n_unpublished, coverage.published_two_sources_pct, coverage.gaps
from wanted
left join {{ ref('mart_spec_coverage') }} as coverage using (attribute)
where coalesce(coverage.published_two_sources_pct, 0) < {{ var('spec_two_sources_pct', 95) }}
