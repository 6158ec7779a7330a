package hosttest

import "os"

// Python is a Python that has ipykernel, by NBTERM_TEST_PYTHON. Without one the test is
// skipped, except where it must not be: with CI or NBTERM_TEST_REQUIRE set it fails.
func Python(t interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
},
) string {
	t.Helper()
	python := os.Getenv("NBTERM_TEST_PYTHON")
	if python == "" {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("NBTERM_TEST_PYTHON names no Python with ipykernel; make test sets it")
		}
		t.Skip("NBTERM_TEST_PYTHON is not set")
	}
	return python
}
