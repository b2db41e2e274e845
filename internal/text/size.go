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

// Dollars formats an amount with as many decimals as it needs: $12.30, $0.0042.
func Dollars(x float64) string {
	switch {
	case x == 0:
		return "$0"
	case x < 0.00005:
		return "under $0.0001"
	case x < 0.1:
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}
