"""What is published: kept generations, the pointer to one of them, what the last build said, and retention."""
