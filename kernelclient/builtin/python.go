package builtin

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/nbterm/nbterm/kernelclient/isolate"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// LogPrefix begins the names of kernel logs, which end with ".log"; one that a killed program
// left in LogDir is for package leftover to sweep.
const LogPrefix = "nbterm-python-"

// PythonOptions say how the built-in Python kernel is started.
type PythonOptions struct {
	Python  string   // the interpreter, an absolute path, or a name on PATH
	Dir     string   // working folder, "" for this process's
	Env     []string // the environment as K=V, nil for this process's
	Session string   // the notebook's path for JPY_SESSION_NAME, "" for none
	LogDir  string   // where the kernel log lies while the kernel lives, "" for the temporary folder
	// CacheDir is where the compiled kernel is kept for the next start, a third of whose time
	// is compiling otherwise. "" keeps nothing.
	CacheDir string
	// IPython makes IPython's shell run the cells. The interpreter must have it: else the
	// kernel's Death tells.
	IPython bool
	Box     *isolate.Box // where it runs; nil: as this process does
}

// NewPythonLauncher returns a Launcher of the built-in Python kernel. An interpreter that
// is missing or too old is told by Launch or by the kernel's Death.
func NewPythonLauncher(opt PythonOptions) jupyter.Launcher { return &launcher{opt: opt} }

type launcher struct{ opt PythonOptions }

// Retries implements jupyter.Launcher: pipes cannot be taken by somebody else, so what
// failed once would fail again.
func (l *launcher) Retries() int { return 0 }

//go:embed python
var python embed.FS

// sources are the kernel's two parts: what every cell needs, and the rest, which is
// compiled when it is needed first.
func (l *launcher) sources() (core, more []byte) {
	files, _ := fs.Glob(python, "python/more_*.py")
	core = join("python/wire.py", "python/text.py", "python/process.py", "python/cell.py")
	if l.opt.IPython {
		core = append(core, "\nIPYTHON = True\n"...)
		files = append(files, "python/ipython.py")
	}
	return core, join(files...)
}

func join(files ...string) []byte {
	var all []byte
	for _, name := range files {
		b, _ := python.ReadFile(name) // embedded: a missing file fails the tests
		all = append(all, b...)
	}
	return all
}

// cache is the file that bootstrap keeps compiled code in, but for the Python version that
// it adds: named by the source's hash, so that another source never meets it.
func (l *launcher) cache() string {
	if l.opt.CacheDir == "" || os.MkdirAll(l.opt.CacheDir, 0o700) != nil {
		return ""
	}
	core, _ := l.sources()
	sum := sha256.Sum256(core)
	return filepath.Join(l.opt.CacheDir, "builtin-python-"+hex.EncodeToString(sum[:8]))
}

// bootstrap reads the kernel's two parts from descriptor 3 and runs the first in a module
// of its own; its argument is the cache's file. It is what the process shows in a list of
// processes.
const bootstrap = `def _start():
    import sys, os
    if sys.version_info < (3, 8):
        sys.exit('nbterm needs Python 3.8 or later; %s is Python %s' % (sys.executable, sys.version.split()[0]))
    def text():
        n, parts = int.from_bytes(os.read(3, 4), 'big'), []
        while n > 0:
            part = os.read(3, n)
            if not part:
                sys.exit(1)
            parts.append(part)
            n -= len(part)
        return b''.join(parts).decode()
    source, more = text(), text()
    code, cache = None, sys.argv[1] and '%s-%x' % (sys.argv[1], sys.hexversion)
    import marshal
    try:
        with open(cache, 'rb', 0) as f:
            code = marshal.loads(f.read())
    except Exception:
        code = compile(source, '<nbterm kernel>', 'exec', dont_inherit=True)
        if cache:
            try:
                fd = os.open('%s.%d' % (cache, os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(fd, 'wb') as f:
                    f.write(marshal.dumps(code))
                os.rename('%s.%d' % (cache, os.getpid()), cache)
            except OSError:
                pass
    space = {'__name__': 'nbterm_kernel'}
    exec(code, space)
    return space['main'], more
_main, _more = _start()
_main(_more)
`

// PythonProgram is the built-in Python kernel for a process that somebody else starts, on
// another machine perhaps: the argument of python -c, which "" follows, and what its
// descriptor 3 is to read before messages. It answers on descriptor 4. What it writes to its
// own stdout and stderr is the kernel log.
func PythonProgram() (program string, first []byte) {
	return bootstrap, (&launcher{}).preface()
}

// preface is what the bootstrap reads: each part behind its length.
func (l *launcher) preface() (all []byte) {
	core, more := l.sources()
	for _, source := range [][]byte{core, more} {
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(source))), source...)
	}
	return all
}

// primed is a WriteCloser that writes the kernel's source before the first request.
type primed struct {
	io.WriteCloser
	launcher *launcher
	once     sync.Once
	err      error
}

// Write is called by one goroutine at a time, the connection's writer, which may wait.
func (p *primed) Write(b []byte) (int, error) {
	p.once.Do(func() {
		_, p.err = p.WriteCloser.Write(p.launcher.preface())
	})
	if p.err != nil {
		return 0, p.err
	}
	return p.WriteCloser.Write(b)
}
