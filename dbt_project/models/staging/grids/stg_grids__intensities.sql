-- Carbon intensities of the payload in force of each file: the one fetched last, or of the latest date.
with

source as (select * from {{ source('raw', 'grid_intensities') }})

select
    source, payload_key, level, country, us_state, provider_published, region, place_published,
    kg_co2e_per_kwh, intensity_published, unit_published, year, source_url, note,
    payload_url, payload_sha256, licence, fetched_at, parser_version,
    member as payload_member, record as payload_record
from source
qualify {{ is_newest_of_stream() }}
