package guard

import (
	"os"
	"path/filepath"
)

// The contents of the folder of recall demo: the samples, the libraries made from them, and a file that marks it.
const (
	DemoSources = "sources"
	DemoByRules = "Recall"
	DemoByModel = "Recall-model"
	DemoMarker  = ".recall-demo"
)

// IsDemo reports whether a path is or lies in what recall demo made and may empty: its content is invented, and no data
// of a person's belongs there.
func IsDemo(path string) bool {
	up, name := filepath.Dir(path), filepath.Base(path)
	if name == DemoSources || name == DemoByRules || name == DemoByModel {
		if _, err := os.Stat(filepath.Join(up, DemoMarker)); err == nil {
			return true
		}
	}
	return up != path && IsDemo(up)
}
