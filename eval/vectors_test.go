package eval

import (
	"os"
	"path/filepath"
	"testing"

	_ "recall/library/ramdisk"
)

var vectorsDir string

// KeptVectors is a file that all tests share: to make the samples' vectors takes ten seconds.
func KeptVectors() string { return filepath.Join(vectorsDir, "vectors.f32") }

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "recall-eval-vectors-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		vectorsDir = dir
		return m.Run()
	}())
}
