package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/themes"
)

// FoundFiles are the files of a host. Run closes them.
type FoundFiles struct {
	FS    fswatch.FS
	Place string // their address, without anything secret
}

// OpenAsk is a notebook to open.
type OpenAsk struct {
	Path   string     // on this machine; where nothing is, a new notebook begins
	Kernel string     // that it is to have; "" leaves that to the notebook
	Files  fswatch.FS // Path is one of these instead; nil: of this machine's
	Place  string     // of Files: their address
	New    bool       // a new notebook, under another name where Path is taken
}

// Options say what Run shows and where.
type Options struct {
	Session *session.Session // its document is shown; Run stops its kernel and closes it
	File    *diskfile.File   // where it is saved
	// Remote stands for a file at an address that does not exist yet. nil: none can be made.
	Remote func(address string) (*diskfile.File, error)
	Theme  themes.Theme
	// FollowBackground asks the terminal for its background: on a light one the light theme
	// is taken, on a dark one the dark.
	FollowBackground bool
	StateDir         string   // for recovery copies
	Notices          []string // said at the start, such as that the file is read-only

	// Notify says how a run that took at least NotifyAfter tells its end where the terminal
	// says that nobody looks at it; "" is NotifyOff.
	Notify      Notify
	NotifyAfter time.Duration

	// Broken is shown in place of a notebook; then Session is of an empty one and File nil.
	Broken *Broken

	// Watch begins to watch a file; nil: changes are noticed at saves and when the terminal
	// comes to the front only.
	Watch func(path string) Watcher

	// Open opens another notebook, by a path of this machine; nil: none can be. Each has its
	// own session. It is called away from the screen's goroutine.
	Open func(context.Context, OpenAsk) (Opened, error)

	// KeptAt is the address of the machine whose host process keeps kernels; "" is this one's.
	KeptAt string

	// FindFiles finds the files of a host, when the tree opens first. remote tells what the
	// kernel's host calls the kernel, "" before there is one. nil: Files are there already.
	FindFiles func(ctx context.Context, remote func(context.Context) (string, error)) (FoundFiles, error)

	// Files is what the tree shows; nil: there is none. TreeRoot is where it begins, absolute
	// and with slashes; "": at the notebook's folder, or where remote files begin.
	Files    fswatch.FS
	TreeRoot string
	Local    fswatch.FS // this machine's files, where Files are a host's
	OpenTree bool       // it shows at once, but for a slow line
	// WatchFiles makes a watcher of the tree's folders; nil: they are read again when asked.
	WatchFiles func(fswatch.FS) fswatch.Watcher
	// RunningPaths tells which notebooks of this machine have a kernel in the host process,
	// with slashes; nil: nobody knows. It is called away from the screen's goroutine.
	RunningPaths func(context.Context) []string
	// Trash moves a file of this machine to the trash and returns how to bring it back; nil:
	// there is none, and deleting asks.
	Trash     func(path string) (restore func() error, err error)
	MadeFiles bool   // cells name the files that their runs wrote into the notebook's folder
	TreeIcons string // TreeUnicode, or ASCII for all else

	OnQuit OnQuit // what becomes of a kernel that can go on without this program; "" asks

	In  io.Reader // nil: the process's terminal
	Out io.Writer
	Err io.Writer // takes what must be said once the screen is restored; nil: os.Stderr
	Env []string  // nil: the process's

	// Signals brings SIGTERM, SIGHUP and SIGINT; nil: the process's own.
	Signals <-chan os.Signal

	// AskPause is how long a question that opened by itself takes no key; 0: one second,
	// less: no time.
	AskPause time.Duration

	// The rest is for an Out that is no terminal, in tests.
	Width, Height int
	Profile       *colorprofile.Profile
	Probe         *Probe
}

func (o Options) withDefaults() Options {
	if o.Err == nil {
		o.Err = os.Stderr
	}
	if o.AskPause == 0 {
		o.AskPause = askPause
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.getenv("NO_COLOR") != "" {
		o.Theme = themes.NoColor()
		plain := colorprofile.Ascii // bold and reverse stay; colours in outputs go too
		o.Profile = &plain
	}
	return o
}

// getenv reads Env as the system does: the last entry of a name counts.
func (o Options) getenv(name string) string {
	value := ""
	for _, kv := range o.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// TermError says that the terminal cannot be driven.
type TermError struct{ Term string }

func (e *TermError) Error() string {
	what := fmt.Sprintf("TERM is %q", e.Term)
	if e.Term == "" {
		what = "TERM is not set"
	}
	return what + ": such a terminal cannot show the notebook; set TERM (xterm-256color fits most), or use nbterm show or nbterm run"
}

// checkTerm refuses terminals without cursor movement. Unknown names are tried: today's
// terminals all understand what is sent.
func (o Options) checkTerm() error {
	term := o.getenv("TERM")
	if runtime.GOOS != "windows" && (term == "" || term == "dumb") {
		return &TermError{Term: term}
	}
	return nil
}
