package distill

import (
	"testing"

	"recall/ingest"
	"recall/ingest/trace"
)

// A value is a number, or what stands in quotes or is all that its name is given; what code calls is none.
func TestReplaced(t *testing.T) {
	for _, tt := range [][3]string{ // a line before and after; the value and what it may not stand without
		{"grams = 1250", "grams = 1300", "1250 → 1300 | grams = pot"},
		{"| asked for | 24800 |", "| asked for | 25000 |", "24800 → 25000 | "},
		{"balance: -0.69 +- 0.09 m", "balance: -0.73 +- 0.09 m", "-0.69 → -0.73 | "},
		{`version = "0.6.2"`, `version = "0.7.0"`, "0.6.2 → 0.7.0 | "},
		{"JOUR = 'jeudi'", "JOUR = 'mardi'", "jeudi → mardi | JOUR = ' ' pot"},
		{"opens: “9:30”", "opens: “10:30”", "9 → 10 | opens: “ :30” pot"},
		{"Venue: tent", "Venue: school gym (curtains)", "tent → school gym (curtains) | Venue: pot"},
		{"größe: groß", "größe: größer", "groß → größer | größe: pot"},
		{"if retries {", "if retries > 0 {", ""},
		{"call(a, false)", "call(a, 0, false)", ""},
		{"return 0, err", "return Invalid, err", ""},
		{"ok: true", "ok: false", ""},
		{"Force: cfg.Force(),", "Force: cfg.All(),", ""},
		{"the brown jar", "the green jar", ""},
		{"run: `bun publish`", "run: `npm publish`", ""},
		{"| glue | casein | 2 |", "| glue | starch | 2 |", "casein → starch | | glue | | 2 | pot"},
		{"grams = 1250", "grams = 1250 /* full */", ""},
		{"12", "13", ""},
	} {
		got := ""
		call := &ingest.ToolCall{Name: "Edit", Path: "/w/pot.toml", Done: true,
			Edits: []ingest.Edit{{Old: "x\n" + tt[0] + "\ny", New: "x\n" + tt[1] + "\ny"}}}
		for _, d := range replaced([]string{"/w"}, &trace.Action{Call: call}) {
			got += d.Text + " → " + d.Now + " | " + d.Of
		}
		if got != tt[2] {
			t.Errorf("%s → %s: got %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

// A person may call a value otherwise than a file does.
func TestReplacedValueHasThePersonsWords(t *testing.T) {
	call := ingest.ToolCall{Name: "Edit", Path: "/w/pot.toml", Done: true,
		Edits: []ingest.Edit{{Old: "raw_days = 90", New: "raw_days = 60"}}}
	s := &ingest.Session{}
	s.CountDir("/w", 1)
	s.Count(ingest.Turn{ID: "1", Role: ingest.User, Kind: ingest.Prompt, Text: "Rohdaten nur 60 Tage. Und ein Diagramm."})
	s.Count(ingest.Turn{ID: "2", Role: ingest.Assistant, Kind: ingest.Message, Calls: []ingest.ToolCall{call}})
	all, _ := did(s)
	if len(all) != 1 || all[0].Of != "raw_days = pot Rohdaten nur 60 Tage." {
		t.Errorf("got %+v", all)
	}
}
