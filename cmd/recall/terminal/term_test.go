package terminal

import (
	"context"
	"errors"
	"io"
	"testing"
)

// Whoever is told to end while nobody types doesn't wait for a line.
func TestReadLineEnds(t *testing.T) {
	silent, typing := io.Pipe()
	defer typing.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	if line, err := ReadLine(ended, silent); !errors.Is(err, context.Canceled) {
		t.Errorf("ended, and the line is %q: %v", line, err)
	}
}
