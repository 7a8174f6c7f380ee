-- What this file is: one row, written by the build.
select
    '{{ var("generation_id") }}' as generation_id,
    current_timestamp::timestamp with time zone as built_at,
    '{{ var("input_fingerprint") }}' as input_fingerprint,
    '{{ var("code_version") }}' as code_version
