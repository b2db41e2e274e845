package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The recording that docs/web.md shows goes through the screens as they are kept: home, an answer, its session, what
// became of decisions, a project, the review. -update makes it anew after the pictures were.
func TestWebRecording(t *testing.T) {
	var screens []image.Image
	for _, name := range []string{"home", "ask", "session", "time", "now", "review"} {
		raw, err := os.ReadFile(filepath.Join("testdata", "web", name+"-light.png"))
		must(t, err)
		screen, err := png.Decode(bytes.NewReader(raw))
		must(t, err)
		screens = append(screens, screen)
	}
	path := filepath.Join("testdata", "web", "recording.gif")
	if *update {
		var b bytes.Buffer
		must(t, gif.EncodeAll(&b, recorded(screens)))
		must(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	raw, err := os.ReadFile(path)
	must(t, err)
	got, err := gif.DecodeAll(bytes.NewReader(raw))
	must(t, err)
	if len(got.Image) != len(screens) || len(raw) > 1<<20 {
		t.Fatalf("%d frames in %d bytes, want %d in 1 MB", len(got.Image), len(raw), len(screens))
	}
	for i, frame := range got.Image {
		shown := image.NewRGBA(frame.Bounds())
		draw.Draw(shown, shown.Rect, frame, image.Point{}, draw.Src)
		if n, of := differ(shown, screens[i], 40); n > of/100 {
			t.Errorf("frame %d: %d of %d points are others than in the picture; -update makes the recording anew", i, n, of)
		}
	}
}

// recorded shows each screen for two and a half seconds, in the 256 colours that they have most of.
func recorded(screens []image.Image) *gif.GIF {
	points := map[color.Color]int{}
	for _, s := range screens {
		for y := range s.Bounds().Dy() {
			for x := range s.Bounds().Dx() {
				points[s.At(x, y)]++
			}
		}
	}
	most := slices.SortedFunc(maps.Keys(points), func(a, b color.Color) int {
		return cmp.Or(points[b]-points[a], cmp.Compare(hexOf(a), hexOf(b)))
	})
	out := &gif.GIF{}
	for _, s := range screens {
		frame := image.NewPaletted(s.Bounds(), most[:min(256, len(most))])
		draw.Draw(frame, frame.Rect, s, image.Point{}, draw.Src)
		out.Image, out.Delay = append(out.Image, frame), append(out.Delay, 250)
	}
	return out
}

func hexOf(c color.Color) uint32 {
	r, g, b, _ := c.RGBA()
	return r>>8<<16 | g>>8<<8 | b>>8
}
