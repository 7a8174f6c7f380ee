{{ config(severity = 'warn') }}
select kind, words, n_rows, seed_file
from {{ ref('ops_unmapped') }}
order by kind, words
