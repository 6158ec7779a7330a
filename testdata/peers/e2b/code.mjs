// Runs code with E2B's own JavaScript SDK in what nbterm serves: MODE is debug or sandbox,
// which is with the control plane and tokens. Prints a line of JSON for each behaviour; a
// failure is one of its values, not the script's end.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { MODE: mode, E2B_SANDBOX_URL: url, ROOT: root, SCRATCH: scratch, SDK: sdk } = process.env
const find = name => pathToFileURL(createRequire(sdk + '/x.js').resolve(name))
const { Sandbox } = await import(find('@e2b/code-interpreter'))
const { AuthenticationError, InvalidArgumentError, NotFoundError, SandboxError, TimeoutError } = await import(find('e2b'))

const checks = []
const check = (name, f, modes = 'debug sandbox') => checks.push({ name, f, modes })
const textOf = x => { assert.equal(x.error, undefined, JSON.stringify(x.error)); return x.text }
const outOf = x => { assert.equal(x.error, undefined, JSON.stringify(x.error)); return x.logs.stdout.join('') }
const unique = name => path.join(scratch, name + '-' + Math.random().toString(36).slice(2))
const isPNG = data => Buffer.from(data, 'base64').subarray(1, 4).toString() === 'PNG'
async function until(f) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise(r => setTimeout(r, 20))) if (await f()) return
  throw new Error('it never became true')
}
async function chartOf(s, code) {
  const x = await s.runCode("import matplotlib.pyplot as plt, datetime\nplt.close('all')\n" + code + '\nplt.show()')
  assert.equal(x.error, undefined)
  const found = x.results.filter(r => r.png)
  assert.equal(found.length, 1); assert.ok(isPNG(found[0].png))
  return found[0].chart
}
// begun starts a run that waits, and returns it (within an object: else await would wait for
// its end) once it does.
async function begun(s, opts = {}) {
  let tell
  const said = new Promise(r => { tell = r })
  const run = s.runCode("import time; print('a', flush=True); time.sleep(300)", { ...opts, timeoutMs: 0, onStdout: tell })
  run.catch(() => {}) // whoever waits for it sees it
  await Promise.race([said, run])
  return { run }
}

check('code runs, and its last expression is the main result', async s => {
  const x = await s.runCode('6 * 7')
  assert.equal(x.text, '42'); assert.ok(x.executionCount >= 1 && x.results[0].isMainResult)
  assert.equal((await s.runCode("'text'")).text, 'text')
})
check('the first execution of a sandbox has count 1', async () => {
  const b = await Sandbox.create()
  assert.equal((await b.runCode('1')).executionCount, 1)
  assert.equal((await b.runCode('1')).executionCount, 2)
  await b.kill()
}, 'sandbox')
check('state lasts from one execution to the next', async s => {
  await s.runCode('a_variable = 5')
  assert.equal(textOf(await s.runCode('a_variable + 1')), '6')
})
check('callbacks get stdout, stderr, results and errors', async s => {
  const got = []
  const x = await s.runCode("import sys\nprint('o'); print('e', file=sys.stderr)\ndisplay(1)\nraise ValueError('v')", {
    onStdout: m => got.push(['out', m.line, m.error]), onStderr: m => got.push(['err', m.line, m.error]),
    onResult: r => got.push(['result', r.text]), onError: e => got.push(['error', e.name, e.value]),
  })
  assert.deepEqual(got, [['out', 'o\n', false], ['err', 'e\n', true], ['result', '1'], ['error', 'ValueError', 'v']])
  assert.deepEqual(x.logs, { stdout: ['o\n'], stderr: ['e\n'] }); assert.equal(x.error.name, 'ValueError')
})
check('output arrives while the code runs', async s => {
  const flag = unique('live')
  let got = ''
  await s.runCode(`import os, time\nprint('waiting', flush=True)\nwhile not os.path.exists('${flag}'): time.sleep(0.01)\nprint('gone on')`,
    { onStdout: m => { got += m.line; fs.writeFileSync(flag, '') } })
  assert.equal(got, 'waiting\ngone on\n')
})
check('outputs come in the order they were made', async s => {
  const got = [], add = m => { got.push((m.line ?? m.text).trim()) }
  await s.runCode("import sys\nfor i in range(3):\n    print('o%d' % i, flush=True); print('e%d' % i, file=sys.stderr, flush=True); display(i)", { onStdout: add, onStderr: add, onResult: add })
  assert.deepEqual(got, ['o0', 'e0', '0', 'o1', 'e1', '1', 'o2', 'e2', '2'])
})
check('any text of Unicode arrives', async s => {
  const text = 'é ü 漢字 😀 \u2028 \u0085 \v end'
  assert.equal(outOf(await s.runCode(`import json; print(json.loads(r'''${JSON.stringify(text)}'''))`)), text + '\n')
})
check('an exception has name, value and traceback, and the context lives on', async s => {
  const e = (await s.runCode('def f():\n    return missing\nf()')).error
  assert.equal(e.name, 'NameError'); assert.match(e.value, /missing/); assert.match(e.traceback, /line 2/); assert.doesNotMatch(e.traceback, /\x1b/)
  assert.equal((await s.runCode('raise SystemExit(2)')).error.name, 'SystemExit')
  assert.equal((await s.runCode('input()')).error.name, 'StdinNotImplementedError')
  assert.equal(textOf(await s.runCode('1')), '1')
})
check('results have html, markdown, svg, latex, json, javascript and other types', async s => {
  const { results: r } = await s.runCode(`from IPython.display import *
display(HTML('<b>x</b>')); display(Markdown('# t')); display(Latex('$x$')); display(SVG('<svg xmlns="http://www.w3.org/2000/svg"/>'))
display(Javascript('1')); display(JSON({'a': 1})); display({'text/plain': 't', 'application/vnd.own+json': {'a': None}}, raw=True)
[1, {'k': 2.5}]`)
  assert.equal(r.length, 8)
  assert.deepEqual([r[0].html, r[1].markdown, r[2].latex, r[4].javascript, r[5].json], ['<b>x</b>', '# t', '$x$', '1', { a: 1 }])
  assert.ok(r[3].svg.startsWith('<svg')); assert.deepEqual(r[6].raw.extra, { 'application/vnd.own+json': { a: null } })
  assert.deepEqual(r[7].json, [1, { k: 2.5 }]); assert.ok(r[7].isMainResult && !r[6].isMainResult)
})
check("an object's own representations are used", async s => {
  const x = await s.runCode("class C:\n    def _repr_html_(self): return '<i>own</i>'\n    def _repr_latex_(self): return '$own$'\nC()")
  assert.deepEqual([x.results[0].html, x.results[0].latex], ['<i>own</i>', '$own$'])
})
check('frames have data', async s => {
  const r = (await s.runCode("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': [1.5, None], 't': pd.to_datetime(['2024-01-01', '2024-01-02'])})")).results[0]
  assert.deepEqual(r.data, { a: [1, 2], b: [1.5, 'nan'], t: ['2024-01-01T00:00:00', '2024-01-02T00:00:00'] }); assert.match(r.html, /<table/)
})
check('pictures: png and jpeg', async s => {
  assert.ok(isPNG((await s.runCode("from PIL import Image\nImage.new('RGB', (2, 2), 'red')")).results[0].png))
  const x = await s.runCode("import io\nfrom IPython.display import Image as Shown\nb = io.BytesIO(); Image.new('RGB', (2, 2)).save(b, 'JPEG'); Shown(b.getvalue())")
  assert.equal(Buffer.from(x.results[0].jpeg, 'base64').readUInt16BE(), 0xffd8)
  assert.equal((await s.runCode("Image.new('RGB', (2, 2)).show()")).results.length, 1)
  assert.equal((await s.runCode(`Image.new('RGB', (2, 2)).save('${scratch}/saved.png')`)).results.length, 1)
})
check('chart of lines', async s => {
  let c = await chartOf(s, "plt.plot([1, 2, 3], [4, 5, 3], label='a')\nplt.plot([1, 2], [3, 4])\nplt.xlabel('Time (s)'); plt.ylabel('Amp [Hz]'); plt.title('T')")
  assert.deepEqual([c.type, c.title, c.x_unit, c.y_unit, c.x_label, c.x_scale], ['line', 'T', 's', 'Hz', 'Time (s)', 'linear'])
  assert.deepEqual(c.elements[0], { label: 'a', points: [[1, 4], [2, 5], [3, 3]] }); assert.equal(c.x_ticks.length, c.x_tick_labels.length)
  c = await chartOf(s, 'plt.plot([datetime.date(2023, 9, 1), datetime.date(2023, 9, 2)], [1, 2])')
  assert.equal(c.x_scale, 'datetime'); assert.ok(c.elements[0].points[0][0].startsWith('2023-09-01'))
})
check('chart of points', async s => {
  const c = await chartOf(s, "plt.scatter([0.5, 1.5], [2.5, 3.5], label='d1')\nplt.scatter([1], [1], label='d2')")
  assert.equal(c.type, 'scatter'); assert.deepEqual(c.elements, [{ label: 'd1', points: [[0.5, 2.5], [1.5, 3.5]] }, { label: 'd2', points: [[1, 1]] }])
})
check('chart of bars, upright, lying and of one height', async s => {
  let c = await chartOf(s, "plt.bar(['A', 'B'], [100, 200], label='Sold')\nplt.ylabel('n (pcs)')")
  assert.equal(c.type, 'bar'); assert.equal(c.y_unit, 'pcs')
  assert.deepEqual(c.elements, [{ label: 'A', group: 'Sold', value: 100 }, { label: 'B', group: 'Sold', value: 200 }])
  for (const [code, a, b] of [["plt.barh(['A', 'B'], [100, 200])", 100, 200], ["plt.bar(['A', 'B'], [5, 5])", 5, 5]]) {
    c = await chartOf(s, code)
    assert.deepEqual(c.elements.map(e => [e.label, e.value]), [['A', a], ['B', b]])
  }
})
check('chart of a pie', async s => {
  const c = await chartOf(s, "plt.pie([90, 10], labels=['No', 'Yes'])")
  assert.equal(c.type, 'pie'); assert.deepEqual(c.elements.map(e => [e.label, Math.round(e.angle), e.radius]), [['No', 324, 1], ['Yes', 36, 1]])
})
check('chart of boxes', async s => {
  const c = await chartOf(s, "plt.boxplot([[85, 90, 78, 92, 88], [95, 89, 76, 91, 84, 85, 87]], patch_artist=True)\nplt.gca().set_xticklabels(['A', 'B'])\nplt.ylabel('Score')")
  assert.equal(c.type, 'box_and_whisker'); assert.equal(c.y_label, 'Score')
  assert.deepEqual(c.elements[0], { label: 'A', min: 78, first_quartile: 85, median: 88, third_quartile: 90, max: 92, outliers: [] })
  assert.equal(c.elements[1].median, 87); assert.deepEqual(c.elements[1].outliers, [76])
})
check('chart of several charts, and of none', async s => {
  const c = await chartOf(s, "f, a = plt.subplots(1, 2)\na[0].plot([1, 2], [3, 4]); a[1].scatter([1], [2]); f.suptitle('Multi')")
  assert.deepEqual([c.type, c.title, c.elements[0].type, c.elements[1].type], ['superchart', 'Multi', 'line', 'scatter'])
  assert.equal((await chartOf(s, 'plt.plot([1, 2, 3], [1, 2, 3]); plt.scatter([1], [1])')).type, 'unknown')
})
check('contexts are made, listed and removed, each with state of its own', async s => {
  const context = await s.createCodeContext()
  await s.runCode('mine = 1', { context })
  assert.equal(textOf(await s.runCode('mine', { context })), '1')
  assert.equal((await s.runCode('mine')).error.name, 'NameError')
  assert.equal((await s.listCodeContexts()).find(x => x.id === context.id).language, 'python')
  await s.removeCodeContext(context)
  assert.ok(!(await s.listCodeContexts()).some(x => x.id === context.id))
  await assert.rejects(s.runCode('1', { context }), e => e instanceof NotFoundError && /not found/.test(e.message))
  await assert.rejects(s.removeCodeContext(context.id), NotFoundError)
  await assert.rejects(s.restartCodeContext(context.id), NotFoundError)
  await assert.rejects(s.runCode('1', { context, language: 'python' }), InvalidArgumentError)
})
check('a restarted context has its id and folder, and no state', async s => {
  const context = await s.createCodeContext({ cwd: scratch })
  await s.runCode('mine = 1', { context })
  await s.restartCodeContext(context)
  const x = await s.runCode('import os; os.getcwd()', { context })
  assert.deepEqual([x.text, x.executionCount], [scratch, 1])
  assert.equal((await s.runCode('mine', { context })).error.name, 'NameError')
  await s.removeCodeContext(context)
})
check('contexts of one sandbox run side by side, executions of one context in turn', async s => {
  const c = await s.createCodeContext(), d = await s.createCodeContext(), flag = unique('turn')
  let tell
  const said = new Promise(r => { tell = r })
  const first = s.runCode(`print('begun', flush=True)\nimport os, time\nwhile not os.path.exists('${flag}'): time.sleep(0.01)\nprint('first')`, { context: c, onStdout: tell })
  await said
  const second = s.runCode(`os.path.exists('${flag}')`, { context: c })
  await s.runCode(`open('${flag}', 'w').close()`, { context: d })
  assert.ok(outOf(await first).endsWith('first\n'))
  assert.equal(textOf(await second), 'True')
  await s.removeCodeContext(c); await s.removeCodeContext(d)
})
check("code begins in the sandbox's folder", async s => {
  const here = (await s.runCode('import os; os.getcwd()')).text
  mode === 'debug' ? assert.equal(here, root) : assert.equal(path.basename(here), s.sandboxId)
  assert.equal(outOf(await s.runCode('!pwd')).trim(), here)
  assert.equal(outOf(await s.runCode('%%bash\npwd')).trim(), here)
})
check('a context begins in the folder that it was asked for', async s => {
  for (const [language, code] of [['python', 'import os; print(os.getcwd())'], ['bash', 'pwd'], ['javascript', 'console.log(process.cwd())']]) {
    const context = await s.createCodeContext({ cwd: scratch, language })
    assert.deepEqual([context.cwd, context.language], [scratch, language])
    assert.equal(outOf(await s.runCode(code, { context })).trim(), scratch)
    await s.removeCodeContext(context)
  }
})
check('a folder that does not exist is told on stderr, once', async s => {
  const context = await s.createCodeContext({ cwd: '/no/such/folder' })
  assert.equal(context.cwd, '/no/such/folder')
  assert.match((await s.runCode('1', { context })).logs.stderr.join(''), /\/no\/such\/folder does not exist/)
  assert.deepEqual((await s.runCode('1', { context })).logs.stderr, [])
  await s.removeCodeContext(context)
})
check('languages have a default context each: bash, javascript, typescript', async s => {
  assert.equal(outOf(await s.runCode('X=5; echo $X', { language: 'bash' })), '5\n')
  assert.equal(outOf(await s.runCode('echo $X', { language: 'bash' })), '5\n')
  assert.equal((await s.runCode('(exit 3)', { language: 'bash' })).error.value, '3')
  assert.equal(textOf(await s.runCode('const n = 41; n + 1', { language: 'js' })), '42')
  assert.equal(outOf(await s.runCode('console.log(n)', { language: 'javascript' })), '41\n')
  const e = (await s.runCode("throw new TypeError('boom')", { language: 'javascript' })).error
  assert.match(e.value + e.traceback, /boom/)
  assert.equal(textOf(await s.runCode("await Promise.resolve('late')", { language: 'js' })), 'late')
  assert.equal(textOf(await s.runCode('interface P { n: number }\nconst p: P = { n: 7 }\np.n', { language: 'ts' })), '7')
  const languages = (await s.listCodeContexts()).map(c => c.language)
  for (const l of ['python', 'javascript', 'typescript', 'bash']) assert.equal(languages.filter(x => x === l).length, 1)
})
check('a language without a kernel is refused', async s => {
  await assert.rejects(s.runCode('1', { language: 'cobol' }), SandboxError)
  await assert.rejects(s.createCodeContext({ language: 'cobol' }), SandboxError)
})
check('variables are set for one execution, whatever they hold', async s => {
  const K = 'it\'s "odd" $HOME `x` \\n\n😀', envs = { K }
  assert.equal(textOf(await s.runCode(`import os, json; os.environ['K'] == json.loads(r'''${JSON.stringify(K)}''')`, { envs })), 'True')
  assert.equal(outOf(await s.runCode("print(os.environ.get('K'))")), 'None\n')
  assert.equal(outOf(await s.runCode('printf %s "$K"', { language: 'bash', envs })).replace(/\n$/, ''), K)
  assert.equal(outOf(await s.runCode('echo ${K-unset}', { language: 'bash' })), 'unset\n')
  assert.equal(outOf(await s.runCode(`console.log(process.env.K === ${JSON.stringify(K)})`, { language: 'js', envs })), 'true\n')
  assert.equal(outOf(await s.runCode('console.log(process.env.K)', { language: 'js' })), 'undefined\n')
})
check('variables do not touch the code: line numbers, magics, counts', async s => {
  const x = await s.runCode("raise RuntimeError('x')", { envs: { A: '1', B: '2' } })
  assert.match(x.error.traceback, /line 1/); assert.doesNotMatch(x.error.traceback, /environ/)
  assert.equal(outOf(await s.runCode('%%bash\necho $A', { envs: { A: '1' } })), '1\n')
  assert.equal((await s.runCode('1')).executionCount, x.executionCount + 2)
})
check("a sandbox's variables are there, can be hidden for one execution, and outlast a restart", async () => {
  const b = await Sandbox.create({ envs: { OWN: 'of the sandbox' } })
  for (const [language, code] of [['python', "import os; print(os.environ['OWN'])"], ['bash', 'echo $OWN'], ['javascript', 'console.log(process.env.OWN)']]) {
    assert.equal(outOf(await b.runCode(code, { language })), 'of the sandbox\n')
    assert.equal(outOf(await b.runCode(code, { language, envs: { OWN: 'mine' } })), 'mine\n')
    assert.equal(outOf(await b.runCode(code, { language })), 'of the sandbox\n')
  }
  await b.restartCodeContext((await b.listCodeContexts()).find(c => c.language === 'python'))
  assert.equal(textOf(await b.runCode("import os; os.environ['OWN']")), 'of the sandbox')
  await b.kill()
}, 'sandbox')
check('a time limit interrupts the code: the next runs at once, and state stays', async s => {
  await s.runCode('kept, hit = 1, False')
  await assert.rejects(s.runCode('import time\ntry:\n    time.sleep(300)\nexcept KeyboardInterrupt:\n    hit = True\n    raise', { timeoutMs: 1000, envs: { LEFT: 'x' } }), TimeoutError)
  assert.equal(textOf(await s.runCode("import os; kept, hit, os.environ.get('LEFT')")), '(1, True, None)')
})
check("the kernel's death is ContextRestarting, and another takes its place", async s => {
  const context = await s.createCodeContext({ cwd: scratch })
  const e = (await s.runCode('import os, signal; mine = 1; os.kill(os.getpid(), signal.SIGKILL)', { context })).error
  assert.deepEqual([e.name, e.value, e.traceback], ['ContextRestarting', 'Context was restarted', ''])
  const x = await s.runCode('import os; os.getcwd()', { context })
  assert.deepEqual([x.text, x.executionCount], [scratch, 1])
  await s.removeCodeContext(context)
})
check('a context that is restarted or removed ends its executions: UnexpectedEndOfExecution', async s => {
  for (const end of ['restartCodeContext', 'removeCodeContext']) {
    const context = await s.createCodeContext(), errors = []
    const { run } = await begun(s, { context, onError: e => errors.push(e.name) })
    await s[end](context)
    const x = await run
    assert.deepEqual(errors, ['WebSocketError', 'UnexpectedEndOfExecution'])
    assert.equal(x.error.name, errors[1])
    if (end === 'restartCodeContext') {
      assert.equal(textOf(await s.runCode('1', { context })), '1')
      await s.removeCodeContext(context)
    }
  }
})
check('the default context is made again after it was removed', async s => {
  await s.removeCodeContext((await s.listCodeContexts()).find(c => c.language === 'bash'))
  assert.equal(outOf(await s.runCode('echo again', { language: 'bash' })), 'again\n')
})
check('another client finds the sandbox and its state', async s => {
  await s.runCode('shared = 3')
  const b = await Sandbox.connect(s.sandboxId)
  assert.equal(textOf(await b.runCode('shared')), '3'); assert.ok(await b.isRunning())
})
check('a killed sandbox ends its executions, and is no more', async () => {
  const b = await Sandbox.create()
  const { run } = await begun(b)
  assert.ok(await b.isRunning()); assert.equal(await b.kill(), true)
  await assert.rejects(run, e => e instanceof TimeoutError && /killed/.test(e.message))
  assert.equal(await b.isRunning(), false); assert.equal(await b.kill(), false)
  await assert.rejects(b.runCode('1'), TimeoutError)
  await assert.rejects(Sandbox.connect(b.sandboxId), NotFoundError)
}, 'sandbox')
check('a sandbox ends at its time, which can be put off', async () => {
  const b = await Sandbox.create({ timeoutMs: 600_000, metadata: { who: 'peer' } })
  let info = await b.getInfo()
  const lasts = () => (info.endAt - info.startedAt) / 1000
  assert.ok(lasts() > 500 && lasts() < 700); assert.deepEqual([info.metadata, info.state], [{ who: 'peer' }, 'running'])
  await b.setTimeout(1_200_000)
  info = await b.getInfo()
  assert.ok(lasts() > 1100 && lasts() < 1400)
  await b.runCode('1')
  await b.setTimeout(1000)
  await until(async () => !await b.isRunning())
  await assert.rejects(b.runCode('1'), TimeoutError)
}, 'sandbox')
check('sandboxes are listed', async () => {
  const b = await Sandbox.create({ metadata: { name: 'listed one' } })
  assert.deepEqual((await Sandbox.list({ query: { metadata: { name: 'listed one' } } }).nextItems()).map(x => x.sandboxId), [b.sandboxId])
  await b.kill()
}, 'sandbox')
check('a sandbox asks for its tokens, and the control plane for its key', async s => {
  const status = async headers => (await fetch(url + '/execute', { method: 'POST', body: '{"code": "1"}', headers: { 'E2b-Sandbox-Id': s.sandboxId, 'E2b-Sandbox-Port': '49999', ...headers } })).status
  assert.deepEqual([await status({}), await status({ 'E2B-Traffic-Access-Token': 'wrong' })], [403, 403])
  assert.equal(await status({ 'E2B-Traffic-Access-Token': s.trafficAccessToken }), 200)
  await assert.rejects(Sandbox.create({ apiKey: 'e2b_' + '0'.repeat(40) }), AuthenticationError)
  const other = await Sandbox.create()
  assert.equal(await status({ 'E2B-Traffic-Access-Token': other.trafficAccessToken }), 403)
  await other.kill()
}, 'sandbox')
check('sandboxes have contexts, folders and files of their own', async s => {
  const b = await Sandbox.create()
  await s.runCode('apart = 1')
  assert.equal((await b.runCode('apart')).error.name, 'NameError')
  await b.runCode("open('here.txt', 'w').write('b')")
  assert.equal(await b.files.read('here.txt'), 'b'); assert.equal(await s.files.exists('here.txt'), false)
  const mine = new Set((await s.listCodeContexts()).map(c => c.id))
  assert.ok(!(await b.listCodeContexts()).some(c => mine.has(c.id)))
  await b.kill()
}, 'sandbox')
check('files and code see the same files', async s => {
  const name = `seen-js-${mode}.txt`
  await s.files.write(name, 'by the file service')
  assert.equal(textOf(await s.runCode(`open('${name}').read()`)), 'by the file service')
  await s.runCode(`open('${name}', 'w').write('by code')`)
  assert.equal(await s.files.read(name), 'by code')
  assert.ok((await s.files.list('.')).some(e => e.name === name))
  await s.files.remove(name)
})
check('folders are watched while code changes them', async s => {
  await s.files.makeDir('watched')
  const seen = []
  const w = await s.files.watchDir('watched', e => { seen.push(e.name) })
  await s.runCode("open('watched/new.txt', 'w').close()")
  await until(() => seen.includes('new.txt'))
  await w.stop()
  await s.files.remove('watched')
})

const s = await Sandbox.create()
for (const { name, f, modes } of checks) {
  let result = 'yes'
  if (!modes.includes(mode)) result = '–'
  else {
    let timer
    try {
      await Promise.race([f(s), new Promise((_, no) => { timer = setTimeout(no, 90_000, new Error('it took too long')) })])
    } catch (e) {
      result = 'no'
      console.error(name, e)
    }
    clearTimeout(timer)
  }
  console.log(JSON.stringify({ name, result }))
}
if (mode !== 'debug') await s.kill()
process.exit(0)
