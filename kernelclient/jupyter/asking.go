package jupyter

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// afterIdle is how long a reply may be missing once the kernel says that it is done with a
// question: both travel on channels of their own. A kernel that does not know a message
// type says busy and idle and never replies.
const afterIdle = time.Second

// inquiry is a question on shell that waits for its reply. A reply that nobody waits for
// any more finds no inquiry and is dropped.
type inquiry struct {
	reply chan Message    // has room for one
	idle  chan struct{}   // closed when the kernel is done with it
	own   bool            // it is code whose output is for the asker
	said  strings.Builder // its output, written by the receiver until idle is closed
}

func newInquiry() *inquiry {
	return &inquiry{reply: make(chan Message, 1), idle: make(chan struct{})}
}

var _ kernelclient.Asker = (*driver)(nil)

// inquire sends a question and waits for its reply, no longer than ctx, the kernel and the
// request timeout last. what names the question in errors. It is never sent while code
// runs: shell answers in order, and the answer would come long after anybody wants it.
func (d *driver) inquire(ctx context.Context, what, typ string, content rawjson.Value) (Message, error) {
	return d.put(ctx, newInquiry(), what, typ, content)
}

// put is inquire for a question that the caller keeps.
func (d *driver) put(ctx context.Context, q *inquiry, what, typ string, content rawjson.Value) (Message, error) {
	g := d.current()
	if g == nil || !g.isReady() || g.isEnded() {
		return Message{}, errNotRunning()
	}
	silent := kernelclient.SilentError(what, d.opt.RequestTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, d.opt.RequestTimeout, silent)
	defer cancel()
	h := g.header(typ)
	if !g.expect(h.ID, q) {
		return Message{}, kernelclient.ErrBusy
	}
	defer g.forget(h.ID)
	if err := g.send(ctx, Message{Channel: Shell, Header: h, Content: content}); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return Message{}, err
	}
	m, err := g.await(ctx, q)
	if err == nil && q.own {
		err = g.awaitIdle(ctx, q)
	}
	if err != nil {
		return Message{}, err
	}
	return m, refusal(what, m.Content)
}

// await returns the reply to q.
func (g *generation) await(ctx context.Context, q *inquiry) (Message, error) {
	began := time.Now()
	idle := q.idle
	var overdue <-chan time.Time
	for {
		select {
		case m := <-q.reply:
			return m, nil
		case <-idle:
			idle = nil
			timer := time.NewTimer(afterIdle)
			defer timer.Stop()
			overdue = timer.C
		case <-overdue:
			return Message{}, kernelclient.SilentError("question", time.Since(began).Round(time.Millisecond))
		case <-g.ended:
			return Message{}, errNotRunning()
		case <-ctx.Done():
			return Message{}, context.Cause(ctx)
		}
	}
}

// awaitIdle waits for the end of what q puts out, which may come after its reply.
func (g *generation) awaitIdle(ctx context.Context, q *inquiry) error {
	select {
	case <-q.idle:
		return nil
	case <-g.ended:
		return errNotRunning()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// refusal is the error that a reply is, nil if it is an answer.
func refusal(what string, content rawjson.Value) error {
	switch status := content.Get("status").Str(); {
	case status == "error":
		cause := strings.TrimSuffix(content.Get("ename").Str()+": "+content.Get("evalue").Str(), ": ")
		return &kernelclient.Error{Kind: kernelclient.Protocol, What: "the kernel failed at the " + what + ": " + cause}
	case strings.HasPrefix(status, "abort"): // it had an error just before
		return kernelclient.ErrBusy
	}
	return nil
}

// expect notes a question, unless code runs.
func (g *generation) expect(id string, q *inquiry) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.run != nil {
		return false
	}
	if g.inquiries == nil {
		g.inquiries = map[string]*inquiry{}
	}
	g.inquiries[id] = q
	if q.own {
		g.parents.add(id, ownQuestion)
	}
	return true
}

func (g *generation) forget(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.inquiries, id)
}

// answer gives a message to the question that it belongs to. Only the receiver calls it.
func (g *generation) answer(m Message) {
	g.mu.Lock()
	q := g.inquiries[m.Parent.ID]
	g.mu.Unlock()
	switch {
	case q == nil:
	case m.Channel == Shell && strings.HasSuffix(m.Header.Type, "_reply"):
		select {
		case q.reply <- m:
		default: // a second reply
		}
	case q.own && m.Header.Type == "stream" && m.Content.Get("name").Str() == "stdout" && !isClosed(q.idle):
		q.said.WriteString(m.Content.Get("text").Str())
	case m.Header.Type == "status" && m.Content.Get("execution_state").Str() == "idle":
		once(q.idle)
	}
}

// codeAt is the content of a request about a place in code.
func codeAt(code string, cursor int) []byte {
	content := append([]byte(`{"code":`), quote(code)...)
	content = append(content, `,"cursor_pos":`...)
	return strconv.AppendInt(content, int64(points(code, cursor)), 10)
}

// Complete implements kernelclient.Asker.
func (d *driver) Complete(ctx context.Context, code string, cursor int) (kernelclient.Completion, error) {
	m, err := d.inquire(ctx, "completion", "complete_request", append(codeAt(code, cursor), '}'))
	if err != nil {
		return kernelclient.Completion{}, err
	}
	return completion(code, cursor, m.Content), nil
}

// completion reads a complete_reply. Content is foreign: positions are put in order.
func completion(code string, cursor int, content rawjson.Value) kernelclient.Completion {
	c := kernelclient.Completion{Start: cursor, End: cursor}
	if n, ok := content.Get("cursor_end").Int(); ok {
		c.End = offset(code, n)
	}
	if n, ok := content.Get("cursor_start").Int(); ok {
		c.Start = offset(code, n)
	}
	c.Start = min(c.Start, c.End)
	types := map[string]string{}
	for _, v := range content.Get("metadata").Get("_jupyter_types_experimental").Elements() {
		if typ := v.Get("type").Str(); typ != "<unknown>" {
			types[v.Get("text").Str()] = typ
		}
	}
	seen := map[string]bool{}
	for _, v := range content.Get("matches").Elements() {
		if text, ok := v.Text(); ok && !seen[text] {
			seen[text] = true
			c.Matches = append(c.Matches, kernelclient.Match{Text: text, Type: types[text]})
		}
	}
	return c
}

// Inspect implements kernelclient.Asker.
func (d *driver) Inspect(ctx context.Context, code string, cursor, detail int) (kernelclient.Inspection, error) {
	content := append(codeAt(code, cursor), `,"detail_level":`...)
	content = append(strconv.AppendInt(content, int64(detail), 10), '}')
	m, err := d.inquire(ctx, "inspection", "inspect_request", content)
	if err != nil || !m.Content.Get("found").True() {
		return kernelclient.Inspection{}, err
	}
	return kernelclient.Inspection{Found: true, Data: mime.ReadBundle(m.Content.Get("data"))}, nil
}

// IsComplete implements kernelclient.Asker.
func (d *driver) IsComplete(ctx context.Context, code string) (kernelclient.IsComplete, error) {
	m, err := d.inquire(ctx, "question whether code is complete", "is_complete_request", object1("code", quote(code)))
	if err != nil {
		return kernelclient.IsComplete{}, err
	}
	c := kernelclient.IsComplete{Status: kernelclient.CompleteStatus(m.Content.Get("status").Str()), Indent: m.Content.Get("indent").Str()}
	known := []kernelclient.CompleteStatus{kernelclient.CodeComplete, kernelclient.CodeIncomplete, kernelclient.CodeInvalid}
	if !slices.Contains(known, c.Status) {
		c.Status = kernelclient.CodeUnknown
	}
	return c, nil
}

// History implements kernelclient.Asker.
func (d *driver) History(ctx context.Context, q kernelclient.HistoryQuery) ([]kernelclient.HistoryEntry, error) {
	m, err := d.inquire(ctx, "question for its history", "history_request", historyRequest(q))
	if err != nil {
		return nil, err
	}
	var out []kernelclient.HistoryEntry
	for _, v := range m.Content.Get("history").Elements() {
		tuple := v.Elements() // session, line, input
		if len(tuple) != 3 {
			continue
		}
		session, _ := tuple[0].Int()
		line, _ := tuple[1].Int()
		out = append(out, kernelclient.HistoryEntry{Session: session, Line: line, Input: tuple[2].Str()})
	}
	return out, nil
}

func historyRequest(q kernelclient.HistoryQuery) rawjson.Value {
	b := []byte(`{"output":false,"raw":true,"hist_access_type":`)
	number := func(name string, n int) {
		b = append(append(append(b, ','), quote(name)...), ':')
		b = strconv.AppendInt(b, int64(n), 10)
	}
	switch {
	case q.Pattern != "":
		b = append(append(append(b, `"search","unique":false,"pattern":`...), quote(q.Pattern)...), historyCount(q.N)...)
	case q.Stop != 0:
		b = append(b, `"range"`...)
		number("session", q.Session)
		number("start", q.Start)
		number("stop", q.Stop)
	default:
		b = append(append(b, `"tail"`...), historyCount(q.N)...)
	}
	return append(b, '}')
}

// historyCount is the n of a request. ipykernel reads a missing one as all there is.
func historyCount(n int) string {
	if n <= 0 {
		n = 1000
	}
	return `,"n":` + strconv.Itoa(n)
}
