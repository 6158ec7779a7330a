package e2b_test

import (
	"context"
	"fmt"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Code runs in a new sandbox, which is killed at the end. The cloud is one for tests here;
// without Env the settings come from E2B_API_KEY and its like.
func Example() {
	cloud := e2btest.Start()
	defer cloud.Close()
	cloud.Run = func(x wire.Execution) e2btest.Script {
		return func(s *e2btest.Stream) {
			s.Send(wire.Count{N: s.Count}, wire.Output{Name: "stdout", Text: "hello\n"}, wire.End{})
		}
	}

	host, err := e2b.New(e2b.Options{Env: cloud.Env()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	ctx := context.Background()
	kernel, err := host.Start(ctx, kernelclient.StartSpec{Kernel: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer kernel.Stop(ctx, false)
	if err := kernel.Submit(ctx, kernelclient.Request{ID: "1", Code: "print('hello')"}); err != nil {
		fmt.Println(err)
		return
	}
	stream := kernel.Follow(kernelclient.Cursor{})
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, e := range events {
			switch b := e.Body.(type) {
			case event.Stream:
				fmt.Print(b.Text)
			case event.Ended:
				fmt.Println(b.Reason)
				return
			}
		}
	}
	// Output:
	// hello
	// done
}

// One call of a code interpreter, without a notebook's queue and log.
func ExampleClient_Execute() {
	server := e2btest.Start()
	defer server.Close()
	client := e2b.NewClient(e2b.Options{URL: server.URL})
	defer client.Close()
	ctx := context.Background()
	made, err := client.Create(ctx, wire.ContextRequest{Language: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	stream, err := client.Execute(ctx, wire.Execution{Code: "1", ContextID: made.ID})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stream.Close()
	for {
		line, err := stream.Next()
		if err != nil {
			return
		}
		fmt.Printf("%s", line.AppendLine(nil))
	}
	// Output:
	// {"type": "number_of_executions", "execution_count": 1}
	// {"type": "end_of_execution"}
}
