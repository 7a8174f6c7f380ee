{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'fct_inference_result'}}}) }}
-- Rounds whose landed tree holds valid results that MLCommons' collection lacks. They are published with
-- publication_basis tree_beside_collection: look at the folders upstream before a figure rests on them.
select release, count(*) as n_results_from_tree, count(distinct submitter) as n_submitters, min(source_url) as first_source_url
from {{ ref('fct_inference_result') }}
where publication_basis = 'tree_beside_collection'
group by release
