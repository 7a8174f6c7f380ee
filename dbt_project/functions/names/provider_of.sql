(select found.id from {{ function('resolve_name') }}('seller', word) as found)
