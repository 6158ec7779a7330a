package jupyter

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// The requests for the folder. It comes as hexadecimal digits, which need no reading of
// quotes and escapes and carry names that are no text.
const (
	// folderOfPython runs no code and is neither counted nor remembered; its expression is
	// evaluated all the same.
	folderOfPython = `{"code":"","silent":true,"store_history":false,"allow_stdin":false,"stop_on_error":false,` +
		`"user_expressions":{"nbterm":"__import__('os').getcwdb().hex()"}}`
	// folderOfShell is for kernels that know no expressions and put nothing out for a silent
	// request: some count it.
	folderOfShell = `{"code":"command pwd -P | od -An -v -tx1","silent":false,"store_history":false,` +
		`"allow_stdin":false,"stop_on_error":false,"user_expressions":{}}`
)

// ownQuestion stands for the execution of what a question of ours puts out, which is nobody
// else's, however late it comes.
const ownQuestion event.ExecID = "\x00question"

var _ kernelclient.Folder = (*driver)(nil)

// Folder implements kernelclient.Folder, for Python and shells.
func (d *driver) Folder(ctx context.Context) (string, error) {
	const what = "question for its folder"
	g := d.current()
	if g == nil {
		return "", errNotRunning()
	}
	g.mu.Lock()
	python, shell := g.speaks("python"), g.speaks(shells()...)
	g.mu.Unlock()
	switch {
	case shell:
		said, err := d.hear(ctx, what, rawjson.Value(folderOfShell))
		if err != nil {
			return "", err
		}
		dir, err := folderOf(said)
		return strings.TrimSuffix(dir, "\n"), err
	case python:
		m, err := d.inquire(ctx, what, "execute_request", rawjson.Value(folderOfPython))
		if err != nil {
			return "", err
		}
		return folderIn(what, m.Content)
	}
	return "", kernelclient.NoFolder()
}

// hear asks by code and returns what that put out as text. Nobody else gets to know of it.
func (d *driver) hear(ctx context.Context, what string, request rawjson.Value) (string, error) {
	q := newInquiry()
	q.own = true
	if _, err := d.put(ctx, q, what, "execute_request", request); err != nil {
		return "", err
	}
	return q.said.String(), nil
}

// shells are the languages, as kernels call them, that folderOfShell is written in.
func shells() []string { return []string{"bash", "dash", "ksh", "sh", "zsh"} }

// tellsFolder tells whether Folder knows the kernel's language. It is called with mu held.
func (g *generation) tellsFolder() bool { return g.speaks("python") || g.speaks(shells()...) }

// speaks tells whether the kernel's language is one of these. It is called with mu held.
func (g *generation) speaks(languages ...string) bool {
	return slices.Contains(languages, g.language.Get("name").Str())
}

// folderIn reads the reply to folderOfPython. A kernel that knows no expressions leaves them out.
func folderIn(what string, content rawjson.Value) (string, error) {
	answer := content.Get("user_expressions").Get("nbterm")
	if err := refusal(what, answer); err != nil {
		return "", err // the folder was deleted, say
	}
	return folderOf(strings.Trim(answer.Get("data").Get("text/plain").Str(), `'"`))
}

// folderOf reads a folder's digits, with blanks between them or not.
func folderOf(digits string) (string, error) {
	dir, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
	if err != nil || len(dir) == 0 {
		return "", kernelclient.NoFolder()
	}
	return string(dir), nil
}
