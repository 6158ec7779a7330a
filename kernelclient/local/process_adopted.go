package local

import (
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// lookAgain is the pause between two looks at a process that is no child of ours: nobody
// tells us of its end.
const lookAgain = 250 * time.Millisecond

// watchProcess is a process that another one started, which has ended. log may be nil.
func watchProcess(pid int, start int64, log *logFile) *process {
	p := &process{pid: pid, start: start, log: log, died: make(chan struct{}), adopted: true, left: make(chan struct{})}
	go p.watch()
	return p
}

// watch closes died when the process is gone, unless it is left alone before.
func (p *process) watch() {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for p.lives() {
		select {
		case <-tick.C:
		case <-p.left:
			return
		}
	}
	p.mu.Lock()
	p.reaped = true
	if _, taken := processStart(p.pid); !taken {
		killRest(p.pid) // else the number is another's
	}
	p.mu.Unlock()
	p.death = &kernelclient.Death{Unseen: true}
	if p.log != nil {
		p.death.Last = p.log.lastWords()
	}
	close(p.died)
}

// lives tells whether the number still is this process's.
func (p *process) lives() bool {
	start, ok := processStart(p.pid)
	return ok && start == p.start
}
