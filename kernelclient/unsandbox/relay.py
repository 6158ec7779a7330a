# Runs in a session, on the terminal of its shell: starts a kernel that speaks on two pipes,
# and carries these over the terminal as lines that survive whatever else is written there.
# NONCE, PROGRAM, WINDOW, PART and AGAIN are set in front of this text.
#
# A line is "@NONCE kind seq ack crc payload". D is a part of the pipe, X the kernel's end:
# both are kept until they are acknowledged. A acknowledges, R asks for what follows its ack
# once more, Q ends the kernel.
import base64
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import zlib

ready = threading.Condition()
sent = []     # lines that nobody has acknowledged, with their numbers
number = 0    # of the newest line
got = 0       # of the newest line from there
asked = 0     # the gap that was asked for


def raw():
    """Makes the terminal carry bytes. Only ^C still means something."""
    a = termios.tcgetattr(0)
    a[0] &= ~(termios.IXON | termios.ICRNL | termios.INLCR | termios.IGNCR | termios.ISTRIP | termios.BRKINT)
    a[1] &= ~termios.OPOST
    a[3] &= ~(termios.ICANON | termios.ECHO | termios.ECHONL | termios.IEXTEN)
    a[3] |= termios.ISIG | termios.NOFLSH  # ^C must not take lines with it
    a[6][termios.VMIN], a[6][termios.VTIME] = 1, 0
    a[6][termios.VQUIT] = a[6][termios.VSUSP] = b"\0"
    termios.tcsetattr(0, termios.TCSANOW, a)


def write(fd, data):
    while data:
        data = data[os.write(fd, data):]


def line(kind, seq, payload):
    body = b"%s %d %d" % (kind, seq, got)
    text = base64.b64encode(payload)
    return b"@%s %s %08x %s\n" % (NONCE, body, zlib.crc32(body + b" " + text), text)


def say(kind):
    write(1, line(kind, 0, b""))


def keep(kind, payload):
    """Sends a line that is kept, once there is room for it."""
    global number
    with ready:
        while len(sent) >= WINDOW:
            ready.wait()
        number += 1
        sent.append((number, kind, payload))
        write(1, line(kind, number, payload))


def insist():
    """Sends again what nobody has acknowledged for AGAIN seconds: a multiplexer may have
    scrolled it away before it painted."""
    while True:
        oldest = sent[0][0] if sent else 0
        time.sleep(AGAIN)
        with ready:
            if sent and sent[0][0] == oldest:
                for s, k, p in list(sent):
                    write(1, line(k, s, p))


def take(text, pipe, kernel):
    """Takes a line from there. Noise is none."""
    global got, asked
    parts = text.strip().split(b" ")
    if len(parts) == 5:
        parts.append(b"")
    if len(parts) != 6 or not parts[0].endswith(b"@" + NONCE):
        return
    _, kind, seq, ack, crc, data = parts
    if b"%08x" % zlib.crc32(b"%s %s %s %s" % (kind, seq, ack, data)) != crc:
        return
    seq, ack = int(seq), int(ack)
    with ready:
        while sent and sent[0][0] <= ack:
            sent.pop(0)
        ready.notify_all()
        if kind == b"R":
            for s, k, p in sent:
                write(1, line(k, s, p))
    if kind == b"Q":
        kernel.kill()
    if kind == b"D" and seq == got + 1:
        got = seq
        try:
            write(pipe, base64.b64decode(data))
        except OSError:
            pass  # it has ended, and is told of
    elif kind == b"D" and seq > got and asked != got:
        asked = got
        with ready:
            say(b"R")


def up(pipe):
    while True:
        part = os.read(pipe, PART)
        if not part:
            return
        keep(b"D", part)


def main():
    raw()
    signal.signal(signal.SIGINT, lambda *_: None)  # for the kernel, which gets its own
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever the shell was started by
    to_r, to_w = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in os.pipe()]
    from_r, from_w = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in os.pipe()]
    os.closerange(3, 20)
    os.dup2(to_r, 3)
    os.dup2(from_w, 4)
    log = tempfile.TemporaryFile()
    kernel = subprocess.Popen(
        [sys.executable, "-c", base64.b64decode(PROGRAM), ""], stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(3, 4))
    for fd in (3, 4, to_r, from_w):
        os.close(fd)

    def watch():
        reader = threading.Thread(target=up, args=(from_r,), daemon=True)
        reader.start()
        code = kernel.wait()
        reader.join(2)  # a child of the kernel may hold the pipe
        log.seek(max(0, log.tell() - 2000))
        keep(b"X", json.dumps({"code": code, "log": log.read().decode("utf-8", "replace")}).encode())

    with ready:
        say(b"H")
    threading.Thread(target=watch, daemon=True).start()
    if AGAIN:
        threading.Thread(target=insist, daemon=True).start()
    rest = b""
    while True:
        data = os.read(0, 65536)
        if not data:
            return
        before = got
        *lines, rest = (rest + data).split(b"\n")
        for text in lines:
            take(text, to_w, kernel)
        if got != before:
            with ready:
                say(b"A")


main()
