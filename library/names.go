package library

import (
	"strings"
	"unicode"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/registry"
)

const maxFolder = registry.MaxFolder

// ValidID refuses ids that could leave a folder or can't name one.
func ValidID(id ingest.SessionID) bool {
	unfit := id == "" || len(id) > 128 || id[0] == '.' || id[len(id)-1] == '.' || disk.DeviceName(string(id))
	if unfit {
		return false
	}
	for _, r := range id {
		if r > unicode.MaxASCII || !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return true
}

// idPart is the beginning of an id that a folder's name ends in: eight characters, without Cowork's "local_". Equal
// names are told apart by freeName.
func idPart(id ingest.SessionID) string {
	own := bareID(id)
	return own[:min(8, len(own))]
}

func bareID(id ingest.SessionID) string {
	return strings.ToLower(strings.TrimPrefix(string(id), "local_"))
}

// folderName is "2026-04-17 Fix duplicate jobs 7f3c1a2b".
func folderName(e Entry) string {
	date, idPart := "undated", idPart(e.ID)
	if !e.Start.IsZero() {
		date = e.Start.UTC().Format("2006-01-02")
	}
	title := disk.SafeName(e.Named, maxFolder-len(date)-len(idPart)-2)
	if title == "" {
		return date + " " + idPart
	}
	return date + " " + title + " " + idPart
}
