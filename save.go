package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
)

// save writes a run's result. What another program put there meanwhile is kept aside, and
// a result that cannot be written goes into a recovery copy; both are named.
func save(file *diskfile.File, s notebook.Snapshot) error {
	write := func(w io.Writer) error {
		_, err := s.WriteTo(w)
		return err
	}
	if changed, err := file.Changed(); err == nil && changed && file.Exists() {
		if old, err := file.KeepOld(stateDir()); err == nil {
			note(fmt.Sprintf("%s was changed by another program during the run; what it held is in %s", file.Path, old))
		}
	}
	err := file.Save(write)
	if errors.Is(err, diskfile.ErrNotLasting) {
		note(err.Error())
		return nil
	}
	if err == nil {
		return nil
	}
	var known *diskfile.Error
	if errors.As(err, &known) && known.Copy != "" {
		return err // it names its copy
	}
	kept, keepErr := diskfile.OpenRecovery(stateDir(), file.Path)
	if keepErr == nil {
		keepErr = errors.Join(kept.Write(file.Sum(), write), kept.Close(true))
	}
	if keepErr != nil {
		return fmt.Errorf("%w; nor could a copy be kept: %w", err, keepErr)
	}
	return fmt.Errorf("%w; the result is in %s", err, kept.Copy())
}
