package envd

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Limits of metadata: what a file's extended attributes can hold on ext4.
const (
	attrPrefix  = "user.e2b."
	maxMetaKey  = 255 - len(attrPrefix)
	maxMetaSum  = 4096 // of prefix, key and value together, over all
	metaHeaders = "X-Metadata-"
)

// metadataOf reads the metadata that a request sets, nil for none. Keys are in lower case,
// the first value counts.
func metadataOf(h http.Header) (map[string]string, error) {
	meta := map[string]string{}
	for name, values := range h {
		key, ok := strings.CutPrefix(name, metaHeaders)
		if ok && key != "" && len(values) > 0 {
			meta[strings.ToLower(key)] = values[0]
		}
	}
	if err := checkMetadata(meta); err != nil {
		return nil, err
	}
	return meta, nil
}

// checkMetadata finds what a server would refuse. Both ends use it.
func checkMetadata(meta map[string]string) error {
	sum := 0
	for key, value := range meta {
		if len(key) > maxMetaKey {
			return fmt.Errorf("key has %d bytes, at most %d are possible", len(key), maxMetaKey)
		}
		if key == "" || !printable(key) || !printable(value) {
			return errors.New("keys and values must be printable ASCII")
		}
		sum += len(attrPrefix) + len(key) + len(value)
	}
	if sum > maxMetaSum {
		return fmt.Errorf("%d bytes in all, at most %d are possible", sum, maxMetaSum)
	}
	return nil
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
