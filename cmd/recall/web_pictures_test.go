package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each screen as it is looked at, beside the picture of it that is kept: half as large, with few shades. -update keeps
// them as they are now. What differs by machine and by day is made the same first: the font, the time, the paths.
func TestWebPicturesInBrowser(t *testing.T) {
	inBrowser(t)
	for name, value := range map[string]string{"TZ": "UTC", "LANGUAGE": "en_US", "LC_ALL": "C.UTF-8"} {
		t.Setenv(name, value)
	}
	font, err := os.ReadFile(filepath.Join("testdata", "web", "inter.woff2"))
	must(t, err)
	home, library := demoed(t)
	v := visitWeb(t, home, library)
	v.Call("Page.setBypassCSP", map[string]any{"enabled": true}, nil) // it lets no page have a font
	v.Call("Emulation.setScrollbarsHidden", map[string]any{"hidden": true}, nil)
	same := fmt.Sprintf(sameEverywhere, base64.StdEncoding.EncodeToString(font))
	for i, page := range v.screensOf() {
		name := []string{"home", "ask", "review", "time", "sessions", "now", "health", "session"}[i]
		for _, l := range looks {
			if name == "session" {
				page = strings.Split(page, "?")[0] + "?in=" + l.name + "#n3" // beyond what it came to
			}
			v.lookAs(l)
			v.to(page)
			var ready bool
			v.Eval(same, &ready)
			var shot struct{ Data string }
			v.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
			raw, err := base64.StdEncoding.DecodeString(shot.Data)
			must(t, err)
			whole, err := png.Decode(bytes.NewReader(raw))
			must(t, err)
			got, path := halved(whole), filepath.Join("testdata", "web", name+"-"+l.name+".png")
			if *update {
				var b bytes.Buffer
				best := png.Encoder{CompressionLevel: png.BestCompression}
				must(t, best.Encode(&b, got))
				must(t, os.WriteFile(path, b.Bytes(), 0o644))
				continue
			}
			kept, err := os.Open(path)
			must(t, err)
			want, err := png.Decode(kept)
			kept.Close()
			must(t, err)
			// Letters are drawn a little otherwise by another browser: few points of another colour, or many of another
			// shade, are what somebody changed.
			n, of := differ(got, want, 40)
			if shades, _ := differ(got, want, 20); n > of/1000 || shades > of/50 {
				seen := filepath.Join(os.TempDir(), "recall-web-"+name+"-"+l.name+".png")
				must(t, os.WriteFile(seen, raw, 0o600))
				t.Errorf("%s, %s: %d of %d points, and %d shades, are others than in %s: see %s; if that is wanted: "+
					"BROWSER_TESTS=1 go test ./cmd/recall -run TestWebPictures -update", page, l.name, n, of, shades, path, seen)
			}
		}
	}
}

// sameEverywhere gives a page the font of the test, and puts other words where the time of day or a path of this
// machine stands.
const sameEverywhere = `(async () => {
	const style = document.createElement('style');
	style.textContent = '@font-face { font-family: same; src: url(data:font/woff2;base64,%s) } ' +
		'* { font-family: same !important; caret-color: transparent !important }';
	document.head.append(style);
	await document.fonts.load('1rem same');
	document.querySelectorAll('.copy pre').forEach(e => {
		if (/^cd /.test(e.textContent)) e.textContent = 'cd /home/ann/app && claude --resume';
	});
	document.querySelectorAll('.last li').forEach(e => { e.textContent = e.textContent.replace(/:.*/, ': 2 h ago'); });
	document.querySelectorAll('.weeks rect').forEach((e, i) => { e.setAttribute('y', 60 - 2 * i); e.setAttribute('height', 2 * i); });
	document.querySelectorAll('.weeks text').forEach((e, i) => { e.textContent = i + 1 + ' May'; });
	document.querySelectorAll('.log .dim, .items .dim').forEach(e => {
		if (/ ago/.test(e.textContent)) e.textContent = e.textContent.replace(/\d+ (days|weeks|months?) ago/, '5 weeks ago');
	});
	document.querySelectorAll('h2').forEach(e => { if (/^Since /.test(e.textContent)) e.textContent = 'Since 2026-11-19'; });
	document.querySelectorAll('.tiles dd').forEach(e => { e.textContent = e.textContent.replace(/\d+ KB/, '400 KB'); });
	await new Promise(requestAnimationFrame);
	document.getElementById(location.hash.slice(1))?.scrollIntoView(); // from where the font moved it
	await new Promise(requestAnimationFrame);
	return true;
})()`

// halved is a picture half as wide and high, each point the mean of four, in 16 shades of each colour.
func halved(whole image.Image) *image.RGBA {
	b := whole.Bounds()
	half := image.NewRGBA(image.Rect(0, 0, b.Dx()/2, b.Dy()/2))
	for y := range half.Rect.Max.Y {
		for x := range half.Rect.Max.X {
			var sum [3]uint32
			for i := range 4 {
				r, g, b, _ := whole.At(b.Min.X+2*x+i%2, b.Min.Y+2*y+i/2).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+r>>8, sum[1]+g>>8, sum[2]+b>>8
			}
			shade := func(n uint32) uint8 { return uint8((n/4 + 8) / 17 * 17) }
			half.SetRGBA(x, y, color.RGBA{shade(sum[0]), shade(sum[1]), shade(sum[2]), 255})
		}
	}
	return half
}

// differ counts the points of two pictures that are further apart in one of their colours, of 255: all where the
// pictures aren't of one size.
func differ(got *image.RGBA, want image.Image, apartBy uint32) (n, of int) {
	b := got.Bounds()
	if of = b.Dx() * b.Dy(); b != want.Bounds() {
		return of, of
	}
	apart := func(a, b uint32) bool { return max(a, b)-min(a, b) > apartBy<<8 }
	for y := range b.Dy() {
		for x := range b.Dx() {
			r, g, b, _ := got.At(x, y).RGBA()
			R, G, B, _ := want.At(x, y).RGBA()
			if apart(r, R) || apart(g, G) || apart(b, B) {
				n++
			}
		}
	}
	return n, of
}
