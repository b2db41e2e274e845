package main

import "io"

// output remembers that a write failed: a list that was cut off by a full disk
// must not look like a whole one.
type output struct {
	w   io.Writer
	err error // of the first write that failed
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// own is the stream itself, as another program should get it.
func own(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.w
	}
	return w
}
