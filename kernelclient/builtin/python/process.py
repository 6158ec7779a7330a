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
    del stdout._parts[:], stderr._parts[:], turns[:]
    outbox.clear()
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


