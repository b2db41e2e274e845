package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// Whoever is told to end while nobody presses a key doesn't wait for one.
func TestKey(t *testing.T) {
	silent, typing := io.Pipe()
	defer typing.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	if key := Key(ended, silent); key != 0 {
		t.Errorf("ended, and the key is %q", key)
	}
	if line, err := ReadLine(ended, silent); !errors.Is(err, context.Canceled) {
		t.Errorf("ended, and the line is %q: %v", line, err)
	}
	lines := strings.NewReader("yes\n\nno")
	for _, want := range "y\nn\x00" {
		if key := Key(t.Context(), lines); key != want {
			t.Errorf("of a line the key is %q, want %q", key, want)
		}
	}
	typed := strings.NewReader("\x1b[D\x1bOPy\x1b[1;5Cn")
	for _, want := range "yn\x00" {
		if key := pressed(typed); key != want {
			t.Errorf("among arrows the key is %q, want %q", key, want)
		}
	}
}
