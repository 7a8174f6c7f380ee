{{ size_note('sizes', 'measured') }}
