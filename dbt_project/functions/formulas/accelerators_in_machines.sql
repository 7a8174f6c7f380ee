{{ in_whole_machines('accelerators', 'machine_accelerators') }}
