# nbterm's own Python kernel: messages of the Jupyter protocol over two pipes, the standard
# library only, Python 3.8 or later. It is read from the pipe, never from a file.
#
# The files of this folder are one program in one namespace. wire.py, text.py, process.py and
# cell.py serve a plain cell. They import nothing that a bare interpreter has not loaded
# already, apart from C modules: json, threading, ast, traceback and asyncio cost more than
# the interpreter's own start. Whatever needs them is in more_*.py, compiled when needed.
#
# Order of output: what Python code prints, what os.write puts on descriptors 1 and 2 and
# what children write there before they are waited for comes in the order in which it was
# written; between a child's own stdout and stderr the order is that of arrival.
import _io
import _signal
import _thread
import builtins
import os
import sys

try:
    from _json import encode_basestring_ascii as quote
    from _json import make_scanner
except ImportError:  # not CPython
    from json import loads as parse
    from json.encoder import encode_basestring_ascii as quote
else:
    class _Scan:
        strict = False
        object_hook = object_pairs_hook = None
        parse_float, parse_int, parse_constant = float, int, float
        memo = {}

    _scan = make_scanner(_Scan)

    def parse(text):
        return _scan(text, 0)[0]

try:
    from _collections import deque
    from _queue import SimpleQueue
except ImportError:
    from collections import deque
    from queue import SimpleQueue

PIECE = 128 << 10  # characters of stream text in one message; its JSON fits FRAME
FRAME = 1 << 20    # bytes that the writer's buffer takes whole
BATCH = 64 << 10   # characters that are printed before they are sent without delay
SHORT = 256        # characters of a text that need not be counted: DELAY bounds their number
DELAY = 0.04       # seconds that printed text may wait for more
COMPILE = 0x2000   # PyCF_ALLOW_TOP_LEVEL_AWAIT
ONLY_AST = 0x400   # PyCF_ONLY_AST
COROUTINE = 0x80   # CO_COROUTINE

PID = os.getpid()
MAIN = _thread.get_ident()
IPYTHON = False  # IPython runs the cells; the launcher says so at the end of this part
SESSION = "py-%d-%s" % (PID, os.urandom(8).hex())

inbox = SimpleQueue()    # requests for the main thread, None at the end
answers = SimpleQueue()  # values of input_reply
running = False          # user code runs: an interrupt is for it
orphaned = False         # the other side is gone
leaving = False          # user code called exit()
child = False            # this is a fork of the kernel, which must not speak for it
asked = ""               # msg_id of the open input_request
allow_stdin = False
count = 0
message = 0
output_parent = "{}"     # header of the request whose output this is, as JSON
payloads = []
loop = None              # the asyncio loop of all cells, once one awaited
idle_loop = False        # the loop runs while no cell does
sources = {}             # file name of a cell: its text
future = 0               # compiler flags of from __future__ import in earlier cells
main_module = sys.modules["__main__"]  # held, so that its end clears what code left open
ns = main_module.__dict__


# --- the wire -----------------------------------------------------------------------------

def take_over():
    """Moves the protocol away from the descriptors that programs use and captures 1 and 2."""
    global requests, wire, taps, log
    requests, replies = high(3, 190), high(4, 191)
    log = high(os.dup(2), 194)
    import faulthandler
    faulthandler.enable(log)  # a crash in C leaves its Python lines for the one who asks why
    wire = _io.BufferedWriter(_io.FileIO(replies, "wb", closefd=False), FRAME + 4096)
    taps = []
    for fd, stream in ((1, stdout), (2, stderr)):
        r, w = os.pipe()
        os.dup2(w, fd)  # inheritable, unlike w
        os.close(w)
        r = high(r, 191 + fd)
        os.set_blocking(r, False)
        taps.append((r, stream))


def high(fd, want):
    """Moves fd to a number that code is unlikely to guess; children do not inherit it."""
    try:
        new = os.dup2(fd, want, inheritable=False)
    except OSError:
        new = os.dup(fd)
    os.close(fd)
    return new


class Critical:
    """The one lock, and a place where an interrupt waits: half a message must not be sent.
    Reentrant, as a signal handler or __del__ may print in the middle of it."""

    def __init__(self):
        self.lock = _thread.RLock()
        self.depth = 0
        self.held = []  # handlers to call, with their arguments

    def call(self, handler, *args):
        """Calls a signal's handler, later if this is a bad moment."""
        if self.depth > 0 and _thread.get_ident() == MAIN:
            self.held.append((handler, args))
        else:
            handler(*args)

    def __enter__(self):
        if _thread.get_ident() == MAIN:
            self.depth += 1
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()
        if _thread.get_ident() == MAIN:
            self.depth -= 1
            while self.held and self.depth <= 0:
                handler, args = self.held.pop(0)
                handler(*args)


critical = Critical()
outbox = deque()  # messages that were posted
sending = False


def send(channel, kind, parent, content):
    """Sends one message; parent and content are JSON. Returns its msg_id."""
    with critical:
        ident = post(channel, kind, parent, content)
        deliver()
    return ident


def post(channel, kind, parent, content):
    """Prepares a message for deliver, as send does. Called in critical."""
    global message
    if child:
        return ""
    message += 1
    ident = "%s_%d" % (SESSION, message)
    body = ('{"channel":"%s","header":{"msg_id":"%s","msg_type":"%s","session":"%s","username":"",'
            '"version":"5.3"},"parent_header":%s,"metadata":{},"content":%s}'
            % (channel, ident, kind, SESSION, parent, content)).encode()
    outbox.append(len(body).to_bytes(4, "big") + body)
    return ident


def deliver():
    """Writes what was posted. Called in critical."""
    global sending
    if sending or child:  # a signal handler in the middle of this function
        return
    sending = True
    try:
        while outbox:
            # The buffer takes a frame whole, and keeps what an exception (out of a
            # user's signal handler) leaves unsent.
            wire.write(outbox.popleft())
        wire.flush()
    except OSError:
        hang_up()
    finally:
        sending = False


def status(state, parent):
    send("iopub", "status", parent, '{"execution_state":"%s"}' % state)


def read_exactly(n):
    parts = []
    while n:
        part = os.read(requests, min(n, 1 << 20))
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def read_requests():
    """The thread that reads, always: it sees the other side go while user code runs."""
    global orphaned
    _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
    while True:
        head = read_exactly(4)
        body = head and read_exactly(int.from_bytes(head, "big"))
        if not body:
            break
        try:
            route(parse(body.decode("utf-8", "surrogatepass")))
        except Exception as e:  # not a message: there is nobody to answer
            warn("a request was not understood: %r" % e)
    orphaned = True
    inbox.put(None)
    wake()
    if not running:
        import time
        time.sleep(2)  # for the main thread to leave in good order
    hang_up()


def hang_up():
    """The other side is gone: ends this process, and as a closed terminal does its group."""
    if os.getpid() == PID and os.getpgrp() == PID:
        os_killpg(PID, _signal.SIGHUP)  # this process too
    os_exit(1)


def warn(text):
    """Leaves a line in the kernel log."""
    os_write(log, ("nbterm kernel: %s\n" % text).encode("utf-8", "replace"))


def route(m):
    global asked
    header = m["header"]
    kind, content = header["msg_type"], m.get("content") or {}
    m["parent"] = parent = '{"msg_id":%s,"msg_type":%s,"session":%s}' % (
        quote(header["msg_id"]), quote(kind), quote(header.get("session") or ""))
    if kind == "input_reply":
        with critical:  # so that ask has noted what it asked
            wanted = asked and (m.get("parent_header") or {}).get("msg_id") in (asked, None)
            if wanted:  # and not a late answer to a question that was interrupted
                asked = ""
                answers.put(content.get("value") or "")
    elif kind == "interrupt_request":
        os_kill(PID, _signal.SIGINT)
        send("control", "interrupt_reply", parent, '{"status":"ok"}')
    elif kind == "shutdown_request":
        reply = '{"status":"ok","restart":%s}' % ("true" if content.get("restart") else "false")
        send(m.get("channel") or "control", "shutdown_reply", parent, reply)
        inbox.put(None)
        wake()
        if running:
            os_kill(PID, _signal.SIGINT)
    elif kind == "kernel_info_request" and m.get("channel") == "control":
        kernel_info(m)
    else:
        inbox.put(m)
        wake()


def wake():
    if idle_loop:
        loop.call_soon_threadsafe(loop.stop)


