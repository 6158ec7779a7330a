package main

import (
	"fmt"
	"net/http"

	"github.com/nbterm/nbterm/kernelclient/bridge/e2bface"
	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
)

// filesOf is the file service of a face's sandboxes, for a listener of its own.
func filesOf(face *e2bface.Face) http.Handler { return http.HandlerFunc(face.ServeFiles) }

// addMetrics adds the listener for figures, where one is asked for.
func (s *server) addMetrics(to *serve.Server, face *e2bface.Face) error {
	if s.metrics == "" {
		return nil
	}
	ls, err := serve.Listen(s.metrics)
	if err != nil {
		return fmt.Errorf("--metrics %s cannot be used: %w", s.metrics, err)
	}
	to.Add(to.Metrics(func() []serve.Figure {
		n := face.Counts()
		return []serve.Figure{
			{Name: "nbterm_sandboxes", Help: "Sandboxes.", Value: float64(n.Sandboxes)},
			{Name: "nbterm_contexts", Help: "Contexts, each with a kernel.", Value: float64(n.Contexts)},
			{Name: "nbterm_executions_active", Help: "Executions that run or wait.", Value: float64(n.Active)},
			{Name: "nbterm_executions_total", Help: "Executions that were asked for.", Value: float64(n.Executed), Counter: true},
		}
	}), ls...)
	return nil
}
