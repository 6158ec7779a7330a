//go:build !unix

package leftover

import "os"

// Claim says that the maker of a file or folder lives.
type Claim struct{}

// Make has create make a file or folder at path. What a killed maker left stays here.
func Make(path string, create func(path string) error) (*Claim, error) {
	return &Claim{}, create(path)
}

// File is nil here.
func (c *Claim) File() *os.File { return nil }

// Take claims nothing here.
func Take(string) *Claim { return nil }

// Close gives the claim up.
func (c *Claim) Close() {}

// Sweep removes nothing here.
func Sweep(dir, prefix, suffix string) {}
