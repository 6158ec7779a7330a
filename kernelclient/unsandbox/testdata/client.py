"""A second, independent signer: prints what a program of the service's gives. It uses
nothing of nbterm's, so that a fault on which both ends of nbterm's tests agree is seen."""
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request


def call(method, path, body=None):
    data = b"" if body is None else json.dumps(body).encode()
    stamp = str(int(time.time()))
    message = b":".join([stamp.encode(), method.encode(), path.encode(), data])
    request = urllib.request.Request(
        os.environ["UNSANDBOX_API_URL"] + path, method=method, data=data if body is not None else None)
    request.add_header("Authorization", "Bearer " + os.environ["UNSANDBOX_PUBLIC_KEY"])
    request.add_header("X-Timestamp", stamp)
    request.add_header("X-Signature", hmac.new(os.environ["UNSANDBOX_SECRET_KEY"].encode(), message, hashlib.sha256).hexdigest())
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read())


job = call("POST", "/execute/async", {"language": "python", "code": sys.argv[1]})
while job["status"] in ("pending", "running"):
    time.sleep(0.01)
    job = call("GET", "/jobs/" + job["job_id"])
session = call("POST", "/sessions", {"network_mode": "zerotrust", "shell": "bash"})
call("POST", "/sessions/%s/unfreeze" % session["session_id"], {})
call("DELETE", "/sessions/" + session["session_id"])
call("POST", "/keys/validate")
print(job["status"], job["stdout"], end="")
