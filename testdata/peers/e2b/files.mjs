// Works on a folder that nbterm serves with E2B's own JavaScript SDK: each call, each class
// of error that the server can cause, tokens, signed addresses and the gates of versions.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { URL: url, TOKEN: token, ROOT: root, SMALL: small, SDK: sdk } = process.env
const at = createRequire(sdk + '/x.js').resolve('e2b')
const { AuthenticationError, FileNotFoundError, InvalidArgumentError, NotEnoughSpaceError, Sandbox, SandboxError, TimeoutError, FileType, FilesystemEventType } = await import(pathToFileURL(at))
const box = (more = {}) => new Sandbox({ sandboxId: 'x', envdVersion: '0.6.13', sandboxUrl: url, envdAccessToken: token, apiKey: 'e2b_' + '0'.repeat(40), ...more })

let checks = 0
async function check(name, f) {
  try { await f() } catch (e) { console.error('FAILED', name, e); process.exit(1) }
  checks++
}
async function until(f) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise(r => setTimeout(r, 20))) if (await f()) return
  throw new Error('it never became true: ' + f)
}
const s = box(), d = root + '/js'

await check('isRunning', async () => assert.equal(await s.isRunning(), true))
await check('makeDir', async () => {
  assert.equal(await s.files.makeDir(d + '/sub'), true)
  assert.equal(await s.files.makeDir(d + '/sub'), false)
})
await check('write and read', async () => {
  const info = await s.files.write(d + '/a b"c.txt', 'hällo')
  assert.equal(info.path, d + '/a b"c.txt')
  assert.equal(await s.files.read(info.path), 'hällo')
  assert.equal(await s.files.read(info.path, { user: 'user' }), 'hällo')
  await s.files.write(d + '/blob', new Blob([new Uint8Array(3e6).fill(7)]))
  const bytes = await s.files.read(d + '/blob', { format: 'bytes' })
  assert.equal(bytes.length, 3e6); assert.equal(bytes[2999999], 7)
  assert.equal((await s.files.read(d + '/blob', { format: 'blob' })).size, 3e6)
  let n = 0
  for await (const chunk of await s.files.read(d + '/blob', { format: 'stream' })) n += chunk.length
  assert.equal(n, 3e6)
  await s.files.write(d + '/empty', '')
  assert.equal(await s.files.read(d + '/empty'), '')
})
await check('octet-stream, gzip, streams', async () => {
  await s.files.write(d + '/o', 'octets', { useOctetStream: true })
  assert.equal(await s.files.read(d + '/o'), 'octets')
  await s.files.write(d + '/g', 'z'.repeat(100000), { gzip: true })
  assert.equal((await s.files.read(d + '/g', { gzip: true })).length, 100000)
  await s.files.write(d + '/st', new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode('streamed')); c.close() } }))
  assert.equal(await s.files.read(d + '/st'), 'streamed')
})
await check('metadata', async () => {
  await s.files.write(d + '/m', 'x', { metadata: { Author: 'me' } })
  const { metadata } = await s.files.getInfo(d + '/m')
  if (metadata && Object.keys(metadata).length) assert.deepEqual(metadata, { author: 'me' }) // not every disk keeps it
  await assert.rejects(s.files.write(d + '/m', 'x', { metadata: { k: 'ü' } }), InvalidArgumentError)
})
await check('several files', async () => {
  const list = await s.files.write([{ path: d + '/m1', data: '1' }, { path: d + '/deep/er/m2', data: '2' }])
  assert.deepEqual(list.map(e => e.path), [d + '/m1', d + '/deep/er/m2'])
  assert.equal(await s.files.read(d + '/deep/er/m2'), '2')
})
await check('list, exists, getInfo', async () => {
  const names = (await s.files.list(d, { depth: 3 })).map(e => e.path.slice(d.length + 1))
  assert.deepEqual(names, ['a b"c.txt', 'blob', 'deep', 'deep/er', 'deep/er/m2', 'empty', 'g', 'm', 'm1', 'o', 'st', 'sub'])
  assert.equal((await s.files.list(d + '/sub')).length, 0)
  assert.equal(await s.files.exists(d + '/m1'), true)
  assert.equal(await s.files.exists(d + '/none'), false)
  const info = await s.files.getInfo(d + '/m1')
  assert.equal(info.type, FileType.FILE); assert.equal(info.size, 1); assert.match(info.permissions, /^-rw/)
  assert.ok(info.modifiedTime instanceof Date)
})
await check('rename, remove', async () => {
  const moved = await s.files.rename(d + '/m1', d + '/moved/m1')
  assert.equal(moved.path, d + '/moved/m1')
  assert.equal(await s.files.exists(d + '/m1'), false)
  await s.files.remove(d + '/moved')
  await s.files.remove(d + '/moved')
  assert.equal(await s.files.exists(d + '/moved'), false)
})
await check('watch, recursive, with entries', async () => {
  const events = []
  const w = await s.files.watchDir(d, e => events.push(e), { recursive: true, includeEntry: true })
  const has = (type, name) => () => events.some(e => e.type === type && e.name === name)
  await s.files.write(d + '/sub/new.txt', 'x')
  await until(has(FilesystemEventType.CREATE, 'sub/new.txt'))
  await until(has(FilesystemEventType.WRITE, 'sub/new.txt'))
  const made = events.find(e => e.type === FilesystemEventType.CREATE && e.name === 'sub/new.txt')
  assert.equal(made.entry.path, d + '/sub/new.txt')
  await s.files.rename(d + '/sub/new.txt', d + '/sub/old.txt')
  await until(has(FilesystemEventType.RENAME, 'sub/new.txt'))
  await until(has(FilesystemEventType.CREATE, 'sub/old.txt'))
  await s.files.remove(d + '/sub')
  await until(has(FilesystemEventType.REMOVE, 'sub'))
  await w.stop()
})
await check('a watch with a time limit', async () => {
  let ended
  await s.files.watchDir(d, () => {}, { timeoutMs: 300, onExit: e => { ended = e ?? 'fine' } })
  await until(() => ended)
  assert.ok(ended instanceof TimeoutError, String(ended))
})
await check('signed addresses', async () => {
  for (const opts of [{}, { useSignatureExpiration: 60 }, { user: 'user' }]) {
    const up = await fetch(await s.uploadUrl(d + '/signed', opts), { method: 'POST', body: (() => { const f = new FormData(); f.append('file', new Blob(['by address']), 'any'); return f })() })
    assert.equal(up.status, 200, await up.text())
    const down = await fetch(await s.downloadUrl(d + '/signed', opts))
    assert.equal(await down.text(), 'by address')
  }
  const address = await s.downloadUrl(d + '/signed')
  assert.equal((await fetch(address.replace('signed', 'blob'))).status, 401)
})
await check('errors', async () => {
  await assert.rejects(s.files.read(d + '/none'), FileNotFoundError)
  await assert.rejects(s.files.getInfo(d + '/none'), FileNotFoundError)
  await assert.rejects(s.files.list(d + '/none'), FileNotFoundError)
  await assert.rejects(s.files.rename(d + '/none', d + '/x'), FileNotFoundError)
  await assert.rejects(s.files.watchDir(d + '/none', () => {}), FileNotFoundError)
  await assert.rejects(s.files.list(d + '/o'), InvalidArgumentError)
  await assert.rejects(s.files.read(d), InvalidArgumentError)
  await assert.rejects(s.files.write(d, 'x'), InvalidArgumentError)
  await assert.rejects(s.files.makeDir(d + '/o'), InvalidArgumentError)
  await assert.rejects(s.files.watchDir(d + '/o', () => {}), InvalidArgumentError)
  await assert.rejects(s.files.read('/etc/passwd'), InvalidArgumentError)
  await assert.rejects(s.files.remove(root), InvalidArgumentError)
  await assert.rejects(s.files.write(d + '/o/x', 'x'), e => e instanceof SandboxError && !(e instanceof InvalidArgumentError))
  await assert.rejects(s.files.makeDir(d + '/o/x'), SandboxError)
  await assert.rejects(s.files.list(d, { user: 'ghost' }), AuthenticationError)
  await assert.rejects(s.files.read(d + '/o', { user: 'ghost' }), AuthenticationError)
  if (small) await assert.rejects(s.files.write(small + '/big', 'x'.repeat(1 << 20)), NotEnoughSpaceError)
})
await check('a wrong token', async () => {
  const other = box({ envdAccessToken: 'wrong' })
  await assert.rejects(other.files.list(d), AuthenticationError)
  await assert.rejects(other.files.read(d + '/o'), AuthenticationError)
  await assert.rejects(other.files.write(d + '/o', 'x'), AuthenticationError)
  await assert.rejects(other.files.watchDir(d, () => {}), AuthenticationError)
})
await check('old versions', async () => {
  const old = box({ envdVersion: '0.1.3' })
  await assert.rejects(old.files.watchDir(d, () => {}, { recursive: true }))
  const before = box({ envdVersion: '0.5.6' })
  await before.files.write(d + '/v', 'as a form', { useOctetStream: true, gzip: true })
  assert.equal(await before.files.read(d + '/v'), 'as a form')
  await assert.rejects(box({ envdVersion: '0.6.1' }).files.write(d + '/v', 'x', { metadata: { a: 'b' } }))
  await assert.rejects(box({ envdVersion: '0.6.2' }).files.watchDir(d, () => {}, { includeEntry: true }))
  await assert.rejects(box({ envdVersion: '0.6.3' }).files.watchDir(d, () => {}, { allowNetworkMounts: true }))
  const named = box({ envdVersion: '0.3.9' }) // it names the user "user" itself
  assert.equal(await named.files.read(d + '/o'), 'octets')
})
console.log(checks, 'checks')
process.exit(0)
