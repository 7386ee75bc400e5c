"""The connection to a simulator behind a server."""

from deepracer_native.environments.client import DeepracerClientZMQ as DeepracerClientZMQ
