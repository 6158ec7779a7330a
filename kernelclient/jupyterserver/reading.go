package jupyterserver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// reading is what is known from the messages of a kernel about what is missing among them,
// and about its end. The zero value is ready. One goroutine uses it.
//
// Kernels that use jupyter_client number all that they send: msg_id is SESSION_PID_NUMBER.
type reading struct {
	out     []jupyter.Message // to be returned before more is read
	doubted bool              // a message that could not be read was told
	sender  string            // msg_id of the newest message on iopub, without its number
	last    int               // its number
	session string            // the kernel's own session
	young   bool              // this kernel was started anew and has not answered yet: the server kept last words for us
	stale   string            // the session of the kernel that this one replaced on purpose
	met     func(string)      // is told the kernel's own session; nil where nobody wants it
	others  []int             // numbers above last that came on other channels
	after   bool              // nothing came on iopub since the way to the kernel was made anew
	mended  bool              // it was made anew at least once
}

// next is a message that is to be returned.
func (r *reading) next() (m jupyter.Message, ok bool) {
	if len(r.out) == 0 {
		return m, false
	}
	m = r.out[0]
	r.out = r.out[1:]
	return m, true
}

// began says that what follows came over a new websocket.
func (r *reading) began() { r.after, r.mended = true, true }

// doubt takes note of what could not be read. It is told once.
func (r *reading) doubt(err error) {
	if !r.doubted {
		r.doubted = true
		r.out = append(r.out, jupyter.Message{Trouble: fmt.Sprintf("a message was dropped: %v (further ones are dropped without a word)", err)})
	}
}

// take puts m among what is to be returned, after word of what is missing before it.
// own is our session: the server puts messages of its own under it.
func (r *reading) take(m jupyter.Message, own string) {
	if m.Header.Session != own {
		if gap := r.gap(m); gap != "" {
			r.out = append(r.out, jupyter.Message{Link: &jupyter.Link{Up: true, Detail: gap}})
		}
	}
	r.out = append(r.out, m)
}

// gap says what may be missing before m, "" for nothing.
func (r *reading) gap(m jupyter.Message) string {
	sender, number, ok := numbered(m.Header.ID)
	if m.Channel != jupyter.IOPub {
		if ok && sender == r.sender && number > r.last && len(r.others) < 64 {
			r.others = append(r.others, number)
		}
		return ""
	}
	after := r.after
	r.after = false
	before, last, others := r.sender, r.last, len(r.others)
	r.sender, r.last, r.others = sender, number, r.others[:0]
	switch {
	case !after || before == "" && ok:
		return ""
	case ok && sender == before && number-last-1 <= others:
		return "" // all of them are here
	}
	return "the connection was broken here; output may be missing"
}

// numbered takes a msg_id apart.
func numbered(id string) (sender string, number int, ok bool) {
	at := strings.LastIndexByte(id, '_')
	if at < 0 {
		return "", 0, false
	}
	number, err := strconv.Atoi(id[at+1:])
	return id[:at], number, err == nil
}

// end tells from m that the kernel has ended, in words; "" if it has not. The server says
// so under our own session, a kernel when it is told to end; and one that another took the
// place of while nobody listened has another session.
func (r *reading) end(m jupyter.Message, own string) string {
	if m.Channel == jupyter.Shell && m.Header.Type == "kernel_info_reply" && (r.stale == "" || m.Header.Session != r.stale) {
		r.young = false
	}
	if r.young && m.Header.Type == "shutdown_reply" { // of one that the server had put in place before we asked for this one
		return ""
	}
	if m.Channel != jupyter.IOPub || m.Header.Session == r.stale && r.stale != "" { // a last word, which the server kept for us
		return ""
	}
	switch state := m.Content.Get("execution_state").Str(); {
	case m.Header.Type == "status" && state == "restarting":
		return "it died, and the server started another in its place, without its variables"
	case m.Header.Type == "status" && state == "dead":
		return "it died, and the server could not start it again"
	case m.Header.Type == "shutdown_reply" && m.Content.Get("restart").True():
		return "another program restarted it"
	case m.Header.Type == "shutdown_reply":
		return "the server or another program ended it"
	case m.Header.Session == "" || m.Header.Session == own || m.Header.Session == m.Parent.Session:
		return ""
	}
	before := r.session
	r.session = m.Header.Session
	if r.met != nil && before != r.session {
		r.met(r.session)
	}
	if r.mended && !r.young && before != "" && before != r.session {
		return "it was replaced by another, without its variables"
	}
	return ""
}
