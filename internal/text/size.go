package text

import (
	"fmt"
	"strings"
)

// Size formats a number of bytes for people.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return strings.TrimSuffix(fmt.Sprintf("%d bytes", n), map[bool]string{true: "s"}[n == 1])
}
