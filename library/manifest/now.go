package manifest

import (
	"cmp"
	"os"

	"recall/library/disk"
)

// InputNow is how an input is found on this computer now.
type InputNow struct {
	Path   string `json:"path"`
	There  bool   `json:"there"`
	SHA256 string `json:"sha256,omitempty"`
}

// hashMost is the size up to which a file is read to be hashed.
const hashMost = 256 << 20

// Look says how an input of this computer is found now.
func (in Input) Look() InputNow {
	now := InputNow{Path: cmp.Or(in.Host, in.Path)}
	fi, err := os.Lstat(now.Path)
	if err != nil || !fi.Mode().IsRegular() {
		return now
	}
	now.There = true
	if fi.Size() <= hashMost {
		if sum, err := disk.SumFile(now.Path); err == nil {
			now.SHA256 = sum.SHA256
		}
	}
	return now
}
