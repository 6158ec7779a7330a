package unsandbox_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/unsandbox"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// A cell runs as a job. The server of this example understands a few forms of programs only;
// without URL and keys the real service is used with the keys of the environment.
func ExampleNew() {
	server, err := unsandboxtest.New(unsandboxtest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	host, err := unsandbox.New(unsandbox.Options{
		URL: server.URL, PublicKey: unsandboxtest.PublicKey, SecretKey: unsandboxtest.SecretKey,
		Env: []string{"HOME=/nonexistent"}, // else the list of languages is kept in ~/.unsandbox
	})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	ctx := context.Background()
	k, err := host.Start(ctx, kernelclient.StartSpec{Kernel: "python"})
	if err != nil {
		log.Fatal(err)
	}
	defer k.Stop(ctx, false)
	if err := k.Submit(ctx, kernelclient.Request{ID: "1", Code: "print(42)"}); err != nil {
		log.Fatal(err)
	}
	for events := k.Follow(kernelclient.Cursor{}); ; {
		batch, err := events.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range batch {
			switch body := e.Body.(type) {
			case event.Stream:
				fmt.Print(body.Name, ": ", body.Text)
			case event.Ended:
				fmt.Println(body.Reason)
				return
			}
		}
	}
	// Output:
	// stdout: 42
	// done
}
