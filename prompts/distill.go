package prompts

import (
	_ "embed"
	"encoding/json"
	"strings"
)

var (
	//go:embed extract.txt
	extract string
	//go:embed extract.schema.json
	extractSchema []byte
	//go:embed rephrase.txt
	rephrase string
	//go:embed rephrase.schema.json
	rephraseSchema []byte
	//go:embed reconcile.txt
	reconcile string
	//go:embed reconcile.schema.json
	reconcileSchema []byte
	//go:embed repair.txt
	repair string
	//go:embed repair.schema.json
	repairSchema []byte
)

// Extract asks for a session's items; ExtractSchema is the form of the answer. What
// it says of items known from earlier parts is left out where there are none.
func Extract(known bool) string {
	text := strings.TrimSpace(extract)
	if before, after, ok := strings.Cut(text, "# When earlier parts were read already"); ok && !known {
		_, after, _ = strings.Cut(after, "# Examples")
		text = before + "# Examples" + after
	}
	return text
}

// ExtractSchema is the form of the answer to Extract.
func ExtractSchema() json.RawMessage { return extractSchema }

// Rephrase asks for other words that items may be asked for by.
func Rephrase() string { return strings.TrimSpace(rephrase) }

// RephraseSchema is the form of the answer to Rephrase.
func RephraseSchema() json.RawMessage { return rephraseSchema }

// Reconcile asks how later items bear on earlier ones.
func Reconcile() string { return strings.TrimSpace(reconcile) }

// ReconcileSchema is the form of the answer to Reconcile.
func ReconcileSchema() json.RawMessage { return reconcileSchema }

// Repair asks for the right quotes of items whose quotes don't stand where
// they were said to.
func Repair() string { return strings.TrimSpace(repair) }

// RepairSchema is the form of the answer to Repair.
func RepairSchema() json.RawMessage { return repairSchema }
