package pipeline

import (
	"encoding/json"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// Claude Code deletes transcripts whose last activity is this long ago, unless
// its settings say otherwise (cleanupPeriodDays).
const defaultCleanupDays = 30

// cleanupDays reads cleanupPeriodDays from the settings beside a Claude Code
// root's projects folder.
func cleanupDays(root string) int {
	for _, dir := range []string{root, filepath.Dir(root)} {
		data, err := disk.ReadRegular(filepath.Join(dir, "settings.json"), 16<<20)
		if err != nil {
			continue
		}
		var s struct {
			Days *float64 `json:"cleanupPeriodDays"`
		}
		if json.Unmarshal(data, &s) == nil && s.Days != nil && *s.Days >= 0 {
			return int(*s.Days)
		}
	}
	return defaultCleanupDays
}

// expiring picks the Claude Code transcripts among found that the client will
// delete within the given time.
func expiring(found []ingest.Found, now time.Time, within time.Duration) []ingest.Found {
	days := map[string]int{}
	var soon []ingest.Found
	for _, f := range found {
		if f.Source != ingest.ClaudeCode || len(f.Files) == 0 {
			continue
		}
		d, ok := days[f.Root]
		if !ok {
			d = cleanupDays(f.Root)
			days[f.Root] = d
		}
		if f.Files[0].Mod.AddDate(0, 0, d).Before(now.Add(within)) {
			soon = append(soon, f)
		}
	}
	return soon
}

// DeletedOn is when the client deletes a transcript, zero if it doesn't.
func DeletedOn(f ingest.Found, transcript ingest.File) time.Time {
	if f.Source != ingest.ClaudeCode || transcript.Mod.IsZero() {
		return time.Time{}
	}
	return transcript.Mod.AddDate(0, 0, cleanupDays(f.Root))
}

// soon is how long before its deletion a transcript is spoken of.
const soon = 7 * 24 * time.Hour
