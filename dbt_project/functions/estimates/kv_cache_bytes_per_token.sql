{{ kv_cache_bytes_per_token('layer_count', 'kv_head_count', 'head_size', 'bytes_per_value') }}
