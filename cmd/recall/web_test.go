package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
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
)

// startWeb runs recall web over a library until the test ends, and returns the link that it prints.
func startWeb(t *testing.T, home, library string, args ...string) (link string) {
	t.Helper()
	link, _ = serveWeb(t, home, library, args...)
	return link
}

// serveWeb is startWeb with the server's process.
func serveWeb(t testing.TB, home, library string, args ...string) (link string, pid int) {
	t.Helper()
	cmd := exec.Command("recall", append([]string{"--library", library, "web"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CACHE_HOME="+home+"/cache",
		"LocalAppData="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config", "AppData="+home+"/config")
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = t.Output()
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	link, err = bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return strings.TrimSpace(link), cmd.Process.Pid
}

// enter opens a link as a browser does, and returns what it asks with: a page, or, where that isn't nil, a form that is
// sent there. The answer is its status and its text, of at most 200 KB but where
// all of a session is asked for.
func enter(t *testing.T, link string) func(path string, post url.Values) string {
	t.Helper()
	at, err := url.Parse(link)
	must(t, err)
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Jar: jar}
	get := func(path string, post url.Values) string {
		t.Helper()
		ask := func() (*http.Response, error) { return browser.Get("http://" + at.Host + path) }
		if post != nil {
			ask = func() (*http.Response, error) { return browser.PostForm("http://"+at.Host+path, post) }
		}
		res, err := ask()
		must(t, err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		must(t, err)
		if len(b) > 200<<10 && !strings.HasPrefix(path, "/session/") {
			t.Errorf("%s has %d KB, want at most 200", path, len(b)>>10)
		}
		return fmt.Sprint(res.StatusCode, " ", string(b))
	}
	get("/?"+at.RawQuery, nil)
	return get
}

// onlyWords skips a test of what a page says where races are looked for: other tests ask for the same pages.
func onlyWords(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
}

// demoed makes the demo's library whose items a model made.
func demoed(t *testing.T) (home, library string) {
	home, recall := asProgram(t)
	dir := filepath.Join(home, "demo")
	recall(nil, "demo", "--dir", dir)
	return home, filepath.Join(dir, "Recall-model")
}

// noteWrongly writes a client's memory that goes against the demo's record.
func noteWrongly(t *testing.T, home string) {
	dir := filepath.Join(home, ".codex", "memories")
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "notes.md"),
		[]byte("- Workers poll every 2 seconds for new jobs.\n- The <b>zebrafinch</b> sings before sunrise.\n"), 0o600))
}

// What pages show and keep, asked as a browser asks.
func TestWebPages(t *testing.T) {
	t.Parallel()
	home, library := demoed(t)
	get := enter(t, startWeb(t, home, library))
	holds := func(page string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !regexp.MustCompile(w).MatchString(page) {
				t.Errorf("%q isn't in\n%.3000s", w, page)
			}
		}
	}
	holds(get("/?q=what+did+we+decide+about+the+job+queue", nil), `^200`, `FOR UPDATE SKIP LOCKED`, `stands since`)
	holds(get("/time?project=ledgerline", nil), `^200`, `<li id="\w+" class="stands"`,
		`<span class="chip past"><a href="#\w+">`)
	holds(get("/time?since=nonsense", nil), `^400`, `is not a day like`)
	sessions := get("/sessions?find=invoice+runs", nil)
	id := regexp.MustCompile(`/session/([0-9a-f-]{36})`).FindStringSubmatch(sessions)
	if id == nil {
		t.Fatalf("no session found:\n%s", sessions)
	}
	holds(sessions, `24 turns in 20 min · 7 decisions · 1 ruled out · \d files <span class="ok">\+\d+</span> `+
		`<span class="failed">−\d+</span> · \$0\.\d\d</span>`, `<p class="dim">› invoice runs happen inside the http request`)
	holds(get("/sessions?find=SKIP+LOCKED", nil), `No session has that title`, `Where it was said`,
		`<a href="/session/[0-9a-f-]+\?find=SKIP&#43;LOCKED#n\d+">turn \d+</a>[^<]*<mark>SKIP LOCKED</mark>`)
	holds(get("/sessions?find=SKIP+LOCKED&project=tidewise", nil), `No such session`)
	hidden := url.Values{"session": {id[1]}, "archive": {"yes"}, "back": {"/sessions"}}
	get("/mark", hidden)
	if strings.Contains(get("/sessions?find=SKIP+LOCKED", nil), id[1]) {
		t.Error("what was said in an archived session is found")
	}
	holds(get("/sessions?find=SKIP+LOCKED&archived=on", nil), id[1])
	hidden.Set("archive", "no")
	get("/mark", hidden)
	two := regexp.MustCompile(`name="session" value="([^"]+)" aria-label`).FindAllStringSubmatch(get("/sessions", nil), 2)
	get("/mark", url.Values{"session": {two[0][1], two[1][1]}, "star": {"yes"}, "tag": {"both"}, "back": {"/sessions"}})
	holds(get("/sessions?tag=both&starred=on", nil), `2 sessions, newest first`)
	get("/mark", url.Values{"session": {two[0][1], two[1][1]}, "star": {"no"}, "untag": {"both"}})
	holds(get("/week?from=2026-10-08", nil), `2026-10-05 to 2026-10-11`,
		`(?s)<h2>tidewise</h2>.*Decided.*Norrsken Marine`,
		`(?s)Reversed.*<del class="dim">[^<]*Tidemark`, `- ~~[^~]*Tidemark[^~]*~~\n  - `)
	if old := get("/week?from=2026-09-07", nil); strings.Contains(old, "Norrsken Marine is the tide data provider") {
		t.Error("a week's letter tells of a later one")
	}
	noteWrongly(t, home)
	holds(get("/audit?project=ledgerline", nil), `^200`, `2 lines of 2 in 1 file`,
		`(?s)Workers poll every 2 seconds for new jobs\..*names what was given up.*use LISTEN/NOTIFY.*ledgerline#6`,
		`&lt;b&gt;zebrafinch.*in no session: `, `notes\.md:2`)
	holds(get("/audit", nil), `^200`, `selected>`)
	page := "/session/" + id[1]
	holds(get(page+"?find=skip+locked", nil), `^200`, `<mark>(?i:skip locked)</mark>`, `claude --resume `+id[1],
		`class="rests`, `<mark>leave the metrics for the next round</mark>`)
	holds(get(page+"?find=nowhere+at+all", nil), `No match in this session`)
	earlier := regexp.MustCompile(`/session/fd4adb93[0-9a-f-]+`).FindString(get("/sessions", nil))
	holds(get(earlier, nil), ` weak">from 2026-08-31, later on the same subject on 2026-10-05`)
	holds(get(page+"?find=%ff", nil), `^200`, `No match in this session`)

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
		waits := func(page string) bool {
			return strings.Contains(page[strings.Index(page, "inbox"):], `name="item" value="`+first[2]+`"`)
		}
		if now := get("/say", said); !strings.Contains(now, "Undo") || waits(now) {
			t.Errorf("after %s it still waits, or can't be taken back", word)
		}
		said.Set("word", "unpin")
		if now := get("/say", said); !waits(now) {
			t.Errorf("%s was taken back, and it doesn't wait again", word)
		}
	}
	// All of a session that a page shows is kept at once, and nothing that it doesn't show.
	all := regexp.MustCompile(`name="session" value="([^"]+)">((?:<input type="hidden" name="item" value="[^"]+">)+)` +
		`<button name="word" value="keep" data-key="Y"`)
	many := all.FindStringSubmatch(get("/review", nil))
	if many == nil {
		t.Fatal("no session has several items to be kept at once")
	}
	several := url.Values{"session": {many[1]}, "word": {"keep"}, "back": {"/review"}}
	for _, m := range regexp.MustCompile(`value="([^"]+)"`).FindAllStringSubmatch(many[2], -1) {
		several.Add("item", m[1])
	}
	last := several["item"][len(several["item"])-1]
	several["item"] = several["item"][:len(several["item"])-1]
	get("/say", several)
	left := get("/review", nil)
	if !strings.Contains(left, `name="item" value="`+last+`"`) {
		t.Error("what the form didn't name was kept, too")
	}
	for _, id := range several["item"] {
		if strings.Contains(left[strings.Index(left, "inbox"):], `name="item" value="`+id+`"`) {
			t.Errorf("%s was kept, and waits", id)
		}
	}
	several.Set("word", "drop")
	several.Add("item", last)
	several.Add("item", last)
	holds(get("/say", several), `^422`, `can only be kept`)
	nosuch := url.Values{"session": {first[1]}, "item": {"nosuch"}, "word": {"keep"}, "back": {"/review"}}
	holds(get("/say", nosuch), `^422`,
		`no such item`, `<a href="/review">Back`)

	// What a later session surely overtook: in the outcome, where it was said, and where it waits for a word.
	get = enter(t, startWeb(t, home, filepath.Join(filepath.Dir(library), "Recall")))
	const overtaken = `from 2026-08-31, superseded on 2026-10-05`
	holds(get(earlier, nil), `(?s)Outcome.* past">`+overtaken+`.*class="transcript".* past">`+overtaken)
	holds(get("/review?project=ledgerline&from=6", nil), ` weak">`+overtaken)

	// What is wrong is dropped where it stands, and comes back.
	get = enter(t, startWeb(t, home, library))
	for _, page := range []string{"/?q=what+did+we+decide+about+the+queue", "/time?project=ledgerline",
		"/now?project=ledgerline", earlier} {
		change := regexp.MustCompile(`class="change" href="(/item/[^/]+/(\w+)\?back=[^"]+)"`).FindStringSubmatch(get(page, nil))
		if change == nil {
			t.Errorf("%s: nothing can be changed there", page)
			continue
		}
		card := get(html.UnescapeString(change[1]), nil)
		form := regexp.MustCompile(`name="back" value="([^"]+)"><input type="hidden" name="session" value="([^"]+)"`).
			FindStringSubmatch(card)
		if form == nil || html.UnescapeString(form[1]) != page {
			t.Fatalf("%s: it leads back to %q:\n%.3000s", page, form, card)
		}
		said := url.Values{"session": {form[2]}, "item": {change[2]}, "word": {"drop"}, "back": {page}}
		stands := `class="change" href="/item/` + form[2] + "/" + change[2]
		if now := get("/say", said); !strings.Contains(now, "Dropped. ") || strings.Contains(now, stands) {
			t.Errorf("%s: what was dropped stands there, or can't be taken back", page)
		}
		said.Set("word", "unpin")
		said.Set("undo", "yes")
		if now := get("/say", said); !strings.Contains(now, stands) {
			t.Errorf("%s: what was dropped isn't back", page)
		}
	}
	holds(get("/item/"+id[1]+"/nosuch", nil), `^404`, `no such item`)

	// Of a library that is only to be looked at nothing is said.
	get = enter(t, startWeb(t, home, library, "--read-only"))
	holds(get("/say", url.Values{"session": {first[1]}, "item": {first[2]}, "word": {"keep"}}), `^403`, `read-only`)
	if strings.Contains(get("/review", nil)+get("/time", nil), `value="keep"`) || strings.Contains(get("/time", nil), "/item/") {
		t.Error("a page that is only to be read has forms")
	}
}

// A word that nobody said leads to where tools printed it, and the first page to what waits; a session that no command
// continues says why.
func TestWebLeadsOn(t *testing.T) {
	t.Parallel()
	onlyWords(t)
	home, library := demoed(t)
	get := enter(t, startWeb(t, home, library))
	holds := func(page string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !regexp.MustCompile(w).MatchString(page) {
				t.Errorf("%q isn't in\n%.3000s", w, page)
			}
		}
	}
	holds(get("/", nil), `<a href="/review">\d+ cards to review</a>`)
	holds(get("/?q=zebrafinch", nil), `said in no session\. Nothing decided`, `<a href="/sessions\?find=zebrafinch">zebrafinch</a>`)
	holds(get("/?q=what+did+we+decide", nil), `>Decisions, what was ruled out, newest first:<`)
	cowork := regexp.MustCompile(`/session/local_[0-9a-f-]+`).FindString(get("/sessions", nil))
	holds(get(cowork, nil), `It can.t be resumed: Cowork has no command that continues a session`, `href="/now\?project=tidewise#next"`)
}

// Below a passage stands another of its exchange, what it replies to, with its place.
func TestWebSaysWhatAPassageRepliesTo(t *testing.T) {
	t.Parallel()
	onlyWords(t)
	home, library := demoed(t)
	page := enter(t, startWeb(t, home, strings.TrimSuffix(library, "-model")))("/?q=why+does+the+retry+have+jitter", nil)
	want := regexp.MustCompile(`(?s)turn 6</a>, 2026-09-09</p>\s*<blockquote class="passage"><p>Fixed and committed.{0,1000}` +
		`turn 14</a>, 2026-09-09</p>\s*</article>`)
	if !want.MatchString(page) {
		t.Errorf("%s isn't in\n%.9000s", want, page)
	}
}

// A quote is shown where it adds to its line: of all that the demo's pages show, at most one in ten has hardly a word
// that isn't in the line above it.
func TestWebQuotesAdd(t *testing.T) {
	t.Parallel()
	onlyWords(t)
	home, library := demoed(t)
	get := enter(t, startWeb(t, home, library))
	tag, word := regexp.MustCompile(`<[^>]*>`), regexp.MustCompile(`\pL{3,}|\d+`)
	quotes, repeat := 0, []string{}
	for _, path := range []string{"/?q=what+did+we+decide+about+the+queue", "/?q=which+tide+data+provider", "/review",
		"/now?project=ledgerline", "/now?project=tidewise", "/week?from=2026-10-05", "/week?from=2026-08-31"} {
		for _, entry := range regexp.MustCompile(`<li[ >]`).Split(get(path, nil), -1) {
			line, quote, is := strings.Cut(entry, "<blockquote>")
			if !is || strings.Contains(entry, "conflict") {
				continue
			}
			quote, _, _ = strings.Cut(quote, "</blockquote>")
			above := strings.ToLower(tag.ReplaceAllString(line, " "))
			words, new := word.FindAllString(strings.ToLower(html.UnescapeString(quote)), -1), 0
			for _, w := range words {
				if !strings.Contains(above, w) {
					new++
				}
			}
			if quotes++; len(words) > 0 && new*10 <= len(words) {
				repeat = append(repeat, path+": "+quote)
			}
		}
	}
	t.Logf("%d of %d", len(repeat), quotes)
	if quotes < 30 || len(repeat)*10 > quotes {
		t.Errorf("%d of %d quotes repeat their line: %q", len(repeat), quotes, repeat)
	}
}

// A question on pages that only read, or over a backup, takes nothing in: the library stays as it is to the byte.
func TestWebReadsOnly(t *testing.T) {
	t.Parallel()
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
		must(t, err)
		browser := &http.Client{Jar: jar}
		at, err := url.Parse(startWeb(t, home, c.dir, c.args...))
		must(t, err)
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

// What is held of a project while nothing is written isn't shown any more once somebody says something of it.
func TestWebNowFollows(t *testing.T) {
	t.Parallel()
	home, library := demoed(t)
	get := enter(t, startWeb(t, home, library))
	const page = "/now?project=ledgerline"
	get(page, nil)                    // which opens the index
	ago := time.Now().Add(-time.Hour) // what was written within two seconds isn't held
	must(t, filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, ago, ago))
	}))
	held := get(page, nil)
	item := regexp.MustCompile(`<b>([^<]+)</b>(?s:.*?)name="session" value="([^"]+)"><input type="hidden" name="item" ` +
		`value="([^"]+)"`)
	for _, m := range item.FindAllStringSubmatch(get("/review?project=ledgerline", nil), -1) {
		said, session, id := m[1], m[2], m[3]
		if !strings.Contains(held, "\n- "+said) {
			continue
		}
		get("/say", url.Values{"session": {session}, "item": {id}, "word": {"drop"}})
		if now := get(page, nil); strings.Contains(now, said) || !strings.Contains(now, "&lt;!-- recall ") {
			t.Errorf("%q was dropped, and is handed on:\n%.3000s", said, now)
		}
		return
	}
	t.Errorf("nothing that waits for review is handed on:\n%.3000s", held)
}

// A payload that can't be read costs the others nothing, and is named.
func TestWebDamagedPayload(t *testing.T) {
	t.Parallel()
	home, recall := asProgram(t)
	tell(t, home, 1, "Fix the retries of the job queue.", "OK.", "Decision: retries use jittered backoff", "Noted.")
	tell(t, home, 2, "Fix the retries of the job queue.", "OK.", "Decision: the port is 8443", "Noted.") // one thread
	recall(nil, "sync")
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Jar: jar}
	at, err := url.Parse(startWeb(t, home, filepath.Join(home, "Recall")))
	must(t, err)
	if _, err := browser.Get("http://" + at.Host + "/?" + at.RawQuery); err != nil {
		t.Fatal(err)
	}
	damage := func(session string) {
		found, err := filepath.Glob(filepath.Join(home, "Recall", "app", "*"+session, "session.json"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		text, err := os.ReadFile(found[0])
		must(t, err)
		text = bytes.Replace(text, []byte(`"schema": `), []byte(`"scheme": `), 1)
		must(t, os.WriteFile(found[0], text, 0o600))
	}
	want := []string{"jittered backoff", "8443"}
	for _, session := range []string{"", "00000001", "00000002"} {
		if session != "" {
			damage(session)
			want = append(want[1:], "session "+session+"-0000-4000-8000-000000000001: decode payload")
		}
		res, err := browser.Get("http://" + at.Host + "/now")
		must(t, err)
		page, err := io.ReadAll(res.Body)
		res.Body.Close()
		for _, w := range want {
			if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(page), w) {
				t.Errorf("%s damaged: %s, %q isn't there (%v):\n%.3000s", session, res.Status, w, err, page)
			}
		}
	}
}
