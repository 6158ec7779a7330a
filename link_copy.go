package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/nbterm/nbterm/kernelclient/sshlink"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
)

// program is this program, for a machine that has none, if it can run there and the user
// wants it. system is what `uname -sm` says there.
func (l *links) program(_ context.Context, system string) (sshlink.Program, error) {
	shown := render.Sanitize(system)
	if goos, arch := platform(system); goos != runtime.GOOS || arch != runtime.GOARCH {
		return sshlink.Program{}, &batch.Error{
			Status: batch.NoKernel,
			Text:   fmt.Sprintf("there is no nbterm, and this one (%s %s) does not run on that machine (%s); put one for it into ~/.local/bin there", runtime.GOOS, runtime.GOARCH, shown),
		}
	}
	if !l.install && !agreed("There is no nbterm on that machine. Copy this one to ~/.local/bin there? [y/N] ") {
		return sshlink.Program{}, &batch.Error{Status: batch.NoKernel, Text: "there is no nbterm on that machine; `nbterm ssh --install` copies this one to ~/.local/bin there"}
	}
	self, err := os.Executable()
	if err != nil {
		return sshlink.Program{}, err
	}
	f, err := os.Open(self)
	if err != nil {
		return sshlink.Program{}, err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close() // it was only read
		return sshlink.Program{}, err
	}
	note(fmt.Sprintf("copying nbterm (%d MB)", size>>20))
	return sshlink.Program{ReadCloser: f, Size: size, Sum: hex.EncodeToString(sum.Sum(nil))}, nil
}

// agreed asks on the terminal; without one the answer is no.
func agreed(question string) bool {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) {
		return false
	}
	fmt.Fprint(os.Stderr, question)
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n') // none is a no
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// platform is what Go calls the system and processor that `uname -sm` names; it has no
// words for those that nbterm is not made for.
func platform(uname string) (goos, arch string) {
	system, machine, _ := strings.Cut(strings.TrimSpace(uname), " ")
	goos = map[string]string{"Linux": "linux", "Darwin": "darwin", "FreeBSD": "freebsd", "OpenBSD": "openbsd", "NetBSD": "netbsd"}[system]
	arch = map[string]string{
		"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64", "armv7l": "arm", "armv6l": "arm",
		"i386": "386", "i686": "386", "ppc64le": "ppc64le", "riscv64": "riscv64", "s390x": "s390x", "loongarch64": "loong64",
	}[machine]
	return goos, arch
}
