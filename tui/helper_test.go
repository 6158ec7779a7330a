package tui_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/dlclark/regexp2/v2"
	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui"
	"github.com/nbterm/nbterm/tui/internal/screentest"
)

func TestMain(m *testing.M) {
	// The clock of chroma's regular expressions is a goroutine that starts where it is first
	// needed and ends some time after its last use. Inside a synctest bubble it would never
	// end, so it is kept running outside of all of them.
	clock := regexp2.MustCompile("a")
	clock.MatchTimeout = time.Hour
	if _, err := clock.MatchString("a"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func host(driver kernelclient.Driver) *hosttest.Host {
	return &hosttest.Host{
		List:  []kernelclient.Kernel{{Name: "python3", DisplayName: "Python 3 (ipykernel)", Language: "python", Found: "/env"}},
		Drive: func(kernelclient.StartSpec) kernelclient.Driver { return driver },
	}
}

// app is a program on an emulated screen, with a kernel in memory.
type app struct {
	*screentest.Screen
	t       *testing.T
	probe   *tui.Probe
	path    string
	state   string
	signals chan os.Signal
	stderr  *bytes.Buffer // to be read once the program ended
	exit    int           // likewise
	kernel  *hosttest.Fake
}

type setup struct {
	file          string // contents of the notebook; "": a new one
	name          string // "": test.ipynb
	width, height int    // 0: 80x24
	script        hosttest.Script
	env           []string
	notices       []string
	host          kernelclient.Host // nil: of one kernel in memory
	far           bool              // it is another machine
	places        []session.Place   // other hosts
	kept          string            // the machine that keeps kernels, "" for this one
	busy          bool              // what was left runs: the program does not become idle
	lasting       *hosttest.Host    // a host whose kernels go on when the program ends
	onQuit        tui.OnQuit
	asks          *hosttest.Fake // the kernel, if it can be asked
	osPipe        bool           // see screentest.Config
	theme         themes.Theme
	follow        bool // the terminal's background
	profile       colorprofile.Profile
	again         *app // open that one's file as it is on disk, with its state folder
	broken        *tui.Broken
	watch         bool // the file is watched for real
	notify        tui.Notify
	notifyAfter   time.Duration
	beside        map[string]string // files beside the notebook, and below
	files         fswatch.FS        // nil: this machine's
	find          func(context.Context, func(context.Context) (string, error)) (tui.FoundFiles, error)
	running       []string // names beside the notebook that have a kernel elsewhere
	trash         func(path string) (func() error, error)
	made          bool   // cells name the files that they write
	root          string // where the tree begins; "": at the notebook
	tree          bool   // of the notebook's folder shows
	askPause      bool   // questions that open by themselves wait a second
}

func open(t *testing.T, s setup) *app {
	t.Helper()
	if s.width == 0 {
		s.width, s.height = 80, 24
	}
	if s.name == "" {
		s.name = "test.ipynb"
	}
	if s.theme.Name == "" {
		s.theme = themes.Dark()
	}
	if s.profile == 0 {
		s.profile = colorprofile.ANSI256
	}
	if s.asks == nil {
		s.asks = &hosttest.Fake{}
	}
	s.asks.Script = s.script
	a := &app{
		t: t, probe: &tui.Probe{}, path: filepath.Join(t.TempDir(), s.name), state: t.TempDir(),
		signals: make(chan os.Signal, 1), stderr: &bytes.Buffer{}, kernel: s.asks,
	}
	doc, file := notebook.New(), diskfile.New(a.path)
	if s.again != nil {
		a.path, a.state = s.again.path, s.again.state
		doc, file = load(t, a.path)
	}
	if s.file != "" {
		doc, file = read(t, a.path, s.file)
	}
	file.StateDir = a.state
	if s.host == nil {
		s.host = host(a.kernel)
	}
	joint := session.Options{AllowStdin: true, Dir: filepath.Dir(a.path), Far: s.far, Places: s.places}
	if s.lasting != nil {
		s.host, joint.Lasting = s.lasting, true
		joint.Path, joint.Sum = diskfile.RealPath(a.path), fmt.Sprintf("%x", file.Sum())
	}
	a.make(s.beside)
	if s.files == nil {
		local, err := localfs.New(localfs.Options{Root: filepath.Dir(a.path)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = local.Close() })
		s.files = local
	}
	here := s.files
	if s.find != nil {
		s.files = nil
	}
	opt := tui.Options{
		KeptAt: s.kept, FindFiles: s.find, Local: here,
		Files: s.files, WatchFiles: treeWatcher(s.watch || s.files != nil && s.root != ""), Open: a.openOther, OpenTree: s.tree, TreeRoot: s.root, Trash: s.trash, MadeFiles: s.made, RunningPaths: a.runningPaths(s.running),
		Session: session.New(doc, s.host, joint), OnQuit: s.onQuit,
		File: file, Theme: s.theme, FollowBackground: s.follow, StateDir: a.state, Notices: s.notices, Err: a.stderr, Signals: a.signals, Probe: a.probe, Profile: &s.profile,
		Watch: watching(s.watch), AskPause: -1, Notify: s.notify, NotifyAfter: s.notifyAfter,
		Env: append([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}, s.env...),
	}
	if s.askPause {
		opt.AskPause = 0
	}
	if opt.Broken = s.broken; s.broken != nil {
		opt.File = nil
	}
	a.Screen = screentest.Start(t, screentest.Config{
		Width: s.width, Height: s.height, Idle: a.probe.Idle, Sync: tui.ProbeKeys, OSPipe: s.osPipe,
		Run: func(ctx context.Context, tty screentest.TTY) error {
			opt.In, opt.Out, opt.Width, opt.Height = tty.In, tty.Out, tty.Width, tty.Height
			var err error
			a.exit, err = tui.Run(ctx, opt)
			return err
		},
	})
	if !s.busy {
		a.WaitIdle()
	}
	return a
}

func read(t *testing.T, path, contents string) (*notebook.Document, *diskfile.File) {
	t.Helper()
	if err := os.WriteFile(path, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
	return load(t, path)
}

// make makes files beside the notebook; a name with a slash at its end is a folder's.
func (a *app) make(files map[string]string) {
	a.t.Helper()
	for name, data := range files {
		path := filepath.Join(filepath.Dir(a.path), name)
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			a.t.Fatal(err)
		}
		if dir == path {
			continue
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
}

func (a *app) runningPaths(names []string) func(context.Context) []string {
	return func(context.Context) []string {
		var paths []string
		for _, n := range names {
			paths = append(paths, filepath.Join(filepath.Dir(a.path), n))
		}
		return paths
	}
}

// openOther opens a further notebook, with a kernel in memory of its own.
func (a *app) openOther(ctx context.Context, ask tui.OpenAsk) (tui.Opened, error) {
	data, file, err := diskfile.Read(ask.Path)
	if ask.Files != nil {
		data, err = readFrom(ctx, ask)
		file = diskfile.New(ask.Place + ask.Path)
	}
	doc := notebook.New()
	switch {
	case errors.Is(err, os.ErrNotExist):
		file = diskfile.New(ask.Path)
	case err != nil:
		return tui.Opened{}, err
	default:
		if doc, err = notebook.Parse(data); err != nil {
			s := session.New(notebook.New(), host(&hosttest.Fake{}), session.Options{})
			return tui.Opened{Session: s, Broken: &tui.Broken{Path: ask.Path, Data: data, Why: err.Error()}}, nil
		}
	}
	file.StateDir = a.state
	s := session.New(doc, host(&hosttest.Fake{Script: a.kernel.Script}), session.Options{AllowStdin: true, Dir: filepath.Dir(ask.Path)})
	return tui.Opened{Session: s, File: file}, nil
}

func treeWatcher(real bool) func(fswatch.FS) fswatch.Watcher {
	if !real {
		return nil
	}
	return fswatch.NewWatcher
}

func watching(real bool) func(string) tui.Watcher {
	if !real {
		return nil
	}
	return func(path string) tui.Watcher { return fswatch.WatchFile(path) }
}

func load(t *testing.T, path string) (*notebook.Document, *diskfile.File) {
	t.Helper()
	data, file, err := diskfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := notebook.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc, file
}

// resize gives the terminal another size.
func (a *app) resize(width, height int) {
	a.t.Helper()
	a.Resize(width, height)
	if err := a.probe.Resize(a.t.Context(), width, height); err != nil {
		a.t.Fatal(err)
	}
	a.WaitIdle()
}

// shows fails unless all texts are on the screen.
func (a *app) shows(texts ...string) {
	a.t.Helper()
	screen := a.Text()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			a.t.Errorf("the screen does not show %q:\n%s", text, screen)
		}
	}
}

// hides fails if one of the texts is on the screen.
func (a *app) hides(texts ...string) {
	a.t.Helper()
	screen := a.Text()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			a.t.Errorf("the screen shows %q:\n%s", text, screen)
		}
	}
}

// copies lists the recovery copies that there are.
func (a *app) copies() []string {
	a.t.Helper()
	list, err := filepath.Glob(filepath.Join(a.state, "recovery", "*.ipynb"))
	if err != nil {
		a.t.Fatal(err)
	}
	return list
}

// saved is the file's contents.
func (a *app) saved() string {
	a.t.Helper()
	data, err := os.ReadFile(a.path)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(data)
}

// file makes a notebook of code cells.
func file(sources ...string) string {
	doc := notebook.New()
	var cells []notebook.NewCell
	for _, s := range sources {
		cell := notebook.NewCell{Type: notebook.Code, Source: s}
		if text, ok := strings.CutPrefix(s, "md:"); ok {
			cell = notebook.NewCell{Type: notebook.Markdown, Source: text}
		}
		cells = append(cells, cell)
	}
	first := doc.Cells()[0].Key
	if err := doc.Do("make", notebook.Insert{At: 0, Cells: cells}, notebook.Delete{Keys: []notebook.CellKey{first}}); err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if _, err := doc.Snapshot().WriteTo(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// echo is a kernel that prints the code it gets.
func echo(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "ran " + r.Code + "\n"})
	return kernelclient.Outcome{Reason: event.Done}
}

func newSession(t *testing.T) *session.Session {
	t.Helper()
	return session.New(notebook.New(), host(&hosttest.Fake{}), session.Options{})
}
