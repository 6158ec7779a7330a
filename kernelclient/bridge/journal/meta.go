package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

const (
	metaFile = "meta.json"
	format   = 1
)

// Meta is what is known of a context beside its events.
type Meta struct {
	Format   int       `json:"format"` // of the journal's files, set by Create
	ID       string    `json:"id"`
	Kernel   Kernel    `json:"kernel"`
	Spec     Spec      `json:"spec"`
	Dir      string    `json:"dir"`
	Path     string    `json:"path"` // of the notebook, "" for none
	Name     string    `json:"name"` // that its user gave it, "" for none
	Started  time.Time `json:"started"`
	ConnFile string    `json:"connection_file"` // these three name the kernel's process, as in ContextInfo
	PID      int       `json:"pid"`
	PIDStart int64     `json:"pid_start"`
	Host     string    `json:"host,omitempty"` // these three too, of a kernel elsewhere
	Remote   string    `json:"remote,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`
	Epoch    string    `json:"epoch"` // of the events' numbers
	Saved    Saved     `json:"saved"`
}

// Kernel is a kernelclient.Kernel.
type Kernel struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
	Found       string `json:"found"`
}

// Spec is what the context was started with. Values of the environment are nobody's
// business later: they may be secrets.
type Spec struct {
	Kernel         string        `json:"kernel"`
	Dir            string        `json:"dir"`
	Session        string        `json:"session"`
	EnvNames       []string      `json:"env_names"`
	StartupTimeout time.Duration `json:"startup_timeout_ns"`
	RequestTimeout time.Duration `json:"request_timeout_ns"`
}

// Saved is a kernelclient.SaveMark.
type Saved struct {
	Path   string          `json:"path"`
	SHA256 string          `json:"sha256"`
	Epoch  string          `json:"epoch"`
	Seq    uint64          `json:"seq"`
	Cells  []event.CellKey `json:"cells"`
}

// Info is what a ContextInfo said, as far as it is kept.
func (m Meta) Info() kernelclient.ContextInfo {
	return kernelclient.ContextInfo{
		ID:     kernelclient.ContextID(m.ID),
		Kernel: kernelclient.Kernel{Name: m.Kernel.Name, DisplayName: m.Kernel.DisplayName, Language: m.Kernel.Language, Found: m.Kernel.Found},
		Dir:    m.Dir, Path: m.Path, Name: m.Name, Started: m.Started, ConnFile: m.ConnFile, PID: m.PID, PIDStart: m.PIDStart,
		Host: m.Host, Remote: m.Remote, Expires: m.Expires,
		Saved: kernelclient.SaveMark{
			Path: m.Saved.Path, SHA256: m.Saved.SHA256, Cells: m.Saved.Cells,
			Cursor: kernelclient.Cursor{Epoch: m.Saved.Epoch, Seq: m.Saved.Seq},
		},
	}
}

// with is m with what an info says.
func (m Meta) with(i kernelclient.ContextInfo) Meta {
	m.ID = string(i.ID)
	m.Kernel = Kernel{Name: i.Kernel.Name, DisplayName: i.Kernel.DisplayName, Language: i.Kernel.Language, Found: i.Kernel.Found}
	m.Dir, m.Path, m.Name, m.Started = i.Dir, i.Path, i.Name, i.Started
	m.ConnFile, m.PID, m.PIDStart = i.ConnFile, i.PID, i.PIDStart
	m.Host, m.Remote, m.Expires = i.Host, i.Remote, i.Expires
	m.Epoch = i.Last.Epoch
	m.Saved = Saved{
		Path: i.Saved.Path, SHA256: i.Saved.SHA256, Cells: slices.Clone(i.Saved.Cells),
		Epoch: i.Saved.Cursor.Epoch, Seq: i.Saved.Cursor.Seq,
	}
	return m
}

// SpecOf is a StartSpec without the values of its environment.
func SpecOf(s kernelclient.StartSpec) Spec {
	return Spec{
		Kernel: s.Kernel, Dir: s.Dir, Session: s.Session, EnvNames: names(s.Env),
		StartupTimeout: s.StartupTimeout, RequestTimeout: s.RequestTimeout,
	}
}

func names(env []string) (out []string) {
	for _, kv := range env {
		for i := range len(kv) {
			if kv[i] == '=' && i > 0 {
				out = append(out, kv[:i])
				break
			}
		}
	}
	return out
}

// FormatError says that a journal is of another version of nbterm.
type FormatError struct {
	Dir    string
	Format int
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s was written by another version of nbterm (format %d, this one reads %d)", e.Dir, e.Format, format)
}

// ReadMeta reads what is known of the context whose journal lies in dir. A journal of
// another version is a *FormatError, with what could be read.
func ReadMeta(dir string) (Meta, error) {
	var m Meta
	data, err := os.ReadFile(filepath.Join(dir, metaFile))
	if err != nil {
		return m, fmt.Errorf("journal: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("journal: %s: %w", filepath.Join(dir, metaFile), err)
	}
	if m.Format != format {
		return m, &FormatError{Dir: dir, Format: m.Format}
	}
	return m, nil
}

// writeMeta replaces the file as a whole.
func writeMeta(dir string, m Meta) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return replace(dir, metaFile, func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	})
}

// replace writes a file under another name, syncs it and puts it in place.
func replace(dir, name string, write func(*os.File) error) error {
	tmp := filepath.Join(dir, name+".tmp")
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(tmp) // it is of no use
		return fmt.Errorf("journal: %w", err)
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // some systems cannot; the name is safe a little later there
		_ = d.Close()
	}
	return nil
}
