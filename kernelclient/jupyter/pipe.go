package jupyter

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// maxPipeMessage bounds one message of a pipe, in bytes.
const maxPipeMessage = 1 << 30

// pipeConn is a Conn over two byte streams: each message is a big-endian 32-bit length and
// that many bytes of one JSON object with channel, header, parent_header, metadata and
// content. Who can write to the pipe is the kernel, so nothing is signed.
type pipeConn struct {
	r      io.ReadCloser
	w      io.WriteCloser
	queue  *wireio.Queue[[]byte]
	out    *wireio.Outbox
	close  sync.Once
	wg     sync.WaitGroup // the reader and the writer
	doubts doubts
}

// NewPipe returns a Conn that reads r and writes w, and closes both in the end. Closing r
// must end a Read that waits, as it does for pipes of the os package.
func NewPipe(r io.ReadCloser, w io.WriteCloser) Conn {
	p := &pipeConn{r: r, w: w, queue: wireio.NewQueue[[]byte](), out: wireio.NewOutbox()}
	p.out.Begin(func() { _ = p.w.Close() })
	p.wg.Go(p.read)
	p.wg.Go(func() {
		err := p.out.Run(p.w)
		_ = p.w.Close() // tells the kernel that nothing more comes
		p.out.Fail(err)
	})
	return p
}

// read is the one reader; it waits for nobody.
func (p *pipeConn) read() {
	r := bufio.NewReaderSize(p.r, 64<<10)
	for {
		body, err := readPipeMessage(r)
		if err != nil {
			kind := kernelclient.Disconnect
			if errors.Is(err, errTooLong) {
				kind = kernelclient.Protocol
			}
			lost := &kernelclient.Error{Kind: kind, What: "the connection to the kernel is lost", Err: err}
			p.out.Fail(lost)
			p.queue.End(lost)
			return
		}
		p.queue.Push(body, int64(len(body)))
	}
}

var errTooLong = fmt.Errorf("a message of more than %d bytes is announced", maxPipeMessage)

func readPipeMessage(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxPipeMessage {
		return nil, errTooLong
	}
	return wireio.ReadN(r, int(n))
}

// Send implements Conn.
func (p *pipeConn) Send(ctx context.Context, m Message) error {
	b := append(make([]byte, 4, 512+len(m.Content)), `{"channel":"`...)
	b = append(append(b, m.Channel.String()...), `","header":`...)
	b = append(append(b, m.header()...), `,"parent_header":`...)
	b = append(append(b, m.parent()...), `,"metadata":`...)
	b = append(append(b, object(m.Metadata)...), `,"content":`...)
	b = append(append(b, object(m.Content)...), '}')
	if len(b)-4 > maxPipeMessage {
		return &kernelclient.Error{Kind: kernelclient.Invalid, What: "the message is too long for the kernel's pipe"}
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return p.out.Send(ctx, b)
}

// Recv implements Conn.
func (p *pipeConn) Recv() (Message, error) {
	for {
		body, err := p.queue.Pop(context.Background())
		if err != nil {
			return Message{}, err
		}
		m, err := decodeJSON(body, noChannel)
		if err == nil {
			return m, nil
		}
		if said := p.doubts.about(m.Channel, err); said != "" {
			return Message{Trouble: said}, nil
		}
	}
}

// noChannel is none of the channels.
const noChannel = 255

// decodeJSON reads a message that is one JSON object. One that names no channel is of
// otherwise.
func decodeJSON(body []byte, otherwise Channel) (Message, error) {
	v, err := rawjson.Parse(body)
	if err != nil {
		return Message{}, err
	}
	m := Message{Channel: otherwise}
	v.Members(func(name string, val rawjson.Value) {
		switch name {
		case "channel":
			m.Channel = channelNamed(val.Str())
		case "header":
			m.Header, m.WholeHeader = readHeader(val), val
		case "parent_header":
			m.Parent, m.WholeParent = readHeader(val), val
		case "metadata":
			m.Metadata = val
		case "content":
			m.Content = val
		}
	})
	if m.Channel > Control || m.Header.Type == "" {
		return m, errShape
	}
	return m, nil
}

func channelNamed(name string) Channel {
	for c := Shell; c <= Control; c++ {
		if c.String() == name {
			return c
		}
	}
	return noChannel
}

// Close implements Conn.
func (p *pipeConn) Close() error {
	p.close.Do(func() {
		p.queue.Close(errConnClosed)
		p.out.Fail(errConnClosed)
		_ = p.r.Close()
		_ = p.w.Close()
	})
	p.wg.Wait()
	return nil
}
