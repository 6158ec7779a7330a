package jupyter

import (
	"encoding/binary"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// WebsocketV1 is the subprotocol whose messages are frames like those of ZeroMQ. A server
// that does not choose it speaks the older form: JSON texts, or JSON and buffers in one
// binary message (Jupyter Server, "WebSocket kernel wire protocols").
const WebsocketV1 = "v1.kernel.websocket.jupyter.org"

// EncodeWebsocket returns m as one message of a websocket, and whether that is binary.
func EncodeWebsocket(m Message, subprotocol string) (data []byte, isBinary bool) {
	if subprotocol == WebsocketV1 {
		parts := append([][]byte{
			[]byte(m.Channel.String()), m.header(), m.parent(), object(m.Metadata), object(m.Content),
		}, m.Buffers...)
		return join64(parts), true
	}
	b := append(make([]byte, 0, 512+len(m.Content)), `{"channel":"`...)
	b = append(append(b, m.Channel.String()...), `","msg_id":`...) // twice, as Jupyter Server does and clients rely on
	b = append(append(b, quote(m.Header.ID)...), `,"msg_type":`...)
	b = append(append(b, quote(m.Header.Type)...), `,"header":`...)
	b = append(append(b, m.header()...), `,"parent_header":`...)
	b = append(append(b, m.parent()...), `,"metadata":`...)
	b = append(append(b, object(m.Metadata)...), `,"content":`...)
	b = append(append(b, object(m.Content)...), `,"buffers":[]}`...)
	if len(m.Buffers) == 0 {
		return b, false
	}
	return join32(append([][]byte{b}, m.Buffers...)), true
}

// join64 writes parts after their offsets: a count, and 64-bit little-endian offsets of
// each part and of the end.
func join64(parts [][]byte) []byte {
	at := 8 * (len(parts) + 2)
	size := at
	for _, p := range parts {
		size += len(p)
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, size), uint64(len(parts)+1))
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
		at += len(p)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(at))
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// join32 writes parts after their offsets: a count, and 32-bit big-endian offsets of each.
func join32(parts [][]byte) []byte {
	at := 4 * (len(parts) + 1)
	b := binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	for _, p := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(at))
		at += len(p)
	}
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// DecodeWebsocket reads one message of a websocket, which it may share.
func DecodeWebsocket(data []byte, isBinary bool, subprotocol string) (Message, error) {
	if subprotocol == WebsocketV1 {
		return decodeV1(data)
	}
	var buffers [][]byte
	// JupyterLab's server passes its clients' binary messages on to a gateway as text.
	if isBinary || len(data) > 0 && data[0] == 0 {
		parts, err := split32(data)
		if err != nil {
			return Message{}, err
		}
		data, buffers = parts[0], parts[1:]
	}
	m, err := decodeJSON(data, Shell) // of clients of gateways, which do not say
	m.Buffers = buffers
	return m, err
}

func decodeV1(data []byte) (Message, error) {
	parts, err := split64(data)
	if err != nil {
		return Message{}, err
	}
	if len(parts) < 5 {
		return Message{}, errShape
	}
	m := Message{Channel: channelNamed(string(parts[0]))}
	if m.Header, err = parseHeader(parts[1]); err != nil {
		return m, err
	}
	if m.Channel > Control || m.Header.Type == "" {
		return m, errShape
	}
	if m.Parent, err = parseHeader(parts[2]); err != nil {
		return m, err
	}
	if m.Metadata, err = rawjson.Parse(parts[3]); err != nil {
		return m, err
	}
	m.Content, err = rawjson.Parse(parts[4])
	m.WholeHeader, m.WholeParent = parts[1], parts[2]
	m.Buffers = parts[5:]
	return m, err
}

// split64 takes apart what join64 writes. Offsets are somebody's word.
func split64(data []byte) (parts [][]byte, err error) {
	if len(data) < 8 {
		return nil, errShape
	}
	n := binary.LittleEndian.Uint64(data)
	if n < 2 || n > uint64(len(data)/8-1) {
		return nil, errShape
	}
	offset := func(i uint64) uint64 { return binary.LittleEndian.Uint64(data[8*(i+1):]) }
	for i := range n - 1 {
		from, to := offset(i), offset(i+1)
		if from > to || to > uint64(len(data)) {
			return nil, errShape
		}
		parts = append(parts, data[from:to:to])
	}
	return parts, nil
}

// split32 takes apart what join32 writes.
func split32(data []byte) (parts [][]byte, err error) {
	if len(data) < 4 {
		return nil, errShape
	}
	n := int(binary.BigEndian.Uint32(data))
	if n < 1 || n > len(data)/4-1 {
		return nil, errShape
	}
	offset := func(i int) int { return int(binary.BigEndian.Uint32(data[4*(i+1):])) }
	for i := range n {
		from, to := offset(i), len(data)
		if i+1 < n {
			to = offset(i + 1)
		}
		if from > to || to > len(data) {
			return nil, errShape
		}
		parts = append(parts, data[from:to:to])
	}
	return parts, nil
}
