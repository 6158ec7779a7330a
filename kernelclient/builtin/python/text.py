# --- printed text -------------------------------------------------------------------------

size = 0           # characters gathered and not sent, about
armed = False      # the ticker is awake and will flush
quick = None       # the stream that may append without the lock, until the next flush
ticker = None      # held while there is nothing to flush
mixed = False      # children may write to 1 and 2: look there before anything is printed
turns = []         # what the streams printed in turns before speaker's, in order


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
                end_turn()
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


def end_turn():
    """Puts by what the speaker printed, as the other stream goes on. Called in critical."""
    global quick
    quick = None
    n = len(speaker._parts)
    if n:
        turns.append((speaker, "".join(speaker._parts[:n])))
        del speaker._parts[:n]


def flush():
    """Sends what was printed, all of it at once; tells whether there was any."""
    global size, quick, turns
    with critical:
        quick, size = None, 0
        said, turns = turns, []
        for stream in (stderr, stdout) if speaker is stdout else (stdout, stderr):
            n = len(stream._parts)
            if n:
                said.append((stream, "".join(stream._parts[:n])))
                del stream._parts[:n]
        if child or not said:
            return False
        for stream, text in said:
            for i in range(0, len(text), PIECE):
                post("iopub", "stream", output_parent,
                     '{"name":"%s","text":%s}' % (stream._label, quote(text[i:i + PIECE])))
        deliver()
    return True


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


