package terminal

import (
	"context"
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
	if key := Key(t.Context(), strings.NewReader("yes")); key != 'y' {
		t.Errorf("of yes the key is %q", key)
	}
}
