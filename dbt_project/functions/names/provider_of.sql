(select found.key from {{ function('resolve_name') }}('seller', word) as found)
