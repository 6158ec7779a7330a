// Package e2btest is for tests: a control plane and a code interpreter in one server, which
// answer as captures and SDKs of E2B have it and fail on demand. What code does there is a
// script of the test.
package e2btest
