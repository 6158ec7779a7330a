//go:build unix

package builtin

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

const (
	pieceOfShell = 64 << 10 // bytes of one read
	// pipeful is more than a pipe holds: once so much was read, what was in it is out.
	pipeful = 1 << 20
)

// shellListener takes what a shell writes. One goroutine reads all of its pipes, so that
// the end of a cell comes after what the cell wrote.
type shellListener struct {
	sh       *shell
	out, err *shellStream
	reports  rawFile
	wake     *os.File // at its end when the process was reaped
	partial  []byte   // of a report
	buf      [pieceOfShell]byte
}

// shellStream is stdout or stderr.
type shellStream struct {
	name string
	file rawFile
	open bool
	rest []byte // of a character
}

// rawFile is a file that is read without waiting, around Go's own poller.
type rawFile struct {
	*os.File
	fd int
}

func newRawFile(f *os.File) rawFile {
	fd := int(f.Fd()) // called once: it makes the file one that waits
	_ = unix.SetNonblock(fd, true)
	return rawFile{f, fd}
}

// listen reads until the process is gone and nothing is left in its pipes. What it left
// behind in other sessions may hold their other ends, and is not waited for.
func (l *shellListener) listen() {
	defer close(l.sh.over)
	files := []*os.File{l.out.file.File, l.err.file.File, l.reports.File, l.wake}
	polls := make([]unix.PollFd, len(files))
	for i, fd := range []int{l.out.file.fd, l.err.file.fd, l.reports.fd, int(l.wake.Fd())} {
		polls[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	}
	for died := false; !died; {
		if _, err := unix.Poll(polls, -1); err != nil && err != unix.EINTR {
			break
		}
		died = polls[3].Revents != 0
		l.turn(died)
		for i, s := range []*shellStream{l.out, l.err} {
			if !s.open {
				polls[i].Fd = -1 // nobody can write to it any more
			}
		}
	}
	<-l.sh.died
	l.sh.gone()
	closeAll(files)
}

// turn takes what is there. Reports are read first and heeded last: what was written
// before them is in the pipes by then.
func (l *shellListener) turn(last bool) {
	reports := l.readReports()
	for _, s := range []*shellStream{l.out, l.err} {
		for n := 0; s.open && n < pipeful; {
			got := l.read(s)
			if n += got; got == 0 || len(reports) == 0 && !last {
				break
			}
		}
		if len(reports) > 0 || last {
			l.flush(s)
		}
	}
	for _, r := range reports {
		l.sh.heed(r)
	}
}

// read takes at most a piece of a stream and tells how much it was.
func (l *shellListener) read(s *shellStream) int {
	n, err := unix.Read(s.file.fd, l.buf[:])
	if n <= 0 {
		s.open = err == unix.EAGAIN || err == unix.EINTR
		return 0
	}
	text := append(s.rest, l.buf[:n]...)
	whole := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if c := text[len(text)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-i:]) {
				whole -= i
			}
			break
		}
	}
	s.rest = append([]byte(nil), text[whole:]...)
	l.sh.wrote(s.name, string(text[:whole]))
	return n
}

// flush gives out what is left of a character that was not finished.
func (l *shellListener) flush(s *shellStream) {
	if len(s.rest) > 0 {
		l.sh.wrote(s.name, string(s.rest))
		s.rest = nil
	}
}

// readReports returns the whole reports that are there.
func (l *shellListener) readReports() []string {
	for {
		n, _ := unix.Read(l.reports.fd, l.buf[:])
		if n <= 0 {
			break
		}
		l.partial = append(l.partial, l.buf[:n]...)
	}
	var reports []string
	for {
		report, rest, whole := bytes.Cut(l.partial, []byte{0})
		if !whole {
			return reports
		}
		reports, l.partial = append(reports, string(report)), rest
	}
}

// wrote passes output on to the run it belongs to: the one under way, else the last.
func (sh *shell) wrote(name, text string) {
	if text == "" {
		return
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if name == "stderr" {
		text = strings.ReplaceAll(text, sh.dir+"/", "") // the place of a cell's file tells nobody anything
	}
	sh.mu.Lock()
	exec, began := sh.last, sh.cells > 0
	if !began {
		sh.words.WriteString(text)
	}
	sh.mu.Unlock()
	if began {
		sh.d.sink.Emit(exec, event.Stream{Name: name, Text: text})
	}
}

// heed acts on a report of the shell: "ready", "began N", "end N STATUS",
// "folder N PATH" or "ask KEY PASSWORD PROMPT".
func (sh *shell) heed(report string) {
	kind, rest, _ := strings.Cut(report, " ")
	first, rest, _ := strings.Cut(rest, " ")
	sh.mu.Lock()
	x := sh.current
	exec := sh.last
	sh.mu.Unlock()
	mine := x != nil && first == strconv.Itoa(x.n)
	switch {
	case kind == "ready":
		if !sh.isReady() {
			close(sh.ready)
		}
	case kind == "began" && mine:
		x.begin()
	case kind == "end" && mine:
		status, err := strconv.Atoi(rest)
		if err == nil {
			x.finish(status)
		}
	case kind == "folder":
		sh.isIn(first, rest)
	case kind == "ask" && x != nil:
		password, prompt, _ := strings.Cut(rest, " ")
		sh.d.ask(sh, exec, first, strings.ToValidUTF8(prompt, "\uFFFD"), password == "1")
	}
}

// gone tells of the process's end. An exit in a cell is no accident: its status is the cell's.
func (sh *shell) gone() {
	sh.mu.Lock()
	x, death := sh.current, sh.exit
	sh.mu.Unlock()
	out := kernelclient.Outcome{Reason: event.Died, Detail: death.Error()}
	detail := out.Detail
	if x != nil && death.Signal == "" {
		detail = shellExited
		out = kernelclient.Outcome{Reason: event.Done}
		if death.Code != 0 {
			out.Reason = event.Failed
		}
	}
	select {
	case <-sh.concluded: // it was ended from here
	default:
		if out.Reason == event.Failed {
			sh.d.sink.Emit(x.id, exitStatus(death.Code))
		}
		sh.d.closeQuestions(func(q shellQuestion) bool { return q.sh == sh })
		sh.d.sink.Emit("", event.State{State: event.Dead, Detail: detail})
	}
	sh.conclude(out)
}
