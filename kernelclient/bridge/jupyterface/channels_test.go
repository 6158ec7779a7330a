package jupyterface

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// TestWhole: what a client says reaches the kernel with all that it has, and back, in both
// forms of the websocket.
func TestWhole(t *testing.T) {
	s := fake(t)
	id := s.start()
	for session, protocols := range map[string][]string{"json": nil, "frames": {jupyter.WebsocketV1}} {
		c := s.dial(id, session, protocols...)
		header := `{"msg_id":"` + session + `","msg_type":"comm_msg","session":"` + session + `","username":"ü","date":"2001","version":"5.4","subshell_id":null}`
		c.send(jupyter.Message{
			Channel: jupyter.Shell, Header: jupyter.Header{ID: session, Type: "comm_msg"}, WholeHeader: []byte(header),
			Metadata: []byte(`{"a":1.50}`), Content: []byte(`{"comm_id":"c"}`), Buffers: [][]byte{{0, 255}, nil, []byte("x")},
		})
		m, _ := c.until(jupyter.IOPub, "comm_msg")
		if string(m.WholeParent) != header || len(m.Buffers) != 3 || string(m.Buffers[0]) != "\x00\xff" || string(m.Buffers[2]) != "x" {
			t.Errorf("%s: %+v", session, m)
		}
		p := s.last()
		p.mu.Lock()
		got := p.got[len(p.got)-1]
		p.mu.Unlock()
		if string(got.WholeHeader) != header || string(got.Metadata) != `{"a":1.50}` {
			t.Errorf("%s: the kernel got %+v", session, got)
		}
		_ = c.ws.CloseNow()
	}
}

// TestRepliesGoToWhoAsked: replies and questions go to one client, output to all.
func TestRepliesGoToWhoAsked(t *testing.T) {
	s := fake(t)
	id := s.start()
	a, b := s.dial(id, "a"), s.dial(id, "b")
	s.present(id, 2)
	a.run("m1", "say x")
	if got := a.idle(); got != "status stream=x execute_reply status" {
		t.Error(got)
	}
	if got := b.idle(); got != "status stream=x status" {
		t.Error(got)
	}
	b.run("m2", "ask")
	m, _ := b.until(jupyter.Stdin, "input_request")
	if m.Parent.ID != "m2" {
		t.Errorf("%+v", m)
	}
	if state := s.json("GET", "/api/kernels/"+id, "", 200); state["execution_state"] != "busy" || state["connections"] != 2.0 {
		t.Errorf("%v", state)
	}
	b.send(jupyter.Message{Channel: jupyter.Control, Header: jupyter.Header{ID: "m3", Type: "kernel_info_request", Session: "b"}})
	b.until(jupyter.Shell, "kernel_info_reply") // others' requests make it no less busy
	if state := s.json("GET", "/api/kernels/"+id, "", 200); state["execution_state"] != "busy" {
		t.Errorf("%v", state)
	}
}

// present waits until the face knows of so many clients.
func (s *served) present(id string, n int) {
	s.t.Helper()
	k := s.face.find(id)
	for {
		k.mu.Lock()
		changed, have := k.changed, len(k.clients)
		k.mu.Unlock()
		if have == n {
			return
		}
		select {
		case <-changed:
		case <-time.After(time.Minute):
			s.t.Fatalf("there are %d clients, not %d", have, n)
		}
	}
}

// TestKeptForWhoComesBack: what came meanwhile waits for the session that was there last,
// and for no other.
func TestKeptForWhoComesBack(t *testing.T) {
	for _, back := range []string{"one", "two"} {
		s := fake(t)
		id := s.start()
		c := s.dial(id, "one")
		c.run("m1", "ask")
		c.until(jupyter.Stdin, "input_request")
		_ = c.ws.CloseNow()
		s.present(id, 0)
		p := s.last()
		p.mu.Lock()
		asked := p.got[len(p.got)-1]
		p.mu.Unlock()
		p.say(jupyter.IOPub, asked, "stream", `{"name":"stdout","text":"meanwhile"}`)
		p.say(jupyter.Shell, asked, "execute_reply", `{"status":"ok"}`)
		p.say(jupyter.IOPub, asked, "status", `{"execution_state":"idle"}`)
		for s.json("GET", "/api/kernels/"+id, "", 200)["execution_state"] != "idle" { // it has read that
		}
		c = s.dial(id, back)
		c.run("m2", "say now")
		want := map[string]string{"one": "stream=meanwhile execute_reply status", "two": "status stream=now execute_reply status"}[back]
		if got := c.idle(); got != want {
			t.Errorf("%s got %q", back, got)
		}
	}
}

// TestKeptHasABound: too much output gives way, not what ends a run.
func TestKeptHasABound(t *testing.T) {
	k := kept{}
	big := jupyter.Message{Channel: jupyter.IOPub, Header: jupyter.Header{Type: "stream"}, WholeParent: []byte(`{"msg_id":"p"}`), Content: make([]byte, maxKept/2)}
	for range 4 {
		k.add(big)
	}
	k.add(jupyter.Message{Header: jupyter.Header{Type: "status"}})
	all := k.all()
	if len(all) != 3 || !strings.Contains(string(all[0].Content), "3 messages of output were dropped") || string(all[0].WholeParent) != `{"msg_id":"p"}` || all[2].Header.Type != "status" {
		t.Errorf("%d messages, the first %s", len(all), all[0].Content[:min(200, len(all[0].Content))])
	}
}

// TestOneSocketASession: a session that connects again takes the place of its old socket.
func TestOneSocketASession(t *testing.T) {
	s := fake(t)
	id := s.start()
	a := s.dial(id, "one")
	s.present(id, 1)
	b := s.dial(id, "one")
	if _, _, err := a.ws.Read(t.Context()); err == nil {
		t.Error("the old one is read on")
	}
	b.run("m1", "say x")
	if got := b.idle(); !strings.Contains(got, "stream=x execute_reply") {
		t.Error(got)
	}
}

// TestDeadKernelIsStartedAgain, under the same id and for the same sockets, and not for ever.
func TestDeadKernelIsStartedAgain(t *testing.T) {
	s := fake(t)
	id := s.start()
	c := s.dial(id, "one")
	for i := range maxRestarts {
		c.run("m1", "die")
		m, _ := c.until(jupyter.IOPub, "status")
		if state := m.Content.Get("execution_state").Str(); state != "restarting" || m.WholeParent != nil && string(m.WholeParent) != "{}" {
			t.Fatalf("%d: %s %s", i, state, m.WholeParent)
		}
	}
	c.run("m2", "die")
	if m, _ := c.until(jupyter.IOPub, "status"); m.Content.Get("execution_state").Str() != "dead" {
		t.Errorf("%s", m.Content)
	}
	if m := s.json("GET", "/api/kernels/"+id, "", 200); m["execution_state"] != "dead" {
		t.Errorf("%v", m)
	}
	s.json("POST", "/api/kernels/"+id+"/restart", "", 200)
	c.run("m3", "say again")
	if got := c.idle(); !strings.Contains(got, "stream=again") {
		t.Error(got)
	}
	s.mu.Lock()
	s.broken = errors.New("no room")
	s.mu.Unlock()
	s.json("POST", "/api/kernels/"+id+"/restart", "", 500)
	if m := s.json("GET", "/api/kernels/"+id, "", 200); m["execution_state"] != "dead" || m["reason"] != "no room" {
		t.Errorf("%v", m)
	}
}

// TestEndClosesSockets of a kernel that is deleted.
func TestEndClosesSockets(t *testing.T) {
	s := fake(t)
	id := s.start()
	c := s.dial(id, "one")
	if status, _ := s.ask("DELETE", "/api/kernels/"+id, ""); status != 204 {
		t.Error(status)
	}
	for {
		if _, _, err := c.ws.Read(t.Context()); err != nil {
			return
		}
	}
}
