package text

import "fmt"

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
