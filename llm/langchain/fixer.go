package langchain

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"recall/llm"
	"recall/llm/wire"
)

// fixer is what langchaingo's requests go through.
type fixer struct {
	wire   *wire.Transport // sends, and makes errors of what isn't an answer
	window int             // tokens of request and answer together
}

// RoundTrip implements http.RoundTripper.
func (f *fixer) RoundTrip(req *http.Request) (*http.Response, error) {
	t, ok := req.Context().Value(tripKey{}).(*trip)
	if !ok || req.Body == nil {
		return f.wire.RoundTrip(req)
	}
	data, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	body, err := object(data)
	if err != nil {
		return nil, err
	}
	out := req.Clone(req.Context())
	f.mend(body, t)
	if data, err = json.Marshal(body); err != nil {
		return nil, err
	}
	out.Body = io.NopCloser(bytes.NewReader(data))
	out.ContentLength = int64(len(data))
	out.GetBody = nil
	res, err := f.wire.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body) // of memory: the transport has read it whole
	if err != nil {
		return nil, err
	}
	if got, err = f.read(got, t); err != nil {
		return nil, &llm.Error{Fault: llm.Nonsense, Model: f.wire.Model, Status: http.StatusOK,
			Text: "an answer of another form", Err: err}
	}
	res.Body = io.NopCloser(bytes.NewReader(got))
	res.ContentLength = int64(len(got))
	return res, nil
}
