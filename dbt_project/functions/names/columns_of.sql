select
    c.column_name,
    c.data_type,
    nullif(regexp_extract(c.comment, '^\[([^\]]+)\] ', 1), '') as unit,
    regexp_replace(c.comment, '^\[[^\]]+\] ', '') as description
from duckdb_columns() as c
where c.schema_name = 'main' and c.table_name = relation and c.database_name = current_database()
order by c.column_index
