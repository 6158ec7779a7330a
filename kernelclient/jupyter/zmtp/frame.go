package zmtp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
)

// Bits of a frame's first byte.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// MaxMessage is how large a message may be, all frames together, unless Options say otherwise.
const MaxMessage = 1 << 30

// maxCommand bounds READY and every other command.
const maxCommand = 64 << 10

// maxFrames bounds the frames of one message: empty ones cost us more than they cost the peer.
const maxFrames = 64 << 10

var errFlags = errors.New("a frame has flags that ZMTP 3 does not know")

// readFrame reads one frame of at most limit bytes.
func readFrame(r io.Reader, limit int64) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	if flags&^(flagMore|flagLong|flagCommand) != 0 || flags&flagCommand != 0 && flags&flagMore != 0 {
		return 0, nil, fmt.Errorf("%w (%#02x)", errFlags, flags)
	}
	size := uint64(head[1])
	if flags&flagLong != 0 {
		if _, err := io.ReadFull(r, head[2:]); err != nil {
			return 0, nil, cut(err)
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	if flags&flagCommand != 0 {
		limit = maxCommand
	}
	if size > uint64(max(limit, 0)) {
		return 0, nil, fmt.Errorf("a frame of %d bytes is announced, the limit is %d", size, limit)
	}
	body, err = wireio.ReadN(r, int(size))
	return flags, body, cut(err)
}

// cut names an end in the middle of a frame as what it is.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readMessage reads the next message, of at most limit bytes. Commands before and between
// its frames go to command.
func readMessage(r io.Reader, limit int64, command func(body []byte) error) ([][]byte, error) {
	var parts [][]byte
	for left := limit; ; {
		flags, body, err := readFrame(r, left)
		switch {
		case err != nil && len(parts) > 0:
			return nil, cut(err)
		case err != nil:
			return nil, err
		case flags&flagCommand != 0:
			if err := command(body); err != nil {
				return nil, err
			}
			continue
		}
		parts = append(parts, body)
		left -= int64(len(body))
		if flags&flagMore == 0 {
			return parts, nil
		}
		if len(parts) == maxFrames {
			return nil, fmt.Errorf("a message of more than %d frames", maxFrames)
		}
	}
}

// appendHead appends what stands before a frame's body of n bytes.
func appendHead(dst []byte, flags byte, n int) []byte {
	if n < 256 {
		return append(dst, flags, byte(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, flags|flagLong), uint64(n))
}

// joinBelow is the size up to which a message is copied into one piece for the writer.
const joinBelow = 64 << 10

// encodeMessage returns the bytes of a message, in pieces to be written one after the other.
func encodeMessage(parts [][]byte) [][]byte {
	size := 9 * len(parts)
	for _, p := range parts {
		size += len(p)
	}
	if size < joinBelow {
		out := make([]byte, 0, size)
		for i, p := range parts {
			out = append(appendHead(out, moreFlag(i, parts), len(p)), p...)
		}
		return [][]byte{out}
	}
	out := make([][]byte, 0, 2*len(parts))
	for i, p := range parts {
		out = append(out, appendHead(nil, moreFlag(i, parts), len(p)), p)
	}
	return out
}

func moreFlag(i int, parts [][]byte) byte {
	if i < len(parts)-1 {
		return flagMore
	}
	return 0
}

// encodeCommand returns the frame of a command.
func encodeCommand(name string, data []byte) []byte {
	body := append(append([]byte{byte(len(name))}, name...), data...)
	return append(appendHead(nil, flagCommand, len(body)), body...)
}

// splitCommand takes a command's body apart.
func splitCommand(body []byte) (name string, data []byte, err error) {
	if len(body) < 1 || len(body) < 1+int(body[0]) {
		return "", nil, errors.New("a command without a name")
	}
	n := 1 + int(body[0])
	return string(body[1:n]), body[n:], nil
}
