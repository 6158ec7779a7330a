//go:build unix

package bridge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbterm/nbterm/kernelclient"
)

// mostServers is how many servers of one key there may be at once.
const mostServers = 100

// Serving is the folder of a server that is not the host process, for as long as release is
// not called: that of the key, or the next one where another server has that. So a server
// that is started again finds what it left, and two do not share.
func (p Place) Serving(key string) (own Place, release func() error, err error) {
	for n := 1; n <= mostServers; n++ {
		name := key
		if n > 1 {
			name = fmt.Sprintf("%s-%d", key, n)
		}
		own = Place{Dir: filepath.Join(p.Dir, servingName, name)}
		if err := os.MkdirAll(own.Dir, 0o700); err != nil {
			return own, nil, fmt.Errorf("making the folder of the server: %w", err)
		}
		lock, err := tryLock(own.file(lockName))
		if err == nil {
			return own, lock.Close, nil
		}
		if !errors.Is(err, errLocked) {
			return own, nil, err
		}
	}
	return own, nil, &kernelclient.Error{Kind: kernelclient.Exists, What: fmt.Sprintf("%d servers of this kind run already", mostServers)}
}
