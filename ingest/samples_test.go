package ingest_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/codex"
	"recall/ingest/cowork"
	"recall/ingest/gemini"
	"recall/ingest/ingesttest"
	"recall/ingest/opencode"
	"recall/ingest/opencode/opencodetest"
	"recall/internal/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// What the parsers make of the samples and of what the real client wrote, every field. After a change on purpose:
// go test ./ingest -run Samples -update, and read the diff.
func TestParsedSamples(t *testing.T) {
	samples, _ := filepath.Glob("testdata/samples/[01]*")
	rig, _ := filepath.Glob("testdata/rig/[a-z]*")
	if samples = append(samples, rig...); len(samples) != 21 {
		t.Fatalf("%d samples; want 21", len(samples))
	}
	for _, dir := range samples {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			golden := filepath.Join("testdata", "parsed", filepath.Base(dir)+".txt")
			if rows, err := os.ReadFile(filepath.Join(dir, "rows.sql")); err == nil { // of a database
				t.Setenv("XDG_CACHE_HOME", t.TempDir())
				dir = t.TempDir()
				if err := opencodetest.Exec(filepath.Join(dir, "opencode.db"), string(rows)); err != nil {
					t.Fatal(err)
				}
			}
			got := parsed(t, dir)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// parsed finds and parses all sessions under dir, and lists what each says; where dir lies is left out.
func parsed(t *testing.T, dir string) string {
	t.Helper()
	whole, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer(whole, "DIR", dir, "DIR")
	var sessions []*ingest.Session
	for _, r := range []ingest.Reader{claudecode.Reader{}, cowork.Reader{}, codex.Reader{}, gemini.Reader{},
		opencode.Reader{}} {
		found, problems := r.Find(context.Background(), dir, nil)
		for _, p := range problems {
			t.Errorf("%s: %s", p.Path, p.Reason())
		}
		for _, f := range found {
			sessions = append(sessions, ingesttest.Parse(t, r, f))
		}
	}
	ingest.Own(sessions)
	var out strings.Builder
	for _, s := range sessions {
		outline(&out, "", reflect.ValueOf(*s), names)
		out.WriteString("\n")
	}
	return out.String()
}

// outline lists whatever isn't empty of a value, a line each, with the way to it; texts are clipped.
func outline(out *strings.Builder, at string, v reflect.Value, names *strings.Replacer) {
	at = strings.TrimPrefix(at, ".")
	switch {
	case v.IsZero():
	case v.Type() == reflect.TypeFor[time.Time]():
		fmt.Fprintf(out, "%s: %s\n", at, v.Interface().(time.Time).UTC().Format(time.RFC3339))
	case v.Kind() == reflect.Pointer:
		outline(out, at, v.Elem(), names)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				outline(out, at+"."+f.Name, v.Field(i), names)
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			outline(out, fmt.Sprintf("%s[%d]", at, i), v.Index(i), names)
		}
	case v.Kind() == reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			outline(out, fmt.Sprintf("%s[%v]", at, key), v.MapIndex(key), names)
		}
	case v.Kind() == reflect.String:
		fmt.Fprintf(out, "%s: %s\n", at, text.Clip(strings.Join(strings.Fields(names.Replace(v.String())), " "), 100))
	default:
		fmt.Fprintf(out, "%s: %v\n", at, v)
	}
}
