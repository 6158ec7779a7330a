package builtin

import "github.com/nbterm/nbterm/kernelclient/isolate"

// ShellOptions say how the built-in shell kernel is started.
type ShellOptions struct {
	Shell string       // the shell, an absolute path: bash, or a POSIX sh
	Dir   string       // working folder, "" for this process's
	Env   []string     // the environment as K=V, nil for this process's
	Box   *isolate.Box // where it runs; nil: as this process does
}
