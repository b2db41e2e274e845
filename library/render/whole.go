package render

import (
	"archive/zip"
	"bytes"

	"recall/ingest"
	"recall/payload"
)

// Formats are those of Whole, beside zip, which holds all.
var Formats = []string{"md", "html", "json"}

// Whole renders a session in one of Formats, or all of them and its payload in a zip. p is nil if it isn't distilled.
func Whole(format string, s *ingest.Session, a About, p *payload.Payload) ([]byte, error) {
	switch format {
	case "html":
		return HTML(s, a, p)
	case "json":
		return JSON(s, a, p)
	case "zip":
		return zipped(s, a, p)
	}
	return WholeTranscript(s, a), nil
}

func zipped(s *ingest.Session, a About, p *payload.Payload) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name string, data []byte, err error) error {
		if err != nil {
			return err
		}
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	for _, format := range Formats {
		data, err := Whole(format, s, a, p)
		if err := add("transcript."+format, data, err); err != nil {
			return nil, err
		}
	}
	if p != nil {
		text := payload.Render(p, payload.Options{Budget: -1}).Text
		if err := add("payload.md", []byte(text), nil); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
