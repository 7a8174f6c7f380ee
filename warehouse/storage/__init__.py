"""Storage: the data root, its lock and files, the disk, and reading a warehouse file."""
