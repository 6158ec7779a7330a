"""Jupyter's websocket client on the kernels of a server: URL TOKEN KERNEL…"""
import base64, os, sys, threading

from jupyter_kernel_client import JupyterKernelClient


def text(outputs, name="stdout"):
    return "".join(o["text"] for o in outputs if o["output_type"] == "stream" and o["name"] == name)


def check(name, ok, *what):
    if not ok:
        print("FAILED:", name, *[str(w)[:1000] for w in what], flush=True)
        os._exit(1)
    print("ok:", name, flush=True)


def reply_of(client, channel_get, msg_id):
    while True:
        m = channel_get(timeout=60)
        if m["parent_header"].get("msg_id") == msg_id:
            return m["content"]


def exercise(url, token, name):
    rich = name == "python3"
    k = JupyterKernelClient(server_url=url, token=token)
    k.start(name=name)
    check("state", k.execute("x = 41")["status"] == "ok" and k.execute("x + 1")["outputs"][0]["data"]["text/plain"] == "42")
    r = k.execute("print('a'); 1/0")
    check("error", r["status"] == "error" and r["outputs"][-1]["ename"] == "ZeroDivisionError" and text(r["outputs"]) == "a\n", r)
    check("10 MB", len(text(k.execute("print('x' * 10_000_000)")["outputs"])) == 10_000_001)
    check("lines", text(k.execute("for i in range(20_000): print(i)", timeout=120)["outputs"]).split() == [str(i) for i in range(20_000)])
    ws = k._manager.client
    r = k.execute("y = input('name? '); print('got', y)", allow_stdin=True, stdin_hook=lambda m: ws.input("Ada"))
    check("input", "got Ada" in text(r["outputs"]), r)
    c = reply_of(ws, ws.get_shell_msg, ws.complete("x.bit_le", 8))
    check("completion", "bit_length" in "".join(c["matches"]), c)
    c = reply_of(ws, ws.get_shell_msg, ws.inspect("len", 3))
    check("inspection", c["found"] and "len" in c["data"]["text/plain"], c)
    c = reply_of(ws, ws.get_shell_msg, ws.is_complete("def f():"))
    check("is complete", c["status"] == "incomplete", c)
    c = reply_of(ws, ws.get_shell_msg, ws.history(hist_access_type="tail", n=50))
    check("history", any("x + 1" in h[2] for h in c["history"]), c)
    if rich:
        r = k.execute("%matplotlib inline\nimport matplotlib.pyplot as p; p.plot([1, 2]); p.show()", timeout=120)
        png = [o["data"]["image/png"] for o in r["outputs"] if "image/png" in o.get("data", {})]
        check("image", png and base64.b64decode(png[0]).startswith(b"\x89PNG"), r)
        comms(k, ws)
    else:
        r = k.execute("class P:\n    def _repr_png_(self): return b'\\x89PNG123'\nP()")
        check("image", base64.b64decode(r["outputs"][0]["data"]["image/png"]).startswith(b"\x89PNG"), r)
    threading.Timer(1, k.interrupt).start()
    r = k.execute("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.01)", timeout=60)
    check("interrupt", r["status"] == "error" and r["outputs"][-1]["ename"] == "KeyboardInterrupt", r)
    k.restart()
    r = k.execute("'x' in dir()", timeout=60)
    check("restart", r["outputs"][0]["data"]["text/plain"] == "False", r)
    k.stop()


def comms(k, ws):
    r = k.execute("import ipywidgets as w; s = w.IntSlider(value=3); s", timeout=120)
    view = r["outputs"][-1]["data"]["application/vnd.jupyter.widget-view+json"]
    c = reply_of(ws, ws.get_shell_msg, ws.comm_info())
    check("comms", view["model_id"] in c["comms"], c)
    m = ws.session.msg("comm_msg", {"comm_id": view["model_id"], "data": {"method": "update", "state": {"value": 7}, "buffer_paths": []}})
    ws.shell_channel.send(m)
    check("a widget's value", k.execute("s.value")["outputs"][0]["data"]["text/plain"] == "7")
    blob = "import comm\nc = comm.create_comm('t')\ngot = []\nc.on_msg(lambda m: got.append([bytes(b) for b in m['buffers']]))\nprint(c.comm_id)"
    m = ws.session.msg("comm_msg", {"comm_id": text(k.execute(blob)["outputs"]).strip(), "data": {}})
    m["buffers"] = [b"\x00\xff", b"two"]
    ws.shell_channel.send(m)
    r = k.execute("got")
    check("buffers", r["outputs"][0]["data"]["text/plain"] == "[[b'\\x00\\xff', b'two']]", r)


url, token = sys.argv[1:3]
for name in sys.argv[3:]:
    exercise(url, token, name)
os._exit(0)
