package recall_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// rooms lists, as the table of ARCHITECTURE.md does, each room with the rooms it may import. A package below a room
// belongs to it; serve and internal hold several rooms.
var rooms = map[string][]string{
	"cmd": {"team", "serve/hooks", "serve/mcp", "serve/web", "answer", "pipeline", "index", "distill", "library",
		"ingest", "payload", "prompts", "internal/llm", "internal/redact", "internal/text", "internal/escape",
		"internal/hint", "internal/schedule"},
	"serve/hooks": {"answer", "pipeline", "index", "library", "ingest", "payload", "prompts", "internal/text",
		"internal/escape"},
	"serve/mcp": {"answer", "pipeline", "index", "library", "ingest", "payload", "prompts", "internal/redact",
		"internal/text", "internal/escape", "internal/hint"},
	"serve/web": {"answer", "pipeline", "index", "library", "ingest", "payload", "internal/llm", "internal/text",
		"internal/escape", "internal/hint"},
	"team": {"distill", "index", "library", "ingest", "payload", "internal/redact", "internal/text",
		"internal/escape", "internal/hint"},
	"answer": {"pipeline", "distill", "index", "library", "ingest", "payload", "prompts", "internal/llm",
		"internal/redact", "internal/text", "internal/escape", "internal/hint"},
	"pipeline": {"ingest", "library", "distill", "index", "payload", "internal/llm", "internal/redact",
		"internal/text", "internal/escape", "internal/hint"},
	"index":             {"payload", "ingest", "internal/llm", "internal/text"},
	"distill":           {"ingest", "payload", "prompts", "internal/llm", "internal/text"},
	"library":           {"payload", "ingest", "internal/text", "internal/escape", "internal/hint"},
	"ingest":            {"internal/text"},
	"payload":           {"internal/text", "internal/escape"},
	"prompts":           {},
	"internal/llm":      {"internal/text", "internal/escape"},
	"internal/redact":   {"internal/text", "internal/escape"},
	"internal/text":     {},
	"internal/escape":   {},
	"internal/hint":     {},
	"internal/schedule": {"internal/text", "internal/escape"},
}

// roomOf returns the room that a folder belongs to: its first part, or two below serve and internal.
func roomOf(dir string) string {
	parts := strings.SplitN(dir, "/", 3)
	if len(parts) > 1 && (parts[0] == "serve" || parts[0] == "internal") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// below lists rooms within rooms, with the packages of their own room they may import.
var below = map[string][]string{
	"serve/hooks/clients": {"serve/hooks"},
	"library": {"library/disk", "library/ledger", "library/manifest", "library/needle", "library/raw", "library/registry",
		"library/render", "library/state"},
	"library/check":    {"library", "library/disk", "library/raw", "library/render"},
	"library/disk":     {},
	"library/ledger":   {"library/disk"},
	"library/manifest": {"library/disk"},
	"library/merge":    {"library", "library/check", "library/disk", "library/forget", "library/raw", "library/render"},
	"library/needle":   {},
	"library/raw":      {"library/disk"},
	"library/registry": {"library/disk"},
	"library/render":   {},
	"library/state":    {"library/disk"},
	"pipeline/memory":  {},
	"pipeline/notes":   {},
	"pipeline/vectors": {},
	"pipeline/guard":   {"pipeline"},
	"pipeline/folders": {"pipeline"},
	"pipeline/improve": {"pipeline"},
	"pipeline/review":  {"pipeline", "pipeline/notes"},
	"answer":           {"answer/brief", "answer/compose", "answer/last"},
	"answer/history":   {"answer"},
}

// kept lists the only rooms in which a module may be imported.
var kept = map[string]string{
	"github.com/sashabaranov/go-openai":      "internal/llm/openai",
	"github.com/tmc/langchaingo":             "internal/llm/langchain",
	"github.com/modelcontextprotocol/go-sdk": "serve/mcp",
	"github.com/ncruces/go-sqlite3":          "index ingest/opencode library/state",
	"github.com/philippgille/chromem-go":     "index",
	"github.com/tailscale/hujson":            "serve/hooks/clients internal/llm/openai",
	"github.com/spf13/cobra":                 "cmd",
	"github.com/spf13/pflag":                 "cmd",
	"github.com/spf13/viper":                 "cmd/recall/config",
	"github.com/schollz/progressbar/v3":      "cmd",
	"github.com/rivo/uniseg":                 "cmd",
	"github.com/jackc/pgx/v5":                "team",
	"github.com/google/uuid":                 "team",
}

// noRooms are names that say nothing about their contents.
var noRooms = []string{"util", "utils", "common", "models", "types", "helpers", "misc"}

// source is one Go file: its folder relative to the root, its syntax, and whether it is a test.
type source struct {
	dir, name string
	file      *ast.File
	test      bool
	lines     int
	line      func(ast.Node) int
}

func TestImportsPointDown(t *testing.T) {
	used := map[[2]string]bool{}
	for _, s := range sources(t) {
		room := roomOf(s.dir)
		if room == "eval" { // a module beside the product: it may know all, nobody there may know it
			continue
		}
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s/%s: room %q isn't in the table", s.dir, s.name, room)
			continue
		}
		for _, imp := range s.file.Imports {
			p, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			to, ours := strings.CutPrefix(p, "recall/")
			if ours && roomOf(to) == "eval" {
				t.Errorf("%s/%s imports %s, of another module", s.dir, s.name, p)
			}
			if ours && !s.test {
				if within, ok := below[s.dir]; ok && roomOf(to) == room &&
					!slices.Contains(within, to) {
					t.Errorf("%s/%s imports %s: %s may not know it", s.dir, s.name, p, s.dir)
				}
				to = roomOf(to)
				used[[2]string{room, to}] = true
				if to != room && !slices.Contains(allowed, to) {
					t.Errorf("%s/%s imports %s: %s may not know %s", s.dir, s.name, p, room, to)
				}
			}
			for module, homes := range kept {
				away := !slices.ContainsFunc(strings.Fields(homes), func(home string) bool {
					return strings.HasPrefix(s.dir+"/", home+"/")
				})
				if (p == module || strings.HasPrefix(p, module+"/")) && away {
					t.Errorf("%s/%s imports %s, which stays in %s", s.dir, s.name, p, homes)
				}
			}
		}
	}
	for room, allowed := range rooms {
		for _, to := range allowed {
			if !used[[2]string{room, to}] {
				t.Errorf("%s doesn't import %s: take it out of the table", room, to)
			}
		}
	}
}

// Only packages of the room library may use what changes its folder as they like.
func TestOnlyTheLibraryChangesItsFolder(t *testing.T) {
	own := strings.Fields(`UnderLock WithSession SaveEntry ReplaceShared RewriteLines RemoveFolder MergeVersions
		Appending TempOf TakeID PutFile MergeEdits MarkBehind KeepChanged`)
	for _, s := range sources(t) {
		room, _, _ := strings.Cut(s.dir, "/")
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(own, sel.Sel.Name) && room != "library" {
				t.Errorf("%s/%s uses %s of the library", s.dir, s.name, sel.Sel.Name)
			}
			return true
		})
	}
}

// floors lists the packages below cmd/recall with those each may import. Groups of commands are independent of one
// another: what two of them need is in app.
var floors = map[string][]string{
	"terminal": {},
	"config":   {},
	"demo":     {},
	"app":      {"config", "demo", "terminal"},
	"option":   {"config", "app", "terminal"},
	"ask":      {"option", "app", "config", "demo", "terminal"},
	"review":   {"option", "app", "config", "demo", "terminal"},
	"keep":     {"option", "app", "config", "demo", "terminal"},
	"agents":   {"option", "app", "config", "demo", "terminal"},
	"setup":    {"option", "app", "config", "demo", "terminal"},
	"team":     {"option", "app", "config", "demo", "terminal"},
}

// Cobra ends at RunE: code below the commands takes a context and options.
func TestCommandsStandOnFloors(t *testing.T) {
	lines := map[string]int{}
	for _, s := range sources(t) {
		room, below := strings.CutPrefix(s.dir, "cmd/recall")
		if !below || s.test {
			continue
		}
		room = strings.TrimPrefix(room, "/")
		lines[room] += s.lines
		allowed, known := floors[room]
		if !known && room != "" {
			t.Errorf("%s/%s: %q isn't among the floors", s.dir, s.name, room)
		}
		for _, imp := range s.file.Imports {
			p, _ := strconv.Unquote(imp.Path.Value)
			if to, ours := strings.CutPrefix(p, "recall/cmd/recall/"); ours && room != "" &&
				!slices.Contains(allowed, to) {
				t.Errorf("%s/%s imports %s: %s may not know %s", s.dir, s.name, p, room, to)
			}
			if commands := room == "" || room == "option" ||
				slices.Contains(allowed, "option"); p == "github.com/spf13/cobra" && !commands {
				t.Errorf("%s/%s imports cobra, which ends at the commands", s.dir, s.name)
			}
		}
	}
	all := 0
	for room := range lines {
		all += lines[room]
	}
	if all > 16_000 {
		t.Errorf("cmd/recall has %d lines, more than 16,000: what isn't wiring, a command or the terminal is a room's", all)
	}
	for room := range floors {
		if lines[room] == 0 || lines[room] > 7000 {
			t.Errorf("cmd/recall/%s has %d lines; want at least one and at most 7,000", room, lines[room])
		}
	}
}

// The table itself has no cycle.
func TestTableHasNoCycle(t *testing.T) {
	var reach func(from, to string) bool
	reach = func(from, to string) bool {
		return slices.ContainsFunc(rooms[from], func(next string) bool { return next == to || reach(next, to) })
	}
	for room := range rooms {
		if reach(room, room) {
			t.Errorf("%s reaches itself", room)
		}
	}
}

func TestNoEmptyNames(t *testing.T) {
	for _, s := range sources(t) {
		for _, part := range append(strings.Split(s.dir, "/"), s.file.Name.Name) {
			if slices.Contains(noRooms, part) {
				t.Errorf("%s/%s: %q says nothing about its contents", s.dir, s.name, part)
			}
		}
	}
}

// A condition of more than four clauses has a name: it is assigned to a variable or returned by a function. A literal
// of more than five fields names them.
func TestConditionsHaveNames(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		named := map[ast.Node]bool{}
		name := func(n ast.Node) bool { named[n] = true; return !isFunc(n) }
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.AssignStmt, *ast.ReturnStmt, *ast.ValueSpec, *ast.KeyValueExpr:
				ast.Inspect(x, name)
			case *ast.BinaryExpr:
				if c := clauses(x); c > 4 && !named[x] {
					t.Errorf("%s/%s:%d: a condition of %d clauses without a name", s.dir, s.name, s.line(x), c)
				}
			case *ast.CompositeLit:
				_, array := x.Type.(*ast.ArrayType)
				if len(x.Elts) > 5 && !array && !isKeyed(x.Elts[0]) {
					t.Errorf("%s/%s:%d: a literal of %d fields without their names", s.dir, s.name, s.line(x), len(x.Elts))
				}
			}
			return true
		})
	}
}

// clauses counts the terms that && and || join.
func clauses(e ast.Expr) int {
	switch x := e.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return clauses(x.X) + clauses(x.Y)
		}
	case *ast.ParenExpr:
		return clauses(x.X)
	case *ast.UnaryExpr:
		return clauses(x.X)
	}
	return 1
}

func isFunc(n ast.Node) bool  { _, ok := n.(*ast.FuncLit); return ok }
func isKeyed(e ast.Expr) bool { _, ok := e.(*ast.KeyValueExpr); return ok }

// A line has at most 120 characters, except in a table or a long string literal: recorded text, or text that should be
// easy to search for.
func TestLinesFit(t *testing.T) {
	for _, s := range sources(t) {
		text, err := os.ReadFile(filepath.Join(s.dir, s.name))
		if err != nil {
			t.Fatal(err)
		}
		quoted := map[int]bool{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && (lit.Value[0] == '`' || len(lit.Value) > 60) {
				for i := range strings.Count(lit.Value, "\n") + 1 {
					quoted[s.line(lit)+i] = true
				}
			}
			return true
		})
		for i, line := range strings.Split(string(text), "\n") {
			row := strings.IndexAny(strings.TrimLeft(line, "\t"), "{\"") == 0
			if n := utf8.RuneCountInString(line); n > 120 && !quoted[i+1] && !row {
				t.Errorf("%s/%s:%d: a line of %d characters", s.dir, s.name, i+1, n)
			}
		}
	}
}

// Only cmd prints and ends the program.
func TestOnlyCmdPrints(t *testing.T) {
	loud := map[string]string{"os.Exit": "ends the program", "os.Stdout": "prints", "os.Stderr": "prints",
		"fmt.Print": "prints", "fmt.Println": "prints", "fmt.Printf": "prints",
		"log.Print": "prints", "log.Println": "prints", "log.Printf": "prints",
		"log.Fatal": "ends the program", "log.Fatalf": "ends the program", "log.Fatalln": "ends the program"}
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" || strings.HasPrefix(s.dir, "cmd/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil {
				if does := loud[x.Name+"."+sel.Sel.Name]; does != "" {
					t.Errorf("%s/%s: %s.%s %s; only cmd does", s.dir, s.name, x.Name, sel.Sel.Name, does)
				}
			}
			return true
		})
	}
}

// sources parses every Go file in the root's folders, except in those that Go ignores (testdata, .x, _x) and in other
// modules.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (name == "testdata" || name == "tools" || strings.HasPrefix(name, ".") ||
				strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		dir := path.Dir(filepath.ToSlash(p))
		if !strings.HasSuffix(name, ".go") || dir == "." {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			return err
		}
		all = append(all, source{dir, name, f, strings.HasSuffix(name, "_test.go"), fset.Position(f.End()).Line,
			func(n ast.Node) int { return fset.Position(n.Pos()).Line }})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found %d Go files, too few to be the repository", len(all))
	}
	return all
}

// atOneDoor lists calls allowed only in the named files. All other code uses what these files offer, which is safe even
// in a folder somebody else has tampered with.
var atOneDoor = []struct {
	in    string // folder
	calls []string
	files []string
	why   string
}{
	{"library", []string{"os.Open", "os.OpenFile", "os.OpenRoot", "os.ReadFile", "os.WriteFile", "os.Create",
		"os.CreateTemp", "os.ReadDir", "os.Mkdir", "os.MkdirAll",
		"os.MkdirTemp", "os.Remove", "os.RemoveAll", "os.Rename", "os.Link", "os.Symlink", "os.Truncate", "os.Chmod",
		"os.Chtimes", "filepath.Glob", "filepath.Walk",
		"filepath.WalkDir", "flock.New"},
		[]string{"library/disk/plain.go",
			// syncs folders
			"library/disk/disk.go", "library/disk/sync_other.go",
			// files outside the library
			"library/merge/backup.go",
			"library/merge/unpack.go", "library/restore/restore.go",
			"library/raw/source.go",
			"library/ramdisk/ramdisk_linux.go"}, // for tests
		"no code may follow links inside a library: use what library/disk offers"},
}

func TestOneDoor(t *testing.T) {
	found := 0
	for _, s := range sources(t) {
		for _, d := range atOneDoor {
			if s.test || s.dir != d.in && !strings.HasPrefix(s.dir, d.in+"/") {
				continue
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := sel.X.(*ast.Ident)
				if !ok || !slices.Contains(d.calls, of.Name+"."+sel.Sel.Name) {
					return true
				}
				if found++; !slices.Contains(d.files, s.dir+"/"+s.name) {
					t.Errorf("%s/%s calls %s.%s: %s", s.dir, s.name, of.Name, sel.Sel.Name, d.why)
				}
				return true
			})
		}
		if !s.test && s.dir != "tools" && s.dir+"/"+s.name != "answer/history/git.go" {
			ast.Inspect(s.file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (strings.HasPrefix(sel.Sel.Name, "Command") ||
					sel.Sel.Name == "LookPath") {
					for _, a := range call.Args {
						if lit, ok := a.(*ast.BasicLit); ok && lit.Value == `"git"` {
							t.Errorf("%s/%s runs git: only git.go does", s.dir, s.name)
						}
					}
				}
				return true
			})
		}
	}
	if found == 0 {
		t.Error("no such call found: this shows nothing")
	}
}
