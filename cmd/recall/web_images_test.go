package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recall/ingest/opencode/opencodetest"
)

// webP is a picture of one point, which the standard library doesn't write.
const webP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA="

// pictured writes a session of Claude Code with a JPEG in its prompt and a PNG, which is in its record twice, a GIF, a
// WebP and an image that is torn in a result, and others' with a PNG. It returns their images as they are.
func pictured(t *testing.T, home string) (claude string, others []string, all map[string][]byte) {
	t.Helper()
	drawn := image.NewPaletted(image.Rect(0, 0, 800, 400), color.Palette{color.White, color.RGBA{200, 30, 30, 255}})
	for i := range drawn.Pix {
		drawn.Pix[i] = uint8(i / 40 % 2)
	}
	all = map[string][]byte{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, drawn) },
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, drawn, nil) },
		"gif":  func(b *bytes.Buffer) error { return gif.Encode(b, drawn, nil) },
	} {
		var b bytes.Buffer
		must(t, encode(&b))
		all[name] = b.Bytes()
	}
	var err error
	all["webp"], err = base64.StdEncoding.DecodeString(webP)
	must(t, err)
	block := func(kind string) string {
		return fmt.Sprintf(`{"type":"image","source":{"type":"base64","media_type":"image/%s","data":%q}}`, kind,
			base64.StdEncoding.EncodeToString(all[kind]))
	}
	claude = "00000004-0000-4000-8000-000000000001"
	ofRecords(t, home, claude,
		`"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":[{"type":"text","text":`+
			`"Make the header match it."},`+block("jpeg")+`]}`,
		`"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","type":"message","role":"assistant",`+
			`"model":"claude-opus-4-8","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/a.png"}}]}`,
		`"type":"user","uuid":"r1","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"t1","content":[`+block("png")+","+block("gif")+","+block("webp")+`,{"type":"image","source":`+
			`{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAA"}}]}]},"toolUseResult":{"type":"image","file":`+
			fmt.Sprintf(`{"base64":%q,"type":"image/png"}}`, base64.StdEncoding.EncodeToString(all["png"])),
		`"type":"assistant","uuid":"a2","parentUuid":"r1","message":{"id":"m2","type":"message","role":"assistant",`+
			`"model":"claude-opus-4-8","content":[{"type":"text","text":"It does."}]}`)
	codex, inline := "01a00000-0000-7000-8000-0000000000aa", base64.StdEncoding.EncodeToString(all["png"])
	var b strings.Builder
	for i, line := range []string{
		fmt.Sprintf(`"type":"session_meta","payload":{"id":%q,"timestamp":"2026-04-03T09:00:00.000Z","cwd":"/home/ann/app",`+
			`"originator":"codex_cli_rs","cli_version":"0.80.0"}`, codex),
		`"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":` +
			fmt.Sprintf(`"What is on it?"},{"type":"input_image","image_url":"data:image/png;base64,%s"}]}`,
				inline),
		`"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":` +
			`"Stripes."}]}`,
	} {
		fmt.Fprintf(&b, `{"timestamp":"2026-04-03T09:0%d:00.000Z",%s}`+"\n", i, line)
	}
	dir := filepath.Join(home, ".codex", "sessions", "2026", "04", "03")
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "rollout-2026-04-03T09-00-00-"+codex+".jsonl"), []byte(b.String()), 0o600))
	gemini := "7c0a0000-0000-4000-8000-0000000000bb"
	const at = `"timestamp":"2026-04-03T09:00:00.000Z"`
	dir = filepath.Join(home, ".gemini", "tmp", "app", "chats")
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "session-2026-04-03T09-00-7c0a0000.jsonl"), []byte(
		fmt.Sprintf(`{"sessionId":%q,"projectHash":"a1","startTime":"2026-04-03T09:00:00.000Z","kind":"main"}`+"\n", gemini)+
			`{"id":"u",`+at+`,"type":"user","content":[{"text":"What is on it?"},{"inlineData":{"mimeType":"image/png","data":"`+
			inline+`"}}]}`+"\n"+`{"id":"a",`+at+`,"type":"gemini","content":"Stripes."}`+"\n"), 0o600))
	rows := `INSERT INTO session (id, directory, title, version, time_created, time_updated)
		VALUES ('ses_p', '/home/ann/app', 'Stripes', '1.2.0', 1775206800000, 1775206900000);`
	for i, part := range []string{`{"type":"text","text":"What is on it?"}`,
		`{"type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,` + inline + `"}`,
		`{"type":"text","text":"Stripes."}`} {
		if message := fmt.Sprintf("msg_%d", i/2); i != 1 {
			rows += fmt.Sprintf(`INSERT INTO message VALUES ('%s', 'ses_p', 1775206800000, 1775206800000,
				'{"role":%q,"time":{"created":1775206800000}}');`, message, []string{"user", "", "assistant"}[i])
		}
		rows += fmt.Sprintf(`INSERT INTO part VALUES ('prt_%d', 'msg_%d', 'ses_p', 1775206800000, 1775206800000, '%s');`,
			i, i/2, part)
	}
	must(t, opencodetest.Exec(filepath.Join(home, ".local", "share", "opencode", "opencode.db"), rows))
	return claude, []string{codex, gemini, "ses_p"}, all
}

// Images stand at their turn, each once, as their client wrote them; those of all clients do.
func TestWebImages(t *testing.T) {
	t.Parallel()
	home, recall := asProgram(t)
	claude, others, all := pictured(t, home)
	recall(nil, "sync")
	get := enter(t, startWeb(t, home, filepath.Join(home, "Recall")))
	shown := regexp.MustCompile(`<a href="(/session/[^"]*/image/[^"]*)"><img src="([^"]*)" loading="lazy"`)
	for _, id := range append(others, claude) {
		want := []string{"png"}
		if id == claude {
			want = []string{"jpeg", "png", "gif", "webp"}
		}
		turns := strings.Split(get("/session/"+id, nil), `<section class="told"`)
		var seen []string
		for i, turn := range turns {
			for _, m := range shown.FindAllStringSubmatch(turn, -1) {
				_, whole, _ := strings.Cut(get(strings.ReplaceAll(m[1], "&amp;", "&"), nil), " ")
				kind := strings.TrimPrefix(http.DetectContentType([]byte(whole)), "image/")
				if !bytes.Equal([]byte(whole), all[kind]) || m[2] != m[1] {
					t.Errorf("%s isn't the %s that was written", m[1], kind)
				}
				if early := kind == "jpeg" || id != claude; early != (i == 1) {
					t.Errorf("the %s is at turn %d", kind, i)
				}
				seen = append(seen, kind)
			}
		}
		if fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("%s: got %q, want %q", id, seen, want)
		}
	}
	if page := get("/session/"+claude+"/image/00?file=transcript.jsonl&line=1", nil); !strings.HasPrefix(page, "404") {
		t.Errorf("an image that isn't there: %.100s", page)
	}
}

// Images are seen in a browser.
func TestWebImagesInBrowser(t *testing.T) {
	inBrowser(t)
	home, recall := asProgram(t)
	claude, _, _ := pictured(t, home)
	recall(nil, "sync")
	v := visitWeb(t, home, filepath.Join(home, "Recall"))
	v.to("/session/" + claude)
	v.until("its images", `(all => { // they are loaded when they come into view
		all.find(e => !e.complete || !e.naturalWidth)?.scrollIntoView();
		return all.length == 4 && all.every(e => e.complete && e.naturalWidth > 0 && e.clientWidth <= 320 && e.clientHeight <= 200);
	})([...document.querySelectorAll('.pictures img')])`)
	v.tabTo("an image", `e.closest('.pictures')`)
	v.press("Enter")
	v.until("it is whole", `location.pathname.includes('/image/') && document.images[0].naturalWidth == 800`)
	v.quiet("images")
}
