package jupyter

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Connection is what a connection file says (jupyter_client, "Connection files"). The
// JSON names of its fields are the protocol's.
type Connection struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // for ipc the beginning of the sockets' paths
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HBPort          int    `json:"hb_port"`
	Key             string `json:"key"` // "" = messages are not signed
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name"`
}

// ParseConnection reads a connection file. One that asks for transport encryption is
// Unsupported: it must not be spoken to in the clear.
func ParseConnection(data []byte) (Connection, error) {
	v, err := rawjson.Parse(data)
	if err == nil && v.Kind() != rawjson.Object {
		err = fmt.Errorf("it is no JSON object")
	}
	if err != nil {
		return Connection{}, &kernelclient.Error{Kind: kernelclient.Invalid, What: "the connection file cannot be read", Err: err}
	}
	var c Connection
	var encrypted bool
	texts := map[string]*string{
		"transport": &c.Transport, "ip": &c.IP, "key": &c.Key,
		"signature_scheme": &c.SignatureScheme, "kernel_name": &c.KernelName,
	}
	ports := map[string]*int{
		"shell_port": &c.ShellPort, "iopub_port": &c.IOPubPort, "stdin_port": &c.StdinPort,
		"control_port": &c.ControlPort, "hb_port": &c.HBPort,
	}
	v.Members(func(name string, val rawjson.Value) {
		if p := texts[name]; p != nil {
			*p = val.Str()
		} else if p := ports[name]; p != nil {
			*p, _ = val.Int()
		} else if (name == "curve_publickey" || name == "curve_secretkey") && val.Str() != "" {
			encrypted = true
		}
	})
	if encrypted {
		return Connection{}, &kernelclient.Error{
			Kind: kernelclient.Unsupported,
			What: "the kernel uses transport encryption (CurveZMQ), which nbterm does not speak",
			Next: "start the kernel without it",
		}
	}
	return c, c.check()
}

func (c Connection) check() error {
	invalid := func(what string) error {
		return &kernelclient.Error{Kind: kernelclient.Invalid, What: "the connection file " + what}
	}
	if c.Transport != "" && c.Transport != "tcp" && c.Transport != "ipc" {
		return invalid(fmt.Sprintf("names the transport %q; tcp and ipc are known", c.Transport))
	}
	if c.IP == "" {
		return invalid("has no ip")
	}
	for _, port := range []int{c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort} {
		if port <= 0 || c.Transport != "ipc" && port > 65535 {
			return invalid("lacks a port")
		}
	}
	return nil
}

// WriteFile creates the connection file at path. It holds the key to running code as
// this user, so nobody else may ever read it: mode 0600 from creation, and an existing
// file is an error.
func (c Connection) WriteFile(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("connection file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("connection file: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("connection file: %w", err)
	}
	return nil
}

// endpoint is where a channel is to be dialled.
func (c Connection) endpoint(port int) string {
	if c.Transport == "ipc" {
		return "ipc://" + c.IP + "-" + strconv.Itoa(port)
	}
	ip := c.IP
	if ip == "0.0.0.0" || ip == "*" { // where the kernel listens, not where it can be reached
		ip = "127.0.0.1"
	}
	return "tcp://" + ip + ":" + strconv.Itoa(port)
}
