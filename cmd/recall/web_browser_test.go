package main

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Pages of every kind that a link leads to, on a library with decisions and on an empty one: nothing is fetched from
// elsewhere, nothing stands on the console, nothing is wider than a phone, and no rule of accessibility is broken.
func TestWebInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	noteWrongly(t, home)
	rules, err := os.ReadFile(os.Getenv("AXE_RULES"))
	if err != nil {
		t.Log(`pages aren't held to axe-core's rules: eval "$(.ci/clients axe)" brings them`)
	}
	for name, dir := range map[string]string{"demo": library, "empty": emptyLibrary(t)} {
		t.Run(name, func(t *testing.T) {
			v := visitWeb(t, home, dir)
			todo := []string{"/", "/?q=what+did+we+decide+about+the+queue"}
			seen, ofKind := map[string]bool{}, map[string]int{}
			for len(todo) > 0 {
				page := todo[0]
				todo = todo[1:]
				if seen[page] || ofKind[kindOf(page)] == 5 {
					continue
				}
				seen[page] = true
				ofKind[kindOf(page)]++
				v.to(page)
				var links []string
				v.Eval(`[...document.querySelectorAll('a[href]')].map(a => new URL(
					a.getAttribute('href'), location).href.replace(/#.*/, ''))`, &links)
				for _, link := range links {
					to, ours := strings.CutPrefix(link, v.own)
					if !ours {
						t.Errorf("%s leads away, to %s", page, link)
					}
					todo = append(todo, to)
				}
			}
			if want := map[string]int{"demo": 20, "empty": 7}[name]; len(seen) < want {
				t.Errorf("only %d pages were seen", len(seen))
			}
			t.Logf("%d pages of %d kinds", len(seen), len(ofKind))
			for _, page := range append(v.screensOf(), "/week?from=2026-10-05", "/audit") {
				for _, l := range append(slices.Clip(looks), look{"dark phone", "dark", 390}) {
					v.lookAs(l)
					v.to(page)
					var wide []string
					v.Eval(fmt.Sprintf(tooWide, l.width), &wide)
					if len(wide) > 0 {
						t.Errorf("%s, %s: wider than the window %q", page, l.name, wide)
					}
					if len(rules) == 0 {
						continue
					}
					var broken []string
					v.Eval(string(rules)+`;axe.run(document, {resultTypes: ['violations']}).then(r => r.violations
						.filter(v => /serious|critical/.test(v.impact))
						.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200)).join(' ')))`, &broken)
					if len(broken) > 0 {
						t.Errorf("%s, %s: %q", page, l.name, broken)
					}
				}
			}
		})
	}
}

// kindOf is a page's route, with the names of what it is asked for but not their values.
func kindOf(page string) string {
	path, query, _ := strings.Cut(page, "?")
	route, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	asked, _ := url.ParseQuery(query)
	return route + "?" + strings.Join(slices.Sorted(maps.Keys(asked)), "&")
}

// tooWide are a page's elements that are wider than a window, with all opened that is folded, and all laid out that is
// out of sight: the window itself grows with them on a phone.
const tooWide = `(() => {
	document.querySelectorAll('details').forEach(d => d.open = true);
	document.querySelectorAll('.told').forEach(e => e.style.contentVisibility = 'visible');
	return [...document.querySelectorAll('body *')].filter(e => {
		const r = e.getBoundingClientRect();
		return r.width > 1 && r.height > 1 && r.right > %d + 1 && !e.closest('svg, .skip, .scroll, pre, .turn table');
	}).map(e => e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + e.textContent.trim().slice(0, 30));
})()`

// Every kind of button of every screen, clicked with a mouse: what it asks for is answered, and nothing is complained
// of. Buttons are of one kind that say the same of other items.
func TestWebButtonsInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	for name, dir := range map[string]string{"demo": library, "empty": emptyLibrary(t)} {
		t.Run(name, func(t *testing.T) {
			v := visitWeb(t, home, dir)
			v.Call("Browser.grantPermissions", map[string]any{"origin": v.own,
				"permissions": []string{"clipboardReadWrite", "clipboardSanitizedWrite"}}, nil)
			clicked := map[string]bool{}
			for _, page := range v.screensOf() {
				for again := true; again; {
					again = false
					v.to(page)
					var buttons []string
					v.Eval(`(document.querySelectorAll('details').forEach(d => d.open = true),
						[...document.querySelectorAll('button, summary')].map(b => ((b.ariaLabel ?? b.textContent) +
							(b.matches('.copies') ? b.closest('details')?.firstChild.textContent ?? '' : '')).replace(/[\w-]+#\d+|\d+/g, '').trim()))`, &buttons)
					for i, button := range buttons {
						kind := strings.TrimRight(regexp.MustCompile(`[?].*`).ReplaceAllString(page, ""), "/") + " " + button
						if clicked[kind] {
							continue
						}
						clicked[kind], again = true, true
						element := fmt.Sprintf(`document.querySelectorAll('button, summary')[%d]`, i)
						v.clickButton(kind, element)
						undo := false
						if v.Eval(`!!document.querySelector('.notice button')`, &undo); undo {
							clicked[kind+", undo"] = true
							v.clickButton(kind+", undo", `document.querySelector('.notice button')`)
						}
						if strings.HasPrefix(button, "Copy") {
							v.until(button, element+`.textContent == 'Copied'`)
							var same bool
							v.Eval(`navigator.clipboard.readText().then(
								t => t == `+element+`.previousElementSibling.textContent)`, &same)
							if !same {
								t.Errorf("%s: what is copied isn't what is shown", page)
							}
						}
						break // the page may be another one now
					}
				}
			}
			if want := map[string]int{"demo": 38, "empty": 6}[name]; len(clicked) < want {
				t.Errorf("only %d kinds of buttons: %v", len(clicked), clicked)
			}
			t.Logf("%d kinds of buttons: %v", len(clicked), clicked)
		})
	}
}

// A session's outline leads to its prompts, decisions and commits; f opens all calls, g h goes home.
func TestWebOutlineInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	v := visitWeb(t, home, library)
	v.to("/sessions?find=retry+storm")
	v.tabTo("a session", `e.pathname?.startsWith('/session/')`)
	v.press("Enter")
	v.until("its outline", `document.querySelectorAll('.outline .prompt').length > 2 &&
		document.querySelectorAll('.outline .commit').length > 0 && document.querySelectorAll('.strip a').length > 10`)
	v.press("f")
	v.until("all calls open", `[...document.querySelectorAll('.transcript details')].every(d => d.open)`)
	v.tabTo("the outline's commit", `e.closest('.outline .commit')`)
	v.press("Enter")
	v.until("its turn", `location.hash && document.querySelector('.told:target > .turn')`)
	v.press("g", "h")
	v.until("home", `location.pathname == '/'`)
	v.quiet("the outline")
}

// Of every edit there is what it changed; what is looked for is marked wherever it is, none of it folded, and n and p
// go through it.
func TestWebEditsAndHitsInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	v := visitWeb(t, home, library)
	listed := 0
	for _, page := range v.sessionsOf() {
		v.to(page)
		var edits, diffs int
		v.Eval(`[...document.querySelectorAll('.call b')].filter(e => /^(Edit|Write)$/.test(e.textContent)).length`, &edits)
		v.Eval(`[...document.querySelectorAll('.call .diff')].filter(e => e.querySelector('ins, del')).length`, &diffs)
		if diffs < edits {
			t.Errorf("%s: %d edits, of %d of which is shown what they changed", page, edits, diffs)
		}
		var files, lead int
		v.Eval(`(files = document.querySelectorAll('summary .ok ~ .failed')).length`, &files)
		v.Eval(`[...files].filter(e => document.getElementById(e.closest('details').querySelector('a').hash.slice(1))?.
			querySelector('.diff')).length`, &lead)
		if listed += files; lead < files {
			t.Errorf("%s: changed files don't lead to what changed", page)
		}
		v.to(page + "?find=e")
		v.until("all of it", `(hits => hits.length > 50 &&
			document.getElementById('hit').textContent == hits.length.toLocaleString('en') + ' hits' &&
			hits.every(e => { for (; e; e = e.parentElement.closest('details')) if (e.open === false) return false; return true; })
			)([...document.querySelectorAll('.transcript mark.hit')])`)
		v.press("n", "n")
		v.until("a click on next", `document.querySelector('[data-step=n]').click() ?? true`)
		v.press("p")
		v.until("the second match", `document.getElementById('hit').textContent.startsWith('2 of ') &&
			document.querySelectorAll('mark.hit')[1].matches('.at')`)
	}
	if listed == 0 {
		t.Error("no session lists the files that it changed")
	}
	v.press("?")
	v.until("the keys", `document.getElementById('keys').matches(':popover-open')`)
	v.quiet("looking for it")
}

// The number of failed calls leads to the first of them, open and marked, and that to the next one.
func TestWebFailedCallsInBrowser(t *testing.T) {
	inBrowser(t)
	home, recall := asProgram(t)
	call := func(n int, result string, failed bool) []string {
		return []string{
			fmt.Sprintf(`"type":"assistant","uuid":"a%d","parentUuid":"r%[2]d","message":{"id":"m%[1]d","type":"message",`+
				`"role":"assistant","content":[{"type":"tool_use","id":"t%[1]d","name":"Bash","input":{"command":"make %[1]d"}}]}`, n, n-1),
			fmt.Sprintf(`"type":"user","uuid":"r%d","parentUuid":"a%[1]d","message":{"role":"user","content":[{"type":`+
				`"tool_result","tool_use_id":"t%[1]d","is_error":%t,"content":%q}]}`, n, failed, result)}
	}
	records := []string{`"type":"user","uuid":"r0","parentUuid":null,"message":{"role":"user","content":"make it"}`}
	for n := 1; n < 60; n++ {
		records = append(records, call(n, strings.Repeat(fmt.Sprintln("line of", n), 9), n == 20 || n == 50)...)
	}
	id := "00000005-0000-4000-8000-000000000001"
	ofRecords(t, home, id, records...)
	recall(nil, "sync")
	v := visitWeb(t, home, filepath.Join(home, "Recall"))
	seen := func(command string) string {
		return fmt.Sprintf(`(e => e && e.closest('li').textContent.includes(%q) && getComputedStyle(e.closest('li')).outlineStyle == 'solid' &&
			e.getBoundingClientRect().top > 0 && e.getBoundingClientRect().bottom < innerHeight && e.closest('details').open)(
			document.querySelector('.told:has(> :target) .calls .failed'))`, command)
	}
	v.to("/session/" + id)
	v.click(`document.querySelector('main > .where a.failed')`)
	v.until("the first failed call", seen("make 20"))
	v.click(`document.querySelector('.failing:target a')`)
	v.until("the next one", seen("make 50"))
	v.click(`document.querySelector('.strip .failed')`)
	v.until("the first one again", seen("make 20"))
	v.click(`[...document.querySelectorAll('.outline .failed a')].at(-1)`)
	v.until("the last one", seen("make 50"))
	v.quiet("failed calls")
}

// A decision is dropped where it stands, by the keyboard alone, and comes back.
func TestWebChangeInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	v := visitWeb(t, home, library)
	v.to("/time?project=ledgerline")
	v.tabTo("what can be said of a decision", `e.matches('.story .change')`)
	var line string
	v.Eval(`document.activeElement.closest('li').querySelector('div').firstChild.textContent.trim()`, &line)
	v.press("Enter")
	v.until("the form, in place", `location.pathname == '/time' && document.activeElement.closest('.story form.acts')`)
	v.tabTo("its button", `e.value == 'drop'`)
	v.press("Enter")
	stands := fmt.Sprintf(`[...document.querySelectorAll('.story li')].some(e => e.textContent.includes(%q))`, line)
	v.until("it is gone", `location.pathname == '/time' && document.querySelector('.said')?.textContent.includes('Dropped') && !`+stands)
	v.tabTo("the way back", `e.closest('.said')`)
	v.press("Enter")
	v.until("it stands again", `!document.querySelector('.said') && `+stands)
	v.quiet("a change")
}

// From a question to the turn that answers it and back, by the keyboard alone.
func TestWebAskByKeysInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	v := visitWeb(t, home, library)
	v.text("what did we decide about retries") // the field has the focus
	v.press("Enter")
	v.until("the answer", `document.querySelector('.results')?.textContent.includes('Retries use exponential')`)
	v.tabTo("the turn of an answer", `e.closest('.results') && e.hash`)
	v.press("Enter")
	v.until("its session", `location.pathname.startsWith('/session/') &&
		document.querySelector(location.hash.replace(/^#(\d)/, '#\\3$1 '))?.getBoundingClientRect().top < innerHeight`)
	v.tabTo("the field to find in it", `e.name == 'find'`)
	v.text("dead_jobs")
	v.press("Enter")
	v.until("what was found", `document.querySelector('.found mark')?.textContent == 'dead_jobs'`)
	v.tabTo("a match", `e.closest('.found')`)
	v.press("Enter")
	v.until("its turn", `document.querySelector('.told:target mark.hit')`)
	v.Eval(`history.go(-3), 0`, new(int))
	v.until("the answer again", `location.search.includes('retries') && document.querySelector('.results')`)

	// What stood on a day, by the slider: day by day to the left, and back to today.
	v.tabTo("the filters", `e.tagName == 'SUMMARY' && e.textContent == 'Filters'`)
	v.press("Enter")
	v.tabTo("the slider", `e.type == 'range' && e.dataset.day == 'asof'`)
	v.press("Home")
	v.until("the answer of the first day", `location.search.includes('asof=2026-08-31') &&
		document.getElementById('answer').textContent.includes('As of 2026-08-31') &&
		!document.getElementById('answer').textContent.includes('exponential')`)
	v.press("ArrowRight")
	v.until("that of the next one", `document.querySelector('[name=asof]').value == '2026-09-01' &&
		document.activeElement.ariaValueText == '2026-09-01' && location.search.includes('asof=2026-09-01')`)
	v.quiet("asking by keys")

	// Without a script it is a field, which the same form sends.
	v.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	v.Goto(v.own + "/?q=retries&asof=2026-09-01")
	v.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil)
	var plain bool
	v.Eval(`document.querySelector('[type=range]').hidden && document.querySelector('[name=asof]').value == '2026-09-01' &&
		document.getElementById('answer').textContent.includes('As of 2026-09-01')`, &plain)
	if !plain {
		t.Error("without a script the day isn't a field of its form")
	}
}

// The timeline leads to what became of a decision, and is narrowed by its slider.
func TestWebTimeLineInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	v := visitWeb(t, home, library)
	v.to("/time?project=ledgerline")
	v.tabTo("what became of a decision", `e.closest('.story .chip.past')`)
	v.press("Enter")
	v.until("what replaced it", `location.hash && document.querySelector('.story li:target')`)
	v.to("/time?project=ledgerline")
	var all int
	v.Eval(`document.querySelectorAll('.story li').length`, &all)
	v.tabTo("the slider of the end", `e.type == 'range' && e.dataset.day == 'asof'`)
	v.press("Home", "ArrowRight", "ArrowRight")
	v.until("fewer", fmt.Sprintf(`location.search.includes('asof=2026-09-02') &&
		document.activeElement.type == 'range' && document.querySelectorAll('.story li').length < %d`, all))
	v.quiet("the timeline")
}

// What a person says on the pages is what recall knows afterwards, and can be taken back; by the keyboard alone.
func TestWebReviewInBrowser(t *testing.T) {
	inBrowser(t)
	home, library := demoed(t)
	v := visitWeb(t, home, library)
	v.to("/review")
	count := func(query string) (n int) {
		v.Eval(fmt.Sprintf(`document.querySelectorAll(%q).length`, query), &n)
		return n
	}
	conflicts := count(".conflict")
	if conflicts < 3 || count(".conflict blockquote") != 2*conflicts || count(".inbox > .card") < conflicts+3 {
		t.Fatalf("%d contradictions with %d quotes, and %d cards", conflicts, count(".conflict blockquote"),
			count(".inbox > .card"))
	}
	notice := func(word string) string {
		return fmt.Sprintf(`document.querySelector('.notice')?.textContent.includes(%q)`, word)
	}
	left := func(n int) string { return fmt.Sprintf(`document.querySelectorAll('.conflict').length < %d`, n) }
	first := ""
	v.Eval(`document.querySelector('.conflict').textContent`, &first)
	v.press("n") // of the first two the newer stands
	v.until("it was settled", left(conflicts)+" && "+notice("Settled"))
	v.press("u")
	v.until("it is open again", fmt.Sprintf(`document.querySelector('.conflict').textContent == %q &&
		document.querySelectorAll('.conflict').length == %d`, first, conflicts))
	v.press("n")
	v.until("it was settled once more", left(conflicts))
	conflicts = count(".conflict")
	v.press("b")
	v.until("both stand", left(conflicts))
	for range count(".conflict") {
		v.press("j")
	}
	item := func() (text string) {
		v.Eval(`document.activeElement.querySelector('b').textContent`, &text)
		return text
	}
	shows := func(text string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('.inbox > :not(.conflict) b')].some(e => e.textContent == %q)`,
			text)
	}
	for key, word := range map[string]string{"d": "Dropped", "p": "Pinned", "y": "Kept"} {
		text := item()
		v.press(key)
		v.until(word, notice(word)+" && !("+shows(text)+")")
		v.press("u")
		v.until("it is back", "!document.querySelector('.notice') && "+shows(text))
	}
	old := item()
	v.press("e")
	v.until("its line", `document.activeElement.tagName == 'TEXTAREA' && document.activeElement.value`)
	v.Eval(`document.activeElement.select(), 0`, new(int))
	v.text("Licence questions go to Norrsken alone.")
	v.press("Tab", "Enter")
	v.until("it was changed", notice("Changed")+" && !("+shows(old)+")")
	v.to("/?q=licence+questions")
	v.until("the new line", `document.querySelector('.results').textContent.includes('Licence questions go to Norrsken')`)
	v.Eval(`history.back(), 0`, new(int))
	v.until("the notice again", notice("Changed"))
	v.press("u")
	v.until("it was taken back", "!document.querySelector('.notice')")
	v.to("/?q=" + url.QueryEscape(strings.TrimPrefix(old, "Goal: ")))
	v.until("the old line", fmt.Sprintf(`document.querySelector('.results b').textContent == %q`, old))
	v.to("/review")
	var third string // the keys are for the card that the focus went to
	v.Eval(`(c => { c.querySelector('button').focus(); return c.querySelector('b').textContent; })(
		document.querySelectorAll('.inbox > :not(.conflict)')[2])`, &third)
	v.press("d")
	v.until("the focused one was dropped", notice("Dropped")+" && !("+shows(third)+")")
	v.quiet("the review")
}

// What another recall takes in is on a page that is open, without its being loaded again; and where somebody is at
// work, they are told instead.
func TestWebLiveInBrowser(t *testing.T) {
	inBrowser(t)
	home, recall := asProgram(t)
	tell(t, home, 1, "Decision: retries use jittered backoff", "Noted.")
	recall(nil, "sync")
	v := visitWeb(t, home, filepath.Join(home, "Recall"))
	v.to("/sessions")
	v.Eval(`window.same = true, 0`, new(int))
	time.Sleep(5 * time.Second) // nothing is new
	var changed bool
	if v.Eval(`!window.same || !document.getElementById('news').hidden`, &changed); changed {
		t.Error("something new is told of where nothing is")
	}
	tell(t, home, 2, "Decision: the port is 8443", "Noted.")
	recall(nil, "sync")
	v.until("the other session", `window.same && document.getElementById('news').hidden &&
		document.querySelector('.log')?.textContent.includes('the port is 8443')`)
	v.tabTo("a field of the page", `e.name == 'find'`)
	tell(t, home, 3, "Decision: the log goes to stderr", "Noted.")
	recall(nil, "sync")
	v.until("word of the third", `!document.getElementById('news').hidden && window.same`)
	v.quiet("what comes in")

	// A session that goes on grows on its page, without a sync of anybody's.
	v.to("/session/00000003-0000-4000-8000-000000000001")
	v.Eval(`window.same = true, 0`, new(int))
	tell(t, home, 3, "Decision: the log goes to stderr", "Noted.", "and rotate it weekly", "It rotates.")
	v.until("what was added", `window.same && document.querySelectorAll('.told').length == 4 &&
		document.querySelector('#n4').textContent.includes('It rotates.') &&
		document.querySelectorAll('.outline .prompt').length == 2`)
	v.quiet("what is added")

	// A question that is looked at isn't asked again and again.
	v.to("/?q=retries")
	v.Events = nil
	time.Sleep(5 * time.Second)
	v.Eval(`document.getElementById('answer').textContent.includes('jittered')`, &changed)
	for _, e := range v.Events {
		if e.Method == "Network.requestWillBeSent" && strings.Contains(string(e.Params), `/?q=retries","method`) {
			t.Errorf("asked once more: %s", e.Params)
		}
	}
}

// Titles, quotes and names that would act in a page do nothing.
func TestWebHostileInBrowser(t *testing.T) {
	inBrowser(t)
	home, recall := asProgram(t)
	evil := `</title></textarea><script>document.title='ran'</script><img src=x onerror="document.title='ran'"> ` +
		`<a href="javascript:document.title='ran'">x</a> <svg onload="document.title='ran'"> {{.}} "' ` + "\u202e\u2066"
	tell(t, home, 1, "we decided: "+evil, "Yes, decided: "+evil, evil+strings.Repeat(" a long line", 4000))
	lines := []string{
		`"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Write it."}`,
		fmt.Sprintf(`"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","type":"message",`+
			`"role":"assistant","model":"claude-opus-4-8","content":[{"type":"tool_use","id":"t1","name":"Write",`+
			`"input":{"file_path":%q,"content":"x"}},{"type":"tool_use","id":"t2","name":%q,"input":{"description":%q}}]}`,
			"/home/ann/app/"+evil, evil, evil),
		fmt.Sprintf(`"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":[{"type":`+
			`"tool_result","tool_use_id":"t1","content":%q}]}`, evil),
		fmt.Sprintf(`"type":"user","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":%q}`,
			"a line of 10 MB: "+evil+strings.Repeat("x", 10<<20))}
	odd := "00000002-0000-4000-8000-000000000001"
	ofRecords(t, home, odd, lines...)
	recall(nil, "sync")
	v := visitWeb(t, home, filepath.Join(home, "Recall"))
	find := "?find=" + url.QueryEscape("<script>")
	for _, page := range []string{"/?q=" + url.QueryEscape("decided "+evil), "/review", "/time",
		"/sessions?find=decided", "/sessions?tag=" + url.QueryEscape(evil), "/now", "/health",
		"/session/00000001-0000-4000-8000-000000000001" + find, "/session/" + odd + find} {
		v.to(page)
		var got struct {
			Title string
			Size  int
			Acts  []string
			Turns bool
		}
		v.Eval(`({Title: document.title, Turns: /[\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML),
			Size: document.documentElement.outerHTML.length,
			Acts: [...document.querySelectorAll('main script, main img, main iframe, main base, ' +
				'[onload], [onerror], a[href^="javascript"]')].map(e => e.outerHTML)})`, &got)
		if got.Title == "ran" || len(got.Acts) > 0 || got.Turns || got.Size > 200<<10 {
			t.Errorf("%s: %+v", page, got)
		}
	}
}
