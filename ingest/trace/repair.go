package trace

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// Outcomes of an attempt to fix an error.
const (
	Helped  = "helped"      // the same command succeeded afterwards
	Again   = "came again"  // it ran into the same error
	Other   = "other error" // it failed with another one
	Unknown = "not known"   // it wasn't run again
)

// A Repair is what was done between an error and the next success of the same command.
type Repair struct {
	Failed  *Action
	Error   string
	Tries   []Try
	Outcome string // of the last try
}

// A Try is what was done before the command was run again.
type Try struct {
	Did     []*Action // edits and commands that change something, in order
	Then    *Action   // the command run again; nil if it wasn't
	Outcome string
	Said    string // what the assistant then said about it; "" if nothing
}

// Limits for following a repair.
const (
	maxTries    = 12
	maxDistance = 150 // actions
	maxGuess    = 6   // actions after an error whose command wasn't run again: later ones are hardly about it
)

// RepairOf traces what was done about a fault.
func (t *Trace) RepairOf(s *ingest.Session, f Fault) Repair {
	r := Repair{Failed: &t.Actions[f.Action], Error: f.Text, Outcome: Unknown}
	keys := runKeys(r.Failed)
	met := t.faultsByAction()
	from := f.Action
	for i := f.Action + 1; i < len(t.Actions) && i-from < maxDistance && len(r.Tries) < maxTries; i++ {
		a := &t.Actions[i]
		if !a.Call.Ran() || !shareKey(keys, runKeys(a)) {
			continue
		}
		try := Try{Did: t.effective(from+1, i), Then: a, Outcome: Helped}
		switch {
		case slices.ContainsFunc(met[i], func(g Fault) bool { return g.Sig == f.Sig }):
			try.Outcome = Again
		case a.Call.Failed || len(met[i]) > 0:
			try.Outcome = Other
		default:
			try.Said = saidAfter(s, a)
		}
		r.Tries = append(r.Tries, try)
		r.Outcome = try.Outcome
		if try.Outcome == Helped {
			return r
		}
		from = i
	}
	if len(r.Tries) == 0 {
		if did := t.effective(f.Action+1, min(len(t.Actions), f.Action+1+maxGuess)); len(did) > 0 {
			r.Tries = []Try{{Did: did, Outcome: Unknown}}
		}
	}
	return r
}

func (t *Trace) faultsByAction() map[int][]Fault {
	m := map[int][]Fault{}
	for _, f := range t.Faults {
		m[f.Action] = append(m[f.Action], f)
	}
	return m
}

// effective lists the actions in a range that change something.
func (t *Trace) effective(from, to int) []*Action {
	var out []*Action
	for i := from; i < to; i++ {
		a := &t.Actions[i]
		if !a.Call.Ran() {
			continue
		}
		changes := slices.ContainsFunc(a.Touches, func(x Touch) bool { return x.How != Read })
		acts := changes || a.Call.Command != "" && !a.Call.Failed && len(a.steps) > 0 && !a.onlyPrints() &&
			len(runKeys(a)) > 0
		if acts {
			out = append(out, a)
		}
	}
	return out
}

// verbs are programs whose first argument determines what they do.
var verbs = text.Set(`go npm pnpm yarn bun cargo git gh make mise mix docker uv poetry npx pip pip3 brew apt apt-get
	swift dotnet python python3 node kubectl terraform rake bundle just gradle ./gradlew bash sh`)

// lookers are programs whose success says nothing about the work.
var lookers = text.Set(`cd echo cat head tail grep rg sleep export set true false ls printf sed awk mkdir which command
	test [ pwd source exit wait kill xxd od md5 md5sum sha256sum stat file strings ps lsof pgrep date wc sort uniq find du
	df env uname id diff cmp jq yq tr cut less tree dirname basename cp mv rm touch chmod`)

// runKeys names what a command line runs, to recognize a second run: "go test", "npm run build", "pytest".
func runKeys(a *Action) []string {
	var keys []string
	for i := range a.steps {
		c := &a.steps[i]
		prog := c.Program
		if prog == "" || c.Piped || lookers[prog] {
			continue
		}
		key := prog
		if prog == "git" {
			if _, args := gitArgs(c.Args); len(args) > 0 {
				key += " " + args[0]
			}
		} else if plain, _ := operands(c.Args); verbs[prog] && len(plain) > 0 {
			key += " " + plain[0]
			runs := (plain[0] == "run" || plain[0] == "exec") && len(plain) > 1 && prog != "go" && prog != "gh"
			if runs {
				key += " " + plain[1]
			}
		}
		if args := c.Args; strings.HasPrefix(prog, "python") && len(args) > 1 && args[0] == "-m" {
			key = args[1] // python -m pytest is pytest
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 && a.Call.Command == "" {
		if _, file := toolTouch(a.Call); !file {
			keys = append(keys, "tool "+a.Call.Name)
		}
	}
	return keys
}

func shareKey(a, b []string) bool {
	return slices.ContainsFunc(a, func(k string) bool { return slices.Contains(b, k) })
}

// saidAfter returns the first paragraph of what the assistant said next, before the person speaks.
func saidAfter(s *ingest.Session, a *Action) string {
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.N <= a.N || a.N == 0 {
			continue
		}
		if t.Role == ingest.User && t.Kind != ingest.Event {
			return ""
		}
		if text := strings.TrimSpace(t.Text); text != "" && t.Role == ingest.Assistant {
			text, _, _ = strings.Cut(text, "\n\n")
			return reason(text)
		}
	}
	return ""
}
