//go:build !unix

package index

import "time"

func cpu() time.Duration { return 0 }
