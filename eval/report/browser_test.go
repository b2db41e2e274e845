package report

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/web/browsertest"
)

// The page in a real browser: nothing fetched, nothing on the console, no wider
// than a phone, dark where the reader's system is. With REPORT_SHOTS=DIR its
// pictures are kept there.
func TestInBrowser(t *testing.T) {
	b := browsertest.Open(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(rendered(t, invented(3))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		b.Call(domain+".enable", nil, nil)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	paper := map[string]string{}
	for _, c := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}, {"phone-dark", "dark", 390},
		{"narrow", "light", 344}} {
		b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": c.width, "height": 844,
			"deviceScaleFactor": 1,
			"mobile":            c.width < 500}, nil)
		scheme := map[string]string{"name": "prefers-color-scheme", "value": c.scheme}
		b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{scheme}}, nil)
		b.Goto(address)
		quiet(t, c.name, b.Events, address)
		looks(t, b, c.name, c.width)
		var color string
		b.Eval(`getComputedStyle(document.body).backgroundColor`, &color)
		if other, seen := paper[c.scheme]; seen && other != color {
			t.Errorf("%s: paper is %s, want %s as on other screens", c.name, color, other)
		}
		paper[c.scheme] = color
		keep(t, b, c.name, c.width)
	}
	if paper["light"] == paper["dark"] {
		t.Errorf("the paper is %s in light and in dark", paper["dark"])
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

// looks holds that all is on the screen: every session opened, nothing wider
// than the window, text large enough, each drawing named, contrast as WCAG AA
// wants it.
func looks(t *testing.T, b *browsertest.Browser, name string, width int) {
	t.Helper()
	var got struct {
		Wide            []string
		Scroll, Inner   int
		Drawings, Named int
		Small, Pale     []string
		Tiles, Rows     int
	}
	b.Eval(whatIsSeen, &got)
	if got.Scroll > width || got.Inner != width || len(got.Wide) > 0 {
		t.Errorf("%s: %d wide in a window of %d, want no more than %d; wider: %v", name, got.Scroll, got.Inner, width,
			got.Wide)
	}
	if got.Drawings != 6 || got.Named != got.Drawings {
		t.Errorf("%s: %d drawings, %d with title and description, want 6 of 6", name, got.Drawings, got.Named)
	}
	if len(got.Small) > 0 {
		t.Errorf("%s: text under 10 pixels: %v", name, got.Small)
	}
	if len(got.Pale) > 0 {
		t.Errorf("%s: contrast under 4.5: %v", name, got.Pale)
	}
	if got.Tiles != 8 || got.Rows < 9 {
		t.Errorf("%s: %d figures and %d rows can be seen, want 8 and all", name, got.Tiles, got.Rows)
	}
}

const whatIsSeen = `(() => {
	document.querySelectorAll('details').forEach(d => d.open = true);
	const seen = e => { const r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1; };
	const what = e => e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + e.textContent.trim().slice(0, 30);
	const rgb = s => s.match(/[\d.]+/g).map(Number);
	const lum = c => { const f = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
	const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > .9) return c; } return [255, 255, 255]; };
	const wide = [], small = [], pale = [];
	for (const e of document.querySelectorAll('body *')) {
		if (!seen(e) || e.closest('thead')) continue;
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		if (r.right > innerWidth + 1 && !e.closest('svg')) wide.push(what(e));
		if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
		const svg = e.ownerSVGElement, scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
		if (e.tagName == 'title' || e.tagName == 'desc') continue;
		if (parseFloat(s.fontSize) * scale < 9.5) small.push(what(e));
		const a = lum(rgb(svg ? s.fill : s.color)), b = lum(behind(e));
		if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) pale.push(what(e));
	}
	const drawings = [...document.querySelectorAll('figure > svg')];
	return {Wide: wide.slice(0, 5), Scroll: document.documentElement.scrollWidth, Inner: innerWidth, Small: small.slice(0, 5), Pale: pale.slice(0, 5),
		Drawings: drawings.length,
		Named: drawings.filter(d => d.getAttribute('role') == 'img' && d.getAttribute('aria-labelledby').split(' ').every(id => document.getElementById(id)?.textContent)).length,
		Tiles: [...document.querySelectorAll('.tile')].filter(seen).length, Rows: [...document.querySelectorAll('.rows > li')].filter(seen).length};
})()`

// keep writes pictures of the page, a screen of 1,400 pixels each, if somebody
// wants to look at them.
func keep(t *testing.T, b *browsertest.Browser, name string, width int) {
	dir := os.Getenv("REPORT_SHOTS")
	if dir == "" {
		return
	}
	var height int
	b.Eval(`document.documentElement.scrollHeight`, &height)
	for y := 0; y < height; y += 1400 {
		var shot struct{ Data string }
		clip := map[string]any{"x": 0, "y": y, "width": width, "height": min(1400, height-y), "scale": 1}
		b.Call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": clip}, &shot)
		png, err := base64.StdEncoding.DecodeString(shot.Data)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.png", name, y/1400+1)), png, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
