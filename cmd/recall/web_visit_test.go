package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inBrowser skips a test where none is wanted.
func inBrowser(t *testing.T) {
	t.Helper()
	if os.Getenv(browserWanted) == "" {
		t.Skip(browserWanted + " not set")
	}
}

// A visit is a person's browser on the pages of a library.
type visit struct {
	*browser
	t   *testing.T
	own string // where the pages are
}

// visitWeb runs recall web over a library and opens its first page, until the test ends.
func visitWeb(t *testing.T, home, library string, args ...string) *visit {
	t.Helper()
	v := &visit{browser: openBrowser(t), t: t}
	v.listen()
	link := startWeb(t, home, library, args...)
	at, err := url.Parse(link)
	must(t, err)
	v.own = "http://" + at.Host
	v.Goto(link)
	v.until("the first page", "document.getElementById('main')")
	return v
}

// listen has the browser tell what is asked for and what stands on the console.
func (v *visit) listen() {
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		v.Call(domain+".enable", nil, nil)
	}
}

// to opens a page, which then must have complained of nothing.
func (v *visit) to(page string) {
	v.t.Helper()
	v.Goto(v.own + page)
	v.quiet(page)
}

// keys that have names, and what they are to a browser.
var keys = map[string]struct {
	code int
	text string
}{"Tab": {9, ""}, "Enter": {13, "\r"}, " ": {32, " "}, "Home": {36, ""}, "ArrowLeft": {37, ""}, "ArrowUp": {38, ""},
	"ArrowRight": {39, ""}, "ArrowDown": {40, ""}}

// press presses keys, one after the other.
func (v *visit) press(all ...string) {
	v.t.Helper()
	for _, key := range all {
		k, named := keys[key]
		if !named {
			k.text = key
		}
		p := map[string]any{"key": key, "windowsVirtualKeyCode": k.code, "text": k.text, "type": "keyDown"}
		v.Call("Input.dispatchKeyEvent", p, nil)
		p["type"] = "keyUp"
		delete(p, "text")
		v.Call("Input.dispatchKeyEvent", p, nil)
	}
}

// text types a text where the focus is.
func (v *visit) text(text string) {
	v.t.Helper()
	v.Call("Input.insertText", map[string]any{"text": text}, nil)
}

// tabTo presses Tab until the focus is on what an expression about e says, and no more often than a page has places.
func (v *visit) tabTo(what, expr string) {
	v.t.Helper()
	ok := false
	for range 300 {
		if v.Eval("(e => !!("+expr+"))(document.activeElement)", &ok); ok {
			return
		}
		v.press("Tab")
	}
	v.t.Fatalf("Tab never comes to %s", what)
}

// click clicks on an element with the mouse, which must be where a person would hit it.
func (v *visit) click(element string) {
	v.t.Helper()
	var at struct {
		X, Y float64
		Hit  bool
	}
	v.Eval(`(async e => {
		for (let was; was != (was = e.getBoundingClientRect().y);) { // turns that come into sight are laid out, and move it
			e.scrollIntoView({block: 'center'});
			await new Promise(requestAnimationFrame);
		}
		const r = e.getClientRects()[0], x = r.x + r.width / 2, y = r.y + r.height / 2;
		return {X: x, Y: y, Hit: e.contains(document.elementFromPoint(x, y))};
	})(`+element+`)`, &at)
	if !at.Hit {
		v.t.Errorf("%s is behind something else", element)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		v.Call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left",
			"clickCount": 1}, nil)
	}
}

// until waits for what an expression says of a page that is there.
func (v *visit) until(what, expr string) {
	v.t.Helper()
	ok := false
	for range 2400 { // two minutes
		err := v.evaluate("document.readyState == 'complete' && !!("+expr+")", &ok)
		if err != nil && !errors.Is(err, errLeft) { // a link or a form is on its way
			v.t.Fatalf("%s: %v", what, err)
		}
		if err == nil && ok {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	var body string
	v.Eval("document.title + '\\n' + document.body.innerText", &body)
	v.t.Fatalf("never seen: %s, on\n%.2000s", what, body)
}

// quiet holds that since the page was opened only our own server was asked for something and answered well, and that
// nobody complained of anything.
func (v *visit) quiet(what string) {
	v.t.Helper()
	for _, e := range v.Events {
		var p struct {
			Request  struct{ URL string }
			Response struct {
				URL    string
				Status int
			}
		}
		if err := json.Unmarshal(e.Params, &p); err != nil {
			v.t.Fatal(err)
		}
		switch e.Method {
		case "Network.requestWillBeSent":
			if !strings.HasPrefix(p.Request.URL, v.own+"/") && !strings.HasPrefix(p.Request.URL, "data:") {
				v.t.Errorf("%s asks for %s", what, p.Request.URL)
			}
		case "Network.responseReceived":
			if p.Response.Status >= 400 {
				v.t.Errorf("%s: %s is answered with %d", what, p.Response.URL, p.Response.Status)
			}
		case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
			v.t.Errorf("%s: on the console: %s", what, e.Params)
		}
	}
}

// look is how pages are looked at.
type look struct {
	name, scheme string
	width        int
}

var looks = []look{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}}

func (v *visit) lookAs(l look) {
	v.t.Helper()
	v.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": l.width, "height": 844,
		"deviceScaleFactor": 1, "mobile": l.width < 500}, nil)
	v.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": l.scheme}}}, nil)
}

// screensOf are the pages of the menu, and a session's.
func (v *visit) screensOf() []string {
	screens := []string{"/", "/?q=what+did+we+decide+about+the+queue", "/review", "/time", "/sessions", "/now", "/health"}
	all := v.sessionsOf()
	return append(screens, all[max(0, len(all)-1):]...)
}

// sessionsOf are the pages of all sessions.
func (v *visit) sessionsOf() (all []string) {
	v.to("/sessions")
	v.Eval(`[...document.querySelectorAll('.log a[href^="/session/"]')].map(a => a.getAttribute('href'))`, &all)
	return all
}

// emptyLibrary makes a library in which nothing is.
func emptyLibrary(t *testing.T) string {
	t.Helper()
	empty := filepath.Join(t.TempDir(), "empty")
	cmd := exec.Command("recall", "--library", empty, "sync", "--from", t.TempDir())
	// though nothing is there to take in
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "created a library") {
		t.Fatalf("%s", out)
	}
	return empty
}

// clickButton clicks on a button and waits until what it asks for is there; a tag is given where one can be.
func (v *visit) clickButton(what, button string) {
	v.t.Helper()
	var part string // that is to be another one
	v.Eval(`(e => {
		const form = e.form && e.type == 'submit' && (!e.form.q || e.form.q.value) ? e.form : null;
		const id = form ? form.dataset.part ?? 'main' : '';
		if (e.name == 'save') e.form.elements.tag.value = 'x';
		if (form) document.getElementById(id).firstElementChild.seen = true;
		return id;
	})(`+button+`)`, &part)
	v.click(button)
	if part != "" {
		v.until(what, fmt.Sprintf(`(e => e && !e.seen)(document.querySelector('#%s > *'))`, part))
	}
	v.quiet(what)
}
