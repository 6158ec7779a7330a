package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render/ansi"
)

// streams is where code's output goes: as it is to files and pipes, filtered to a terminal.
func streams() batch.Streams {
	return batch.Streams{Out: filtered(os.Stdout), Err: filtered(os.Stderr)}
}

func filtered(f *os.File) io.Writer {
	if term.IsTerminal(f.Fd()) {
		return ansi.NewFilter(f)
	}
	return f
}

// asker answers input() at the terminal; nil where there is none, or where standard input was the code.
func asker(args []string) func(context.Context, string, bool) (string, error) {
	if len(args) > 0 && args[0] == "-" || !term.IsTerminal(os.Stdin.Fd()) {
		return nil
	}
	return func(ctx context.Context, prompt string, password bool) (string, error) {
		if _, err := io.WriteString(filtered(os.Stderr), prompt); err != nil {
			return "", err
		}
		if password {
			line, err := hidden(ctx)
			fmt.Fprintln(os.Stderr)
			return line, err
		}
		return readLine(ctx)
	}
}

// readLine reads one line of the terminal until ctx ends.
func readLine(ctx context.Context) (string, error) {
	in, err := cancelreader.NewReader(os.Stdin)
	if err != nil {
		return "", err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { in.Cancel() })()
	line, err := bufio.NewReaderSize(in, 16).ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// hidden is readLine without echo.
func hidden(ctx context.Context) (string, error) {
	old, err := term.GetState(os.Stdin.Fd())
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(os.Stdin.Fd(), old) }()
	if err := noEcho(os.Stdin.Fd()); err != nil {
		return "", err
	}
	return readLine(ctx)
}
