package fswatch

import (
	"context"
	"errors"
)

// Has tells whether something is at a path, be it a symlink that leads nowhere.
func Has(ctx context.Context, f FS, path Path) (bool, error) {
	_, err := f.Stat(ctx, path)
	if errors.Is(err, NotFound) {
		return false, nil
	}
	return err == nil, err
}
