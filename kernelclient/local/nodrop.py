"""Starts ipykernel with one change: iopub drops nothing.

By default ZeroMQ throws messages away once a client is 1000 behind, and the end of a
cell with them. Whatever cannot be changed here is left as it is.
"""
import sys

if sys.path and sys.path[0] == "":
    del sys.path[0]  # a module beside the notebook must not stand in for one of ours
try:
    import zmq
    from ipykernel.kernelapp import IPKernelApp

    def _bind_socket(self, s, port, _bind=IPKernelApp._bind_socket):
        if s is getattr(self, "iopub_socket", None):
            s.setsockopt(zmq.XPUB_NODROP, 1)
        return _bind(self, s, port)

    IPKernelApp._bind_socket = _bind_socket
    del _bind_socket
except Exception:
    pass
import runpy

runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
