-- Values printed in published texts, with the day and address of the text.
select
    printed.*,
    documents.published_on,
    documents.title as document_title,
    documents.source_url
from {{ ref('published_values') }} as printed
left join {{ ref('published_documents') }} as documents using (document)
