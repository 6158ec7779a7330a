package jupyter

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// pipes returns a Conn and the kernel's ends of its pipes.
func pipes(t *testing.T) (c Conn, toKernel *os.File, fromKernel *os.File) {
	t.Helper()
	r1, w1, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r2, w2, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c = NewPipe(r1, w2)
	t.Cleanup(func() { c.Close(); r2.Close(); w1.Close() })
	return c, r2, w1
}

func frame(text string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

func TestPipe(t *testing.T) {
	c, to, from := pipes(t)
	sent := Message{Channel: Control, Header: Header{"1", "shutdown_request", "s"}, Content: object1("restart", rawjson.Value("true"))}
	if err := c.Send(t.Context(), sent); err != nil {
		t.Fatal(err)
	}
	body, err := readPipeMessage(to)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeJSON(body, noChannel)
	if err != nil || got.Channel != Control || got.Header != sent.Header || got.Parent != (Header{}) || string(got.Content) != `{"restart":true}` {
		t.Errorf("%s: %+v %v", body, got, err)
	}
	big := strings.Repeat("x", 3<<20)
	go from.Write(frame(`{"channel":"iopub","header":{"msg_id":"2","msg_type":"stream"},"parent_header":{"msg_id":"1"},"metadata":{},"content":{"text":"` + big + `"}}`))
	m, err := c.Recv()
	if err != nil || m.Channel != IOPub || m.Parent.ID != "1" || m.Content.Get("text").Str() != big {
		t.Errorf("%+v %v", m.Header, err)
	}
}

func TestPipeGarbage(t *testing.T) {
	c, _, from := pipes(t)
	for _, text := range []string{`not JSON`, `{"channel":"odd","header":{"msg_type":"x"}}`, `{"channel":"shell"}`, `[]`, ``} {
		from.Write(frame(text))
	}
	from.Write(frame(`{"channel":"shell","header":{"msg_type":"good"}}`))
	if m, err := c.Recv(); err != nil || m.Trouble == "" {
		t.Errorf("%+v %v", m, err)
	}
	if m, err := c.Recv(); err != nil || m.Header.Type != "good" { // said once only
		t.Errorf("%+v %v", m, err)
	}
	from.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
	if _, err := c.Recv(); !errors.Is(err, kernelclient.Protocol) {
		t.Errorf("4 GiB announced: %v", err)
	}
}

func TestPipeKernelThatEnds(t *testing.T) {
	c, _, from := pipes(t)
	from.Write(frame(`{"channel":"iopub","header":{"msg_type":"last"}}`))
	from.Write([]byte{0, 0})
	from.Close()
	if m, err := c.Recv(); err != nil || m.Header.Type != "last" {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := c.Recv(); !errors.Is(err, kernelclient.Disconnect) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if err := c.Send(t.Context(), Message{}); err == nil {
		t.Error("a lost pipe took a message")
	}
}

func TestPipeKernelThatDoesNotRead(t *testing.T) {
	c, _, _ := pipes(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Send(ctx, Message{Content: quote(strings.Repeat("x", 1<<20))}); err == nil { // a pipe holds 64 KiB
		t.Error("it was sent")
	}
}

func TestPipeCloseEndsRecv(t *testing.T) {
	c, _, _ := pipes(t)
	got := make(chan error, 1)
	go func() { _, err := c.Recv(); got <- err }()
	c.Close()
	if err := <-got; !errors.Is(err, errConnClosed) {
		t.Error(err)
	}
}
