package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
)

// What is rendered is whole, asks for nothing from anywhere, and holds what was said
// without believing a word of it.
func TestHTML(t *testing.T) {
	s := talk()
	evil := `</p></article><script>alert(1)</script><img src=x onerror=alert(2)> javascript:alert(3) "'&`
	s.Title = evil
	s.Turns[0].Text = "see /sessions/brave-fox/a.md\n\n```\n" + evil + "\n```\n" + evil + " `" + evil + "`"
	s.Turns[1].Calls[0].Command, s.Turns[1].Calls[0].Result = evil, evil
	s.Turns[1].Calls[3].Reason = evil
	s.Turns[1].ID = ingest.TurnID(`a1" onclick="alert(4)`)
	text := turnsOf(t, s)
	if urls := regexp.MustCompile(`(href|src|action)="[^#"][^"]*"`).FindAllString(text, -1); len(urls) > 0 {
		t.Errorf("it leads elsewhere: %q", urls)
	}
	for _, want := range []string{"/sessions/brave-fox/a.md", "rejected by you", "Which lock?", `id="u2"`, "alert(1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if err := wellFormed(text); err != nil {
		t.Error(err)
	}
}

// wellFormed reads a page as XML would be, every element closed, in order, and
// refuses what could act or ask for something.
func wellFormed(page string) error {
	body := page[strings.Index(page, "<body>"):]
	d := xml.NewDecoder(strings.NewReader(body))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("near byte %d: %w", d.InputOffset(), err)
		}
		start, ok := token.(xml.StartElement)
		if ok && slices.Contains([]string{"script", "img", "link", "iframe", "object", "form", "base", "style"},
			start.Name.Local) {
			return fmt.Errorf("a <%s>", start.Name.Local)
		}
		for _, a := range start.Attr {
			if ok && (a.Name.Local == "src" || strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "style") {
				return fmt.Errorf("<%s %s=%q>", start.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

// turnsOf renders all turns of a session.
func turnsOf(t *testing.T, s *ingest.Session) string {
	t.Helper()
	render, err := Turns(s, About{})
	if err != nil {
		t.Fatal(err)
	}
	text := "<body>"
	for _, one := range s.Turns {
		part, err := render(one)
		if err != nil {
			t.Fatal(err)
		}
		text += string(part)
	}
	return text + "</body>"
}
