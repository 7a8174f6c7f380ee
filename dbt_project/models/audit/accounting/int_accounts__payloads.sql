{{ config(materialized = 'ephemeral') }}

-- One row per parsed payload and step: its records and the rows that the parser made of them, and, of what staging takes payload by
-- payload, those rows and the rows in staging. Of a list staging keeps the newest payload.
with

reconciled as (
    select
        *,
        dialect as kind,
        {{ stream_of('payload_key') }} as stream,
        dialect in ('specs', 'grids', 'tokens', 'serving') as is_list
    from {{ ref('ops_reconciliation') }}
),

staged as (
    {%- for model, kind, keys in [
        ('stg_mlperf_inference__results', 'dialect', 'release, payload_key'),
        ('stg_mlperf_training__runs', "'training_runs'", 'release'),
        ('stg_mlperf_training__results', 'dialect', 'release'),
        ('stg_mlperf_training__configurations', "'training_formats'", 'release'),
        ('stg_specs__values', "'specs'", 'payload_key'),
        ('stg_grids__intensities', "'grids'", 'payload_key'),
        ('stg_tokens__prices', "'tokens'", 'payload_key'),
        ('stg_serving__points', "'serving'", 'payload_key')
    ] %}
    {%- if not loop.first %}
    union all by name
    {%- endif %}
    select source, {{ kind }} as kind, {{ keys }}, payload_sha256, count(*) as n from {{ ref(model) }} group by all
    {%- endfor %}
),

lists as (select distinct source, kind, {{ stream_of('payload_key') }} as stream from staged where payload_key is not null),

paired as (
    select
        reconciled.*,
        coalesce(staged.n, 0) as n,
        staged.n is null and lists.stream is not null and reconciled.is_list as is_superseded
    from reconciled
    left join staged
        on reconciled.source = staged.source and reconciled.kind = staged.kind and reconciled.payload_sha256 = staged.payload_sha256
        and (staged.release is null or reconciled.release = staged.release)
        and (staged.payload_key is null or reconciled.payload_key = staged.payload_key)
    left join lists on reconciled.source = lists.source and reconciled.kind = lists.kind and reconciled.stream = lists.stream
    where reconciled.is_list or reconciled.source like 'mlperf-inference%' or reconciled.source like 'mlperf-training%'
)

select
    {{ account_step(
        1, "'payload → raw'", 'records_in', 'rows_out', 'duplicates + merged + rejects + out_of_scope',
        "concat_ws(', ',
        case when duplicates > 0 then duplicates || ' duplicates' end,
        case when merged > 0 then merged || ' merged' end,
        case when rejects > 0 then rejects || ' rejected' end,
        case when out_of_scope > 0 then out_of_scope || ' out of scope' end
    )", release='release', payload_key='payload_key'
    ) }}
from reconciled
union all
select
    {{ account_step(
        2, "'raw → staging'", 'rows_out', 'n', 'case when is_superseded then rows_out else 0 end',
        "case when is_superseded then 'superseded by a later payload of the same page' else '' end",
        release='release', payload_key='payload_key'
    ) }}
from paired
