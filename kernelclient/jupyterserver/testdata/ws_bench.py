# Times a bare client of a Jupyter server: websocket-client, which jupyter_server itself uses
# as a gateway's client. Arguments: the server's URL, its token, the code of the lines.
# Prints the median milliseconds of a round trip and of the lines.
import json
import statistics
import sys
import time
import urllib.request
import uuid

import websocket

url, token, lines = sys.argv[1:]
headers = {"Authorization": "token " + token, "Content-Type": "application/json"}


def rest(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url + path, data, headers, method=method)) as r:
        text = r.read()
    return json.loads(text) if text else None


kernel = rest("POST", "/api/kernels", {"name": "python3"})["id"]
session = uuid.uuid4().hex
ws = websocket.create_connection(
    f"{url.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels?session_id={session}",
    header=["Authorization: token " + token],
)


def timed(code, times):
    took = []
    for _ in range(times):
        began = time.perf_counter()
        mid = uuid.uuid4().hex
        ws.send(json.dumps({
            "header": {"msg_id": mid, "msg_type": "execute_request", "session": session, "username": "b", "version": "5.3", "date": ""},
            "parent_header": {}, "metadata": {}, "channel": "shell", "buffers": [],
            "content": {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True},
        }))
        replied = idle = False
        while not (replied and idle):
            msg = json.loads(ws.recv())
            if msg["parent_header"].get("msg_id") == mid:
                replied = replied or msg["msg_type"] == "execute_reply"
                idle = idle or msg["msg_type"] == "status" and msg["content"]["execution_state"] == "idle"
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


timed("1", 1)
print(timed("1", 50), timed(lines, 3))
rest("DELETE", "/api/kernels/" + kernel)
