//go:build unix

package builtin

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

var _ kernelclient.Asker = (*shellDriver)(nil)

// Folder implements kernelclient.Folder: the shell is asked where it reads its cells from.
func (d *shellDriver) Folder(ctx context.Context) (string, error) {
	sh := d.current()
	switch {
	case sh == nil || !sh.isReady() || sh.hasEnded():
		return "", errNoShell()
	case sh.isBusy():
		return "", kernelclient.ErrBusy
	}
	n, answer := sh.awaitFolder()
	defer sh.forgetFolder(n)
	if _, err := fmt.Fprintf(sh.control, "__nbterm_folder %d\n", n); err != nil {
		return "", errNoShell()
	}
	select {
	case dir := <-answer:
		if dir == "" { // it was removed
			return "", kernelclient.NoFolder()
		}
		return dir, nil
	case <-sh.concluded:
		return "", errNoShell()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// awaitFolder notes a question and returns its number and where the answer comes.
func (sh *shell) awaitFolder() (int, <-chan string) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	answer := make(chan string, 1)
	sh.asked++
	sh.folders[sh.asked] = answer
	return sh.asked, answer
}

func (sh *shell) forgetFolder(n int) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	delete(sh.folders, n)
}

// isIn takes the answer to a question for the folder. Behind the path is the newline of pwd.
func (sh *shell) isIn(number, path string) {
	n, _ := strconv.Atoi(number) // nobody waits for another
	sh.mu.Lock()
	answer := sh.folders[n]
	delete(sh.folders, n)
	sh.mu.Unlock()
	if answer != nil {
		answer <- strings.TrimSuffix(path, "\n")
	}
}
