package jupyter

import (
	"context"

	"github.com/nbterm/nbterm/kernelclient"
)

// prepare runs what DriverOptions.Prepare has for a kernel that has just been started,
// before anybody's code. It leaves no trace in the history and no count.
func (g *generation) prepare(ctx context.Context) error {
	if g.d.opt.Prepare == nil || g.shared() {
		return nil
	}
	g.mu.Lock()
	language := g.language.Get("name").Str()
	g.mu.Unlock()
	code, err := g.d.opt.Prepare(language)
	if err != nil || code == "" {
		return err
	}
	h := g.header("execute_request")
	q := &inquiry{reply: make(chan Message, 1), idle: make(chan struct{})}
	g.expect(h.ID, q)
	defer g.forget(h.ID)
	content := append([]byte(`{"code":`), quote(code)...)
	content = append(content, `,"silent":true,"store_history":false,"user_expressions":{},"allow_stdin":false,"stop_on_error":false}`...)
	if err := g.send(ctx, Message{Channel: Shell, Header: h, Content: content}); err != nil {
		return err
	}
	select {
	case m := <-q.reply:
		if m.Content.Get("status").Str() == "error" {
			return &kernelclient.Error{
				Kind: kernelclient.Invalid, What: "the kernel could not be set up: " + m.Content.Get("ename").Str() + ": " + m.Content.Get("evalue").Str(),
			}
		}
		return nil
	case <-g.ended:
		return errNotRunning()
	case <-ctx.Done():
		return ctx.Err()
	}
}
