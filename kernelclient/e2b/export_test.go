package e2b

import "time"

// Hasten makes what is waited for short in all contexts that h starts from now on.
func (h *Host) Hasten(settle, silence, lost time.Duration) {
	h.pace = &pace{settle: settle, tries: 4, silence: silence, lost: lost, health: lost / 4}
}
