package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"recall/web/browsertest"
)

// startWeb runs recall web over a library until the test ends, and returns the link that it prints.
func startWeb(t *testing.T, home, library string, args ...string) (link string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(home, "bin", "recall"), append([]string{"--library", library, "web"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CACHE_HOME="+home+"/cache",
		"LocalAppData="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config", "AppData="+home+"/config")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	link, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(link)
}

// demoed makes the demo's library whose items a model made.
func demoed(t *testing.T) (home, library string) {
	home, recall := asProgram(t)
	dir := filepath.Join(home, "demo")
	recall(nil, "demo", "--dir", dir)
	return home, filepath.Join(dir, "Recall-model")
}

// Who has the link sees the pages, once; nobody else does, by whatever name or from whatever page they ask.
func TestWebLetsNobodyElseIn(t *testing.T) {
	home, recall := asProgram(t)
	tell(t, home, 1, "retries use jittered backoff", "Noted.")
	recall(nil, "sync")
	link := startWeb(t, home, filepath.Join(home, "Recall"))
	at, err := url.Parse(link)
	if err != nil || at.Hostname() != "127.0.0.1" {
		t.Fatalf("the link is %q, want one to this machine", link)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	in := &http.Client{Jar: jar}
	ask := func(who *http.Client, method, path string, want int, headers ...string) (body string) {
		t.Helper()
		req, err := http.NewRequest(method, "http://"+at.Host+path, strings.NewReader("session=x&back=//evil.example/"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
			if headers[i] == "Host" {
				req.Host = headers[i+1]
			}
		}
		res, err := who.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != want {
			t.Errorf("%s %s %v: %s (%v), want %d", method, path, headers, res.Status, err, want)
		}
		if policy := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s %s: the policy is %q", method, path, policy)
		}
		return string(b)
	}
	stranger := http.DefaultClient
	ask(stranger, "GET", "/", http.StatusForbidden)
	ask(stranger, "GET", "/?token=AAAA", http.StatusForbidden)
	ask(in, "GET", "/?token="+at.Query().Get("token"), http.StatusOK)
	ask(stranger, "GET", "/?token="+at.Query().Get("token"), http.StatusForbidden) // it was used
	if page := ask(in, "GET", "/sessions", http.StatusOK); !strings.Contains(page, "retries use jittered backoff") {
		t.Errorf("the sessions aren't listed:\n%s", page)
	}
	ask(in, "GET", "/sessions", http.StatusMisdirectedRequest, "Host", "evil.example")
	ask(in, "GET", "/sessions", http.StatusMisdirectedRequest, "Host", "127.0.0.1.evil.example")
	ask(in, "POST", "/say", http.StatusForbidden, "Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site")
	ask(in, "POST", "/say", http.StatusForbidden, "Sec-Fetch-Site", "same-site")
	ask(in, "POST", "/say", http.StatusUnprocessableEntity) // ours, but no word
	ask(in, "GET", "/say", http.StatusNotFound)
	ask(in, "GET", "/session/nosuch", http.StatusNotFound)
	ask(in, "GET", "/session/..%2f..%2fetc", http.StatusNotFound)
}

// What pages show and keep, asked as a browser asks.
func TestWebPages(t *testing.T) {
	home, library := demoed(t)
	link := startWeb(t, home, library)
	at, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	get := func(path string, post url.Values) string {
		t.Helper()
		ask := func() (*http.Response, error) { return browser.Get("http://" + at.Host + path) }
		if post != nil {
			ask = func() (*http.Response, error) { return browser.PostForm("http://"+at.Host+path, post) }
		}
		res, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 200<<10 {
			t.Errorf("%s has %d KB, want at most 200", path, len(b)>>10)
		}
		return fmt.Sprint(res.StatusCode, " ", string(b))
	}
	holds := func(page string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !regexp.MustCompile(w).MatchString(page) {
				t.Errorf("%q isn't in\n%.3000s", w, page)
			}
		}
	}
	get("/?token="+at.Query().Get("token"), nil)
	holds(get("/?q=what+did+we+decide+about+the+job+queue", nil), `^200`, `FOR UPDATE SKIP LOCKED`, `stands since`)
	holds(get("/time?project=ledgerline", nil), `^200`, `class="dot stands"`, `<path class="elbow"`,
		`<caption>What was decided`)
	holds(get("/time?since=nonsense", nil), `^400`, `no day like`)
	sessions := get("/sessions?find=invoice+runs", nil)
	id := regexp.MustCompile(`/session/([0-9a-f-]{36})`).FindStringSubmatch(sessions)
	if id == nil {
		t.Fatalf("no session found:\n%s", sessions)
	}
	page := "/session/" + id[1]
	holds(get(page+"?find=skip+locked", nil), `^200`, `<mark>(?i:skip locked)</mark>`, `claude --resume `+id[1],
		`class="rests"`)
	holds(get(page+"?find=nowhere+at+all", nil), `No match in this session`)
	holds(get(page+"/raw/transcript.jsonl", nil), `^200`, `Show it with its secrets`)
	holds(get(page+"/raw/transcript.jsonl?secrets=shown", nil), `^200 \{"`)
	holds(get(page+"/raw/../../library.toml", nil), `^404`)

	// A star is a star alone, whatever stands in the field for the title.
	get("/mark", url.Values{"session": {id[1]}, "star": {"yes"}, "name": {"another title"}, "back": {page}})
	holds(get("/sessions?starred", nil), `^200`, `1 session`, `Job queue for invoice runs`)
	get("/mark", url.Values{"session": {id[1]}, "save": {"yes"}, "tag": {"jobs"}, "name": {"Jobs in Postgres"}})
	holds(get("/sessions?tag=jobs", nil), `Jobs in Postgres`)

	// Kept and dropped items leave the inbox, and come back.
	item := regexp.MustCompile(`name="session" value="([^"]+)"><input type="hidden" name="item" value="([^"]+)"`)
	first := item.FindStringSubmatch(get("/review", nil))
	for _, word := range []string{"keep", "drop", "pin"} {
		said := url.Values{"session": {first[1]}, "item": {first[2]}, "word": {word}, "back": {"/review"}}
		waits := `<button name="word" value="` + word + `"`
		topmost := func(page string) string { return item.FindStringSubmatch(page[strings.Index(page, "inbox"):])[2] }
		if now := get("/say", said); !strings.Contains(now, "Undo") || topmost(now) == first[2] {
			t.Errorf("after %s it still waits, or can't be taken back", word)
		}
		said.Set("word", "unpin")
		now := get("/say", said)
		holds(now, waits)
		if topmost(now) != first[2] {
			t.Errorf("%s was taken back, and it doesn't wait again", word)
		}
	}
	nosuch := url.Values{"session": {first[1]}, "item": {"nosuch"}, "word": {"keep"}, "back": {"/review"}}
	holds(get("/say", nosuch), `^422`,
		`no such item`, `<a href="/review">Back`)

	// Of a library that is only to be looked at nothing is said.
	link = startWeb(t, home, library, "--read-only")
	at, _ = url.Parse(link)
	get("/?token="+at.Query().Get("token"), nil)
	holds(get("/say", url.Values{"session": {first[1]}, "item": {first[2]}, "word": {"keep"}}), `^403`, `read only`)
	if strings.Contains(get("/review", nil), `value="keep"`) {
		t.Error("a page that is only to be read has forms")
	}
}

// Every page and every link of every page, on a library with decisions and on an empty one, in a real browser: nothing
// is fetched from elsewhere, nothing stands on the console, nothing is wider than a phone or too pale to be read.
func TestWebInBrowser(t *testing.T) {
	if os.Getenv(browsertest.Wanted) == "" {
		t.Skip(browsertest.Wanted + " not set")
	}
	home, library := demoed(t)
	empty := filepath.Join(t.TempDir(), "empty")
	cmd := exec.Command(filepath.Join(home, "bin", "recall"), "--library", empty, "sync", "--from", t.TempDir())
	// though nothing is there to take in
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "made a library") {
		t.Fatalf("%s", out)
	}
	for name, dir := range map[string]string{"demo": library, "empty": empty} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.Open(t)
			for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
				b.Call(domain+".enable", nil, nil)
			}
			link := startWeb(t, home, dir)
			at, err := url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			b.Goto(link)
			own := "http://" + at.Host
			todo, seen := []string{own + "/", own + "/?q=what+did+we+decide+about+the+queue"}, map[string]bool{}
			for len(todo) > 0 {
				page := todo[0]
				todo = todo[1:]
				if seen[page] {
					continue
				}
				seen[page] = true
				b.Goto(page)
				quietPage(t, page, b.Events, own)
				var links []string
				b.Eval(`[...document.querySelectorAll('a[href]')].map(a => new URL(
					a.getAttribute('href'), location).href.replace(/#.*/, ''))`, &links)
				for _, to := range links {
					if !strings.HasPrefix(to, own+"/") {
						t.Errorf("%s leads away, to %s", page, to)
					}
					if !strings.Contains(to, "secrets=shown") && !seen[to] && len(seen)+len(todo) < 150 {
						todo = append(todo, to)
					}
				}
			}
			if want := map[string]int{"demo": 20, "empty": 7}[name]; len(seen) < want {
				t.Errorf("only %d pages were seen", len(seen))
			}
			t.Logf("%d pages", len(seen))
			screens := []string{"/?q=what+did+we+decide+about+the+queue", "/review", "/time", "/sessions", "/now",
				"/health"}
			for page := range seen {
				if strings.Contains(page, "/session/") && !strings.Contains(page, "/raw/") {
					screens = append(screens, strings.TrimPrefix(page, own))
					break
				}
			}
			for _, page := range screens {
				for _, s := range []struct {
					name, scheme string
					width        int
				}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}} {
					b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": s.width, "height": 844,
						"deviceScaleFactor": 1, "mobile": s.width < 500}, nil)
					b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
						{"name": "prefers-color-scheme", "value": s.scheme}}}, nil)
					b.Goto(own + page)
					shot(t, b, name+regexp.MustCompile(`[^a-z]+`).ReplaceAllString(page, "-")+"-"+s.name)
					var got struct{ Wide, Pale, Nameless []string }
					b.Eval(pageFaults, &got)
					if len(got.Wide)+len(got.Pale)+len(got.Nameless) > 0 {
						t.Errorf("%s, %s: wider than the window %q, too pale %q, without a name %q", page, s.name,
							got.Wide,
							got.Pale, got.Nameless)
					}
				}
			}
		})
	}
}

// pageFaults are a page's elements that are wider than the window, whose text is too pale, and controls without a name.
const pageFaults = `(() => {
	document.querySelectorAll('details').forEach(d => d.open = true);
	const what = e => e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + e.textContent.trim().slice(0, 30);
	const rgb = s => s.match(/[\d.]+/g).map(Number);
	const lum = c => {
		const f = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
		return .2126 * f[0] + .7152 * f[1] + .0722 * f[2];
	};
	const behind = e => {
		for (; e; e = e.parentElement) {
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] > .9) return c;
		}
		return [255, 255, 255];
	};
	const out = {Wide: [], Pale: [], Nameless: []};
	for (const e of document.querySelectorAll('body *')) {
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		if (r.width < 2 || r.height < 2 || e.closest('svg, .skip')) continue;
		if (r.right > innerWidth + 1 && !e.closest('.scroll, pre, .turn table')) out.Wide.push(what(e));
		if (/^(INPUT|SELECT|TEXTAREA|BUTTON|A)$/.test(e.tagName) && e.type != 'hidden' &&
			!(e.labels?.length || e.textContent.trim() || e.getAttribute('aria-label')))
			out.Nameless.push(e.outerHTML.slice(0, 80));
		if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
		const a = lum(rgb(s.color)), b = lum(behind(e));
		if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) out.Pale.push(what(e));
	}
	return out;
})()`

// quietPage holds that a page asked only our own server for something, was answered well, and complained of nothing.
func quietPage(t *testing.T, page string, events []browsertest.Event, own string) {
	t.Helper()
	for _, e := range events {
		switch e.Method {
		case "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &p); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(p.Request.URL, own+"/") && !strings.HasPrefix(p.Request.URL, "data:") {
				t.Errorf("%s asks for %s", page, p.Request.URL)
			}
		case "Network.responseReceived":
			var p struct {
				Response struct {
					URL    string
					Status int
				}
			}
			if err := json.Unmarshal(e.Params, &p); err != nil {
				t.Fatal(err)
			}
			if p.Response.Status >= 400 {
				t.Errorf("%s: %s is answered with %d", page, p.Response.URL, p.Response.Status)
			}
		case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
			t.Errorf("%s: on the console: %s", page, e.Params)
		}
	}
}

// shot keeps a picture of the page where WEB_SHOTS names a folder.
func shot(t *testing.T, b *browsertest.Browser, name string) {
	dir := os.Getenv("WEB_SHOTS")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What a person says on the pages is what recall knows afterwards, and can be taken back; by the keyboard alone.
func TestWebReviewInBrowser(t *testing.T) {
	b := browsertest.Open(t)
	home, library := demoed(t)
	b.Call("Page.enable", nil, nil)
	link := startWeb(t, home, library)
	at, _ := url.Parse(link)
	b.Goto(link)
	b.Goto("http://" + at.Host + "/review")
	press := func(key string) {
		t.Helper()
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": key}, nil)
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
	}
	until := func(what, expr string) {
		t.Helper()
		ok := false
		for range 100 {
			if b.Eval("document.readyState == 'complete' && !!("+expr+")", &ok); ok {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("never seen: %s", what)
	}
	var cards []string
	b.Eval(`[...document.querySelectorAll('.inbox .card b')].map(e => e.textContent)`, &cards)
	if len(cards) < 3 {
		t.Fatalf("%d items wait, want some", len(cards))
	}
	shows := func(text string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('.inbox .card b')].some(e => e.textContent == %q)`, text)
	}
	press("d")
	until("it was dropped",
		`document.querySelector('.notice')?.textContent.includes('Dropped') && !(`+shows(cards[0])+`)`)
	press("u")
	until("it is back", `!document.querySelector('.notice') && `+shows(cards[1]))
	var now string
	b.Eval(`document.querySelector('.inbox .card b').textContent`, &now)
	press("y")
	until("one was kept", `!(`+shows(now)+`)`)
	var third string // the keys are for the card that the focus went to
	b.Eval(`(c => { c.querySelector('button').focus(); return c.querySelector('b').textContent; })(
		document.querySelectorAll('.inbox .card')[2])`, &third)
	press("d")
	until("the focused one was dropped",
		`document.querySelector('.notice')?.textContent.includes('Dropped') && !(`+shows(third)+`)`)
}

// Titles, quotes and names that would act in a page do nothing.
func TestWebHostileInBrowser(t *testing.T) {
	b := browsertest.Open(t)
	home, recall := asProgram(t)
	evil := `</title></textarea><script>document.title='ran'</script><img src=x onerror="document.title='ran'"> ` +
		`<a href="javascript:document.title='ran'">x</a> <svg onload="document.title='ran'"> {{.}} "' ` + "\u202e\u2066"
	tell(t, home, 1, "we decided: "+evil, "Yes, decided: "+evil, evil+strings.Repeat(" a long line", 4000))
	recall(nil, "sync")
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		b.Call(domain+".enable", nil, nil)
	}
	link := startWeb(t, home, filepath.Join(home, "Recall"))
	at, _ := url.Parse(link)
	own := "http://" + at.Host
	b.Goto(link)
	for _, page := range []string{"/?q=" + url.QueryEscape("decided "+evil), "/review", "/time",
		"/sessions?find=decided", "/now",
		"/health", "/session/00000001-0000-4000-8000-000000000001?find=" + url.QueryEscape("<script>")} {
		b.Goto(own + page)
		quietPage(t, page, b.Events, own)
		var got struct {
			Title string
			Acts  []string
			Turns bool
		}
		b.Eval(`({Title: document.title, Turns: /[\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML),
			Acts: [...document.querySelectorAll('main script, main img, main iframe, main base, ' +
				'[onload], [onerror], a[href^="javascript"]')].map(e => e.outerHTML)})`, &got)
		if got.Title == "ran" || len(got.Acts) > 0 || got.Turns {
			t.Errorf("%s: %+v", page, got)
		}
	}
}

// A question on pages that only read, or over a backup, takes nothing in: the library stays as it is to the byte.
func TestWebReadsOnly(t *testing.T) {
	home, recall := asProgram(t)
	tell(t, home, 1, "Decision: retries use jittered backoff", "Noted.")
	recall(nil, "sync")
	lib, backup := filepath.Join(home, "Recall"), filepath.Join(home, "backup")
	recall(nil, "backup", "--to", backup)
	tell(t, home, 2, "Decision: the port is 8443", "Noted.")
	tree := func(dir string) string {
		var b strings.Builder
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".lock") {
				return err
			}
			raw, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(raw))
			return err
		})
		if err != nil || b.Len() == 0 {
			t.Fatal(err, dir)
		}
		return b.String()
	}
	for _, c := range []struct {
		dir  string
		args []string
		want bool // the new session is taken in
	}{{lib, []string{"--read-only"}, false}, {backup, nil, false}, {lib, nil, true}} {
		was := tree(c.dir)
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &http.Client{Jar: jar}
		at, err := url.Parse(startWeb(t, home, c.dir, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/?" + at.RawQuery, "/?q=what+did+we+decide+about+retries"} {
			res, err := browser.Get("http://" + at.Host + path)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatal(path, res, err)
			}
			page, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || strings.Contains(path, "q=") && !strings.Contains(string(page), "jittered") {
				t.Errorf("%s %v: no answer (%v):\n%.2000s", c.dir, c.args, err, page)
			}
		}
		if took := tree(c.dir) != was; took != c.want {
			t.Errorf("%s %v: changed: %v, want %v", c.dir, c.args, took, c.want)
		}
	}
}
