package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/ask"
	"recall/cmd/recall/keep"
	reviewing "recall/cmd/recall/review"
	"recall/cmd/recall/setup"
	"recall/library"
	"recall/library/merge"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
	"recall/team"
)

// listed is a session as recall list has it.
type listed = library.ListEntry

// jsonDocs are the sections of docs/internals/json.md and the types that they describe.
var jsonDocs = map[string]reflect.Type{
	"recall query":            reflect.TypeFor[answer.Answer](),
	"recall show --actions":   reflect.TypeFor[history.Actions](),
	"recall why FILE":         reflect.TypeFor[history.Files](),
	"recall grep":             reflect.TypeFor[history.Grepped](),
	"recall why FILE:LINE":    reflect.TypeFor[history.Why](),
	"recall why ITEM":         reflect.TypeFor[answer.Item](),
	"recall log":              reflect.TypeFor[ask.LogDoc](),
	"recall log --changed":    reflect.TypeFor[ask.ChangedDoc](),
	"recall manifest":         reflect.TypeFor[keep.ManifestDoc](),
	"recall edit":             reflect.TypeFor[reviewing.MarkDoc](),
	"recall list":             reflect.TypeFor[library.ListEntry](),
	"recall status":           reflect.TypeFor[setup.StatusDoc](),
	"recall status --open":    reflect.TypeFor[history.Waiting](),
	"recall wrap-up":          reflect.TypeFor[reviewing.WrapUpDoc](),
	"recall habits":           reflect.TypeFor[history.Habit](),
	"recall audit":            reflect.TypeFor[history.Audit](),
	"recall import FILE.json": reflect.TypeFor[review.Handoff](),
	"recall review":           reflect.TypeFor[review.Waiting](),
	"unseen":                  reflect.TypeFor[review.Unseen](),
	"recall sync":             reflect.TypeFor[keep.SyncReport](),
	"recall sync --dry-run":   reflect.TypeFor[app.ForeseenDoc](),
	"recall status usage":     reflect.TypeFor[history.Usage](),
	"recall team status":      reflect.TypeFor[team.Status](),
	"recall project list":     reflect.TypeFor[keep.ProjectDoc](),
	"recall thread":           reflect.TypeFor[history.Thread](),
	"recall show, resume":     reflect.TypeFor[payload.Payload](),
	"item":                    reflect.TypeFor[payload.Item](),
	"recall config":           reflect.TypeFor[setup.ConfigDoc](),
	"recall backup, import":   reflect.TypeFor[merge.Merged](),
	"recall guard":            reflect.TypeFor[keep.GuardDoc](),
	"recall archive":          reflect.TypeFor[pipeline.Report](),
	"recall check":            reflect.TypeFor[keep.VerifyDoc](),
	"recall check --repair":   reflect.TypeFor[keep.RepairDoc](),
}

// named are types that have a section of their own, by its name.
var named = map[reflect.Type]string{
	reflect.TypeFor[payload.Item]():    "item",
	reflect.TypeFor[review.Unseen]():   "unseen",
	reflect.TypeFor[app.ForeseenDoc](): "sync --dry-run",
}

// docs/internals/json.md names every field of every document with its type, and no other.
func TestJSONDocs(t *testing.T) {
	documented := readJSONDocs(t)
	for section, typ := range jsonDocs {
		want := map[string]string{}
		fieldsOf(typ, "", want)
		if diff := cmp.Diff(want, documented[section]); diff != "" {
			t.Errorf("docs/internals/json.md, %s (-code +docs):\n%s", section, diff)
		}
	}
	for section := range documented {
		if jsonDocs[section] == nil {
			t.Errorf("docs/internals/json.md has a section %q that no test knows", section)
		}
	}
}

// fieldsOf lists a type's fields as the documentation names them:
// "results[].score" → "number", "title" → "string, optional".
func fieldsOf(t reflect.Type, prefix string, into map[string]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if f.Anonymous && tag == "" {
			fieldsOf(f.Type, prefix, into)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		typ, suffix, inner := jsonType(f.Type)
		if strings.HasPrefix(options, "omit") {
			typ += ", optional"
		}
		if inner == t { // one like that which it is in
			typ, inner = strings.Replace(typ, "object", "result", 1), nil
		}
		into[prefix+name+suffix] = typ
		if inner != nil {
			fieldsOf(inner, prefix+name+suffix+".", into)
		}
	}
}

// jsonType is a Go type as the documentation calls it, what its path gets
// behind it, and the fields below it, if any.
func jsonType(t reflect.Type) (name, suffix string, inner reflect.Type) {
	if t == reflect.TypeFor[time.Time]() {
		return "time", "", nil
	}
	if name := named[t]; name != "" {
		return name, "", nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.Slice, reflect.Array:
		name, suffix, inner = jsonType(t.Elem())
		return "list of " + name, "[]" + suffix, inner
	case reflect.Map:
		name, suffix, inner = jsonType(t.Elem())
		return "map to " + name, "{}" + suffix, inner
	case reflect.Struct:
		return "object", "", t
	case reflect.String:
		return "string", "", nil
	case reflect.Bool:
		return "boolean", "", nil
	case reflect.Float64:
		return "number", "", nil
	case reflect.Interface:
		if t == reflect.TypeFor[error]() {
			return "string", "", nil
		}
		return "any", "", nil
	}
	return "integer", "", nil
}

var jsonDocRow = regexp.MustCompile("^\\| `([^`]+)` \\| ([^|]+) \\| [^|]+ \\|$")

// readJSONDocs gives the fields and types of each section of docs/internals/json.md.
func readJSONDocs(t *testing.T) map[string]map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "docs", "internals", "json.md"))
	must(t, err)
	defer f.Close()
	sections := map[string]map[string]string{}
	var current map[string]string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "## "); ok {
			current = map[string]string{}
			sections[name] = current
			continue
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		row := jsonDocRow.FindStringSubmatch(line)
		if row == nil || current == nil || current[row[1]] != "" {
			t.Fatalf("docs/internals/json.md:%d: a row that can't be read, or a second one for the same field: %s", n,
				line)
		}
		current[row[1]] = strings.TrimSpace(row[2])
	}
	must(t, lines.Err())
	for name, fields := range sections {
		if len(fields) == 0 {
			delete(sections, name) // prose
		}
	}
	return sections
}

// What the commands print has the documented fields and no other, and all that
// aren't optional.
func TestJSONOutputIsAsDocumented(t *testing.T) {
	library, sources := demoLibrary(t)
	documented := readJSONDocs(t)
	for _, c := range []struct {
		section string
		args    []string
	}{
		{"recall query", []string{"query", "--no-sync", "--json", "how do we avoid charging a customer twice"}},
		{"recall query", []string{"query", "--no-sync", "--json", "quokka"}},
		{"recall query", []string{"query", "--no-sync", "--json", "webhook retries in project ledgerline since 2020-01-01"}},
		{"recall list", []string{"list", "--json"}},
		{"recall status", []string{"status", "--json"}},
		{"recall status --open", []string{"status", "--open", "--json"}},
		{"recall review", []string{"review", "--json"}},
		{"recall habits", []string{"habits", "--all", "--no-sync", "--json"}},
		{"recall audit", []string{"audit", "--project", "ledgerline", "--no-sync", "--json"}},
		{"recall wrap-up", []string{"wrap-up", "Dead-letter page", "--json"}},
		{"recall sync", []string{"sync", "--json", "--from", sources}},
		{"recall project list", []string{"project", "list", "--json"}},
		{"recall thread", []string{"thread", "ledgerline", "--json"}},
		{"recall show, resume", []string{"show", "Dead-letter page", "--json"}},
		{"recall show, resume", []string{"resume", "ledgerline", "--json", "--no-sync"}},
		{"recall show --actions", []string{"show", "Dead-letter page", "--actions", "--json"}},
		{"recall why FILE", []string{"why", "web/src/pages/DeadJobs.tsx", "--json"}},
		{"recall grep", []string{"grep", "-C", "1", "take that back", "--json"}},
		{"recall manifest", []string{"manifest", "Dead-letter page", "--json"}},
		{"recall config", []string{"config", "--json"}},
		{"recall backup, import", []string{"backup", "--to", filepath.Join(filepath.Dir(library), "copy"), "--json"}},
		{"recall guard", []string{"guard", "--json", sources}},
		{"recall archive", []string{"archive", "--json", "--from", sources}},
		{"recall check", []string{"check", "--json"}},
		{"recall check --repair", []string{"check", "--repair", "--json"}},
	} {
		out := mustRun(t, append([]string{"--library", library}, c.args...)...)
		docs := 0
		for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); docs++ {
			var v any
			if err := dec.Decode(&v); err != nil {
				t.Fatalf("recall %v: %v", c.args, err)
			}
			checkFields(t, fmt.Sprint("recall ", c.args), v, c.section, documented)
		}
		if docs == 0 {
			t.Errorf("recall %v prints nothing", c.args)
		}
	}
}

// checkFields holds one printed document, or a list of them, against its section.
func checkFields(t *testing.T, what string, v any, section string, documented map[string]map[string]string) {
	t.Helper()
	if list, ok := v.([]any); ok {
		for _, e := range list {
			checkFields(t, what, e, section, documented)
		}
		return
	}
	for _, fault := range faults(v, "", documented[section], documented) {
		t.Errorf("%s: %s", what, fault)
	}
}

// faults lists where an object isn't as its section says; prefix is the
// object's own path in it.
func faults(v any, prefix string, fields map[string]string, documented map[string]map[string]string) []string {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s is no object but %T", prefix, v)}
	}
	var out []string
	for path, typ := range fields {
		name, below := strings.CutPrefix(path, prefix)
		if _, there := object[strings.TrimRight(name, "[]{}")]; below && !strings.Contains(name, ".") &&
			!strings.HasSuffix(typ, "optional") && !there {
			out = append(out, path+" is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		out = append(out, faultsOf(object[name], prefix+name, fields, documented)...)
	}
	return out
}

func faultsOf(v any, path string, fields map[string]string, documented map[string]map[string]string) []string {
	for _, suffix := range []string{"", "[]", "{}"} {
		typ, known := fields[path+suffix]
		if !known {
			continue
		}
		each := []any{v}
		switch suffix {
		case "[]":
			each, _ = v.([]any)
		case "{}":
			m, _ := v.(map[string]any)
			each = slices.Collect(maps.Values(m))
		}
		var out []string
		for _, e := range each {
			one := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(typ, ", optional"), "list of "), "map to ")
			switch {
			case one == "object":
				out = append(out, faults(e, path+suffix+".", fields, documented)...)
			case one == "result":
				out = append(out, faults(e, "results[].", fields, documented)...)
			case slices.Contains(slices.Collect(maps.Values(named)), one):
				out = append(out, faults(e, "", documented[one], documented)...)
			}
		}
		return out
	}
	return []string{path + " isn't documented"}
}

// demoLibrary is the demo's library in a home of its own, and its sources.
func demoLibrary(t *testing.T) (library, sources string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LocalAppData", "AppData", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	dir := filepath.Join(home, "demo")
	mustRun(t, "demo", "--dir", dir)
	return filepath.Join(dir, "Recall"), filepath.Join(dir, "sources")
}
