"""Settings of Celery for workers: `celery -A dagster_celery.app worker` reads this module if it is on PYTHONPATH."""

import os

broker_url = result_backend = os.environ["ACCELMART_BROKER"]
# a worker asks for a run when it is free, and runs each in a fresh process, whose memory is then given back
worker_disable_prefetch = True
worker_prefetch_multiplier = 1
worker_max_tasks_per_child = 1
