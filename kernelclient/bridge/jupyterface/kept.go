package jupyterface

import (
	"fmt"
	"slices"

	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// maxKept bounds what is kept for a client that is away, in bytes. Beyond it output is
// dropped, and what tells how a run ends is not.
const maxKept = 256 << 20

// kept are the messages of a kernel while its last client is away.
type kept struct {
	session  string
	messages []jupyter.Message
	bytes    int64
	dropped  int
	about    jupyter.Message // the first that was dropped
}

// outputs are the messages that may be dropped.
var outputs = [...]string{"stream", "display_data", "update_display_data", "execute_result", "comm_msg"}

func (b *kept) add(m jupyter.Message) {
	size := weight(m)
	if b.bytes+size > maxKept && slices.Contains(outputs[:], m.Header.Type) {
		if b.dropped++; b.dropped == 1 {
			b.about = m
		}
		return
	}
	b.messages = append(b.messages, m)
	b.bytes += size
}

// all are the messages for the client that came back, with a word about what is missing.
func (b *kept) all() []jupyter.Message {
	if b.dropped == 0 {
		return b.messages
	}
	said := fmt.Sprintf(`{"name":"stderr","text":"[%d messages of output were dropped while no client was connected]\n"}`, b.dropped)
	return append([]jupyter.Message{{
		Channel: jupyter.IOPub, Header: jupyter.Header{ID: newID(), Type: "stream", Session: b.about.Header.Session},
		Parent: b.about.Parent, WholeParent: b.about.WholeParent, Content: []byte(said),
	}}, b.messages...)
}

// weight is about how much memory a message takes, in bytes.
func weight(m jupyter.Message) int64 {
	n := len(m.WholeHeader) + len(m.WholeParent) + len(m.Metadata) + len(m.Content) + 256
	for _, b := range m.Buffers {
		n += len(b)
	}
	return int64(n)
}
