package raw

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

type full struct{ left int }

var errFull = errors.New("no room")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// A disk that fills up is told of once, wherever it does.
func TestStageOnAFullDisk(t *testing.T) {
	random := io.LimitReader(rand.NewChaCha8([32]byte{}), 1<<20)
	_, err := Stage(func(write func(io.Writer) error) (string, error) { return "", write(&full{left: 300_000}) },
		random, 0)
	if err == nil || err.Error() != errFull.Error() {
		t.Errorf("got %q, want %q", err, errFull)
	}
}
