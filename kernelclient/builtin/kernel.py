# nbterm's own Python kernel: messages of the Jupyter protocol over two pipes, the standard
# library only, Python 3.8 or later. It is read from the pipe, never from a file.
#
# This part serves a plain cell. It imports nothing that a bare interpreter has not loaded
# already, apart from C modules: json, threading, ast, traceback and asyncio cost more than
# the interpreter's own start. Whatever needs them is in ondemand.py, compiled when needed.
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
    from _queue import SimpleQueue
except ImportError:
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
outbox = []
sending = False


def send(channel, kind, parent, content):
    """Sends one message; parent and content are JSON. Returns its msg_id."""
    global message, sending
    with critical:
        if child:
            return ""
        message += 1
        ident = "%s_%d" % (SESSION, message)
        body = ('{"channel":"%s","header":{"msg_id":"%s","msg_type":"%s","session":"%s","username":"",'
                '"version":"5.3"},"parent_header":%s,"metadata":{},"content":%s}'
                % (channel, ident, kind, SESSION, parent, content)).encode()
        outbox.append(len(body).to_bytes(4, "big") + body)
        if sending:  # a signal handler in the middle of this function
            return ident
        sending = True
        try:
            while outbox:
                # The buffer takes a frame whole, and keeps what an exception (out of a
                # user's signal handler) leaves unsent.
                wire.write(outbox.pop(0))
            wire.flush()
        except OSError:
            hang_up()
        finally:
            sending = False
    return ident


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


# --- printed text -------------------------------------------------------------------------

size = 0           # characters gathered and not sent, about
armed = False      # the ticker is awake and will flush
quick = None       # the stream that may append without the lock, until the next flush
ticker = None      # held while there is nothing to flush
mixed = False      # children may write to 1 and 2: look there before anything is printed


class Stream(_io._TextIOBase):
    """sys.stdout or sys.stderr. Text is gathered and sent soon, in order."""

    encoding = "utf-8"
    errors = "surrogatepass"
    newlines = None
    line_buffering = True
    write_through = False
    mode = "w"

    def __init__(self, name, fd):
        self.name, self._fd, self._rest = "<%s>" % name, fd, b""
        self._label, self._buffer = name, None
        self._parts = []  # texts in order; only flush removes
        self._append = self._parts.append

    def write(self, text):
        if quick is self and text.__class__ is str and len(text) < SHORT:
            self._append(text)
            return len(text)
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not %s" % type(text).__name__)
        if mixed:
            drain()
        self._put(text)
        return len(text)

    def _put(self, text):
        global size, armed, speaker, quick
        with critical:  # waits while text is being sent: a flood is no faster than its reader
            if speaker is not self:
                flush()
                speaker = self
            self._append(text)
            size += len(text)
            if not armed:
                armed = True
                start_ticker()
            if size > BATCH:
                flush()
            elif not mixed:
                quick = self

    def _put_bytes(self, data):
        self._put(decode(self, data))

    def _write_in_child(self, text):
        os_write_all(self._fd, text.encode("utf-8", "surrogatepass"))
        return len(text)

    def flush(self):
        if not child:
            drain()
            flush()

    @property
    def buffer(self):
        if self._buffer is None:
            self._buffer = ByteStream(self)
        return self._buffer

    def fileno(self):
        return self._fd

    def writable(self):
        return True

    def isatty(self):
        return False

    def close(self):
        self.flush()

    def reconfigure(self, **_):
        self.flush()


class ByteStream(_io._BufferedIOBase):
    """sys.stdout.buffer."""

    def __init__(self, stream):
        self.raw, self.name = stream, stream.name
        self._stream = stream

    def write(self, data):
        data = bytes(data)
        if child:
            os_write_all(self._stream._fd, data)
        else:
            self._stream._put_bytes(data)
        return len(data)

    def flush(self):
        self._stream.flush()

    def writable(self):
        return True

    def fileno(self):
        return self._stream._fd

    def close(self):
        self.flush()


stdout, stderr = Stream("stdout", 1), Stream("stderr", 2)
speaker = stdout  # who wrote last; the other's text is sent before


def decode(stream, data):
    """Decodes bytes that may end in the middle of a character."""
    data = stream._rest + data
    stream._rest = b""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as e:
        if e.start >= len(data) - 3 and e.reason == "unexpected end of data":
            stream._rest = data[e.start:]
            return data[:e.start].decode("utf-8", "replace")
        return data.decode("utf-8", "replace")


def flush():
    """Sends what was printed; tells whether there was any."""
    global size, quick
    found = False
    with critical:
        quick, size = None, 0
        for stream in (stderr, stdout) if speaker is stdout else (stdout, stderr):
            n = len(stream._parts)
            if not n or child:
                continue
            found = True
            text = "".join(stream._parts[:n])
            del stream._parts[:n]
            for i in range(0, len(text), PIECE):
                send("iopub", "stream", output_parent,
                     '{"name":"%s","text":%s}' % (stream._label, quote(text[i:i + PIECE])))
    return found


def drain():
    """Takes what is in the pipes of descriptors 1 and 2. One read each empties a pipe."""
    if child:
        return
    with critical:
        for fd, stream in taps:
            try:
                data = os.read(fd, 1 << 20)
            except OSError:
                continue
            if data:
                stream._put_bytes(data)


def start_ticker():
    global ticker
    if ticker is None:
        ticker = _thread.allocate_lock()
        _thread.start_new_thread(tick, (ticker,))
    else:
        try:
            ticker.release()
        except RuntimeError:  # it is awake
            pass


def tick(lock):
    global armed
    _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
    import time
    lock.acquire()
    while True:
        time.sleep(DELAY)
        with critical:
            asleep = not flush()  # twice: what came without the lock during the first is seen
            if asleep:
                armed = False
        if asleep:
            lock.acquire()


def watch_taps():
    """The thread that sees what children and C code write."""
    _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
    import select
    poll = select.poll()
    for fd, _ in taps:
        poll.register(fd, select.POLLIN)
    while True:
        events = poll.poll()
        drain()
        for fd, what in events:
            if not what & select.POLLIN:  # user code closed the other end
                poll.unregister(fd)


# --- what user code may do to the process ---------------------------------------------------

os_write, os_kill, os_killpg, os_exit = os.write, os.kill, os.killpg, os._exit


def os_write_all(fd, data):
    while data:
        data = data[os_write(fd, data):]


def write(fd, data, /):
    """Write a bytes object to a file descriptor."""
    n = os_write(fd, data)
    if fd == 1 or fd == 2:
        drain()
    return n


def before_child():
    global mixed, quick
    mixed, quick = not child, None


def last_words():
    if not child:
        drain()
        flush()


def wrap(module, name, before):
    real = getattr(module, name, None)
    if real is None:
        return

    def wrapper(*args, **kwargs):
        before()
        return real(*args, **kwargs)

    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__, wrapper.__wrapped__ = real.__doc__, real
    setattr(module, name, wrapper)


def before_fork():
    before_child()
    last_words()
    critical.__enter__()


def after_fork_in_parent():
    critical.__exit__()


def after_fork_in_child():
    global child, critical, mixed
    child, mixed = True, False
    critical = Critical()
    del stdout._parts[:], stderr._parts[:], outbox[:]
    Stream.write = Stream._write_in_child
    null = os.open(os.devnull, os.O_RDWR)
    for fd in [requests, wire.fileno()] + [fd for fd, _ in taps]:
        os.dup2(null, fd, inheritable=False)
    os.close(null)
    if _signal.getsignal(_signal.SIGINT) is on_interrupt:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def on_interrupt(*_):
    if running:
        critical.call(interrupt)


def interrupt():
    if running:
        raise KeyboardInterrupt


class StdinNotImplementedError(RuntimeError):
    """input() was called where nobody can answer."""


def ask(prompt, password):
    global asked
    if child:
        raise EOFError("a child of the kernel cannot ask")
    if not allow_stdin:
        raise StdinNotImplementedError("the code asks for a line of input, and nobody can answer here")
    last_words()
    while not answers.empty():
        answers.get()
    with critical:
        asked = send("stdin", "input_request", output_parent,
                     '{"prompt":%s,"password":%s}' % (quote(str(prompt)), "true" if password else "false"))
    try:
        value = answers.get()
    finally:
        asked = ""
    if value == "\x04":
        raise EOFError
    return value


def ask_line(prompt="", /):
    """Read a line, asked from the user of the notebook."""
    return ask(prompt, False)


ask_line.__name__ = ask_line.__qualname__ = "input"


class Exit:
    """exit() and quit() of a notebook: the kernel ends after the cell."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "Use %s() to end the kernel" % self.name

    def __call__(self, code=None, keep_kernel=False):
        global leaving
        leaving = not keep_kernel
        payloads.append('{"source":"ask_exit","keepkernel":%s}' % ("true" if keep_kernel else "false"))


# --- imports that want something of us --------------------------------------------------------

class Hook:
    """A finder that acts after some modules were imported, and stands in for IPython's
    display functions where there is no IPython."""

    names = {
        "IPython.core.display", "IPython.core.display_functions", "_posixsubprocess", "getpass", "linecache",
        "matplotlib", "matplotlib.pyplot", "signal", "subprocess",
    }
    busy = False

    def find_spec(self, name, path=None, target=None):
        if name not in self.names and not name.startswith("IPython") or self.busy:
            return None
        self.busy = True
        try:
            return ondemand("hooked_spec")(name, path)
        finally:
            self.busy = False


def ondemand(name):
    """Returns a function of the other part of the kernel."""
    global more
    if more is not None:
        code, more = compile(more, "<nbterm kernel, on demand>", "exec", dont_inherit=True), None
        exec(code, globals())
    return globals()[name]


# --- running a cell -----------------------------------------------------------------------

def run_cell(code, name, silent):
    tree = parse_cell(code, name)
    last = None
    if tree.body and type(tree.body[-1]).__name__ == "Expr":
        last = tree.body.pop()
    if tree.body:
        run_code(compile(tree, name, "exec", COMPILE | future, True), code)
    if last is not None:
        import _ast
        expression = compile(_ast.Expression(last.value), name, "eval", COMPILE | future, True)
        value = run_code(expression, code)
        if value is not None and not silent and not ends_quiet(code):
            result(value)
    if "matplotlib.pyplot" in sys.modules and not silent:
        ondemand("show_figures")()


def parse_cell(code, name):
    global future
    flags = ONLY_AST | COMPILE
    try:
        tree = compile(code, name, "exec", flags | future, True)
    except SyntaxError as e:
        changed = ondemand("rewrite")(code, e)
        if changed is None:
            raise
        sources[name] = code
        tree = compile(changed, name, "exec", flags | future, True)
    if "__future__" in code:
        future |= ondemand("future_flags")(tree)
    return tree


def run_code(code, text):
    if code.co_flags & COROUTINE:
        return ondemand("await_value")(eval(code, ns))
    if ("asyncio" in text or "asyncio" in sys.modules) and ("create_task" in text or "ensure_future" in text or "get_running_loop" in text):
        return ondemand("run_in_loop")(code)
    return eval(code, ns)


def ends_quiet(code):
    """Tells whether the code ends in a semicolon, which asks for no result."""
    end = code.rstrip()
    last = end[end.rfind("\n") + 1:]
    if ";" not in last:
        return False
    if "#" in last:
        return ondemand("ends_quiet_really")(code)
    return end.endswith(";")


PLAIN = (int, float, bool, complex, str, bytes)


def bundle(value):
    """Returns a value's mime bundle and its metadata, both as JSON."""
    if type(value) in PLAIN:
        return '{"text/plain":%s}' % quote(repr(value)), "{}"
    return ondemand("rich_bundle")(value)


def result(value):
    data, metadata = bundle(value)
    remember(value)
    publish("execute_result", '{"execution_count":%d,"data":%s,"metadata":%s}' % (count, data, metadata))


def publish(kind, content):
    last_words()
    send("iopub", kind, output_parent, content)


def remember(value):
    """Keeps _, __, ___ and Out, unless the code has a use of its own for the name _."""
    ns["Out"][count] = value
    last = ns.get("_", remembered[0])
    if last is remembered[0] or last is None:
        ns["___"], ns["__"], ns["_"] = ns.get("__"), last, value
        remembered[0] = value


remembered = [None]


def display(*objects, **options):
    """Show objects in the cell's output: display(x, display_id=..., raw=False, metadata=None)."""
    if len(objects) == 1 and not options:
        publish("display_data", '{"data":%s,"metadata":%s,"transient":{}}' % bundle(objects[0]))
        return None
    return ondemand("display_with")(objects, **options)


def update_display(obj, *, display_id, **options):
    """Replace what was displayed under display_id, wherever it is."""
    return ondemand("display_with")((obj,), display_id=display_id, update=True, **options)


def clear_output(wait=False):
    """Clear the cell's output, with wait when the next output comes."""
    publish("clear_output", '{"wait":%s}' % ("true" if wait else "false"))


def execute(m):
    global running, count, output_parent, allow_stdin, mixed
    content, parent = m["content"], m["parent"]
    code, silent = content["code"], bool(content.get("silent"))
    last_words()  # of the cell before
    output_parent, mixed = parent, False
    allow_stdin = content.get("allow_stdin", True)
    status("busy", parent)
    if content.get("store_history", True) and not silent:
        count += 1
        ns["In"].append(code)
    name = "<Cell In[%d]>" % count if not silent else "<silent>"
    if not silent:
        sources[name] = code
        if "linecache" in sys.modules:
            ondemand("fill_linecache")(sys.modules["linecache"])
        send("iopub", "execute_input", parent, '{"code":%s,"execution_count":%d}' % (quote(code), count))
    failed = guarded(lambda: run_cell(code, name, silent))
    if os.getpid() != PID:
        leave_child(failed)
    critical.depth += 1  # no signal handler of the user's may raise in here
    try:
        reply = finish(content, failed)
        if failed is not None and not silent:
            send("iopub", "error", parent, "{%s}" % reply[0])
        send("shell", "execute_reply", parent, "{%s%s}" % reply)
        status("idle", parent)
    finally:
        critical.depth -= 1


def guarded(work):
    """Runs user code, which may be interrupted, and returns what it raised."""
    global running
    failed = None
    _signal.signal(_signal.SIGINT, on_interrupt)  # a debugger or earlier code may have changed it
    try:
        running = True
        work()
        running = False
    except BaseException as e:
        failed = e
    while running:
        try:
            running = False
        except KeyboardInterrupt as e:  # between two instructions
            failed = failed or e
    if _signal.getsignal(_signal.SIGINT) is not on_interrupt:
        _signal.signal(_signal.SIGINT, on_interrupt)
    return failed


def finish(content, failed):
    """Returns the reply in two halves; the first is also the error message."""
    described = None
    if failed is not None:
        described = ondemand("describe")(failed)
    last_words()
    tail = ',"execution_count":%d,"payload":[%s]' % (count, ",".join(payloads))
    del payloads[:]
    if described is not None:
        return described, ',"status":"error"' + tail
    expressions = "{}"
    if content.get("user_expressions"):
        expressions = ondemand("evaluate")(content["user_expressions"])
    return '"status":"ok","user_expressions":' + expressions, tail


def leave_child(failed):
    """Ends a forked child that came to the end of the cell."""
    code = 0
    if isinstance(failed, SystemExit):
        code = failed.code if isinstance(failed.code, int) else failed.code is not None
    elif failed is not None:
        sys.excepthook(type(failed), failed, failed.__traceback__)
        code = 1
    os_exit(int(code) & 255)


def kernel_info(m):
    v = ".".join(map(str, sys.version_info[:3]))
    status("busy", m["parent"])
    send(m.get("channel") or "shell", "kernel_info_reply", m["parent"], (
        '{"status":"ok","protocol_version":"5.3","implementation":"nbterm-python","implementation_version":"1",'
        '"banner":%s,"help_links":[],"language_info":{"name":"python","version":"%s","mimetype":"text/x-python",'
        '"codemirror_mode":{"name":"ipython","version":%d},"pygments_lexer":"ipython3",'
        '"nbconvert_exporter":"python","file_extension":".py"}}'
        % (quote("Python " + sys.version), v, sys.version_info[0])))
    status("idle", m["parent"])


def other(m):
    """Answers the requests that only ask. One of an unknown type gets busy and idle alone."""
    status("busy", m["parent"])
    kind = m["header"]["msg_type"]
    found = []
    failed = guarded(lambda: found.append(ondemand("answer")(kind, m.get("content") or {})))
    answer = found[0] if found else None
    if failed is not None:
        answer = '{"status":"error","ename":%s,"evalue":"","traceback":[]}' % quote(type(failed).__name__)
    if answer is not None:
        send(m.get("channel") or "shell", kind.replace("_request", "_reply"), m["parent"], answer)
    status("idle", m["parent"])


def next_request():
    global idle_loop
    if loop is not None and inbox.empty():
        ondemand("idle_in_loop")()
    return inbox.get()


def serve():
    """Handles requests, one at a time, until the end is asked for or the other side is gone."""
    while not leaving:
        try:
            m = next_request()
            if m is None:
                break
            kind = m["header"]["msg_type"]
            if kind == "execute_request":
                execute(m)
            elif kind == "kernel_info_request":
                kernel_info(m)
            else:
                other(m)
        except BaseException as e:  # a bad request, or a user's signal handler raised here
            if os.getpid() != PID:
                leave_child(e)
            warn("%s: %s" % (type(e).__name__, e))
    last_words()


def prepare():
    """Makes the process look like a notebook's to user code."""
    for name in list(ns):
        if not name.startswith("__"):
            del ns[name]
    ns.update(In=[""], Out={}, exit=Exit("exit"), quit=Exit("quit"))
    sys.argv[:] = [""]
    sys.stdout = sys.__stdout__ = stdout
    sys.stderr = sys.__stderr__ = stderr
    builtins.input = ask_line
    builtins.display, builtins.update_display, builtins.clear_output = display, update_display, clear_output
    os.write = write
    for name in ("system", "posix_spawn", "posix_spawnp"):
        wrap(os, name, before_child)
    for name in ("_exit", "abort", "kill", "killpg", "execv", "execve"):
        wrap(os, name, last_words)
    os.register_at_fork(before=before_fork, after_in_parent=after_fork_in_parent, after_in_child=after_fork_in_child)
    sys.meta_path.insert(0, Hook())
    for name in Hook.names:  # something in site has imported it already
        if name in sys.modules:
            ondemand("after_import")(sys.modules[name])
    _signal.signal(_signal.SIGINT, on_interrupt)


def main(rest):
    global more
    more = rest
    take_over()
    prepare()
    _thread.start_new_thread(watch_taps, ())
    _thread.start_new_thread(read_requests, ())
    serve()
    if orphaned:
        _signal.signal(_signal.SIGHUP, _signal.SIG_IGN)  # this process ends in good order
        os_killpg(PID, _signal.SIGHUP)
