"""JupyterLab's server with a gateway's kernels: URL TOKEN FOLDER CLIENT.

CLIENT is the script that then speaks to JupyterLab's REST and websocket."""
import os, signal, socket, subprocess, sys, time, urllib.error, urllib.request

url, token, folder, client = sys.argv[1:5]
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
lab = f"http://127.0.0.1:{port}"
env = dict(os.environ, HOME=folder, JUPYTER_RUNTIME_DIR=folder, JUPYTER_CONFIG_DIR=folder)
args = ["-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
        "--IdentityProvider.token=lab-token", f"--ServerApp.root_dir={folder}", f"--gateway-url={url}", f"--GatewayClient.auth_token={token}"]
log = open(os.path.join(folder, "lab.log"), "w")
server = subprocess.Popen([sys.executable, *args], env=env, stdout=log, stderr=log)
status = 1
try:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{lab}/api/status?token=lab-token", timeout=5).read()
            break
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    status = subprocess.run([sys.executable, client, lab, "lab-token", "python3", "builtin-python"], timeout=150).returncode
finally:
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(15)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    if status:
        print(open(log.name).read()[-5000:])
os._exit(status)
