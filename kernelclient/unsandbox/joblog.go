package unsandbox

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// maxNotes is how many lines the job log keeps when it is tidied up.
const maxNotes = 1000

// Note is one line of the job log: what is known here of a job. The last one of an id holds.
type Note struct {
	Time     time.Time `json:"time"`
	Job      string    `json:"job"`
	State    string    `json:"state"` // as the service said it last
	Language string    `json:"language"`
	Context  string    `json:"context,omitempty"`
	Exec     string    `json:"execution,omitempty"`
	File     string    `json:"file,omitempty"` // of the notebook
	Cell     string    `json:"cell,omitempty"`
}

// forgotten is the State of a job that the service no longer has.
const forgotten = "forgotten"

// Over tells whether the job's result was seen here, or nobody can see it any more.
func (n Note) Over() bool {
	return n.State == forgotten || Job{Status: n.State}.Over() && n.State != ""
}

// jobLog is a file of notes, one JSON object a line. No code and no output is in it.
type jobLog struct{ file string }

// note is what a run's job is noted as.
func (d *driver) note(x *run, j Job) Note {
	state := j.Status
	if j.Over() && state == "" {
		state = Completed
	}
	return Note{
		Time: d.client.now().UTC().Truncate(time.Second), Job: j.ID, State: state, Language: x.program.Language,
		Context: string(d.context), Exec: string(x.ID), File: d.path, Cell: string(x.Cell),
	}
}

// NoteEnd notes in a job log what became of a job that somebody fetched.
func NoteEnd(file string, j Job) { noteState(file, j.ID, cmp.Or(j.Status, Completed)) }

// NoteForgotten notes in a job log that the service no longer has a job.
func NoteForgotten(file, id string) { noteState(file, id, forgotten) }

// noteState gives a job of the log another state; one that is not in it is none of ours.
func noteState(file, id, state string) {
	l := jobLog{file}
	for _, n := range ReadJobLog(file) {
		if n.Job == id {
			n.State = state
			l.write(n)
			return
		}
	}
}

// write appends a note. A log that cannot be written costs no run.
func (l jobLog) write(n Note) {
	if l.file == "" || n.Job == "" {
		return
	}
	line, err := encode(n)
	if err != nil || os.MkdirAll(filepath.Dir(l.file), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(l.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n')) // one write: lines of several processes do not mix
	size, _ := f.Seek(0, 2)
	_ = f.Close()
	if size > 1<<20 {
		l.tidy()
	}
}

// ReadJobLog returns the last note of each job in a job log, the newest first. A file that is
// not there has none.
func ReadJobLog(file string) []Note {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	at := map[string]int{}
	var notes []Note
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var n Note
		if json.Unmarshal(lines.Bytes(), &n) != nil || n.Job == "" {
			continue // half a line of a machine that lost its power
		}
		if i, ok := at[n.Job]; ok {
			notes[i] = n
			continue
		}
		at[n.Job] = len(notes)
		notes = append(notes, n)
	}
	for i, k := 0, len(notes)-1; i < k; i, k = i+1, k-1 {
		notes[i], notes[k] = notes[k], notes[i]
	}
	return notes
}

// tidy keeps the newest jobs. A note that another process writes meanwhile may be lost.
func (l jobLog) tidy() {
	notes := ReadJobLog(l.file)
	var b bytes.Buffer
	for i := min(len(notes), maxNotes) - 1; i >= 0; i-- {
		line, err := encode(notes[i])
		if err != nil {
			return
		}
		b.Write(append(line, '\n'))
	}
	f, err := os.CreateTemp(filepath.Dir(l.file), ".jobs-*")
	if err != nil {
		return
	}
	_, err = f.Write(b.Bytes())
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil || os.Rename(f.Name(), l.file) != nil {
		_ = os.Remove(f.Name())
	}
}

// find is the newest note of an execution.
func (l jobLog) find(context, exec string) (Note, bool) {
	for _, n := range ReadJobLog(l.file) {
		if n.Context == context && n.Exec == exec {
			return n, true
		}
	}
	return Note{}, false
}
