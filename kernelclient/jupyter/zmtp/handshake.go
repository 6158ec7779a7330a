package zmtp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// greeting is what either side sends first: signature, version 3.0, mechanism, not a server.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9] = 0xFF, 0x7F
	g[10], g[11] = 3, 0
	copy(g[12:32], "NULL")
	return g
}

// handshake greets, exchanges READY and checks that the peer is one for us.
func handshake(w io.Writer, r io.Reader, typ Type, identity []byte) error {
	if _, err := w.Write(greeting()); err != nil {
		return err
	}
	if err := readGreeting(r); err != nil {
		return err
	}
	props := appendProperty(nil, "Socket-Type", []byte(typ))
	if typ != Sub {
		props = appendProperty(props, "Identity", identity)
	}
	if _, err := w.Write(encodeCommand("READY", props)); err != nil {
		return err
	}
	flags, body, err := readFrame(r, maxCommand)
	if err != nil {
		return err
	}
	if flags&flagCommand == 0 {
		return protocolError("the peer sent a message before READY")
	}
	return checkReady(body, typ)
}

// readGreeting reads piece by piece, so that an older peer, which says less, is recognised
// and not waited for.
func readGreeting(r io.Reader) error {
	var g [64]byte
	if _, err := io.ReadFull(r, g[:10]); err != nil {
		return err
	}
	if g[0] != 0xFF || g[9]&1 == 0 {
		return protocolError("the peer is no ZeroMQ socket")
	}
	if _, err := io.ReadFull(r, g[10:11]); err != nil {
		return err
	}
	if g[10] < 3 {
		return protocolError("the peer speaks a ZMTP older than 3.0")
	}
	if _, err := io.ReadFull(r, g[11:]); err != nil {
		return err
	}
	if mech := string(bytes.TrimRight(g[12:32], "\x00")); mech != "NULL" {
		return protocolError(fmt.Sprintf("the peer asks for the security mechanism %q, only NULL is spoken here", mech))
	}
	return nil
}

func checkReady(body []byte, typ Type) error {
	name, data, err := splitCommand(body)
	if err != nil {
		return protocolError(err.Error())
	}
	if name == "ERROR" {
		return peerError(data)
	}
	if name != "READY" {
		return protocolError(fmt.Sprintf("the peer sent %q where READY is due", name))
	}
	peer, err := socketType(data)
	if err != nil {
		return protocolError(err.Error())
	}
	if !slices.Contains(typ.peers(), peer) {
		return protocolError(fmt.Sprintf("the peer is a %q socket, which no %s talks to", peer, typ))
	}
	return nil
}

// peers are the types that the other side may have.
func (t Type) peers() []string {
	switch t {
	case Sub:
		return []string{"PUB", "XPUB"}
	case Req:
		return []string{"REP", "ROUTER"}
	default:
		return []string{"ROUTER", "DEALER", "REP"}
	}
}

func appendProperty(dst []byte, name string, value []byte) []byte {
	dst = append(append(dst, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(value))), value...)
}

// socketType finds the Socket-Type among READY's properties.
func socketType(data []byte) (string, error) {
	errShort := errors.New("READY is cut off")
	for len(data) > 0 {
		n := 1 + int(data[0])
		if len(data) < n+4 {
			return "", errShort
		}
		name := string(data[1:n])
		size := binary.BigEndian.Uint32(data[n:])
		data = data[n+4:]
		if uint64(size) > uint64(len(data)) {
			return "", errShort
		}
		if strings.EqualFold(name, "Socket-Type") {
			return string(data[:size]), nil
		}
		data = data[size:]
	}
	return "", errors.New("READY names no Socket-Type")
}

// ProtocolError says that the peer is not what it has to be. Trying again does not help.
type ProtocolError struct{ What string }

func (e *ProtocolError) Error() string { return e.What }

func protocolError(what string) error { return &ProtocolError{what} }

// peerError is the peer's ERROR command in words.
func peerError(data []byte) error {
	reason := "without a reason"
	if len(data) > 0 && len(data) >= 1+int(data[0]) {
		reason = fmt.Sprintf("%q", data[1:1+int(data[0])])
	}
	return protocolError("the peer refuses: " + reason)
}
