'{{ var('default_owner') }}'
