package jupyterface

import (
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// A file has one checkpoint, a copy that lies where Jupyter Server puts it.

// checkpointID is the one that there is.
const checkpointID = "checkpoint"

// checkpointPath takes apart the path of a file's checkpoints, or of one of them.
func checkpointPath(p string) (file, id string, ok bool) {
	if file, ok = strings.CutSuffix(p, "/checkpoints"); ok {
		return file, "", true
	}
	dir, id := path.Split(p)
	file, ok = strings.CutSuffix(dir, "/checkpoints/")
	return file, id, ok
}

// checkpoint is where the copy of a file lies.
func (f *Face) checkpoint(p place) place {
	ext := path.Ext(p.api)
	name := strings.TrimSuffix(path.Base(p.api), ext) + "-checkpoint" + ext
	return f.at(path.Join(path.Dir("/"+p.api), ".ipynb_checkpoints", name))
}

type checkpointModel struct {
	ID       string `json:"id"`
	Modified string `json:"last_modified"`
}

func (f *Face) listCheckpoints(w http.ResponseWriter, r *http.Request, p place) {
	all := []checkpointModel{}
	if e, err := f.look(r.Context(), f.checkpoint(p)); err == nil {
		all = append(all, checkpointModel{checkpointID, stamp(e.ModTime)})
	}
	answer(w, http.StatusOK, all)
}

// postCheckpoint makes a file's checkpoint, or with an id goes back to it.
func (f *Face) postCheckpoint(w http.ResponseWriter, r *http.Request, p place, id string) {
	copied := f.checkpoint(p)
	var err error
	switch id {
	case "":
		err = f.overwrite(r.Context(), p, copied)
	case checkpointID:
		err = f.overwrite(r.Context(), copied, p)
	default:
		err = noCheckpoint(id)
	}
	if err != nil {
		refuseFor(w, err)
		return
	}
	if id != "" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	e, err := f.look(r.Context(), copied)
	if err != nil {
		refuseFor(w, err)
		return
	}
	answer(w, http.StatusCreated, checkpointModel{checkpointID, stamp(e.ModTime)})
}

func noCheckpoint(id string) error {
	return &fswatch.Error{Kind: fswatch.NotFound, What: "Checkpoint does not exist: " + id}
}

// overwrite makes one file what another one is.
func (f *Face) overwrite(ctx context.Context, from, to place) error {
	data, err := f.data(ctx, from)
	if err != nil {
		return err
	}
	return f.write(ctx, to, data, fswatch.WriteOptions{})
}

func (f *Face) deleteCheckpoint(w http.ResponseWriter, r *http.Request, p place, id string) {
	copied := f.checkpoint(p)
	_, err := f.look(r.Context(), copied)
	if id != checkpointID {
		err = noCheckpoint(id)
	}
	if err == nil {
		err = f.opt.Files.Remove(r.Context(), copied.file)
	}
	if err != nil {
		refuseFor(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
