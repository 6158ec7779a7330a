"""Works on a folder that nbterm serves with E2B's own Python SDK: the synchronous one, which
polls its watches, and the asynchronous one, which streams them."""
import asyncio
import io
import os
import time
import urllib.request

from e2b import AsyncSandbox, AuthenticationException, ConnectionConfig, FilesystemEventType, FileType
from e2b import FileNotFoundException, InvalidArgumentException, Sandbox, SandboxException, TemplateException
from packaging.version import Version

URL, TOKEN, ROOT = os.environ["URL"], os.environ["TOKEN"], os.environ["ROOT"]
D = ROOT + "/py"


def box(cls=Sandbox, token=TOKEN, version="0.6.13"):
    headers = {"E2b-Sandbox-Id": "x", "E2b-Sandbox-Port": "49983", "X-Access-Token": token}
    config = ConnectionConfig(sandbox_url=URL, extra_sandbox_headers=headers)
    return cls(sandbox_id="x", sandbox_domain=None, envd_version=Version(version), envd_access_token=token,
               traffic_access_token=None, connection_config=config)


def rejects(kind, call, *args, **more):
    try:
        call(*args, **more)
    except kind:
        return
    raise AssertionError(f"{call.__name__} {args} raised no {kind.__name__}")


def until(what, *args):
    end = time.monotonic() + 30
    while not what(*args):
        assert time.monotonic() < end, what
        time.sleep(0.02)


s, checks = box(), 0

assert s.is_running()
assert s.files.make_dir(D + "/sub") is True and s.files.make_dir(D + "/sub") is False
checks += 1

assert s.files.write(D + "/a b.txt", "hällo").path == D + "/a b.txt"
assert s.files.read(D + "/a b.txt") == "hällo"
s.files.write(D + "/bytes", b"\x00\xff" * 500_000)
assert s.files.read(D + "/bytes", format="bytes") == b"\x00\xff" * 500_000
assert b"".join(s.files.read(D + "/bytes", format="stream")) == b"\x00\xff" * 500_000
s.files.write(D + "/io", io.BytesIO(b"from a file"))
assert s.files.read(D + "/io", user="user") == "from a file"
s.files.write(D + "/empty", "")
assert s.files.read(D + "/empty") == ""
checks += 1

s.files.write(D + "/m", "x", metadata={"author": "me"})
found = s.files.get_info(D + "/m").metadata
assert not found or found == {"author": "me"}, found
assert [e.path for e in s.files.write_files([{"path": D + "/m1", "data": "1"}, {"path": D + "/deep/er/m2", "data": "2"}])] == [D + "/m1", D + "/deep/er/m2"]
checks += 1

names = [e.path[len(D) + 1:] for e in s.files.list(D, depth=3)]
assert names == ["a b.txt", "bytes", "deep", "deep/er", "deep/er/m2", "empty", "io", "m", "m1", "sub"], names
assert s.files.exists(D + "/m1") and not s.files.exists(D + "/none")
info = s.files.get_info(D + "/m1")
assert info.type == FileType.FILE and info.size == 1 and info.permissions.startswith("-rw"), info
assert s.files.rename(D + "/m1", D + "/moved/m1").path == D + "/moved/m1"
s.files.remove(D + "/moved")
assert not s.files.exists(D + "/moved")
checks += 1

watch = s.files.watch_dir(D, recursive=True, include_entry=True)
seen = []


def has(kind, name):
    seen.extend(watch.get_new_events())
    return any(e.type == kind and e.name == name for e in seen)


s.files.write(D + "/sub/new.txt", "x")
until(has, FilesystemEventType.CREATE, "sub/new.txt")
until(has, FilesystemEventType.WRITE, "sub/new.txt")
assert next(e for e in seen if e.type == FilesystemEventType.CREATE and e.name == "sub/new.txt").entry.path == D + "/sub/new.txt"
s.files.rename(D + "/sub/new.txt", D + "/sub/old.txt")
until(has, FilesystemEventType.RENAME, "sub/new.txt")
s.files.remove(D + "/sub")
until(has, FilesystemEventType.REMOVE, "sub")
watch.stop()
checks += 1

for opts in {}, {"use_signature_expiration": 60}, {"user": "user"}:
    assert urllib.request.urlopen(s.download_url(D + "/io", **opts)).read() == b"from a file"
checks += 1

rejects(FileNotFoundException, s.files.read, D + "/none")
rejects(FileNotFoundException, s.files.get_info, D + "/none")
rejects(FileNotFoundException, s.files.list, D + "/none")
rejects(FileNotFoundException, s.files.rename, D + "/none", D + "/x")
rejects(FileNotFoundException, s.files.watch_dir, D + "/none")
rejects(InvalidArgumentException, s.files.list, D + "/io")
rejects(InvalidArgumentException, s.files.read, D)
rejects(InvalidArgumentException, s.files.write, D, "x")
rejects(InvalidArgumentException, s.files.read, "/etc/passwd")
rejects(InvalidArgumentException, s.files.remove, ROOT)
rejects(SandboxException, s.files.write, D + "/io/x", "x")
rejects(AuthenticationException, s.files.list, D, user="ghost")
other = box(token="wrong")
rejects(AuthenticationException, other.files.list, D)
rejects(AuthenticationException, other.files.read, D + "/io")
rejects(TemplateException, box(version="0.1.3").files.watch_dir, D, recursive=True)
rejects(TemplateException, box(version="0.6.2").files.watch_dir, D, include_entry=True)
rejects(TemplateException, box(version="0.6.3").files.watch_dir, D, allow_network_mounts=True)
assert box(version="0.3.9").files.read(D + "/io") == "from a file"
checks += 1


async def streaming():
    a = box(AsyncSandbox)
    events = []
    w = await a.files.watch_dir(D, lambda e: events.append(e), recursive=True)
    await a.files.write(D + "/async/x", "x")
    end = time.monotonic() + 30
    while not any(e.name == "async/x" for e in events):
        assert time.monotonic() < end, events
        await asyncio.sleep(0.02)
    await w.stop()
    assert await a.files.read(D + "/async/x") == "x"


asyncio.run(streaming())
checks += 1
print(checks, "checks", flush=True)
# The threads of the SDK's native HTTP client now and then abort the interpreter's own way out.
os._exit(0)
