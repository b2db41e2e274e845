package ingest

import (
	"math"
	"strconv"
	"strings"
	"time"
)

var earliest, latest = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// ParseTime parses an RFC 3339 time, one without a zone, or a number of milliseconds since 1970, or of seconds if it
// would otherwise be before March 1973. Times before the first coding tools, or after this century, are refused.
func ParseTime(text string) (t time.Time, ok bool) {
	text = strings.TrimSpace(text)
	err := error(nil)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04:05.999999999"} {
		if t, err = time.Parse(layout, text); err == nil {
			break
		}
	}
	if err != nil {
		var n float64
		if n, err = strconv.ParseFloat(text, 64); math.Abs(n) < 1e11 {
			n *= 1000
		}
		t = time.UnixMilli(int64(min(max(n, 0), 1e14)))
	}
	if err != nil || t.Before(earliest) || t.After(latest) {
		return time.Time{}, false
	}
	return t.UTC(), true
}
