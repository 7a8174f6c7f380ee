with

submitters as (select * from {{ ref('mlperf_submitters') }})

select submitter_published as submitter, submitter_id, submitter_name, members, note
from submitters
