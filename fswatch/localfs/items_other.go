//go:build !linux

package localfs

import "os"

// readItems reads an open folder and hands over what is in it; dir is what their paths begin
// with.
func readItems(folder *os.File, dir string, take func([]item) error) error {
	read, err := folder.ReadDir(-1)
	if err != nil {
		return err
	}
	items := make([]item, len(read))
	for i, r := range read {
		items[i] = item{path: dir + r.Name(), base: int32(len(dir)), mode: r.Type()}
	}
	return take(items)
}

// stat describes a name in a folder, which is dir on the disk: itself and not what it leads to.
func (f *FS) stat(_ *os.File, dir, name string) (facts, error) {
	info, err := f.disk.Lstat(join(dir, name))
	if err != nil {
		return facts{}, err
	}
	return factsOf(info), nil
}
