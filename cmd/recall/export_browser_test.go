package main

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/library/render"
	"recall/payload"
)

// A session's exported page in a real browser, whatever was said in it: it fetches
// nothing, runs nothing, breaks none of its own policy, and is styled.
func TestExportInBrowser(t *testing.T) {
	dir := t.TempDir()
	v := &visit{browser: openBrowser(t), t: t, own: (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()}
	evil := "</style><script>document.title='ran'</script>" +
		"<img src=http://evil.example/a.png onerror=\"document.title='ran'\"> " +
		"[x](javascript:alert(1)) ![p](http://evil.example/p.png) <a href=javascript:alert(1)>y</a> " +
		"<iframe src=http://evil.example></iframe> <base href=http://evil.example/> " +
		"<form action=http://evil.example><input autofocus onfocus=alert(1)></form> " +
		"\u202e\u200b\u009b \"'` &#60;script&#62;"
	call := ingest.ToolCall{ID: "c1", Name: evil, Command: evil, Result: evil, Done: true, Reason: evil}
	s := &ingest.Session{ID: "e0000001", Title: evil, Turns: []ingest.Turn{
		{ID: "u1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: evil + "\n\n| a | b |\n|---|--:|\n| 1 | " +
			evil + " |\n\n```\n" + evil + "\n```\n\n- **bold** " + evil},
		{ID: ingest.TurnID(`a1" onclick="document.title='ran'`), N: 2, Role: ingest.Assistant, Kind: ingest.Message,
			Text: "# " + evil, Calls: []ingest.ToolCall{call}}}}
	p := &payload.Payload{Items: []payload.Item{{Kind: payload.Decision, Text: evil, Why: evil, State: payload.Stands,
		Evidence: []payload.Evidence{{Turn: `u1"><script>`, N: 1, Quote: evil}}}}}
	page, err := render.HTML(s, render.About{Title: evil, Project: evil}, p)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "export.html"), page, 0o600))
	v.listen()
	v.to("/export.html")
	asked := func(e browserEvent) bool { return e.Method == "Network.requestWillBeSent" }
	if !slices.ContainsFunc(v.Events, asked) {
		t.Error("the request for the page itself wasn't seen, so others wouldn't be")
	}
	var got struct {
		Title         string
		Styled, Table bool
		Active        int
	}
	v.Eval(`({Title: document.title, Styled: getComputedStyle(document.querySelector('.turn')).borderRadius == '10px',
		Table: !!document.querySelector('td[align=right]'),
		Active: document.querySelectorAll('script, img, iframe, form, input, base, object, [onclick], [onerror], ' +
			'a[href]:not([href^="#"])').length})`, &got)
	if !strings.HasPrefix(got.Title, "</style><script>") || !got.Styled || !got.Table || got.Active != 0 {
		t.Errorf("got %+v, want its own title, the style, a table and nothing that acts", got)
	}
}
