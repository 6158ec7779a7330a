//go:build !linux

package envd

// measure knows nothing of this system's memory and disks.
func (u *usage) measure(string) {}

// cpuClock knows nothing of this system's processors.
type cpuClock struct{}

func (*cpuClock) percent() float64 { return 0 }
