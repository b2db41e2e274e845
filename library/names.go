package library

import (
	"strings"
	"unicode"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/registry"
)

const maxFolder = registry.MaxFolder

// validID refuses ids that could leave a folder or can't name one.
func validID(id ingest.SessionID) bool {
	if id == "" || len(id) > 128 || id[0] == '.' || id[len(id)-1] == '.' || disk.DeviceName(string(id)) {
		return false
	}
	for _, r := range id {
		if r > unicode.MaxASCII || !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return true
}

// idPart is the beginning of an id that a folder's name ends in: eight
// characters, without Cowork's "local_", or as many more, in steps of five, as
// tell it from the others. It has no space in it, so that two folders of a
// project never have the same name, whatever their titles.
func idPart(id ingest.SessionID, others []ingest.SessionID) string {
	own := bareID(id)
	n := 8
	for _, o := range others {
		other := bareID(o)
		for other != own && n < len(own) && strings.HasPrefix(other, own[:n]) {
			n += 5
		}
		if other == own && o != id { // differ in "local_" or in case only
			return string(id)
		}
	}
	return own[:min(n, len(own))]
}

func bareID(id ingest.SessionID) string {
	return strings.ToLower(strings.TrimPrefix(string(id), "local_"))
}

// folderName is "2026-04-17 Fix duplicate jobs 7f3c1a2b".
func folderName(e Entry, idPart string) string {
	date := "undated"
	if !e.Start.IsZero() {
		date = e.Start.UTC().Format("2006-01-02")
	}
	title := disk.SafeName(e.Named, maxFolder-len(date)-len(idPart)-2)
	if title == "" {
		return date + " " + idPart
	}
	return date + " " + title + " " + idPart
}
