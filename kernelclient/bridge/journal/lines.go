package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// A line is the checksum of what follows in eight hex digits, a space, an event as JSON,
// and a line feed. JSON has no line feeds of its own.
const sumLen = 8

var errDamaged = errors.New("a line that is damaged")

func sum(line []byte) uint32 { return crc32.Checksum(line, crc32.MakeTable(crc32.Castagnoli)) }

// appendLine adds an event to dst.
func appendLine(dst []byte, e event.Event) []byte {
	at := len(dst)
	dst = e.AppendJSON(append(dst, "00000000 "...))
	hex := strconv.FormatUint(uint64(sum(dst[at+sumLen+1:])), 16)
	copy(dst[at+sumLen-len(hex):], hex)
	return append(dst, '\n')
}

// parseLine is the inverse, without the line feed.
func parseLine(line []byte) (event.Event, error) {
	if len(line) <= sumLen || line[sumLen] != ' ' {
		return event.Event{}, errDamaged
	}
	want, err := strconv.ParseUint(string(line[:sumLen]), 16, 32)
	if err != nil || uint32(want) != sum(line[sumLen+1:]) {
		return event.Event{}, errDamaged
	}
	return event.ParseJSON(line[sumLen+1:])
}

// read reads events up to the end or the first line that is not whole, and says how many
// bytes were good. Events of a later version's types are left out.
func read(r io.Reader) (events []event.Event, good int64, err error) {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, good, nil
		}
		if err != nil {
			return events, good, fmt.Errorf("journal: %w", err)
		}
		e, err := parseLine(bytes.TrimSuffix(line, []byte("\n")))
		switch {
		case err == nil && (len(events) == 0 || e.Seq > events[len(events)-1].Seq):
			events = append(events, e)
		case !errors.Is(err, event.ErrForeign):
			return events, good, nil
		}
		good += int64(len(line))
	}
}
