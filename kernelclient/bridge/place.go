package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Place is where one user's host process is found. There is one for each state folder on
// each machine: home folders may be shared over a network, processes are not.
type Place struct {
	// Dir holds what the host process keeps: its lock, its log, what it says of itself, and
	// the folder of its contexts.
	Dir string
	// Runtime is the user's folder for sockets (XDG_RUNTIME_DIR), "" where there is none.
	Runtime string
}

// In returns the place that belongs to nbterm's state folder on this machine.
func In(stateDir, runtimeDir string) Place {
	machine, err := os.Hostname()
	if err != nil || machine == "" || filepath.Base(machine) != machine {
		machine = "localhost"
	}
	if !filepath.IsAbs(runtimeDir) {
		runtimeDir = ""
	}
	return Place{Dir: filepath.Join(stateDir, "host", machine), Runtime: runtimeDir}
}

// Names in a place's folder.
const (
	lockName     = "lock"       // held by the host process while it lives
	startName    = "start.lock" // held by a client while it starts one
	recordName   = "host.json"  // what the host process says of itself
	logName      = "host.log"
	contextsName = "contexts"
	servingName  = "serve" // has a folder for each server that is not the host process
)

// Contexts is the folder of what the host process keeps of its contexts.
func (p Place) Contexts() string { return filepath.Join(p.Dir, contextsName) }

// Left tells whether an earlier host process has left contexts behind: a new one takes up
// those whose kernels live.
func (p Place) Left() bool {
	names, _ := os.ReadDir(p.Contexts()) // no folder, no contexts
	return len(names) > 0
}

// Used tells whether a host process runs here, or has left something behind.
func (p Place) Used() bool {
	r, err := p.read()
	return err != nil || r != (record{}) || p.Left()
}

// LogFile is where the host process writes what it cannot tell a client.
func (p Place) LogFile() string { return filepath.Join(p.Dir, logName) }

func (p Place) file(name string) string { return filepath.Join(p.Dir, name) }

// record is what a host process writes about itself, so that clients whose environment
// names another runtime folder (after su, in cron) find it all the same.
type record struct {
	Socket  string `json:"socket"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// read returns the record of the last host process, a zero one if there is none.
func (p Place) read() (record, error) {
	var r record
	data, err := os.ReadFile(p.file(recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("reading where the host process is: %w", err)
	}
	if json.Unmarshal(data, &r) != nil {
		return record{}, nil // it is about to be written again
	}
	return r, nil
}

// write replaces the record in one step.
func (p Place) write(r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	next := p.file(recordName + ".new")
	if err := os.WriteFile(next, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("noting where the host process is: %w", err)
	}
	return os.Rename(next, p.file(recordName))
}

// socketNames are the names that a place's socket may have, best first: the second one is
// for a user who has several state folders.
func (p Place) socketNames() []string {
	sum := sha256.Sum256([]byte(p.Dir))
	return []string{"host.sock", "host-" + hex.EncodeToString(sum[:4]) + ".sock"}
}
