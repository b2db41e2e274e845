// Package rules makes the table that redact reads out of gitleaks' rule file, and ours in the same form, so that
// the scanner starts without parsing any expression.
//
// Every rule becomes one of three forms, told by its expression:
//
//	at      the match begins with a literal ("ghp_"); the expression is tried at each such literal
//	assign  a name, an operator, a value; name and operator are matched by hand, the value by the expression
//	around  anything else; the expression is tried in a window around each of the rule's keywords
//
// The rules that it leaves out or changes are listed in adapt_test.go, each with its reason.
package rules

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

type ruleFile struct {
	Allowlist allowlist `toml:"allowlist"`
	Rules     []rule    `toml:"rules"`
}

type rule struct {
	ID          string
	Kind, Looks string // of ours
	Regex       string
	Entropy     float64
	Keywords    []string
	Allowlists  []allowlist
}

type allowlist struct {
	Regexes     []string
	StopWords   []string `toml:"stopwords"`
	RegexTarget string
	Condition   string
}

var update = flag.Bool("update", false, "write shipped.tsv anew")

// The table is what the rule files make of it.
func TestShippedTable(t *testing.T) {
	var f ruleFile
	for _, name := range []string{"gitleaks.toml", "recall.toml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var more ruleFile
		if err := toml.Unmarshal(data, &more); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f.Rules = append(f.Rules, more.Rules...)
		f.Allowlist.Regexes = append(f.Allowlist.Regexes, more.Allowlist.Regexes...)
	}
	var b strings.Builder
	for _, r := range f.Rules {
		if _, left := leftOut[r.ID]; left {
			continue
		}
		for _, p := range adapt(r) {
			fields, err := fieldsOf(p)
			if err != nil {
				t.Fatalf("rule %s: %v", p.ID, err)
			}
			writeLine(t, &b, fields)
		}
	}
	for _, expr := range f.Allowlist.Regexes {
		writeLine(t, &b, []string{"allowed", expr})
	}
	const table = "shipped.tsv"
	if *update {
		if err := os.WriteFile(table, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(table); err != nil || string(have) != b.String() {
		t.Errorf("%s isn't what the rule files make of it: go test ./redact/rules -update (%v)", table, err)
	}
}

func writeLine(t *testing.T, b *strings.Builder, fields []string) {
	for _, f := range fields {
		if strings.ContainsAny(f, "\t\n") {
			t.Fatalf("%q can't be a field of a line", f)
		}
	}
	b.WriteString(strings.Join(fields, "\t") + "\n")
}

func fieldsOf(r rule) ([]string, error) {
	form, expr, anchors, err := shape(r)
	if err != nil {
		return nil, err
	}
	if _, err := regexp.Compile(expr); err != nil {
		return nil, err
	}
	slices.Sort(anchors)
	if strings.Contains(strings.Join(anchors, ""), "|") {
		return nil, fmt.Errorf("a bar in one of %q", anchors)
	}
	bound, shortest, longest := "", 0, 0
	if form == "at" && (strings.HasPrefix(r.Regex, `\b`) || strings.HasPrefix(r.Regex, `(?i)\b`)) {
		bound = "bound"
	}
	if form != "around" && unbroken(r) {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			return nil, err
		}
		if shortest = least(re); most(re) < endless {
			longest = most(re)
		}
	}
	fields := []string{r.ID, cmp.Or(r.Kind, kind(r.ID)), form, bound, fmt.Sprint(shortest), fmt.Sprint(longest),
		fmt.Sprint(r.Entropy), expr,
		strings.NewReplacer("\t", `\t`, "\n", `\n`).Replace(strings.Join(anchors, "|")), r.Looks}
	return append(fields, allowed(r.Allowlists)...), nil
}

// allowed is what the rule's values may not be. Allowlists of a file's path have nothing to say here; those of a
// whole match or line belong to the generic rule, which is not shipped as it is.
func allowed(lists []allowlist) (all []string) {
	for _, a := range lists {
		if a.Condition != "AND" && a.RegexTarget == "" {
			all = append(all, a.Regexes...)
		}
	}
	return all
}
