//go:build !linux

package disk

import (
	"errors"
	"os"
)

func startWriting(*os.File) {}

// syncDir makes renames in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
