// The way in that E2B's SDK has for machines of one's own: E2B_DEBUG and E2B_SANDBOX_URL, no
// account, no token.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { ROOT: root, SDK: sdk } = process.env
const { Sandbox } = await import(pathToFileURL(createRequire(sdk + '/x.js').resolve('e2b')))
for (const s of [await Sandbox.create(), await Sandbox.connect('debug_sandbox_id')]) {
  assert.equal(await s.isRunning(), true)
  await s.files.write(root + '/d/a.txt', 'hello')
  assert.equal(await s.files.read(root + '/d/a.txt'), 'hello')
  assert.equal(await (await fetch(await s.downloadUrl(root + '/d/a.txt'))).text(), 'hello')
}
process.exit(0)
