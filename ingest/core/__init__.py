"""What all sources share: HTTP and git, archives, the landing store, the account of records, errors, HTML, values."""
