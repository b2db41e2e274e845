package render_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/library/render"
	"recall/payload"
	"recall/web/browsertest"
)

// A session's exported page in a real browser, whatever was said in it: it fetches
// nothing, runs nothing, breaks none of its own policy, and is styled.
func TestExportInBrowser(t *testing.T) {
	b := browsertest.Open(t)
	evil := "</style><script>document.title='ran'</script><img src=http://evil.example/a.png onerror=\"document.title='ran'\"> [x](javascript:alert(1)) ![p](http://evil.example/p.png) " +
		"<a href=javascript:alert(1)>y</a> <iframe src=http://evil.example></iframe> <base href=http://evil.example/> <form action=http://evil.example><input autofocus onfocus=alert(1)></form> \u202e\u200b\u009b \"'` &#60;script&#62;"
	s := &ingest.Session{ID: "e0000001", Title: evil, Turns: []ingest.Turn{
		{ID: "u1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: evil + "\n\n| a | b |\n|---|--:|\n| 1 | " + evil + " |\n\n```\n" + evil + "\n```\n\n- **bold** " + evil},
		{ID: ingest.TurnID(`a1" onclick="document.title='ran'`), N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "# " + evil, Calls: []ingest.ToolCall{
			{ID: "c1", Name: evil, Command: evil, Result: evil, Done: true, Reason: evil}}}}}
	p := &payload.Payload{Items: []payload.Item{{Kind: payload.Decision, Text: evil, Why: evil, State: payload.Stands, Evidence: []payload.Evidence{{Turn: `u1"><script>`, N: 1, Quote: evil}}}}}
	page, err := render.HTML(s, render.About{Title: evil, Project: evil}, p)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "export.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		b.Call(domain+".enable", nil, nil)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	b.Goto(address)
	quiet(t, "export", b.Events, address)
	var got struct {
		Title         string
		Styled, Table bool
		Active        int
	}
	b.Eval(`({Title: document.title, Styled: getComputedStyle(document.querySelector('.turn')).borderRadius == '10px',
		Table: !!document.querySelector('td[align=right]'),
		Active: document.querySelectorAll('script, img, iframe, form, input, base, object, [onclick], [onerror], a[href]:not([href^="#"])').length})`, &got)
	if !strings.HasPrefix(got.Title, "</style><script>") || !got.Styled || !got.Table || got.Active != 0 {
		t.Errorf("got %+v, want its own title, the style, a table and nothing that acts", got)
	}
}

// quiet holds that a page fetched nothing but itself and complained of nothing.
func quiet(t *testing.T, name string, events []browsertest.Event, address string) {
	t.Helper()
	own := false
	for _, e := range events {
		switch e.Method {
		case "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &p); err != nil {
				t.Fatal(err)
			}
			own = own || p.Request.URL == address
			if p.Request.URL != address && !strings.HasPrefix(p.Request.URL, "data:") {
				t.Errorf("%s: the page asks for %s", name, p.Request.URL)
			}
		case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
			t.Errorf("%s: on the console: %s", name, e.Params)
		}
	}
	if !own {
		t.Errorf("%s: the request for the page itself wasn't seen, so others wouldn't be", name)
	}
}
