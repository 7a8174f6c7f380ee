"""A real S3 server on this machine."""

import json
from contextlib import contextmanager

# of s3fs: patience is short, so that a late answer costs a test little
CLIENT = {"config_kwargs": {"read_timeout": 1, "connect_timeout": 2, "retries": {"max_attempts": 6}}}


@contextmanager
def s3_server(bucket="warehouses"):
    """Yield the address of a server with one bucket."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        address = "http://{}:{}".format(*server.get_host_and_port())
        client = boto3.client(
            "s3",
            endpoint_url=address,
            aws_access_key_id="test",
            aws_secret_access_key="test",
            region_name="us-east-1",
        )
        client.create_bucket(Bucket=bucket)
        yield address
    finally:
        server.stop()


def settings_of(address):
    """Return the environment with which every S3 client asks a server, also in other processes."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "FSSPEC_S3": json.dumps(CLIENT),
    }


@contextmanager
def used_here(patch, address):
    """Use a server in this process, which has read its environment already."""
    import fsspec
    import fsspec.config

    for name, value in settings_of(address).items():
        patch.setenv(name, value)
    patch.setitem(fsspec.config.conf, "s3", CLIENT)
    fsspec.filesystem("s3").clear_instance_cache()
    try:
        yield
    finally:
        fsspec.filesystem("s3").clear_instance_cache()
