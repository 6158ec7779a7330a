package hosts_test

import (
	"fmt"

	"github.com/nbterm/nbterm/kernelclient/hosts"
)

// An address as it was copied from a browser: what is secret in it does not show.
func Example() {
	address, secrets, err := hosts.Parse("http://hub.example:8888/user/ann/lab/tree/notes/x.ipynb?token=s3cret")
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := hosts.Resolve(address, secrets, hosts.Settings{}, func(string) string { return "" })
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := hosts.Open(target, hosts.Options{}) // connects when it is asked something
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	fmt.Println(target.Kind, target.URL, target.Path, target.Token)
	// Output: jupyter http://hub.example:8888/user/ann notes/x.ipynb (hidden)
}
