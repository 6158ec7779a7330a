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

func sum(line []byte) uint32 { return crc32.Checksum(line, crc32.MakeTable(crc32.Castagnoli)) }

// appendLine adds an event to dst.
func appendLine(dst []byte, e event.Event) []byte {
	at := len(dst)
	dst = e.AppendJSON(append(dst, "00000000 "...))
	hex := strconv.FormatUint(uint64(sum(dst[at+sumLen+1:])), 16)
	copy(dst[at+sumLen-len(hex):], hex)
	return append(dst, '\n')
}

// whole is a line's event as JSON, if the line is as it was written.
func whole(line []byte) ([]byte, bool) {
	if len(line) <= sumLen || line[sumLen] != ' ' {
		return nil, false
	}
	want, err := strconv.ParseUint(string(line[:sumLen]), 16, 32)
	return line[sumLen+1:], err == nil && uint32(want) == sum(line[sumLen+1:])
}

// scan gives each line to take, as JSON, up to the end or the first one that is not whole,
// or take says enough. It tells how many bytes were good. What take gets is overwritten by
// the next line.
func scan(r io.Reader, take func(line []byte) bool) (good int64, err error) {
	in := bufio.NewReaderSize(r, 1<<20)
	var long []byte // a line that does not fit into in's buffer
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if errors.Is(err, io.EOF) {
			return good, nil
		}
		if err != nil {
			return good, fmt.Errorf("journal: %w", err)
		}
		if len(long) > 0 {
			long = append(long, line...)
			line, long = long, nil
		}
		data, ok := whole(line[:len(line)-1])
		if !ok || !take(data) {
			return good, nil
		}
		good += int64(len(line))
	}
}

// check tells how many bytes of a journal are good.
func check(r io.Reader) (good int64, err error) {
	return scan(r, func([]byte) bool { return true })
}

// read yields the events. Those of a later version's types are left out.
func read(r io.Reader, yield func(event.Event) bool) error {
	var last uint64
	_, err := scan(r, func(line []byte) bool {
		e, err := event.ParseJSON(bytes.Clone(line)) // its parts stay in use
		if err != nil || e.Seq <= last {
			return true
		}
		last = e.Seq
		return yield(e)
	})
	return err
}
