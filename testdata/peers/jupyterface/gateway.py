"""nbclient and papermill on the kernels of a gateway, by jupyter_server's own client: URL FOLDER."""
import os, sys

import nbformat, papermill
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.gateway.managers import GatewayKernelManager

url, folder = sys.argv[1:3]
GatewayClient.instance().url = url


class Manager(GatewayKernelManager):
    """With what jupyter_client 8 asks its managers and jupyter_server 2.21 has under another name."""

    async def _async_is_alive(self):
        return await self.is_alive()


def check(name, ok, *what):
    if not ok:
        print("FAILED:", name, *[str(w)[:1000] for w in what], flush=True)
        os._exit(1)
    print("ok:", name, flush=True)


def notebook(*sources):
    v = nbformat.v4
    return v.new_notebook(cells=[v.new_code_cell(s) for s in sources], metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})


nb = notebook("print('hello')", "6*7", "from IPython.display import HTML; HTML('<b>x</b>')", "import sys; print('e', file=sys.stderr)")
NotebookClient(nb, kernel_manager_class=Manager, timeout=60).execute()
outputs = [c.outputs for c in nb.cells]
check("nbclient", outputs[0][0].text == "hello\n" and outputs[1][0].data["text/plain"] == "42" and outputs[2][0].data["text/html"] == "<b>x</b>" and outputs[3][0].name == "stderr", outputs)
nbformat.validate(nb)
try:
    NotebookClient(notebook("1/0", "print('never')"), kernel_manager_class=Manager, timeout=60).execute()
    check("nbclient's error", False)
except CellExecutionError as e:
    check("nbclient's error", e.ename == "ZeroDivisionError")

source, target = os.path.join(folder, "in.ipynb"), os.path.join(folder, "out.ipynb")
nb = notebook("a = 1", "print(a * 2)")
nb.cells[0].metadata["tags"] = ["parameters"]
nbformat.write(nb, source)
out = papermill.execute_notebook(source, target, parameters={"a": 21}, kernel_manager_class=Manager, progress_bar=False)
check("papermill", nbformat.read(target, 4).cells[-1].outputs[0].text == "42\n", out)
os._exit(0)
