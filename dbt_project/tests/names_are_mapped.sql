{{ config(severity = 'warn') }}
-- A name that no seed maps: its rows are published under `unmapped:<name>`. The seed_line of ops_unmapped maps it.
select kind, words, n_rows, seed_file
from {{ ref('ops_unmapped') }}
order by kind, words
