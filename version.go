package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/local"
)

// version is the release; a build from a checkout also says its commit.
const version = "0.1.0"

func newVersion() *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version; with -v also the paths in use",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := "nbterm " + version + revision() + "\n"
			if verbose {
				text += paths()
			}
			_, err := os.Stdout.WriteString(text)
			return err
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "also print the paths in use")
	return cmd
}

func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return " (" + s.Value[:12] + ")"
		}
	}
	return ""
}

func paths() string {
	log := os.Getenv("NBTERM_LOG")
	if log == "" {
		log = "none (--log FILE or NBTERM_LOG)"
	}
	return fmt.Sprintf("go      %s %s/%s\nconfig  %s\nstate   %s\nlog     %s\nruntime %s\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, configFile(),
		stateDir(), log, local.RuntimeDir())
}

// stateDir holds recovery copies.
func stateDir() string { return filepath.Join(xdg("XDG_STATE_HOME", ".local/state"), "nbterm") }

// xdg is a folder of the XDG base directory specification: the variable if it is absolute, else the default below HOME.
func xdg(variable, fallback string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, fallback)
}
