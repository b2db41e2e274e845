package claudecode

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// BenchmarkParse parses sessions of several makes.
func BenchmarkParse(b *testing.B) {
	b.Run("text", func(b *testing.B) { benchParse(b, textHeavy(16<<20)) })
	b.Run("images", func(b *testing.B) { benchParse(b, imageHeavy(64<<20)) })
	b.Run("shared", func(b *testing.B) {
		shared := os.Getenv("RECALL_SHARED")
		if shared == "" {
			b.Skip("RECALL_SHARED is not set")
		}
		benchParse(b, allTranscripts(b, filepath.Join(shared, "transcripts", "dev")))
	})
}

func benchParse(b *testing.B, raw []byte) {
	found := ingest.Found{ID: "bench", Files: []ingest.File{ingesttest.File(mainName, ingest.Transcript, raw)}}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := Reader{}.Parse(context.Background(), found)
		if err != nil || len(s.Turns) == 0 {
			b.Fatalf("got %v, %v, want turns", s, err)
		}
	}
}

// textHeavy makes a session like real ones: prompts, answers with code, edits
// with the whole file beside, command output, progress.
func textHeavy(size int) []byte {
	var w bytes.Buffer
	rnd := rand.New(rand.NewPCG(1, 2))
	parent := "null"
	for i := 0; w.Len() < size; i++ {
		uuid := fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i)
		env := fmt.Sprintf(`"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/home/ann/app",`+
			`"sessionId":"bench","version":"2.1.39","gitBranch":"main","uuid":%q,"timestamp":%q`,
			parent, uuid, day.Add(time.Duration(i)*time.Second).Format(time.RFC3339Nano))
		switch i % 6 {
		case 0:
			fmt.Fprintf(&w, `{%s,"type":"user","message":{"role":"user","content":%s}}`, env, quote(prose(rnd, 40)))
		case 1:
			fmt.Fprintf(&w,
				`{%s,"type":"assistant","requestId":"r","message":{"model":"claude-opus-4-8","id":"msg_%d",`+
					`"type":"message","role":"assistant","content":[{"type":"text","text":%s}],"stop_reason":null,`+
					`"usage":{"input_tokens":10,"output_tokens":9}}}`, env, i, quote(prose(rnd, 300)+code(rnd, 20)))
		case 2:
			fmt.Fprintf(&w,
				`{%s,"type":"assistant","requestId":"r","message":{"model":"claude-opus-4-8","id":"msg_%d",`+
					`"type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Edit",`+
					`"input":{"file_path":"/home/ann/app/a.go","old_string":%s,"new_string":%s}}],"stop_reason":null,`+
					`"usage":{"input_tokens":10,"output_tokens":9}}}`, env, i-1, i, quote(code(rnd, 8)),
				quote(code(rnd, 9)))
		case 3:
			file := quote(code(rnd, 400))
			fmt.Fprintf(&w, `{%s,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d",`+
				`"type":"tool_result","content":%s}]},"toolUseResult":{"filePath":"/home/ann/app/a.go","originalFile":%s,`+
				`"structuredPatch":[]}}`, env, i-1, quote(code(rnd, 30)), file)
		case 4:
			fmt.Fprintf(&w,
				`{%s,"type":"progress","data":{"type":"hook_progress","hookEvent":"PreToolUse","command":"true"},`+
					`"toolUseID":"x"}`, env)
		case 5:
			out := quote(code(rnd, 150))
			fmt.Fprintf(&w, `{%s,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_none",`+
				`"type":"tool_result","content":%s}]},"toolUseResult":{"stdout":%s,"stderr":""}}`, env, out, out)
		}
		w.WriteByte('\n')
		parent = `"` + uuid + `"`
	}
	return w.Bytes()
}

// imageHeavy makes a session of which four fifths are screenshots.
func imageHeavy(size int) []byte {
	text := textHeavy(size / 5)
	rnd := rand.New(rand.NewPCG(3, 4))
	blob := make([]byte, 1<<20)
	for i := range blob {
		blob[i] = byte(rnd.Uint32())
	}
	image := base64.StdEncoding.EncodeToString(blob)
	lines := bytes.SplitAfter(text, []byte("\n"))
	images := (size - len(text)) / len(image)
	var w bytes.Buffer
	for i, line := range lines {
		w.Write(line)
		if i%(len(lines)/images+1) == 0 {
			fmt.Fprintf(&w, `{"type":"user","uuid":"image-%d","parentUuid":null,"sessionId":"bench",`+
				`"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":[{"type":"tool_result",`+
				`"tool_use_id":"t%d","content":[{"type":"image","source":{"type":"base64","media_type":"image/png",`+
				`"data":%q}}]}]},"toolUseResult":{"type":"image","file":{"base64":"%s","type":"image/png"}}}`+"\n", i,
				i, image,
				image[:len(image)/8])
		}
	}
	return w.Bytes()
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

var words = strings.Fields(`the cache holds a price for one hour and we decided that SQLite stays because nobody wants
	another server to run it's “simple” enough — tests pass go on with migration index session transcript`)

func prose(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(words[rnd.IntN(len(words))])
		if i%15 == 14 {
			b.WriteString(".\n\n")
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func code(rnd *rand.Rand, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "\tif err := run(ctx, %q, %d); err != nil { // %s\n", words[rnd.IntN(len(words))], i,
			words[rnd.IntN(len(words))])
	}
	return b.String()
}

// allTranscripts joins the transcripts under dir to one file in memory.
func allTranscripts(b *testing.B, dir string) []byte {
	var all bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		raw, err := os.ReadFile(path)
		all.Write(raw)
		all.WriteByte('\n')
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return all.Bytes()
}

var day = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
