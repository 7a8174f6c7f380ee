-- One dialect is in force for a round: MLCommons' summary (as JSON, as a table, as our copy of chosen columns), else
-- its collection, else the logs of its tree, else single logs of a round that cannot be had whole.
select release, dialect
from (select distinct release, dialect from {{ ref('stg_mlperf_inference__results') }})
qualify row_number() over (
    partition by release
    order by case
        when dialect in ('summary_list', 'summary_dict') then 1
        when dialect = 'summary_csv' then 2
        when dialect = 'summary_core' then 3
        when dialect = 'collection' then 4
        when dialect = 'raw_tree' then 5
        else 6
    end, dialect
) = 1
